import { NODE_POOL_LABEL, TPU_METRICS_PORT } from '../../pod/tpu';
import { JAX_COMPILE_CACHE, VLLM_COMPILE_CACHE, VLLM_ENGINE_TIMEOUT } from '../../facts/variables';
import { amount, at, isRecord, list, number, record, text } from '../../manifest/manifest';
import { type ContainerView, type PodView, records } from '../../manifest/pods';
import { remark, type Rule, type Violation } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import { budgetedPods, monitoredPods, scaledBy } from '../../manifest/selection';
import { isTpuPod, sliceOf, specPath, tpuContainers } from '../../manifest/slices';

// What an experienced operator adds to a TPU workload that works already. They are notes: without it that runs, less well.

/** Kinds that keep a server running by themselves. */
const SERVERS: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

/** Label of what answers requests, and the image of a JobSet that does. */
const INFERENCE_SERVER = 'ai.gke.io/inference-server';
const SAX_IMAGE = /(^|\/)sax-model-server[:@]/;

const servesInJobs = (pod: PodView): boolean =>
  pod.object.kind === 'JobSet' &&
  (text(pod.labels, INFERENCE_SERVER) !== undefined ||
    pod.containers.some(({ container }) => SAX_IMAGE.test(text(container, 'image') ?? '')));

/** Whether pods with chips are those of a server: a Ray cluster of a RayService, and a JobSet that answers requests, are as well. */
const isServer = (pod: PodView): boolean =>
  isTpuPod(pod) && (SERVERS.includes(pod.runs) || servesWithRay(pod) || servesInJobs(pod));

const servesWithRay = (pod: PodView): boolean =>
  pod.runs === 'RayWorkers' && pod.object.kind === 'RayService';

/** Whether pods with chips are those of a server or a Job. */
const isWorkload = (pod: PodView): boolean => isServer(pod) || (isTpuPod(pod) && pod.runs === 'Job');

/** How many pods of a Job may fail, unless it says otherwise. */
const BACKOFF_LIMIT = 6;

/** A slice of several hosts is one node pool: its pods are not replicas of each other. */
const isOneHost = (pod: PodView): boolean => (sliceOf(pod).hosts ?? 1) === 1;

/** The container of a server that has the chips. */
const mainOf = (pod: PodView): ContainerView | undefined => tpuContainers(pod).find(({ init }) => !init);

type Check = (
  pod: PodView,
  main: ContainerView,
  set: ManifestSet,
) => Omit<Violation, 'object' | 'severity'> | undefined;

/** A rule about pods and the container with the chips. */
const about =
  (which: (pod: PodView) => boolean) =>
  (code: string, title: string, check: Check): Rule =>
    remark(code, 'note', title, function* (set) {
      for (const pod of set.pods) {
        const main = which(pod) ? mainOf(pod) : undefined;
        const found = main && check(pod, main, set);
        if (found) yield { object: pod.object, ...found };
      }
    });
const ofServers = about(isServer);
const ofWorkloads = about(isWorkload);

const envOf = ({ container }: ContainerView, name: string): string | undefined => {
  const variable = records(container, 'env').find((one) => text(one, 'name') === name);
  return variable && (text(variable, 'value') ?? '');
};

const runsVllm = ({ container }: ContainerView): boolean =>
  /(^|\/)vllm-tpu[:@]/.test(text(container, 'image') ?? '') ||
  [...list(container, 'command'), ...list(container, 'args')].some(
    (word) => typeof word === 'string' && /\bvllm\b/.test(word),
  );

/** How long a container is given to start. */
const startupSeconds = ({ container }: ContainerView): number => {
  const probe = record(container, 'startupProbe');
  if (Object.keys(probe).length === 0) return 0;
  return (
    (number(probe, 'initialDelaySeconds') ?? 0) +
    (number(probe, 'periodSeconds') ?? 10) * (number(probe, 'failureThreshold') ?? 3)
  );
};

/** vLLM gives up on its engine after this, unless told otherwise. */
const ENGINE_SECONDS = 600;

/** Whether a server has, or may be scaled to, more than one replica. */
const isReplicated = (pod: PodView, set: ManifestSet): boolean =>
  (pod.slices ?? 1) > 1 ||
  (number(pod.owner, 'maxReplicas') ?? 1) > 1 ||
  scaledBy(set, pod.object).some(({ manifest }) => (number(manifest, 'spec', 'maxReplicas') ?? 1) > 1);

const NAME = 'app.kubernetes.io/name';
const LABELS = [NAME, 'app.kubernetes.io/instance'];

/** Labels that tools know pods by; the name is KubeRay's on Ray pods. */
const labelsOf = (pod: PodView): readonly string[] => [
  ...LABELS.filter((label) => label !== NAME || pod.runs !== 'RayWorkers'),
  ...(isServer(pod) ? [INFERENCE_SERVER] : []),
];

/** Whether a container is known to export metrics: vLLM always, JetStream where it is told to, Ray on every pod. */
const exportsMetrics = (pod: PodView, main: ContainerView): boolean =>
  runsVllm(main) ||
  servesWithRay(pod) ||
  list(main.container, 'args').some(
    (word) => typeof word === 'string' && /^--?prometheus_port=[1-9]/.test(word),
  );

/** What an experienced operator adds to a TPU workload. */
export const OPERATION_RULES: readonly Rule[] = [
  ofServers('TPU320', 'a TPU server goes on serving while it leaves its Service', (pod, main) =>
    isRecord(at(main.container, 'lifecycle', 'preStop'))
      ? undefined
      : {
          path: `${main.path}.lifecycle.preStop`,
          message: `container '${main.name}' has no preStop hook, so requests still arrive when it is told to stop, and those in it are lost`,
          fix: `add preStop.exec.command: ['sleep', '30'] and terminationGracePeriodSeconds: 60 to '${specPath(pod)}'`,
        },
  ),
  ofServers('TPU321', 'a TPU server with several replicas has a PodDisruptionBudget', (pod, _, set) =>
    // Of other pods a budget cannot say how many may go: https://kubernetes.io/docs/tasks/run-application/configure-pdb/
    !SERVERS.includes(pod.runs) || !isReplicated(pod, set) || budgetedPods(set).has(pod)
      ? undefined
      : {
          path: 'spec.replicas',
          message: `the replicas of ${pod.object.id} can all be evicted at once, and each takes minutes to come back`,
          fix: 'add a PodDisruptionBudget with maxUnavailable: 1 for the labels of its pods',
        },
  ),
  ofServers('TPU322', 'the replicas of a TPU server are spread', (pod, _, set) =>
    !isReplicated(pod, set) ||
    !(SERVERS.includes(pod.runs) || isOneHost(pod)) ||
    records(pod.spec, 'topologySpreadConstraints').length > 0 ||
    isRecord(at(pod.spec, 'affinity', 'podAntiAffinity'))
      ? undefined
      : {
          path: `${specPath(pod)}.topologySpreadConstraints`,
          message: `the replicas of ${pod.object.id} may all be in one node pool, which is drained or runs out of capacity as a whole`,
          fix: `add a topologySpreadConstraint on '${NODE_POOL_LABEL}' with whenUnsatisfiable: ScheduleAnyway`,
        },
  ),
  ofServers('TPU323', "vLLM's own timeout is no shorter than its startup", (_, main) => {
    const budget = startupSeconds(main);
    const own = envOf(main, VLLM_ENGINE_TIMEOUT);
    const seconds = own === undefined || own === '' ? ENGINE_SECONDS : Number(own);
    return !runsVllm(main) || Number.isNaN(seconds) || seconds >= budget
      ? undefined
      : {
          path: `${main.path}.env[${VLLM_ENGINE_TIMEOUT}]`,
          message: `container '${main.name}' has ${String(budget)} seconds to start, and vLLM gives up on its engine after ${String(seconds)}`,
          fix: `set ${VLLM_ENGINE_TIMEOUT} to '${String(budget)}'`,
        };
  }),
  ofWorkloads('TPU324', 'a TPU workload requests CPU and memory', (_, main) => {
    const missing = ['cpu', 'memory'].filter(
      (resource) =>
        amount(main.container, 'resources', 'requests', resource) === undefined &&
        amount(main.container, 'resources', 'limits', resource) === undefined,
    );
    return missing.length === 0
      ? undefined
      : {
          path: `${main.path}.resources.requests`,
          message: `container '${main.name}' requests no ${missing.join(' and no ')}, so it is the first to be evicted when its node runs short`,
          fix: `request ${missing.join(' and ')} for most of the host: nothing else runs there`,
        };
  }),
  ofServers('TPU325', 'the logs of a Python server arrive as they are written', (_, main) =>
    !runsVllm(main) || envOf(main, 'PYTHONUNBUFFERED') !== undefined
      ? undefined
      : {
          path: `${main.path}.env[PYTHONUNBUFFERED]`,
          message: `container '${main.name}' buffers its logs, which then miss what it did before it was killed`,
          fix: "set PYTHONUNBUFFERED to '1'",
        },
  ),
  ofServers('TPU326', 'compiled programs outlive the pod', (_, main) =>
    !runsVllm(main) ||
    envOf(main, VLLM_COMPILE_CACHE) !== undefined ||
    envOf(main, JAX_COMPILE_CACHE) !== undefined
      ? undefined
      : {
          path: `${main.path}.env[${VLLM_COMPILE_CACHE}]`,
          message: `container '${main.name}' compiles at every start, which takes 10 to 30 minutes`,
          fix: `set ${VLLM_COMPILE_CACHE} to a folder on a volume`,
        },
  ),
  ofServers('TPU327', 'the metrics of a TPU server are collected', (pod, main, set) =>
    !exportsMetrics(pod, main) || monitoredPods(set).has(pod)
      ? undefined
      : {
          path: `${main.path}.ports`,
          message: `no PodMonitoring selects the pods of ${pod.object.id}, so nobody sees how busy it is`,
          fix: 'add a PodMonitoring for the labels of its pods, with path: /metrics',
        },
  ),
  ofWorkloads('TPU328', 'a TPU workload has the labels that tools know it by', (pod) => {
    const missing = labelsOf(pod).filter((label) => text(pod.labels, label) === undefined);
    return missing.length === 0
      ? undefined
      : {
          path: `${pod.path}.metadata.labels`,
          message: `the pods of ${pod.object.id} have no label ${missing.map((label) => `'${label}'`).join(', ')}`,
          fix: 'add them: dashboards and inference gateways find workloads by them',
        };
  }),
  ofWorkloads('TPU329', 'a TPU workload has no token of the Kubernetes API', (pod) =>
    at(pod.spec, 'automountServiceAccountToken') === false
      ? undefined
      : {
          path: `${specPath(pod)}.automountServiceAccountToken`,
          message: `the pods of ${pod.object.id} hold a token of the Kubernetes API, which no known model server asks, nor most programs`,
          fix: 'set automountServiceAccountToken: false; Workload Identity works without it',
        },
  ),
  ofWorkloads('TPU330', 'the containers of a TPU workload gain no privileges', (pod) => {
    const confined = (context: unknown): boolean =>
      isRecord(at(context, 'securityContext', 'seccompProfile'));
    const open = pod.containers.filter(
      ({ container }) =>
        at(container, 'securityContext', 'privileged') !== true &&
        (at(container, 'securityContext', 'allowPrivilegeEscalation') !== false ||
          !(confined(pod.spec) || confined(container))),
    );
    return open.length === 0
      ? undefined
      : {
          path: `${open[0]?.path ?? ''}.securityContext`,
          message: `${open.map(({ name }) => `container '${name}'`).join(' and ')} may gain privileges or make any system call`,
          fix: 'set allowPrivilegeEscalation: false on the container and seccompProfile.type: RuntimeDefault on the pod',
        };
  }),
  ofWorkloads('TPU331', 'the metrics of the TPU runtime are collected', (pod, main) =>
    // On its node's network a declared port is the node's.
    at(pod.spec, 'hostNetwork') === true ||
    records(main.container, 'ports').some((port) => number(port, 'containerPort') === TPU_METRICS_PORT)
      ? undefined
      : {
          path: `${main.path}.ports`,
          message: `container '${main.name}' does not declare port ${String(TPU_METRICS_PORT)}, by which GKE finds the metrics of the TPU runtime: how busy the chips are, and how full`,
          fix: `add containerPort: ${String(TPU_METRICS_PORT)} to its ports`,
        },
  ),
  ofWorkloads('TPU332', 'a host that fails ends the Job of its slice', (pod) => {
    const limit = number(pod.owner, 'backoffLimit') ?? BACKOFF_LIMIT;
    return pod.runs !== 'Job' || isOneHost(pod) || limit === 0
      ? undefined
      : {
          path: `${pod.ownerPath}.backoffLimit`,
          message: `backoffLimit is ${String(limit)}${at(pod.owner, 'backoffLimit') === undefined ? ', the default' : ''}, so a host that failed starts again beside others that have gone on without it, on a slice that is paid for meanwhile`,
          fix: 'set backoffLimit: 0, and start all hosts again: by a JobSet, or by applying the Job anew',
        };
  }),
];
