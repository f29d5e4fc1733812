// Names and limits of inference gateways, from their projects and GKE.

/**
 * Releases that the constructs support. The endpoint picker's image and the format of its configuration must match.
 *
 * @see https://github.com/llm-d/llm-d-router/tree/v0.10.0
 * @see https://github.com/kubernetes-sigs/gateway-api-inference-extension/tree/v1.6.0
 */
export const GATEWAY_RELEASES = {
  endpointPicker: 'v0.10.0',
  inferencePool: 'v1.6.0',
  gatewayApi: 'v1.6.1',
} as const;

/** Image of the endpoint picker of a release. */
export const ENDPOINT_PICKER_IMAGE = `ghcr.io/llm-d/llm-d-router-endpoint-picker:${GATEWAY_RELEASES.endpointPicker}`;

/** API groups of the objects. */
export const GATEWAY_GROUP = 'gateway.networking.k8s.io';
export const INFERENCE_POOL_GROUP = 'inference.networking.k8s.io';
export const EXPERIMENTAL_INFERENCE_GROUP = 'inference.networking.x-k8s.io';
export const LLM_D_GROUP = 'llm-d.ai';
export const GKE_NETWORKING_GROUP = 'networking.gke.io';

/**
 * Ports of the endpoint picker: requests of the load balancer, health, metrics.
 *
 * @see https://github.com/llm-d/llm-d-router/blob/v0.10.0/pkg/epp/server/options.go
 */
export const ENDPOINT_PICKER_PORTS = { grpc: 9002, health: 9003, metrics: 9090 } as const;
/** gRPC services on the picker's health port: of a single picker, and of pickers with leader election. */
export const ENDPOINT_PICKER_HEALTH = {
  alone: 'inference-extension',
  liveness: 'liveness',
  readiness: 'readiness',
} as const;
/** `appProtocol` of the port for requests. */
export const H2C_PROTOCOL = 'kubernetes.io/h2c';

/**
 * Types of plugins in the picker's configuration, by purpose.
 *
 * @see https://github.com/llm-d/llm-d-router/tree/v0.10.0/pkg/epp
 */
export const SCORERS = [
  'queue-scorer',
  'kv-cache-utilization-scorer',
  'prefix-cache-scorer',
  'running-requests-size-scorer',
  'active-request-scorer',
  'lora-affinity-scorer',
  'load-aware-scorer',
  'token-load-scorer',
  'no-hit-lru-scorer',
  'session-affinity-scorer',
] as const;
export const FILTERS = [
  'session-affinity-filter',
  'prefill-filter',
  'decode-filter',
  'encode-filter',
  'label-selector-filter',
] as const;
export const PICKERS = ['max-score-picker', 'random-picker', 'weighted-random-picker'] as const;

/** Flags of older pickers, which make the picker exit at start. */
export const REMOVED_PICKER_FLAGS = [
  '--total-queued-requests-metric',
  '--total-running-requests-metric',
  '--kv-cache-usage-percentage-metric',
  '--lora-info-metric',
  '--cache-info-metric',
] as const;

/** Gateway classes of GKE that support an InferencePool: https://cloud.google.com/kubernetes-engine/docs/how-to/deploy-gke-inference-gateway */
export const INFERENCE_GATEWAY_CLASSES = ['gke-l7-rilb', 'gke-l7-regional-external-managed'] as const;

/**
 * Addresses of the load balancer's health checks.
 *
 * @see https://cloud.google.com/load-balancing/docs/health-check-concepts#ip-ranges
 */
export const HEALTH_CHECK_RANGES = ['35.191.0.0/16', '130.211.0.0/22'] as const;

/** Header with the name of the base model, which the payload processor sets from the body of a request. */
export const BASE_MODEL_HEADER = 'X-Gateway-Base-Model-Name';
/**
 * Chart of the payload processor, and the label of the ConfigMaps that list the names of a base model.
 *
 * @see https://github.com/llm-d/llm-d/tree/680fccb/guides/multi-model-routing
 */
export const PAYLOAD_PROCESSOR = {
  name: 'payload-processor',
  chart: 'oci://ghcr.io/llm-d/charts/payload-processor',
  label: 'inference.llm-d.ai/ipp-managed',
} as const;
/** Header that selects an InferenceObjective: https://github.com/llm-d/llm-d-router/blob/v0.10.0/pkg/epp/metadata/consts.go */
export const OBJECTIVE_HEADER = 'x-llm-d-inference-objective';

/** First version of GKE with the InferencePool and its controller. */
export const INFERENCE_POOL_GKE = '1.34.0-gke.1626000';
/** Oldest gcloud that can enable the Gateway API: https://cloud.google.com/kubernetes-engine/docs/how-to/deploying-gateways */
export const GATEWAY_GCLOUD = '407.0.0';

/** Longest timeout of a GCPBackendPolicy, in seconds: its CRD in https://github.com/GoogleCloudPlatform/gke-gateway-api/tree/fc40d60 */
export const LONGEST_TIMEOUT_SECONDS = 2_147_483_647;

/** Label with the role of a server in disaggregated serving, and its values: https://github.com/llm-d/llm-d-router/tree/v0.10.0/config/charts */
export const ROLE_LABEL = 'llm-d.ai/role';
/** Types of plugins that read this label. Some of them are deprecated. */
export const ROLE_PLUGINS: readonly string[] = [
  'disagg-profile-handler',
  'pd-profile-handler',
  'prefill-filter',
  'decode-filter',
  'encode-filter',
  'label-selector-filter',
  'by-label',
  'by-label-selector',
];
