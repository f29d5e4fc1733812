// Environment variables of the servers, which constructs write and checks read.

/** Folder of vLLM's compiled XLA programs: https://docs.vllm.ai/en/latest/configuration/env_vars/ */
export const VLLM_COMPILE_CACHE = 'VLLM_XLA_CACHE_PATH';
/** Folder of JAX's compiled programs: https://docs.jax.dev/en/latest/persistent_compilation_cache.html */
export const JAX_COMPILE_CACHE = 'JAX_COMPILATION_CACHE_DIR';
/** Folder of compiled programs on multi-host slices in Google's samples: https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/gke-ray) */
export const LOCAL_COMPILE_CACHE = '/tmp/vllm_xla_cache';

/** The hosts of a slice and the number of a host, for libtpu: https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/utils/accelerators/tpu.go */
export const TPU_WORKER_HOSTNAMES = 'TPU_WORKER_HOSTNAMES';
export const TPU_WORKER_ID = 'TPU_WORKER_ID';

/** Names of the variables, and of JetStream's file, that servers read a Hugging Face token from. */
export const TOKEN_NAMES: readonly string[] = [
  'HF_TOKEN',
  'HUGGING_FACE_HUB_TOKEN',
  'HUGGINGFACE_TOKEN',
  'HUGGINGFACEHUB_API_TOKEN',
];

/** Key that clients of vLLM must send: https://docs.vllm.ai/en/latest/serving/openai_compatible_server/ */
export const VLLM_API_KEY = 'VLLM_API_KEY';

/** Seconds that vLLM waits for its engine, 600 by default: https://github.com/vllm-project/vllm/pull/27444 */
export const VLLM_ENGINE_TIMEOUT = 'VLLM_ENGINE_READY_TIMEOUT_S';

/**
 * Seconds that Ray gives its replicas to shut down, 30 by default. The pod's grace period must be longer. Releases before mid 2026 ignore
 * the variable and stop at once.
 *
 * https://github.com/ray-project/ray/pull/64454
 */
export const RAY_DRAIN_TIMEOUT = 'RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S';

/**
 * Number of slices that compute together. GKE adds the other variables of libtpu's transport between slices to the pods of a JobSet.
 * Ray's TPU webhook adds them to the pods of a Ray cluster if this variable is set.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/tpu-multislice
 * @see https://github.com/ai-on-gke/kuberay-tpu-webhook/blob/main/main.go
 */
export const MEGASCALE_NUM_SLICES = 'MEGASCALE_NUM_SLICES';
/** Address and port of the coordinator of these slices. */
export const MEGASCALE_COORDINATOR_ADDRESS = 'MEGASCALE_COORDINATOR_ADDRESS';
export const MEGASCALE_PORT_VARIABLE = 'MEGASCALE_PORT';

/**
 * Variables that LeaderWorkerSet sets before all others, so that other variables and arguments can refer to them.
 *
 * @see https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/webhooks/pod_webhook.go
 */
export const LWS_LEADER_ADDRESS = 'LWS_LEADER_ADDRESS';
export const LWS_GROUP_SIZE = 'LWS_GROUP_SIZE';

/** Backend that connects vLLM on the hosts of a slice: https://github.com/vllm-project/tpu-inference (tpu_inference/envs.py) */
export const MULTIHOST_BACKEND = 'TPU_MULTIHOST_BACKEND';
