import { VLLM_API_KEY } from './variables';

/** Model servers that the library recognizes by their image or command. */
export type ServerSoftware =
  'vllm' | 'jetstream' | 'saxml' | 'sglang' | 'tgi' | 'maxdiffusion' | 'torchserve' | 'tensorflow-serving';

/** How to recognize a server. */
interface ServerFacts {
  /** The name of the image, without registry and tag. */
  readonly image: RegExp;
  /** A word of the command that starts the server. @default - none */
  readonly command?: RegExp;
  /** Whether the server opens its port before it has loaded the model, so that an open port does not mean that it is ready. @default false */
  readonly listensEarly?: true;
}

/**
 * The known servers.
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

/** Sidecar of JetStream that answers HTTP at once and calls the server: https://github.com/AI-Hypercomputer/JetStream */
export const JETSTREAM_HTTP_IMAGE = /^jetstream-http$/;

/** The admin servers of a Saxml cell: https://github.com/google/saxml */
export const SAX_ADMIN_IMAGE = /^sax-admin-server$/;
export const SAX_HTTP_IMAGE = /^sax-http$/;

/**
 * Images of Pathways. Its head restarts by itself.
 *
 * @see https://cloud.google.com/ai-hypercomputer/docs/workloads/pathways-on-cloud/pathways-intro
 */
export const PATHWAYS_IMAGE = /(^|\/)pathways(-[a-z]+)*\/(proxy_server|server|sidecar)|(^|\/)pathways-/;

/** Flags and variables that make a server require a key from its clients. */
export const API_KEY_FLAGS: readonly string[] = ['--api-key'];
export const API_KEY_VARIABLES: readonly string[] = [VLLM_API_KEY];
