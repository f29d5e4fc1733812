import { RAY_PORTS } from '../../facts/ports';
import { IMAGES } from '../../facts/images';
import { type RayPodProps, type TpuRayClusterOptions, type TpuRayWorkerGroup } from './props';

/** Numbers of slices of a TPU group, or of pods of a CPU group. */
export interface GroupScale {
  readonly replicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/**
 * Numbers of slices of a group. With the autoscaler, `replicas` is the number that a new cluster starts with: the autoscaler changes the
 * RayCluster, never the object that the user applies. If it were omitted, the API server would store 0, and a second apply would find a
 * difference.
 */
export function scaleOf(
  group: Pick<TpuRayWorkerGroup, 'replicas' | 'minReplicas' | 'maxReplicas'>,
  autoscaling = false,
): GroupScale {
  const replicas = (autoscaling ? undefined : group.replicas) ?? group.minReplicas ?? 1;
  const { minReplicas = replicas, maxReplicas = Math.max(1, replicas) } = group;
  return { replicas, minReplicas, maxReplicas };
}

/** Flag of `ray start` that sets the port of the metrics. */
export const METRICS_PARAM = 'metrics-export-port';

/** Port of the metrics of a group's pods. */
export const metricsPortOf = (group: Pick<RayPodProps, 'rayStartParams'> | undefined): number =>
  Number(group?.rayStartParams?.[METRICS_PARAM] ?? RAY_PORTS.metrics);

/** The version of Ray in the tag of an image; tags of other images have other meanings. */
export const taggedVersion = (image: string): string | undefined =>
  /(?:^|\/)ray(?:-ml|-llm)?:(\d+\.\d+\.\d+)/.exec(image)?.[1];

/** The version of Ray of a cluster, if it is known. */
export const rayVersionOf = ({
  image = IMAGES.ray,
  rayVersion,
}: Pick<TpuRayClusterOptions, 'image' | 'rayVersion'>): string | undefined =>
  rayVersion ?? taggedVersion(image);
