import { isTpuPod } from '../../../manifest/slices';
import { type PodView } from '../../../manifest/pods';

/** The agent of a node is there to reach the node. */
export const isOrdinary = (pod: PodView): boolean => pod.runs !== 'DaemonSet' || isTpuPod(pod);
