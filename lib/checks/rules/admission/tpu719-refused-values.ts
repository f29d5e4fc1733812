import {
  at,
  isRecord,
  type Json,
  list,
  type ManifestObject,
  number,
  record,
  text,
} from '../../../manifest/manifest';
import { type PodView, records } from '../../../manifest/pods';
import { autoscalersOf, monitoringsOf } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { nearestWords } from '../../../problems/nearest';
import { shown } from '../../../problems/shown';
import { defineRule, type Violation } from '../../rule';

type Refused = Violation<'error'>;

export const TPU719 = defineRule({
  code: 'TPU719',
  title: 'the API server accepts the values of an object',
  severities: ['error'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'PodMonitoring', 'ClusterPodMonitoring'],
  local: true,
  check: function* (set) {
    for (const pod of set.pods) {
      yield* probesOf(pod);
      yield* restartsOf(pod);
      yield* ownerOf(pod);
    }
    for (const object of set.ofKind('JobSet')) yield* jobSet(object);
    yield* others(set);
  },
});

const LEAST = {
  periodSeconds: 1,
  timeoutSeconds: 1,
  failureThreshold: 1,
  successThreshold: 1,
  initialDelaySeconds: 0,
} as const;

/** https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes */
function* probesOf({ object, containers }: PodView): Generator<Refused> {
  for (const { container, name, path } of containers)
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
      const own = record(container, probe);
      const once = number(own, 'successThreshold') ?? 1;
      if (probe !== 'readinessProbe' && once > 1)
        yield {
          object,
          path: `${path}.${probe}.successThreshold`,
          message: `successThreshold of the ${probe} of container '${name}' is ${String(once)}, but the API server accepts only 1`,
          fix: 'remove successThreshold',
        };
      for (const [key, least] of Object.entries(LEAST)) {
        const value = number(own, key);
        // 0 means the default
        if (value === undefined || value >= least || value === 0) continue;
        yield {
          object,
          path: `${path}.${probe}.${key}`,
          message: `${key} of the ${probe} of container '${name}' is ${String(value)}, which the API server refuses`,
          fix: `set ${key} to ${String(least)} or more`,
        };
      }
    }
}

/** Kinds whose pods run until they are deleted. */
const RUNNING: readonly PodView['runs'][] = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'LeaderWorkerSet',
];

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template */
function* restartsOf(pod: PodView): Generator<Refused> {
  const policy = pod.spec['restartPolicy'] ?? 'Always';
  if (policy === 'Always' || policy === '' || !RUNNING.includes(pod.runs)) return;
  yield {
    object: pod.object,
    path: `${pod.specPath}.restartPolicy`,
    message: `restartPolicy of the pods is ${shown(policy)}, but the API server accepts only 'Always' in ${pod.runs === 'LeaderWorkerSet' ? 'the StatefulSet of the group' : `a ${pod.runs}`}`,
    fix: 'remove restartPolicy',
  };
}

/** The largest number of a field of type int32. */
const INT32_MAX = 2 ** 31 - 1;

/** Checks the owner of a pod: counts that are negative or too large, and values that KubeRay's CRD requires. */
function* ownerOf({ object, owner, ownerPath, runs }: PodView): Generator<Refused> {
  for (const key of [
    'replicas',
    'backoffLimit',
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
  ] as const) {
    const value = number(owner, key);
    const isLarge = value !== undefined && value > INT32_MAX && key !== 'activeDeadlineSeconds';
    if (value === undefined || (value >= 0 && !isLarge)) continue;
    const retries = 'set backoffLimit to 0 for no retries';
    yield {
      object,
      path: `${ownerPath}.${key}`,
      message: `${key} is ${String(value)}, which the API server refuses`,
      fix: isLarge
        ? `set ${key} to at most ${String(INT32_MAX)}`
        : key === 'backoffLimit'
          ? retries
          : `set ${key} to 0 or more`,
    };
  }
  if (runs === 'RayWorkers' && typeof owner['groupName'] !== 'string')
    yield {
      object,
      path: `${ownerPath}.groupName`,
      message: 'the worker group has no groupName, which the API server refuses',
      fix: 'set groupName',
    };
  if (runs === 'RayWorkers' || runs === 'RayHead')
    for (const [key, value] of Object.entries(record(owner, 'rayStartParams')))
      if (value !== null && typeof value !== 'string')
        yield {
          object,
          path: `${ownerPath}.rayStartParams.${key}`,
          message: `rayStartParams ${key} is ${shown(value)}, but the API server accepts only strings`,
          fix: `put it in quotes: ${shown(value)}`,
        };
}

/** https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go */
function* jobSet(object: ManifestObject): Generator<Refused> {
  const spec = record(object.manifest, 'spec');
  const names = records(spec, 'replicatedJobs').flatMap((job) => text(job, 'name') ?? []);
  const targets: readonly (readonly [string, Json])[] = [
    ['spec.successPolicy', record(spec, 'successPolicy')],
    ...records(spec, 'failurePolicy', 'rules').map((rule, index): readonly [string, Json] => [
      `spec.failurePolicy.rules[${text(rule, 'name') ?? String(index)}]`,
      rule,
    ]),
  ];
  for (const [path, target] of targets)
    for (const name of list(target, 'targetReplicatedJobs')) {
      if (typeof name !== 'string' || names.includes(name)) continue;
      const [near = names[0]] = nearestWords(name, names);
      yield {
        object,
        path: `${path}.targetReplicatedJobs`,
        message: `no replicated job is named '${name}', which JobSet's webhook refuses`,
        fix: near === undefined ? 'remove the name' : `use '${near}'`,
      };
    }
  const subdomain = text(spec, 'network', 'subdomain');
  if (subdomain !== undefined && subdomain !== '' && !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(subdomain))
    yield {
      object,
      path: 'spec.network.subdomain',
      message: `subdomain ${shown(subdomain)} is not a valid name for a Service, which JobSet's webhook refuses`,
      fix: 'use at most 63 lowercase letters, digits and dashes, starting with a letter',
    };
}

function* others(set: ManifestSet): Generator<Refused> {
  for (const { object } of monitoringsOf(set)) {
    const endpoints = at(object.manifest, 'spec', 'endpoints');
    if (Array.isArray(endpoints) && endpoints.length > 0) continue;
    if (!isRecord(object.manifest['spec'])) continue;
    yield {
      object,
      path: 'spec.endpoints',
      message: `the ${object.kind} has no endpoints, which the API server refuses`,
      fix: 'add an endpoint with port and interval',
    };
  }
  for (const object of autoscalersOf(set)) {
    if (number(object.manifest, 'spec', 'minReplicas') !== 0) continue;
    yield {
      object,
      path: 'spec.minReplicas',
      message:
        'minReplicas is 0, which the API server refuses before v1.37 unless the feature HPAScaleToZero is enabled',
      fix: 'set minReplicas to 1, or scale to 0 with KEDA',
    };
  }
}
