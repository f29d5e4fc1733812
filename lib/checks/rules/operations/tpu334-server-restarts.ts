import { INFERENCE_SERVER_LABEL } from '../../../facts/labels';
import { isRecord, list, type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { modelServerOf } from '../../../manifest/model-servers';
import { type PodView, records } from '../../../manifest/pods';
import { podsOfObject } from '../../../manifest/selection';
import { tpuContainers } from '../../../manifest/slices';
import { defineRule } from '../../rule';

/**
 * The actions of a rule that do not count towards maxRestarts.
 *
 * @see https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/failure_policy.go
 */
const UNCOUNTED: readonly unknown[] = ['RestartJobSetAndIgnoreMaxRestarts', 'RestartJobAndIgnoreMaxRestarts'];
/** A limit of at least this value counts as no limit. */
const HIGH = 100;

export const TPU334 = defineRule({
  code: 'TPU334',
  title: 'a JobSet of servers survives any number of evictions',
  severities: ['warning'],
  kinds: ['JobSet'],
  check: function* (set) {
    for (const object of set.ofKind('JobSet')) {
      const policy = record(object.manifest, 'spec', 'failurePolicy');
      const limit = number(policy, 'maxRestarts');
      if (!runsServersForever(object, podsOfObject(set, object)) || (limit ?? 0) >= HIGH) continue;
      if (records(policy, 'rules').some((rule) => UNCOUNTED.includes(rule['action']))) continue;
      yield {
        object,
        path: 'spec.failurePolicy.maxRestarts',
        message: `maxRestarts is ${String(limit ?? 0)}${limit === undefined ? ' (the default)' : ''}, and JobSet never resets the count, so the servers end permanently after more failures and evictions than that`,
        fix: "add a rule with action 'RestartJobSetAndIgnoreMaxRestarts' to failurePolicy.rules",
      };
    }
  },
});

/** Whether all pods with chips are servers, and no other job of the JobSet ends it. */
function runsServersForever({ manifest }: ManifestObject, pods: readonly PodView[]): boolean {
  const withChips = pods.filter((pod) => tpuContainers(pod).length > 0);
  const ends = list(manifest, 'spec', 'successPolicy', 'targetReplicatedJobs');
  const serving = records(manifest, 'spec', 'replicatedJobs')
    .filter((_, index) => withChips.some((pod) => pod === pods[index]))
    .flatMap((job) => text(job, 'name') ?? []);
  return (
    withChips.length > 0 &&
    withChips.every(isServer) &&
    ends.every((name) => typeof name === 'string' && serving.includes(name)) &&
    // A client next to the servers makes the JobSet a test run.
    withChips.length === pods.length &&
    !withChips.every(ignoresEvictions)
  );
}

const isServer = (pod: PodView): boolean =>
  text(pod.labels, INFERENCE_SERVER_LABEL) !== undefined ||
  tpuContainers(pod).some((one) => !one.init && modelServerOf(one) !== undefined);

/** Whether the podFailurePolicy of a Job ignores evictions. */
const ignoresEvictions = ({ owner }: PodView): boolean =>
  records(owner, 'podFailurePolicy', 'rules').some(
    (rule) => rule['action'] === 'Ignore' && list(rule, 'onPodConditions').some(isRecord),
  );
