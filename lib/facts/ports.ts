// Ports of third parties.

/**
 * Ports of the TPU runtime (libtpu) on each host. The hosts of a slice communicate on the first port and on the port of the mesh
 * controller. The runtime serves its metrics on one port per process, starting at `TPU_METRICS_PORT`.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice
 * @see https://cloud.google.com/tpu/docs/tpu-monitoring-library
 * @see https://github.com/AI-Hypercomputer/tpu-recipes/tree/main/inference/ironwood/vLLM
 */
export const TPU_VM_PORT = 8471;
export const TPU_MESH_CONTROLLER_PORT = 8476;
export const TPU_METRICS_PORT = 8431;
/** The last metrics port, for eight chips with one process each. */
const TPU_METRICS_LAST_PORT = 8438;

/** Whether the TPU runtime uses a port, so that no server can listen on it. */
export const isRuntimePort = (port: number | undefined): boolean =>
  port === TPU_VM_PORT ||
  port === TPU_MESH_CONTROLLER_PORT ||
  (port !== undefined && port >= TPU_METRICS_PORT && port <= TPU_METRICS_LAST_PORT);

/** Port of the coordinator of slices that train together: https://github.com/AI-Hypercomputer/tpu-recipes/tree/main/training/ironwood */
export const MEGASCALE_PORT = 8080;
/** The same in a Ray cluster, because Ray uses 8080 for metrics: https://github.com/ai-on-gke/kuberay-tpu-webhook/blob/main/main.go */
export const RAY_MEGASCALE_PORT = 8081;

/** Default port of vLLM's OpenAI server: https://docs.vllm.ai/en/latest/cli/serve/ */
export const VLLM_PORT = 8000;
/** Default port of a server with any image. vLLM and MaxDiffusion use it: https://github.com/GoogleCloudPlatform/accelerated-platforms */
export const SERVER_PORT = 8000;

/** https://github.com/AI-Hypercomputer/JetStream/blob/main/docs/online-inference-with-maxtext-engine.md */
export const JETSTREAM_GRPC_PORT = 9000;
export const JETSTREAM_HTTP_PORT = 8000;

/** https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/tree/main/ai-ml/llm-multihost-tpus-saxml */
export const SAX_ADMIN_PORT = 10000;
export const SAX_MODEL_PORT = 10001;
export const SAX_HTTP_PORT = 8888;

/** Ray: https://docs.ray.io/en/latest/ray-core/configure.html#ports-configurations */
export const RAY_PORTS = { gcs: 6379, dashboard: 8265, client: 10001, serve: 8000, metrics: 8080 } as const;
