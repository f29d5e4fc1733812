import { count } from '../../../tpu/topology';
import { defineRule, type Violation } from '../../rule';
import { isIndexed, MAX_LABEL, podsByObject } from './common';
import { shown } from '../../../problems/shown';
import { type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { type PodView, records } from '../../../manifest/pods';

/** Longest suffix that the Job controller appends to the name of a pod. */
const POD_SUFFIX = '-abcde';

export const TPU207 = defineRule({
  code: 'TPU207',
  title: 'the names of indexed pods are valid hostnames',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  check: function* (set) {
    for (const object of set.ofKind('LeaderWorkerSet')) yield* groupNames(object);
    for (const { object, pods } of podsByObject(set)) {
      const jobs = records(object.manifest, 'spec', 'replicatedJobs');
      const longest = pods
        .map((pod, index) => longestPodName(object, pod, jobs[index]) ?? '')
        .reduce((one, other) => (other.length > one.length ? other : one), '');
      if (longest.length <= MAX_LABEL) continue;
      yield {
        object,
        path: 'metadata.name',
        message: `the last pod would be named ${shown(longest)}, ${String(longest.length)} characters, but the limit is ${String(MAX_LABEL)}`,
        fix: `shorten the name${object.kind === 'JobSet' ? 's of the JobSet and of its job' : ''} by ${count(longest.length - MAX_LABEL, 'character')}`,
      };
    }
  },
});

/** Digits of a StatefulSet's revision: usually 10, rarely fewer than 8. */
const REVISION = { most: 10, fewest: 8 };

/**
 * The workers of a group are a StatefulSet with the name of the leader's pod. They have a label with that name and a revision.
 *
 * @see https://github.com/kubernetes-sigs/lws/issues/410
 */
function* groupNames(object: ManifestObject): Generator<Violation<'error' | 'warning'>> {
  const name = text(object.manifest, 'metadata', 'name');
  const spec = record(object.manifest, 'spec');
  const groups = number(spec, 'replicas') ?? 1;
  const size = number(spec, 'leaderWorkerTemplate', 'size') ?? 1;
  if (name === undefined || groups < 1) return;
  const set = size > 1 ? `${name}-${String(groups - 1)}` : name;
  const over = set.length + 1 + REVISION.most - MAX_LABEL;
  if (over <= 0) return;
  const certain = over > REVISION.most - REVISION.fewest;
  yield {
    object,
    path: 'metadata.name',
    message: `the pods of the last group get a label of ${shown(set)} and a revision, which ${certain ? 'is' : 'can be'} longer than the limit of ${String(MAX_LABEL)} characters`,
    fix: `shorten the name by ${count(over, 'character')}`,
    severity: certain ? 'error' : 'warning',
  };
}

/** The longest indexed name of a pod; undefined if it has no index, or its name is not known. */
function longestPodName(object: ManifestObject, pod: PodView, job: unknown): string | undefined {
  const name = text(object.manifest, 'metadata', 'name');
  const completions = number(pod.owner, 'completions') ?? 0;
  if (name === undefined || pod.runs !== 'Job' || !isIndexed(pod) || completions < 1) return undefined;
  if (object.kind === 'Job') return `${name}-${String(completions - 1)}`;
  const replicas = pod.slices ?? 1;
  return object.kind === 'JobSet' && replicas > 0
    ? `${name}-${text(job, 'name') ?? ''}-${String(replicas - 1)}-${String(completions - 1)}${POD_SUFFIX}`
    : undefined;
}
