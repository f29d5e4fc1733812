// Requirements of autoscalers.

/**
 * GKE version for autoscaling by metrics that GKE reads from pods.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/expose-custom-metrics-autoscaling
 */
export const AUTOSCALING_METRIC_GKE = {
  version: '1.35.1-gke.1396000',
  because:
    'AutoscalingMetric, a preview, which needs the Rapid channel and the performance profile of horizontal Pod autoscaling',
} as const;

/**
 * KEDA: its release, and where its manifests put the operator.
 *
 * @see https://keda.sh/docs/latest/deploy/
 */
export const KEDA_INSTALL = {
  manifests: 'https://github.com/kedacore/keda/releases/download/v2.20.2/keda-2.20.2.yaml',
  namespace: 'keda',
  operator: 'keda-operator',
} as const;

/** Role that reads Managed Service for Prometheus: https://cloud.google.com/stackdriver/docs/managed-prometheus/query */
export const MONITORING_READER = 'roles/monitoring.viewer';
