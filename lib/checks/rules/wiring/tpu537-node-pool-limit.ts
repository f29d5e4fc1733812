import { CNRM_GROUP_SUFFIX } from '../../../facts/labels';
import { capacityOf, rulesOfClass } from '../../../manifest/capacity';
import { list, type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { scaledObject, scalersOf } from '../../../manifest/scalers';
import { ofGroup, podsOfObject } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { possibleSlices, slicesOf, tpuContainers } from '../../../manifest/slices';
import { type TpuSlice } from '../../../tpu/slice';
import { defineRule } from '../../rule';

export const TPU537 = defineRule({
  code: 'TPU537',
  title: 'the node pools have a slice for each replica that an autoscaler can start',
  severities: ['note'],
  kinds: ['pods', 'HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    for (const scaler of scalersOf(set)) {
      const { object, max } = scaler;
      const target = scaledObject(set, scaler);
      const pods = target ? podsOfObject(set, target) : [];
      const pod = pods.find((one) => tpuContainers(one).length > 0);
      if (!pod) continue;
      const limit = slicesFor(set, pod);
      // each subgroup of a replica uses a slice
      const each = Math.max(1, slicesOf({ ...pod, slices: 1 }));
      if (limit === undefined || max * each <= limit.slices) continue;
      const { hosts } = limit;
      yield {
        object,
        path: object.kind === 'ScaledObject' ? 'spec.maxReplicaCount' : 'spec.maxReplicas',
        message: `${String(max)} replicas need ${String(max * each)} slices${hosts > 1 ? ` of ${String(hosts)} hosts` : ''}, but the node pools among the manifests have at most ${String(limit.slices)}`,
        fix: `lower the maximum to ${String(Math.max(1, Math.floor(limit.slices / each)))}, or add nodes`,
      };
    }
  },
});

/** The slices of the node pools of a pod; undefined if they are not known. */
function slicesFor(
  set: ManifestSet,
  pod: PodView,
): { readonly slices: number; readonly hosts: number } | undefined {
  const names = poolsOfClass(set, pod);
  if (names === 'any') return undefined;
  const matching = ofGroup(set, 'ContainerNodePool', `container${CNRM_GROUP_SUFFIX}`).flatMap((pool) => {
    const own = text(pool.manifest, 'spec', 'resourceID') ?? pool.name;
    const slice = sliceOn(pool, possibleSlices(pod));
    return slice && (names === undefined || names.includes(own)) ? [{ pool, slice }] : [];
  });
  if (matching.length === 0) return undefined;
  const sizes = matching.map(({ pool, slice }) => Math.floor((nodesOf(pool) ?? NaN) / slice.hosts));
  const slices = sizes.reduce((sum, one) => sum + one, 0);
  return Number.isNaN(slices)
    ? undefined
    : { slices, hosts: Math.max(...matching.map(({ slice }) => slice.hosts)) };
}

/** The node pools that the ComputeClass of a pod names; undefined without a class, `any` if the class does not name all of them. */
function poolsOfClass(set: ManifestSet, pod: PodView): readonly string[] | 'any' | undefined {
  const { type, name } = capacityOf(pod);
  if (type === 'dynamic-slice') return 'any';
  if (type !== 'compute-class') return undefined;
  const pools = rulesOfClass(set, name)?.map((rule) => list(rule, 'nodepools'));
  if (pools === undefined || pools.some((one) => one.length === 0)) return 'any';
  return pools.flat().filter((one) => typeof one === 'string');
}

/** The slice of a node pool, if it is one of `slices`. */
const sliceOn = ({ manifest }: ManifestObject, slices: readonly TpuSlice[]): TpuSlice | undefined => {
  const machineType = text(manifest, 'spec', 'nodeConfig', 'machineType');
  const topology = text(manifest, 'spec', 'placementPolicy', 'tpuTopology');
  return slices.find(
    (slice) =>
      slice.machineType === machineType &&
      (topology === undefined ? !slice.multiHost : slice.topology === topology),
  );
};

/** Maximum number of nodes of a node pool; undefined if unknown. */
function nodesOf({ manifest }: ManifestObject): number | undefined {
  const spec = record(manifest, 'spec');
  const total = number(spec, 'autoscaling', 'totalMaxNodeCount');
  if (total !== undefined) return total;
  const locations = list(spec, 'nodeLocations').length;
  const zones = locations > 0 ? locations : /-[a-z]$/.test(text(spec, 'location') ?? '') ? 1 : undefined;
  const each = number(spec, 'autoscaling', 'maxNodeCount') ?? number(spec, 'nodeCount');
  return each === undefined || zones === undefined ? undefined : each * zones;
}
