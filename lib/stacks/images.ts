/**
 * The image that each server runs unless told otherwise: one pinned release each, the newest that a deployment of Google's own uses.
 */
export const IMAGES = {
  // https://github.com/AI-Hypercomputer/tpu-recipes (inference/ironwood/vLLM)
  vllm: 'vllm/vllm-tpu:v0.12.0',
} as const;
