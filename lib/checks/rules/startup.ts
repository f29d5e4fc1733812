import { quoted } from '../../problems/validators';
import { RAY_DRAIN_TIMEOUT } from '../../facts/variables';
import { count } from '../../tpu/topology';
import {
  amount,
  at,
  isRecord,
  type Json,
  list,
  type ManifestObject,
  number,
  record,
  text,
} from '../../manifest/manifest';
import { type ContainerView, type PodView, records } from '../../manifest/pods';
import { remark, rule, type Rule, type Violation } from '../rule';
import {
  isPort,
  isRuntimePort,
  ofGroup,
  portsInWords,
  portsOf,
  type PortView,
  runsRay,
  servedPods,
} from '../../manifest/selection';
import { gracefulShutdownSeconds } from '../../manifest/serve-config';
import { specPath, tpuContainers } from '../../manifest/slices';

const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;

/** Kinds that keep a server running; a Job's pods end, and Ray brings its own probes. */
const SERVERS: readonly PodView['runs'][] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet'];

/** A first compile takes 10 to 30 minutes: https://github.com/vllm-project/tpu-inference/issues/606 */
const COMPILE_SECONDS = 600;
/** What the fixes give a start: an 8B model without a cache took an hour, https://github.com/vllm-project/vllm/issues/23115 */
const STARTUP_PROBE = 'periodSeconds: 10, timeoutSeconds: 10 and failureThreshold: 360 (one hour)';
/** Kubernetes' defaults. */
const GRACE_SECONDS = 30;
const DEADLINE_SECONDS = 600;

/** Where the kinds that can surge say so. */
const ROLLOUTS = {
  Deployment: {
    path: ['strategy', 'rollingUpdate', 'maxSurge'],
    byDefault: '25%',
    fix: 'set maxSurge: 0 and maxUnavailable: 1, or strategy.type: Recreate',
  },
  LeaderWorkerSet: {
    path: ['rolloutStrategy', 'rollingUpdateConfiguration', 'maxSurge'],
    byDefault: 0,
    fix: 'set maxSurge: 0',
  },
} as const;

/** Whether a pod is that of a TPU server. The workers of a LeaderWorkerSet whose leader has its own template answer nobody. */
const isServer = (pod: PodView): boolean =>
  SERVERS.includes(pod.runs) &&
  mainContainers(pod).length > 0 &&
  !(
    pod.runs === 'LeaderWorkerSet' &&
    pod.path.endsWith('.workerTemplate') &&
    isRecord(at(pod.owner, 'leaderTemplate'))
  );

const mainContainers = (pod: PodView): readonly ContainerView[] =>
  tpuContainers(pod).filter(({ init }) => !init);

const hasChips = (pod: PodView): boolean => tpuContainers(pod).length > 0;

const hasProbe = ({ container }: ContainerView): boolean =>
  PROBES.some((probe) => isRecord(at(container, probe)));

/** The containers whose probes speak for the server: those with chips, or all where these have no probes. */
function probed(pod: PodView): readonly ContainerView[] {
  const own = mainContainers(pod).filter(hasProbe);
  return own.length > 0 ? own : pod.containers.filter((one) => !one.init && hasProbe(one));
}

const startsUnderProbe = (pod: PodView): boolean =>
  pod.containers.some(({ container }) => isRecord(at(container, 'startupProbe')));

/** Seconds until a probe has failed so often that the container is restarted. */
const patience = (probe: Json): number =>
  (number(probe, 'initialDelaySeconds') ?? 0) +
  (number(probe, 'periodSeconds') ?? 10) * (number(probe, 'failureThreshold') ?? 3);

/** Replicas that run beside the wanted ones during a rollout. */
function surge(maxSurge: unknown, replicas: number): number {
  if (typeof maxSurge === 'number') return maxSurge;
  const percent = typeof maxSurge === 'string' ? /^(\d+)%$/.exec(maxSurge)?.[1] : undefined;
  return percent === undefined ? 0 : Math.ceil((Number(percent) * Math.max(replicas, 1)) / 100);
}

/** Seconds that a hook sleeps, in all; 0 where that cannot be told. */
function sleepSeconds(hook: Json): number {
  const command = list(hook, 'exec', 'command').filter((word) => typeof word === 'string');
  const slept = [...command.join(' ').matchAll(/\bsleep\s+(\d+(?:\.\d+)?)([smh]?)(?![\w.])/g)].map(
    ([, seconds, unit]) => Number(seconds) * (unit === 'h' ? 3600 : unit === 'm' ? 60 : 1),
  );
  return (number(hook, 'sleep', 'seconds') ?? 0) + slept.reduce((sum, seconds) => sum + seconds, 0);
}

/** How a TPU server starts, is replaced and ends. */
export const STARTUP_RULES: readonly Rule[] = [
  rule('TPU301', 'error', 'a TPU server has a startupProbe', function* (set) {
    const behindServices = servedPods(set);
    for (const pod of set.pods) {
      if (!isServer(pod) || startsUnderProbe(pod)) continue;
      const serves = portsOf(pod).some((port) => !isRuntimePort(port.number));
      const [container] = [...probed(pod), ...mainContainers(pod)];
      if (!container || !(serves || hasProbe(container) || behindServices.has(pod))) continue;
      const liveness = at(container.container, 'livenessProbe');
      const restarts = isRecord(liveness)
        ? `, and the livenessProbe of container '${container.name}' restarts it ${count(patience(liveness), 'second')} after its start`
        : '';
      yield {
        object: pod.object,
        path: `${container.path}.startupProbe`,
        message: `no container of the pod has a startupProbe, so nothing waits while the server loads and compiles${restarts}`,
        fix: `add a startupProbe to container '${container.name}' with the httpGet of the server's health path, ${STARTUP_PROBE}`,
      };
    }
  }),

  rule(
    'TPU302',
    'error',
    'the probes of a TPU server ask for an answer, not for an open port',
    function* ({ pods }) {
      for (const pod of pods.filter(isServer))
        for (const { container, name, path } of probed(pod)) {
          const start = record(container, 'startupProbe');
          const guarded = Object.keys(start).length > 0 && !isRecord(at(start, 'tcpSocket'));
          for (const probe of ['startupProbe', 'readinessProbe'] as const) {
            const port = amount(container, probe, 'tcpSocket', 'port');
            if (port === undefined) continue;
            yield {
              object: pod.object,
              path: `${path}.${probe}.tcpSocket`,
              message: guarded
                ? `the ${probe} of container '${name}' only asks whether port '${port}' is open, which it also is while the server hangs`
                : `the ${probe} of container '${name}' only asks whether port '${port}' is open, which it is minutes before the server has loaded and compiled`,
              fix: `replace tcpSocket by httpGet with the server's health path, like /health on port ${port}`,
              // behind a startupProbe that asks for an answer, requests come late enough
              ...(guarded && { severity: 'warning' as const }),
            };
          }
        }
    },
  ),

  rule('TPU303', 'error', 'a probe asks a port of its own container', function* ({ pods }) {
    for (const pod of pods.filter(hasChips))
      for (const { container, name, path, init } of pod.containers)
        for (const probe of PROBES)
          for (const action of ['httpGet', 'tcpSocket', 'grpc'] as const) {
            const asked = record(container, probe, action);
            const port = asked['port'];
            if (init || !isPort(port) || asked['host'] !== undefined) continue;
            const wrong = wrongPort(pod, name, port);
            if (wrong)
              yield {
                object: pod.object,
                path: `${path}.${probe}.${action}.port`,
                ...wrong,
                message: `the ${probe} of container '${name}' asks port '${String(port)}', ${wrong.message}`,
              };
          }
  }),

  remark(
    'TPU304',
    'warning',
    'the probes that restart a TPU server wait longer than one second',
    function* ({ pods }) {
      for (const pod of pods.filter(isServer))
        for (const { container, name, path } of probed(pod))
          for (const probe of ['startupProbe', 'livenessProbe'] as const) {
            const asks = (['httpGet', 'grpc', 'exec'] as const).some((action) =>
              isRecord(at(container, probe, action)),
            );
            const timeout = at(container, probe, 'timeoutSeconds') ?? 1;
            if (!asks || typeof timeout !== 'number' || timeout > 1) continue;
            const given = number(container, probe, 'timeoutSeconds') === undefined ? ', the default' : '';
            yield {
              object: pod.object,
              path: `${path}.${probe}.timeoutSeconds`,
              message: `the ${probe} of container '${name}' waits ${count(timeout, 'second')} for an answer${given}, and a server that compiles answers later`,
              fix: `set timeoutSeconds: 10 in the ${probe}`,
            };
          }
    },
  ),

  remark(
    'TPU305',
    'warning',
    'a rollout of TPU pods needs no slice beside the running ones',
    function* ({ pods }) {
      const rollouts = new Map<ManifestObject, (typeof ROLLOUTS)[keyof typeof ROLLOUTS]>();
      for (const { object, runs } of pods.filter(hasChips))
        if (runs === 'Deployment' || runs === 'LeaderWorkerSet') rollouts.set(object, ROLLOUTS[runs]);
      for (const [object, { path, byDefault, fix }] of rollouts) {
        const spec = record(object.manifest, 'spec');
        const given = at(spec, ...path);
        const maxSurge = given ?? byDefault;
        const beside = surge(maxSurge, number(spec, 'replicas') ?? 1);
        if (text(spec, 'strategy', 'type') === 'Recreate' || beside <= 0) continue;
        yield {
          object,
          path: ['spec', ...path].join('.'),
          message: `maxSurge ${quoted(maxSurge)}${given === undefined ? ', the default,' : ''} starts ${count(beside, 'new replica')} beside the running ones, and ${beside === 1 ? 'it waits until a slice is free' : 'they wait until as many slices are free'}`,
          fix,
        };
      }
    },
  ),

  remark(
    'TPU306',
    'warning',
    'an upgrade of a RayService needs no second cluster of slices',
    function* (set) {
      const withChips = new Set(set.pods.filter(hasChips).map(({ object }) => object));
      for (const object of ofGroup(set, 'RayService', 'ray.io')) {
        if (!withChips.has(object)) continue;
        const type = text(object.manifest, 'spec', 'upgradeStrategy', 'type');
        if (type !== undefined && !type.startsWith('NewCluster')) continue;
        yield {
          object,
          path: 'spec.upgradeStrategy.type',
          message: `upgradeStrategy '${type ?? 'NewCluster'}'${type === undefined ? ', the default,' : ''} starts a second cluster beside the running one, and it waits until as many slices are free`,
          fix: "set upgradeStrategy.type: 'None', and delete and apply the RayService to change its cluster",
        };
      }
    },
  ),

  remark(
    'TPU307',
    'warning',
    'the progressDeadline of a TPU server is no shorter than its startup',
    function* ({ pods }) {
      for (const { object, owner, ownerPath, runs, containers } of pods.filter(hasChips)) {
        if (runs !== 'Deployment') continue;
        const deadline = at(owner, 'progressDeadlineSeconds') ?? DEADLINE_SECONDS;
        const startups = containers.map(({ container }) => at(container, 'startupProbe')).filter(isRecord);
        const budget = Math.max(0, ...startups.map(patience));
        if (typeof deadline !== 'number' || !(deadline < budget)) continue;
        const given = number(owner, 'progressDeadlineSeconds') === undefined ? ', the default,' : '';
        yield {
          object,
          path: `${ownerPath}.progressDeadlineSeconds`,
          message: `progressDeadlineSeconds '${String(deadline)}'${given} calls a rollout failed while the startupProbe still waits, up to ${count(budget, 'second')}`,
          fix: `set progressDeadlineSeconds: ${String(budget + 600)}`,
        };
      }
    },
  ),

  rule(
    'TPU308',
    'warning',
    'the preStop hook of a TPU pod is shorter than its grace period',
    function* ({ pods }) {
      for (const { object, spec, containers } of pods.filter(hasChips)) {
        const given = number(spec, 'terminationGracePeriodSeconds');
        const grace = given ?? GRACE_SECONDS;
        for (const { container, name, path } of containers) {
          const hook = record(container, 'lifecycle', 'preStop');
          const seconds = sleepSeconds(hook);
          if (seconds === 0 || seconds < grace) continue;
          const refused = (number(hook, 'sleep', 'seconds') ?? 0) > grace;
          yield {
            object,
            path: `${path}.lifecycle.preStop`,
            message: `the preStop hook of container '${name}' sleeps ${count(seconds, 'second')} of a grace period of ${String(grace)}${given === undefined ? ', the default' : ''}, ${refused ? 'which the API server refuses' : 'so the server is killed with its requests'}`,
            fix: `set terminationGracePeriodSeconds: ${String(Math.ceil(seconds) + GRACE_SECONDS)}`,
            ...(refused && { severity: 'error' as const }),
          };
        }
      }
    },
  ),

  rule('TPU309', 'error', 'a livenessProbe gives a TPU container the time to start', function* ({ pods }) {
    for (const pod of pods) {
      // Without any startupProbe TPU301 says it.
      if (runsRay(pod) || (isServer(pod) && !startsUnderProbe(pod))) continue;
      for (const { container, name, path } of mainContainers(pod)) {
        const probe = record(container, 'livenessProbe');
        if (!isRecord(probe['httpGet']) && !isRecord(probe['grpc'])) continue;
        const seconds = patience(probe);
        if (isRecord(at(container, 'startupProbe')) || seconds >= COMPILE_SECONDS) continue;
        yield {
          object: pod.object,
          path: `${path}.livenessProbe`,
          message: `the livenessProbe of container '${name}' restarts it ${count(seconds, 'second')} after its start, while it still loads and compiles`,
          fix: `add a startupProbe to container '${name}' with the same httpGet or grpc, ${STARTUP_PROBE}: the livenessProbe waits for it`,
        };
      }
    }
  }),

  remark(
    'TPU310',
    'note',
    'a Job on nodes that come to an end has time to save its work',
    function* ({ pods }) {
      for (const pod of pods) {
        if (pod.runs !== 'Job' || !hasChips(pod) || !comesToAnEnd(pod)) continue;
        if (number(pod.spec, 'terminationGracePeriodSeconds') !== undefined) continue;
        yield {
          object: pod.object,
          path: `${specPath(pod)}.terminationGracePeriodSeconds`,
          message: `the pods have ${String(GRACE_SECONDS)} seconds, the default, from the signal to end until they are killed, and nothing says that this is enough to write a checkpoint`,
          fix: 'set terminationGracePeriodSeconds to what a checkpoint takes',
        };
      }
    },
  ),

  remark(
    'TPU311',
    'warning',
    'the grace period of a Ray pod covers the end of its replicas',
    function* ({ pods }) {
      for (const pod of pods) {
        if (!runsRay(pod) || pod.nodeSelector[SPOT] === 'true') continue;
        const grace = number(pod.spec, 'terminationGracePeriodSeconds') ?? GRACE_SECONDS;
        const config = gracefulShutdownSeconds(at(pod.object.manifest, 'spec', 'serveConfigV2'));
        for (const { container, name } of pod.containers) {
          const own = records(container, 'env').find((one) => text(one, 'name') === RAY_DRAIN_TIMEOUT);
          const seconds = Math.max(config, Number(text(own, 'value') ?? 0) || 0);
          const left = grace - sleepSeconds(record(container, 'lifecycle', 'preStop'));
          if (seconds === 0 || seconds < left) continue;
          yield {
            object: pod.object,
            path: `${specPath(pod)}.terminationGracePeriodSeconds`,
            message: `replicas may take ${count(seconds, 'second')} to end, and container '${name}' is killed ${count(Math.max(0, left), 'second')} after it is told to`,
            fix: `set terminationGracePeriodSeconds: ${String(Math.ceil(grace - left + seconds) + 10)}`,
          };
          break;
        }
      }
    },
  ),
];

/** Labels of nodes that are taken back: at any time, or when their run is over. */
const SPOT = 'cloud.google.com/gke-spot';
const ENDS: readonly string[] = [
  SPOT,
  'cloud.google.com/gke-flex-start',
  'cloud.google.com/gke-queued',
  'cloud.google.com/gke-max-run-duration-seconds',
];

const comesToAnEnd = ({ nodeSelector }: PodView): boolean => ENDS.some((label) => label in nodeSelector);

/** What is wrong with a port that a probe of a container asks; undefined where it declares it, or where nobody can tell. */
function wrongPort(
  pod: PodView,
  container: string,
  port: string | number,
): Pick<Violation, 'message' | 'fix' | 'severity'> | undefined {
  const isIt = ({ name, number: value }: PortView): boolean => port === name || port === value;
  const ports = portsOf(pod);
  const own = ports.filter((one) => one.container === container);
  const owner = ports.find(isIt);
  if (own.some(isIt) || (runsRay(pod) && (owner || typeof port === 'number'))) return undefined;
  if (owner)
    return typeof port === 'number'
      ? {
          // it works: a probe asks the pod's address
          severity: 'warning',
          message: `which container '${owner.container}' declares, so it is judged by the answers of another container`,
          fix: `move the probe to container '${owner.container}'`,
        }
      : {
          message: `which only container '${owner.container}' declares: a name is looked up in the probed container alone`,
          fix: `move the probe to container '${owner.container}'`,
        };
  if (typeof port === 'number' && own.length === 0) return undefined;
  return {
    message: 'which no container of the pod declares',
    fix:
      own.length > 0
        ? `ask ${portsInWords(own)}, or declare the port`
        : `declare the port in ports of container '${container}'`,
  };
}
