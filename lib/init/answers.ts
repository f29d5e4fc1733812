import { SAX_CHIPS } from '../facts/saxml';
import { tokenSecretName } from '../pod/hugging-face-token';
import {
  bucketFolder,
  bucketName,
  bucketOfFolder,
  dnsLabel,
  type Grammar,
  image,
  podLabel,
  quantityOf,
  room,
} from '../problems/grammar';
import { type Problem } from '../problems/problems';
import { integer, oneOf, optional, type Schema, string, type Type } from '../problems/schema';
import { either } from '../problems/shown';
import { GENERATIONS, type TpuGeneration } from '../tpu/generations';
import { MAX_MODEL_BYTES } from '../tpu/model-facts';

/** The servers that a new project can have; `any` runs the user's image. */
const INIT_SERVERS = ['vllm', 'jetstream', 'saxml', 'ray', 'any'] as const;
export type InitServer = (typeof INIT_SERVERS)[number];

/** The user's answers about a new project. */
export interface InitAnswers {
  readonly server?: InitServer;
  readonly model?: string;
  readonly modelSize?: string;
  readonly maxModelLen?: number;
  readonly generation?: TpuGeneration;
  readonly image?: string;
  readonly importPath?: string;
  readonly tokenSecret?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly bucket?: string;
}
export type InitKey = keyof InitAnswers;

/** The option of an answer, and its description. */
interface InitOption {
  readonly value: string;
  readonly description: string;
}

/** The options of `init`, in the order of its help. */
export const INIT_OPTIONS: Readonly<Required<Record<InitKey, InitOption>>> = {
  server: { value: 'server', description: `the server: ${INIT_SERVERS.join(', ')} (default: vllm)` },
  model: { value: 'id', description: 'the model: a Hugging Face id, or gs://BUCKET/FOLDER for vllm' },
  modelSize: {
    value: 'size',
    description: 'size of the weights, like 16G, if the library does not know the model',
  },
  maxModelLen: { value: 'tokens', description: 'longest sequence in tokens, prompt and answer, for vllm' },
  generation: {
    value: 'generation',
    description: `TPU generation: ${Object.keys(GENERATIONS).join(', ')} (default: v6e; v5e for jetstream and saxml)`,
  },
  namespace: { value: 'namespace', description: 'namespace (default: the one that you apply to)' },
  bucket: {
    value: 'bucket',
    description: 'bucket that keeps the weights (default: none; required for saxml)',
  },
  image: { value: 'image', description: 'container image, for vllm, ray and any' },
  importPath: {
    value: 'path',
    description: 'import path of the Ray Serve application, like serve:deployment',
  },
  tokenSecret: {
    value: 'secret',
    description:
      'Secret whose key hf_api_token is a Hugging Face token (default: hf-secret for gated models)',
  },
  name: { value: 'name', description: 'name of the server (default: the name of the model)' },
};

/** Returns the option of an answer, like `--model-size`. */
export const optionOf = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const modelId: Grammar = (value) => {
  if (value.startsWith('gs://')) return bucketFolder(value);
  return /^[\w.-]+\/[\w.-]+$/.test(value)
    ? undefined
    : {
        problem: 'is not a model',
        use: 'ORGANIZATION/MODEL or gs://BUCKET/FOLDER',
        nearest: 'Qwen/Qwen3-4B',
      };
};

/** Sizes of model weights. */
const weights: Grammar = (value) =>
  room(value) ??
  (quantityOf(value) > MAX_MODEL_BYTES
    ? { problem: 'is more than 1 PB', use: 'the size of the weights', nearest: '16G' }
    : undefined);

/** Numbers of tokens. On a command line, a value that is not a number is text. */
const tokens: Type<number> = {
  ...integer(1),
  read: (value, path, problems) => {
    if (typeof value !== 'string') return integer(1).read(value, path, problems);
    problems.add({ path, value, problem: 'is not a whole number', use: 'a number of tokens', nearest: 8192 });
    return undefined;
  },
};

const variableOfModule: Grammar = (value) =>
  /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$/.test(value)
    ? undefined
    : { problem: 'is not an import path', use: 'MODULE:VARIABLE', nearest: 'serve:deployment' };

/** Names of Ray objects and LeaderWorkerSets are shorter than other names: https://lws.sigs.k8s.io */
export const LONGEST_NAME = 39;

/** Options that only some servers have. */
const ONLY: Readonly<Partial<Record<InitKey, readonly InitServer[]>>> = {
  maxModelLen: ['vllm'],
  image: ['vllm', 'ray', 'any'],
  importPath: ['ray'],
  tokenSecret: ['vllm', 'jetstream', 'ray', 'any'],
};

/** Whether a server has an option. */
export const applies = (key: InitKey, server: InitServer): boolean => ONLY[key]?.includes(server) ?? true;

function* problemsOf(answers: InitAnswers, given: Readonly<Record<string, unknown>>): Iterable<Problem> {
  const { server = 'vllm', model = '', generation, bucket } = answers;
  for (const key of Object.keys(given) as InitKey[])
    if (given[key] !== undefined && !applies(key, server))
      yield {
        path: key,
        problem: `is not an option of ${server}`,
        use: `to use it with ${either(ONLY[key] ?? [])} only`,
      };
  if (model.startsWith('gs://') && server !== 'vllm')
    yield { path: 'model', value: model, problem: `is not a model for ${server}`, use: 'ORGANIZATION/MODEL' };
  const folder = bucketOfFolder(model);
  if (server === 'vllm' && folder !== undefined && bucket !== undefined)
    yield {
      path: 'bucket',
      value: bucket,
      problem: `is not needed, because vLLM streams the weights from '${folder}'`,
      use: 'to remove it',
    };
  if (server !== 'saxml') return;
  if (given['bucket'] === undefined)
    yield { path: 'bucket', problem: "required for saxml, for example 'my-sax'" };
  if (generation !== undefined && !Object.hasOwn(SAX_CHIPS, generation))
    yield {
      path: 'generation',
      value: generation,
      problem: 'is not a chip that Saxml is known to run on',
      use: either(Object.keys(SAX_CHIPS).map((one) => `'${one}'`)),
    };
}

/** The schema of the answers. */
export const INIT_ANSWERS: Schema<InitAnswers> = {
  properties: {
    server: optional(oneOf(...INIT_SERVERS)),
    model: optional(string(modelId)),
    modelSize: optional(string(weights)),
    maxModelLen: optional(tokens),
    generation: optional(oneOf(...(Object.keys(GENERATIONS) as TpuGeneration[]))),
    image: optional(string(image)),
    importPath: optional(string(variableOfModule)),
    tokenSecret: optional(tokenSecretName),
    name: optional(string(dnsLabel(LONGEST_NAME))),
    namespace: optional(string(podLabel)),
    bucket: optional(string(bucketName)),
  },
  rules: [problemsOf],
};

/** Converts the value of an option to an answer, because a command line has only text. */
export const answerOf = (key: InitKey, text: string): string | number =>
  key === 'maxModelLen' && /^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
