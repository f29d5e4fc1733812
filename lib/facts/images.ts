import { DEFAULT_VLLM_RELEASE } from './vllm-releases';

/**
 * The default image of each server, pinned to a release. Unless a source is given, it is the newest release in a deployment that Google
 * publishes.
 */
export const IMAGES = {
  // the newest with a published support matrix: https://github.com/vllm-project/tpu-inference (support_matrices/release)
  vllm: `vllm/vllm-tpu:${DEFAULT_VLLM_RELEASE}`,
  // https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/llm-serving-tpus-jetstream/pytorch): server v0.2.3 reads a
  // converted checkpoint, v0.2.4 downloads from Hugging Face, and the probes there use /healthcheck of http v0.2.3
  jetStreamCheckpointConverter: 'us-docker.pkg.dev/cloud-tpu-images/inference/inference-checkpoint:v0.2.3',
  jetStreamCheckpoint: 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-pytorch-server:v0.2.3',
  jetStreamHuggingFace: 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-pytorch-server:v0.2.4',
  jetStreamHttp: 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-http:v0.2.3',
  // https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/gke-ray/rayserve/stable-diffusion)
  ray: 'rayproject/ray-ml:2.9.0-py310',
  // https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/llm-multihost-tpus-saxml)
  saxAdminServer: 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-admin-server:v1.1.0',
  saxModelServer: 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-model-server:v1.1.0',
  saxHttp: 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-http:v1.0.0',
} as const;

/** Returns the name of an image, without registry, tag and digest. */
export const imageName = (image: string): string =>
  image.replace(/@.*$/, '').split('/').at(-1)?.replace(/:.*$/, '') ?? '';
