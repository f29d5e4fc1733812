import { isTpuPod } from '../../../manifest/slices';
import { type PodView } from '../../../manifest/pods';

/** Whether a pod is not the agent of a node, which needs access to the node. */
export const isOrdinary = (pod: PodView): boolean => pod.runs !== 'DaemonSet' || isTpuPod(pod);
