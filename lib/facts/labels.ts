// Names of labels, annotations, node selectors, taints and API groups that third parties define. Every other file imports them from here.

/** Extended resource that GKE's device plugin advertises, one per chip: https://cloud.google.com/kubernetes-engine/docs/how-to/tpus */
export const TPU_RESOURCE = 'google.com/tpu';
/** DeviceClass of the driver that gives chips to claims: https://github.com/kubernetes-sigs/dra-driver-google-tpu */
export const TPU_DEVICE_CLASS = 'tpu.google.com';

/**
 * Node labels and taints of GKE.
 *
 * @see https://github.com/GoogleCloudPlatform/cluster-autoscaler/tree/7d25050/pkg/cloudprovider/gke/labels
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/tpus
 */
/** Prefix of GKE's labels. Other labels are the user's. */
export const GKE_LABEL_PREFIX = 'cloud.google.com/';
export const ACCELERATOR_LABEL = 'cloud.google.com/gke-tpu-accelerator';
export const TOPOLOGY_LABEL = 'cloud.google.com/gke-tpu-topology';
/** Number of chips of a node, which GKE sets on TPU nodes. */
export const ACCELERATOR_COUNT_LABEL = 'cloud.google.com/gke-accelerator-count';
export const NODE_POOL_LABEL = 'cloud.google.com/gke-nodepool';
export const COMPUTE_CLASS_LABEL = 'cloud.google.com/compute-class';
/** Label and taint of flex-start nodes: https://cloud.google.com/kubernetes-engine/docs/concepts/dws */
export const FLEX_START_LABEL = 'cloud.google.com/gke-flex-start';
/** `standard`, `spot`, `preemptible`, `flex-start` or `reservation`. */
export const PROVISIONING_LABEL = 'cloud.google.com/gke-provisioning';
/** Nodes of queued provisioning. */
export const QUEUED_LABEL = 'cloud.google.com/gke-queued';
export const RUN_DURATION_LABEL = 'cloud.google.com/gke-max-run-duration-seconds';
/** A frequent mistake for `RUN_DURATION_LABEL`. Nodes do not have this label. */
export const RUN_DURATION_MISNOMER = 'cloud.google.com/gke-max-run-duration';
export const SPOT_LABEL = 'cloud.google.com/gke-spot';
export const PREEMPTIBLE_LABEL = 'cloud.google.com/gke-preemptible';
/** Reservations: https://cloud.google.com/kubernetes-engine/docs/how-to/consuming-reservations */
export const RESERVATION_NAME_LABEL = 'cloud.google.com/reservation-name';
/** Every label that names a reservation or a part of one. */
export const RESERVATION_LABELS: readonly string[] = [
  RESERVATION_NAME_LABEL,
  'cloud.google.com/reservation-project',
  'cloud.google.com/reservation-zone',
  'cloud.google.com/reservation-blocks',
  'cloud.google.com/reservation-subblocks',
];
export const RESERVATION_AFFINITY_LABEL = 'cloud.google.com/reservation-affinity';
/**
 * Annotation of a pod on a dynamic slice, which GKE forms from a part of a node pool when it schedules the workload.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpu-dynamic-slicing
 */
export const SLICE_TOPOLOGY_ANNOTATION = 'cloud.google.com/gke-tpu-slice-topology';
/**
 * Start of the labels and annotations by which TPU Provisioner forms slices for a workload, and adds their node selectors to its pods.
 *
 * @see https://github.com/ai-on-gke/tpu-provisioner
 */
export const PROVISIONED_SLICE = /^tpu-provisioner\.cloud\.google\.com\/.*slice/;
/** Label of the nodes of one slice. */
export const SLICE_LABEL = 'cloud.google.com/gke-tpu-slice';
/**
 * Returns the node label with the state of the node's partition of a topology.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/use-gke-dynamic-slicing
 */
export const partitionStateLabel = (topology: string): string =>
  `cloud.google.com/gke-tpu-partition-${topology}-state`;
export const HEALTHY_PARTITION = 'HEALTHY';
/**
 * Annotation that keeps GKE's TPU webhook from comparing a pod's chips with a topology.
 *
 * @see https://llm-d.ai/docs/infrastructure/providers/gke/dynamic-slicing
 */
export const SKIP_TPU_WEBHOOK_ANNOTATION = 'cloud.google.com/skip-tpu-webhook-check';
/** API group of ComputeClass. */
export const COMPUTE_CLASS_GROUP = 'cloud.google.com';

/** Kubernetes' labels: https://kubernetes.io/docs/reference/labels-annotations-taints/ */
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';
export const JOB_NAME_LABEL = 'batch.kubernetes.io/job-name';
export const JOB_COMPLETION_INDEX_LABEL = 'batch.kubernetes.io/job-completion-index';
/** The label of a Job's pods before Kubernetes 1.27, which controllers still set. */
export const LEGACY_JOB_NAME_LABEL = 'job-name';
/** Prefix before the name of a container: https://kubernetes.io/docs/tutorials/security/apparmor/ */
export const APPARMOR_ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
/** https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/ */
export const APP_NAME_LABEL = 'app.kubernetes.io/name';
export const APP_INSTANCE_LABEL = 'app.kubernetes.io/instance';
export const APP_COMPONENT_LABEL = 'app.kubernetes.io/component';
export const APP_PART_OF_LABEL = 'app.kubernetes.io/part-of';
export const APP_CREATED_BY_LABEL = 'app.kubernetes.io/created-by';
export const NETWORKING_GROUP = 'networking.k8s.io';

/** Labels of inference servers in GKE's dashboards: https://cloud.google.com/kubernetes-engine/docs/how-to/configure-automatic-application-monitoring */
export const INFERENCE_SERVER_LABEL = 'ai.gke.io/inference-server';
export const INFERENCE_MODEL_LABEL = 'ai.gke.io/model';

/**
 * Keeps the load balancer of a Service in the VPC network.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/internal-load-balancing
 */
export const LOAD_BALANCER_TYPE_ANNOTATION = 'networking.gke.io/load-balancer-type';
/** The same annotation before GKE 1.17. */
export const LEGACY_LOAD_BALANCER_TYPE_ANNOTATION = 'cloud.google.com/load-balancer-type';

/** Binds a Kubernetes ServiceAccount to an IAM service account: https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity */
export const IAM_SERVICE_ACCOUNT_ANNOTATION = 'iam.gke.io/gcp-service-account';

/**
 * Annotations of pods that the webhook of the Cloud Storage FUSE CSI driver reads: the first adds the sidecar, and
 * `gke-gcsfuse/memory-limit` and so on set the sidecar's resources.
 *
 * @see https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/tree/5fcdc04/pkg/webhook
 */
export const GCS_FUSE_ANNOTATION_PREFIX = 'gke-gcsfuse/';
export const GCS_FUSE_ANNOTATION = 'gke-gcsfuse/volumes';
/** Annotation for a resource of the sidecar: `gke-gcsfuse/memory-limit`. */
export const gcsFuseResourceAnnotation = (
  resource: 'cpu' | 'memory' | 'ephemeral-storage',
  kind: 'request' | 'limit',
): string => `${GCS_FUSE_ANNOTATION_PREFIX}${resource}-${kind}`;

/** Kueue: https://kueue.sigs.k8s.io/docs/reference/labels-and-annotations/ */
export const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
/** Allows Kueue to change the quota of a running workload, so that an autoscaler can resize it. */
export const ELASTIC_JOB_ANNOTATION = 'kueue.x-k8s.io/elastic-job';
/** Prefix of annotations that Kueue uses to group pods: `kueue.x-k8s.io/podset-required-topology`. */
export const PODSET_ANNOTATION_PREFIX = 'kueue.x-k8s.io/podset-';
export const KUEUE_GROUP = 'kueue.x-k8s.io';
export const PROVISIONING_REQUEST_CONTROLLER = 'kueue.x-k8s.io/provisioning-request';
/** Annotation of a Job whose value Kueue copies into the ProvisioningRequest: https://kueue.sigs.k8s.io/docs/concepts/admission_check/provisioning_request/ */
export const QUEUED_RUN_DURATION_ANNOTATION = 'provreq.kueue.x-k8s.io/maxRunDurationSeconds';
/** https://cloud.google.com/kubernetes-engine/docs/how-to/provisioningrequest */
export const QUEUED_PROVISIONING_CLASS = 'queued-provisioning.gke.io';
export const PROVISIONING_REQUEST_TAINT = 'autoscaling.gke.io/provisioning-request';

/** JobSet: https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go */
export const JOBSET_GROUP = 'jobset.x-k8s.io';
export const JOBSET_NAME_LABEL = 'jobset.sigs.k8s.io/jobset-name';
export const JOBSET_EXCLUSIVE_ANNOTATION = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

/** LeaderWorkerSet: https://github.com/kubernetes-sigs/lws/blob/v0.10.0/api/leaderworkerset/v1/leaderworkerset_types.go */
export const LWS_GROUP = 'leaderworkerset.x-k8s.io';
export const LWS_NAME_LABEL = 'leaderworkerset.sigs.k8s.io/name';
/** '0' for the leader, '1' and up for workers. */
export const LWS_WORKER_INDEX_LABEL = 'leaderworkerset.sigs.k8s.io/worker-index';
export const LWS_EXCLUSIVE_ANNOTATION = 'leaderworkerset.sigs.k8s.io/exclusive-topology';
export const LWS_SUBGROUP_EXCLUSIVE_ANNOTATION = 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology';

/** KubeRay: https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/controllers/ray/utils/constant.go */
export const RAY_GROUP = 'ray.io';
export const RAY_NODE_LABEL = 'ray.io/is-ray-node';
export const RAY_NODE_TYPE_LABEL = 'ray.io/node-type';
export const RAY_WORKER_GROUP_LABEL = 'ray.io/group';

/** Argo CD: https://argo-cd.readthedocs.io/en/stable/user-guide/annotations-and-labels/ */
export const ARGO_SYNC_WAVE_ANNOTATION = 'argocd.argoproj.io/sync-wave';
export const ARGO_HOOK_ANNOTATION = 'argocd.argoproj.io/hook';
export const ARGO_SYNC_OPTIONS_ANNOTATION = 'argocd.argoproj.io/sync-options';
export const ARGO_APP_PART_OF = 'argocd';
/** Prefix of health checks in `argocd-cm`, before `GROUP_KIND`. */
export const ARGO_HEALTH_KEY_PREFIX = 'resource.customizations.health.';

/** Config Connector: https://cloud.google.com/config-connector/docs/reference/overview */
export const CNRM_GROUP_SUFFIX = '.cnrm.cloud.google.com';
export const CNRM_PROJECT_ANNOTATION = 'cnrm.cloud.google.com/project-id';
export const CNRM_STATE_INTO_SPEC_ANNOTATION = 'cnrm.cloud.google.com/state-into-spec';
export const CNRM_STORAGE_API = 'storage.cnrm.cloud.google.com/v1beta1';
export const CNRM_RESOURCE_MANAGER_API = 'resourcemanager.cnrm.cloud.google.com/v1beta1';

/** Managed Service for Prometheus: https://github.com/GoogleCloudPlatform/prometheus-engine/tree/2ffde4e */
export const MONITORING_GROUP = 'monitoring.googleapis.com';

/** Prometheus operator: https://github.com/prometheus-operator/prometheus-operator/tree/v0.93.0 */
export const PROMETHEUS_OPERATOR_GROUP = 'monitoring.coreos.com';

/** Class of an Ingress: https://cloud.google.com/kubernetes-engine/docs/concepts/ingress */
export const GCE_INGRESS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Inference gateways, now and before v1: https://github.com/kubernetes-sigs/gateway-api-inference-extension/tree/v1.5.0/api */
export const INFERENCE_GROUPS: readonly string[] = [
  'inference.networking.k8s.io',
  'inference.networking.x-k8s.io',
];

/** KEDA: https://github.com/kedacore/keda/tree/v2.20.2 */
export const KEDA_GROUP = 'keda.sh';

/** Checksum of a configuration that pods read only when they start: https://helm.sh/docs/howto/charts_tips_and_tricks/ */
export const CONFIG_CHECKSUM_ANNOTATION = 'checksum/config';
/** The ServiceAccount whose token a Secret holds: https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets */
export const TOKEN_SECRET_ANNOTATION = 'kubernetes.io/service-account.name';
export const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
/**
 * GKE's own custom metrics for autoscaling, a preview.
 *
 * @see https://docs.cloud.google.com/kubernetes-engine/docs/how-to/expose-custom-metrics-autoscaling
 */
export const AUTOSCALING_METRIC_GROUP = 'autoscaling.gke.io';

/** Annotation of this package: the numbers of the model that an object serves, as JSON. See docs/rules/TPU119.md. */
export const MODEL_ANNOTATION = 'cdk8s-tpu-serving/model';
