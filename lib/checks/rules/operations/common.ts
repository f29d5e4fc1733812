import { INFERENCE_SERVER_LABEL } from '../../../facts/labels';
import { isTpuPod, sliceOf, tpuContainers } from '../../../manifest/slices';
import { list, number, text } from '../../../manifest/manifest';
import { type Violation } from '../../rule';
import { eachPodThat } from '../each-pod';
import { scalersFor } from '../../../manifest/scalers';
import { type ContainerView, type PodView, records } from '../../../manifest/pods';
import { type ManifestSet } from '../../../manifest/set';

// Rules about what an experienced operator adds to a workload that runs.

/** Kinds that keep a server running by themselves. */
export const SERVERS: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

const SAX_IMAGE = /(^|\/)sax-model-server[:@]/;

const servesInJobs = (pod: PodView): boolean =>
  pod.object.kind === 'JobSet' &&
  (text(pod.labels, INFERENCE_SERVER_LABEL) !== undefined ||
    pod.containers.some(({ container }) => SAX_IMAGE.test(text(container, 'image') ?? '')));

/** Whether pods with chips run a server: a kind that keeps it running, a RayService, or a JobSet that serves. */
export const isServer = (pod: PodView): boolean =>
  isTpuPod(pod) && (SERVERS.includes(pod.runs) || servesWithRay(pod) || servesInJobs(pod));

export const servesWithRay = (pod: PodView): boolean =>
  pod.runs === 'RayWorkers' && pod.object.kind === 'RayService';

/** Whether clients send requests to a pod: not to the workers of a LeaderWorkerSet whose leader has a separate template. */
export const answers = (pod: PodView): boolean => isServer(pod) && pod.role !== 'worker';

/** Whether pods with chips run a server or a Job. */
const isWorkload = (pod: PodView): boolean => isServer(pod) || (isTpuPod(pod) && pod.runs === 'Job');

/** Whether a pod uses a single-host slice. The pods of a multi-host slice are not replicas of each other. */
export const isOneHost = (pod: PodView): boolean => (sliceOf(pod).hosts ?? 1) === 1;

/** The container of a server that has the chips. */
const mainOf = (pod: PodView): ContainerView | undefined => tpuContainers(pod).find(({ init }) => !init);

type Check = (
  pod: PodView,
  main: ContainerView,
  set: ManifestSet,
) => Omit<Violation, 'object' | 'severity'> | undefined;

/** Checks the pods for which `which` holds, with the container that has the chips. */
const about =
  (which: (pod: PodView) => boolean) =>
  (check: Check): ((set: ManifestSet) => Iterable<Violation<'note'>>) =>
    eachPodThat(which, function* (pod, set) {
      const main = mainOf(pod);
      const found = main && check(pod, main, set);
      if (found) yield { object: pod.object, ...found };
    });
export const ofServers = about(isServer);

export const ofAnsweringServers = about(answers);

export const ofWorkloads = about(isWorkload);

export const envOf = ({ container }: ContainerView, name: string): string | undefined => {
  const variable = records(container, 'env').find((one) => text(one, 'name') === name);
  return variable && (text(variable, 'value') ?? '');
};

export const runsVllm = ({ container }: ContainerView): boolean =>
  /(^|\/)vllm-tpu(-ray)?([:@]|$)/.test(text(container, 'image') ?? '') ||
  [...list(container, 'command'), ...list(container, 'args')].some(
    (word) => typeof word === 'string' && /\bvllm\b/.test(word),
  );

/** Whether a server has more than one replica, or an autoscaler can add replicas. */
export const isReplicated = (pod: PodView, set: ManifestSet): boolean =>
  (pod.slices ?? 1) > 1 ||
  (number(pod.owner, 'maxReplicas') ?? 1) > 1 ||
  scalersFor(set, pod.object).some(({ max }) => max > 1);
