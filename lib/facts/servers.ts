import { VLLM_API_KEY } from './variables';

/** Model servers that are known by their image or their command. */
export type ServerSoftware =
  'vllm' | 'jetstream' | 'saxml' | 'sglang' | 'tgi' | 'maxdiffusion' | 'torchserve' | 'tensorflow-serving';

/** How a server is recognized. */
interface ServerFacts {
  /** The name of the image, without registry and tag. */
  readonly image: RegExp;
  /** A word of the command that starts it. @default - none */
  readonly command?: RegExp;
  /** Whether it opens its port before the model is loaded, so that an open port says nothing. @default false */
  readonly listensEarly?: true;
}

/**
 * The known servers, one row each.
 *
 * vLLM binds its port early, but accepts connections only when the engine runs; SGLang, TGI and MaxDiffusion start their HTTP server
 * after the model is loaded. Saxml's model servers listen first and load models when they are published.
 *
 * @see https://github.com/vllm-project/vllm/blob/v0.12.0/vllm/entrypoints/openai/api_server.py
 * @see https://github.com/google/saxml
 * @see https://github.com/AI-Hypercomputer/JetStream
 */
export const SERVERS: Readonly<Record<ServerSoftware, ServerFacts>> = {
  vllm: {
    image: /^(vllm-tpu|vllm-openai|torchtpu-vllm-(ci|dev|prod))$/,
    command: /^vllm\.entrypoints\.openai\.api_server$/,
  },
  jetstream: { image: /^(jetstream-pytorch-server|jetstream-maxtext.*|maxengine-server)$/ },
  saxml: { image: /^sax-model-server$/, listensEarly: true },
  sglang: { image: /^sglang(-jax)?$/, command: /^(sgl_jax|sglang)\.launch_server$/ },
  tgi: { image: /^(tgi-tpu|optimum-tpu|text-generation-inference)$/, command: /^text-generation-launcher$/ },
  maxdiffusion: { image: /^(max-?diffusion.*)$/ },
  torchserve: { image: /^torchserve.*$/, command: /(^|\/)torchserve$/ },
  'tensorflow-serving': {
    image: /^(tf-serving.*|tensorflow-serving.*)$/,
    command: /(^|\/)tensorflow_model_server$/,
  },
};

/** Sidecar of JetStream that answers HTTP at once and asks the server behind it: https://github.com/AI-Hypercomputer/JetStream */
export const JETSTREAM_HTTP_IMAGE = /^jetstream-http$/;

/** The servers of a Saxml cell beside the model servers: https://github.com/google/saxml */
export const SAX_ADMIN_IMAGE = /^sax-admin-server$/;
export const SAX_HTTP_IMAGE = /^sax-http$/;

/**
 * Images of Pathways, whose head starts again by itself.
 *
 * @see https://cloud.google.com/ai-hypercomputer/docs/workloads/pathways-on-cloud/pathways-intro
 */
export const PATHWAYS_IMAGE = /(^|\/)pathways(-[a-z]+)*\/(proxy_server|server|sidecar)|(^|\/)pathways-/;

/** Flags and variables that make a server ask its clients for a key. */
export const API_KEY_FLAGS: readonly string[] = ['--api-key'];
export const API_KEY_VARIABLES: readonly string[] = [VLLM_API_KEY];
