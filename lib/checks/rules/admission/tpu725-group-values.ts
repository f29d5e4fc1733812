import { LWS_GROUP, LWS_SUBGROUP_EXCLUSIVE_ANNOTATION } from '../../../facts/labels';
import { at, isRecord, type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { ofGroup } from '../../../manifest/selection';
import { nearestWords } from '../../../problems/nearest';
import { shown } from '../../../problems/shown';
import { defineRule, type Violation } from '../../rule';

type Refused = Omit<Violation<'error' | 'warning'>, 'object'>;

/**
 * @see https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/webhooks/leaderworkerset_webhook.go
 * @see https://github.com/kubernetes-sigs/lws/blob/v0.10.0/config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml
 */
export const TPU725 = defineRule({
  code: 'TPU725',
  title: 'the values of a LeaderWorkerSet are valid',
  severities: ['error', 'warning'],
  kinds: ['LeaderWorkerSet'],
  check: function* (set) {
    for (const object of ofGroup(set, 'LeaderWorkerSet', LWS_GROUP))
      for (const refused of [...nameOf(object), ...groupOf(object), ...rolloutOf(object), ...wordsOf(object)])
        yield { object, ...refused };
  },
});

/** The headless Service has the name of the LeaderWorkerSet. */
function* nameOf({ name }: ManifestObject): Generator<Refused> {
  // TPU713 reports names that are not valid for any object
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) || /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    return;
  yield {
    path: 'metadata.name',
    message: `the name ${shown(name)} of a LeaderWorkerSet is not a DNS label that starts with a letter, so its webhook refuses it`,
    fix: "use at most 63 lowercase letters, digits and '-', starting with a letter",
  };
}

function* groupOf({ manifest }: ManifestObject): Generator<Refused> {
  const group = record(manifest, 'spec', 'leaderWorkerTemplate');
  const path = 'spec.leaderWorkerTemplate';
  const size = number(group, 'size') ?? 1;
  const below = (place: string, value: number | undefined, least: number): readonly Refused[] =>
    value === undefined || value >= least
      ? []
      : [
          {
            path: place,
            message: `${place.split('.').at(-1) ?? ''} is ${String(value)}, which the webhook of LeaderWorkerSet refuses`,
            fix: `set it to ${String(least)} or more`,
          },
        ];
  yield* below(`${path}.size`, size, 1);
  yield* below('spec.replicas', number(manifest, 'spec', 'replicas'), 0);
  if (isRecord(at(manifest, 'spec')) && !isRecord(group['workerTemplate']))
    yield {
      path,
      message: 'the LeaderWorkerSet has no workerTemplate, which the API server refuses',
      fix: 'add a workerTemplate, which is required even with size 1',
    };
  const policy = group['subGroupPolicy'];
  if (!isRecord(policy)) {
    if (text(manifest, 'metadata', 'annotations', LWS_SUBGROUP_EXCLUSIVE_ANNOTATION) !== undefined)
      yield {
        path: `metadata.annotations[${LWS_SUBGROUP_EXCLUSIVE_ANNOTATION}]`,
        message:
          'the annotation applies to subgroups, but the webhook of LeaderWorkerSet refuses it without subGroupPolicy',
        fix: 'set subGroupPolicy.subGroupSize, or remove the annotation',
      };
    return;
  }
  const subgroup = number(policy, 'subGroupSize');
  yield* below(`${path}.subGroupPolicy.subGroupSize`, subgroup, 1);
  if (subgroup === undefined || subgroup < 1 || size < 1) return;
  const leaderExcluded = policy['subGroupPolicyType'] === 'LeaderExcluded';
  const fits = (size - 1) % subgroup === 0 || (!leaderExcluded && size % subgroup === 0);
  if (!fits || subgroup > size)
    yield {
      path: `${path}.subGroupPolicy.subGroupSize`,
      message: `subGroupSize ${String(subgroup)} does not divide size ${String(size)}${leaderExcluded ? ' without the leader' : ', with or without the leader'}, which the webhook of LeaderWorkerSet refuses`,
      fix: leaderExcluded
        ? 'set size to a multiple of subGroupSize, plus 1'
        : 'set size to a multiple of subGroupSize',
    };
}

/** Converts a number or a percentage to groups; undefined if the value is neither. */
function groupsOf(value: unknown, replicas: number, round: (n: number) => number): number | undefined {
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent !== undefined) return round((Number(percent) * replicas) / 100);
  return typeof value === 'number' ? value : undefined;
}

function* rolloutOf({ manifest }: ManifestObject): Generator<Refused> {
  const rollout = record(manifest, 'spec', 'rolloutStrategy', 'rollingUpdateConfiguration');
  const path = 'spec.rolloutStrategy.rollingUpdateConfiguration';
  const replicas = number(manifest, 'spec', 'replicas') ?? 1;
  const unavailable = groupsOf(rollout['maxUnavailable'] ?? 1, replicas, Math.floor);
  const surge = groupsOf(rollout['maxSurge'] ?? 0, replicas, Math.ceil);
  for (const key of ['maxUnavailable', 'maxSurge'] as const) {
    const value = rollout[key];
    const percent = Number(/^(\d+)%$/.exec(String(value))?.[1] ?? 0);
    if (percent > 100 || (typeof value === 'number' && value < 0))
      yield {
        path: `${path}.${key}`,
        message: `${key} is ${shown(value)}, which the webhook of LeaderWorkerSet refuses`,
        fix: 'set a number of groups, or at most 100%',
      };
  }
  if (unavailable === 0 && surge === 0 && replicas > 0)
    yield {
      path: `${path}.maxUnavailable`,
      message: `maxUnavailable ${shown(rollout['maxUnavailable'])} is 0 of ${String(replicas)} groups and maxSurge is 0, which the webhook of LeaderWorkerSet refuses`,
      fix: 'set maxUnavailable to 1',
    };
  const partition = number(rollout, 'partition') ?? 0;
  if (partition < 0)
    yield {
      path: `${path}.partition`,
      message: `partition is ${String(partition)}, which the webhook of LeaderWorkerSet refuses`,
      fix: 'set it to 0 or more',
    };
}

/** The values that each field accepts in v0.10.0. */
const WORDS: readonly (readonly [string, readonly string[]])[] = [
  ['spec.startupPolicy', ['LeaderCreated', 'LeaderReady']],
  ['spec.networkConfig.subdomainPolicy', ['Shared', 'UniquePerReplica']],
  ['spec.rolloutStrategy.type', ['RollingUpdate']],
  [
    'spec.leaderWorkerTemplate.restartPolicy',
    ['RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', 'None', 'Default'],
  ],
  ['spec.leaderWorkerTemplate.subGroupPolicy.subGroupPolicyType', ['LeaderWorker', 'LeaderExcluded']],
];

function* wordsOf({ manifest }: ManifestObject): Generator<Refused> {
  for (const [path, words] of WORDS) {
    const value = at(manifest, ...path.split('.'));
    const key = path.split('.').at(-1) ?? '';
    if (value === undefined || value === null || value === '') continue;
    if (typeof value === 'string' && words.includes(value)) continue;
    const [near] = typeof value === 'string' ? nearestWords(value, words) : [];
    yield {
      path,
      message: `${key} ${shown(value)} is not a value that LeaderWorkerSet v0.10.0 accepts`,
      fix: near === undefined ? `use ${words.join(' or ')}` : `use ${near}`,
      // a later release may accept more
      ...(typeof value === 'string' &&
        value.toLowerCase() !== near?.toLowerCase() && { severity: 'warning' as const }),
    };
  }
  const network = at(manifest, 'spec', 'networkConfig');
  if (isRecord(network) && (network['subdomainPolicy'] ?? undefined) === undefined)
    yield {
      path: 'spec.networkConfig',
      message: 'networkConfig has no subdomainPolicy, which the API server refuses',
      fix: 'set subdomainPolicy to Shared, its default, or remove networkConfig',
    };
}
