import { capacityOf } from '../../../manifest/capacity';
import {
  HOSTNAME_LABEL,
  LWS_EXCLUSIVE_ANNOTATION,
  LWS_SUBGROUP_EXCLUSIVE_ANNOTATION,
  NODE_POOL_LABEL,
} from '../../../facts/labels';
import { number, text } from '../../../manifest/manifest';
import { scalersFor } from '../../../manifest/scalers';
import { type ManifestSet } from '../../../manifest/set';
import { count } from '../../../tpu/topology';
import { defineRule, type Violation } from '../../rule';
import { groupsWithPlacement, misplaced, type PlacedPods, placementOf, slicesThatMix } from './common';
import { sliceOf, subgroupsOf } from '../../../manifest/slices';

type Found = Violation<'error' | 'warning'>;

export const TPU212 = defineRule({
  code: 'TPU212',
  title: 'each multi-host slice has a separate node pool',
  severities: ['error', 'warning'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    for (const group of groupsWithPlacement(set)) {
      const { object, pods } = group;
      yield* subgroupsInOnePool(group);
      const key = pods.some((pod) => subgroupsOf(pod) > 1) ? LWS_SUBGROUP_EXCLUSIVE_ANNOTATION : group.key;
      const byHostname = pods.find(
        (pod) => (sliceOf(pod).hosts ?? 1) > 1 && placementOf(group, pod) === HOSTNAME_LABEL,
      );
      if (byHostname)
        yield {
          object,
          path: 'metadata.annotations',
          message: `${key} is '${HOSTNAME_LABEL}', which requires all pods of a slice on one host`,
          fix: `set it to ${NODE_POOL_LABEL}`,
        };
      else if (misplaced(object, pods).length === 0) yield* mixing(set, group, key);
    }
  },
});

/** Slices whose pods can mix, among the replicas of the manifest or those that an autoscaler adds. */
function* mixing(set: ManifestSet, group: PlacedPods, key: string): Generator<Found> {
  const { object, pods } = group;
  const now = slicesThatMix(group);
  const most = Math.max(1, ...scalersFor(set, object).map(({ max }) => max));
  const slices = now > 0 ? now : slicesThatMix(group, () => most);
  if (slices === 0) return;
  const have = slices > 1 ? 'have' : 'has';
  yield {
    object,
    path: 'metadata.annotations',
    message: `${now > 0 ? '' : 'up to '}${count(slices, 'multi-host slice')} ${have} no separate node pool, so the pods of different slices mix`,
    fix: `annotate the ${object.kind} with ${key}: ${NODE_POOL_LABEL}`,
    // Kueue may place them by its topologies, which the manifests do not show
    ...((now === 0 || pods.some((pod) => capacityOf(pod).queue !== undefined)) && {
      severity: 'warning' as const,
    }),
  };
}

/** Groups that are kept in one node pool although each of their subgroups is a multi-host slice. */
function* subgroupsInOnePool({ object, pods }: PlacedPods): Generator<Found> {
  const inSubgroups = pods.find(
    (pod) =>
      subgroupsOf(pod) > 1 &&
      (sliceOf(pod).hosts ?? 1) > 1 &&
      number(pod.owner, 'subGroupPolicy', 'subGroupSize') === sliceOf(pod).hosts,
  );
  const topology = text(object.manifest, 'metadata', 'annotations', LWS_EXCLUSIVE_ANNOTATION);
  if (!inSubgroups || topology !== NODE_POOL_LABEL) return;
  yield {
    object,
    path: `metadata.annotations[${LWS_EXCLUSIVE_ANNOTATION}]`,
    message: `${LWS_EXCLUSIVE_ANNOTATION} keeps a group in one node pool, which is one slice, but its subgroups are ${count(subgroupsOf(inSubgroups), 'multi-host slice')}`,
    fix: `annotate the ${object.kind} with ${LWS_SUBGROUP_EXCLUSIVE_ANNOTATION}: ${NODE_POOL_LABEL} instead`,
  };
}
