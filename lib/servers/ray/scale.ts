import { RAY_PORTS } from '../../facts/ports';
import { IMAGES } from '../../facts/images';
import { type RayPodProps, type TpuRayClusterOptions, type TpuRayWorkerGroup } from './props';

/** Number of slices of a TPU group, or of pods of a CPU group. */
export interface GroupScale {
  readonly replicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/**
 * Returns the number of slices of a group. With the autoscaler, `replicas` is the number that a new cluster starts with, because the
 * autoscaler changes the RayCluster and not the object that the user applies. Without the field, the API server would store 0, and a second
 * apply would change it.
 */
export function scaleOf(
  group: Pick<TpuRayWorkerGroup, 'replicas' | 'minReplicas' | 'maxReplicas'>,
  autoscaling = false,
): GroupScale {
  const replicas = (autoscaling ? undefined : group.replicas) ?? group.minReplicas ?? 1;
  const { minReplicas = replicas, maxReplicas = Math.max(1, replicas) } = group;
  return { replicas, minReplicas, maxReplicas };
}

/** Flag of `ray start` for the port of the metrics. */
export const METRICS_PARAM = 'metrics-export-port';

/** Returns the port of the metrics of a group's pods. */
export const metricsPortOf = (group: Pick<RayPodProps, 'rayStartParams'> | undefined): number =>
  Number(group?.rayStartParams?.[METRICS_PARAM] ?? RAY_PORTS.metrics);

/** Returns the version of Ray in the tag of a Ray image; undefined for other images. */
export const taggedVersion = (image: string): string | undefined =>
  /(?:^|\/)ray(?:-ml|-llm)?:(\d+\.\d+\.\d+)/.exec(image)?.[1];

/** Returns the version of Ray of a cluster; undefined if it is not known. */
export const rayVersionOf = ({
  image = IMAGES.ray,
  rayVersion,
}: Pick<TpuRayClusterOptions, 'image' | 'rayVersion'>): string | undefined =>
  rayVersion ?? taggedVersion(image);
