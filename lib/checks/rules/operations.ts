import { amount, at, isRecord, list, number, record, text } from '../manifest';
import { type ContainerView, type PodView, records } from '../pods';
import { rule, type Rule, type Violation } from '../rule';
import { budgetedPods, monitoredPods, scaledBy } from '../selection';
import { isTpuPod, specPath, tpuContainers } from '../slices';

// What an experienced operator adds to a TPU server that works already. They are notes: without it a server runs, less well.

const SERVERS: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

const isServer = (pod: PodView): boolean => SERVERS.includes(pod.runs) && isTpuPod(pod);

/** The container of a server that has the chips. */
const mainOf = (pod: PodView): ContainerView | undefined => tpuContainers(pod).find(({ init }) => !init);

/** A rule about each TPU server: its pods and the container with the chips. */
const ofServers = (
  code: string,
  title: string,
  check: (
    pod: PodView,
    main: ContainerView,
    set: Parameters<Rule['check']>[0],
  ) => Omit<Violation, 'object'> | undefined,
): Rule =>
  rule(code, 'note', title, function* (set) {
    for (const pod of set.pods) {
      const main = isServer(pod) ? mainOf(pod) : undefined;
      const found = main && check(pod, main, set);
      if (found) yield { object: pod.object, ...found };
    }
  });

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

/** vLLM gives up on its engine after this, unless told otherwise: https://github.com/vllm-project/vllm/pull/27444 */
const ENGINE_TIMEOUT = 'VLLM_ENGINE_READY_TIMEOUT_S';
const ENGINE_SECONDS = 600;

/** Whether a server has, or may be scaled to, more than one replica. */
const isReplicated = (pod: PodView, set: Parameters<Rule['check']>[0]): boolean =>
  (pod.slices ?? 1) > 1 ||
  scaledBy(set, pod.object).some(({ manifest }) => (number(manifest, 'spec', 'maxReplicas') ?? 1) > 1);

const LABELS = ['app.kubernetes.io/name', 'app.kubernetes.io/instance', 'ai.gke.io/inference-server'];

/** What an experienced operator adds to a TPU server. */
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
    !isReplicated(pod, set) || budgetedPods(set).has(pod)
      ? undefined
      : {
          path: 'spec.replicas',
          message: `the replicas of ${pod.object.id} can all be evicted at once, and each takes minutes to come back`,
          fix: 'add a PodDisruptionBudget with maxUnavailable: 1 for the labels of its pods',
        },
  ),
  ofServers('TPU322', 'the replicas of a TPU server are spread', (pod, _, set) =>
    !isReplicated(pod, set) ||
    records(pod.spec, 'topologySpreadConstraints').length > 0 ||
    isRecord(at(pod.spec, 'affinity', 'podAntiAffinity'))
      ? undefined
      : {
          path: `${specPath(pod)}.topologySpreadConstraints`,
          message: `the replicas of ${pod.object.id} may all be in one node pool, which is drained or runs out of capacity as a whole`,
          fix: "add a topologySpreadConstraint on 'cloud.google.com/gke-nodepool' with whenUnsatisfiable: ScheduleAnyway",
        },
  ),
  ofServers('TPU323', "vLLM's own timeout is no shorter than its startup", (_, main) => {
    const budget = startupSeconds(main);
    const own = envOf(main, ENGINE_TIMEOUT);
    const seconds = own === undefined || own === '' ? ENGINE_SECONDS : Number(own);
    return !runsVllm(main) || Number.isNaN(seconds) || seconds >= budget
      ? undefined
      : {
          path: `${main.path}.env[${ENGINE_TIMEOUT}]`,
          message: `container '${main.name}' has ${String(budget)} seconds to start, and vLLM gives up on its engine after ${String(seconds)}`,
          fix: `set ${ENGINE_TIMEOUT} to '${String(budget)}'`,
        };
  }),
  ofServers('TPU324', 'a TPU server requests CPU and memory', (_, main) => {
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
    envOf(main, 'VLLM_XLA_CACHE_PATH') !== undefined ||
    envOf(main, 'JAX_COMPILATION_CACHE_DIR') !== undefined
      ? undefined
      : {
          path: `${main.path}.env[VLLM_XLA_CACHE_PATH]`,
          message: `container '${main.name}' compiles at every start, which takes 10 to 30 minutes`,
          fix: 'set VLLM_XLA_CACHE_PATH to a folder on a volume',
        },
  ),
  ofServers('TPU327', 'the metrics of a TPU server are collected', (pod, main, set) =>
    !runsVllm(main) || monitoredPods(set).has(pod)
      ? undefined
      : {
          path: `${main.path}.ports`,
          message: `no PodMonitoring selects the pods of ${pod.object.id}, so nobody sees how busy it is`,
          fix: 'add a PodMonitoring for the labels of its pods, with path: /metrics',
        },
  ),
  ofServers('TPU328', 'a TPU server has the labels that tools know it by', (pod) => {
    const missing = LABELS.filter((label) => text(pod.labels, label) === undefined);
    return missing.length === 0
      ? undefined
      : {
          path: `${pod.path}.metadata.labels`,
          message: `the pods of ${pod.object.id} have no label ${missing.map((label) => `'${label}'`).join(', ')}`,
          fix: 'add them: dashboards and inference gateways find servers by them',
        };
  }),
  ofServers('TPU329', 'a TPU server has no token of the Kubernetes API', (pod) =>
    at(pod.spec, 'automountServiceAccountToken') === false
      ? undefined
      : {
          path: `${specPath(pod)}.automountServiceAccountToken`,
          message: `the pods of ${pod.object.id} hold a token of the Kubernetes API, which no known model server asks`,
          fix: 'set automountServiceAccountToken: false; Workload Identity works without it',
        },
  ),
  ofServers('TPU330', 'the containers of a TPU server gain no privileges', (pod) => {
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
];
