// The kinds that the constructs render, in the API versions of the types in imports/ and of Kubernetes 1.29.
import {
  COMPUTE_CLASS_GROUP,
  JOBSET_GROUP,
  KEDA_GROUP,
  KUEUE_GROUP,
  LWS_GROUP,
  MONITORING_GROUP,
  NETWORKING_GROUP,
  RAY_GROUP,
} from './labels';

/** A kind of object. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

const of = <const Name extends string>(
  apiVersion: string,
  ...kinds: readonly Name[]
): { readonly [K in Name]: { readonly apiVersion: string; readonly kind: K } } =>
  Object.fromEntries(kinds.map((kind) => [kind, { apiVersion, kind }])) as unknown as {
    readonly [K in Name]: { readonly apiVersion: string; readonly kind: K };
  };

/**
 * The kinds by name.
 *
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.29/
 */
export const KINDS = {
  ...of(
    'v1',
    'ConfigMap',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Secret',
    'Service',
    'ServiceAccount',
  ),
  ...of('apps/v1', 'Deployment'),
  ...of('batch/v1', 'Job'),
  ...of('autoscaling/v2', 'HorizontalPodAutoscaler'),
  ...of('policy/v1', 'PodDisruptionBudget'),
  ...of(`${NETWORKING_GROUP}/v1`, 'NetworkPolicy'),
  ...of('argoproj.io/v1alpha1', 'Application'),
  ...of(`${COMPUTE_CLASS_GROUP}/v1`, 'ComputeClass'),
  ...of('container.cnrm.cloud.google.com/v1beta1', 'ContainerCluster', 'ContainerNodePool'),
  ...of('iam.cnrm.cloud.google.com/v1beta1', 'IAMPolicyMember', 'IAMServiceAccount'),
  ...of('storage.cnrm.cloud.google.com/v1beta1', 'StorageBucket'),
  ...of(`${JOBSET_GROUP}/v1alpha2`, 'JobSet'),
  ...of(`${LWS_GROUP}/v1`, 'LeaderWorkerSet'),
  ...of(`${KEDA_GROUP}/v1alpha1`, 'ScaledObject'),
  ...of(`${MONITORING_GROUP}/v1`, 'PodMonitoring'),
  ...of(`${RAY_GROUP}/v1`, 'RayService'),
  ...of(
    `${KUEUE_GROUP}/v1beta2`,
    ...([
      'AdmissionCheck',
      'ClusterQueue',
      'LocalQueue',
      'ProvisioningRequestConfig',
      'ResourceFlavor',
    ] as const),
  ),
};
