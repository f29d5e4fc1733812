// Kinds of the API groups in manifests of TPU workloads.

/**
 * Kinds of Kubernetes' own groups, as of release 1.34.
 *
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/
 */
export const KUBERNETES_KINDS: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...[
      'Binding',
      'ComponentStatus',
      'ConfigMap',
      'Endpoints',
      'Event',
      'LimitRange',
      'List',
      'Namespace',
      'Node',
    ],
    ...[
      'PersistentVolume',
      'PersistentVolumeClaim',
      'Pod',
      'PodTemplate',
      'ReplicationController',
      'ResourceQuota',
    ],
    ...['Secret', 'Service', 'ServiceAccount'],
  ],
  apps: ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  batch: ['CronJob', 'Job'],
  autoscaling: ['HorizontalPodAutoscaler', 'Scale'],
  policy: ['Eviction', 'PodDisruptionBudget', 'PodSecurityPolicy'],
};

/** Kinds of custom resources that run pods, and their groups. */
export const WORKLOAD_KINDS: Readonly<Record<string, readonly string[]>> = {
  'jobset.x-k8s.io': ['JobSet'],
  'leaderworkerset.x-k8s.io': ['LeaderWorkerSet'],
  'ray.io': ['RayCluster', 'RayCronJob', 'RayJob', 'RayService'],
};
