import { quantityOf } from '../problems/grammar';
import { type Problem, Problems } from '../problems/problems';
import { type TpuGeneration } from '../tpu/generations';
import { type ModelFacts } from '../tpu/model-facts';
import { modelByName } from '../tpu/model-names';
import { type KnownModel, knownModels, modelNamed } from '../tpu/models';
import { TpuSlice } from '../tpu/slice';
import { type InitAnswers, type InitServer } from './answers';

/** The server of an answer. */
export const serverOf = ({ server = 'vllm' }: InitAnswers): InitServer => server;

/** Small default models, which run on one or a few chips. */
const MODELS: Readonly<Partial<Record<InitServer, string>>> = {
  // https://github.com/AI-Hypercomputer/tpu-recipes (inference/trillium/vLLM/Qwen3): on one chip of v6e
  vllm: 'Qwen/Qwen3-4B',
  ray: 'Qwen/Qwen3-4B',
  // https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-llm-tpu-jetstream-pytorch
  jetstream: 'google/gemma-7b-it',
};

/** Returns the default model of a server. */
export const defaultModel = (answers: InitAnswers): string | undefined => MODELS[serverOf(answers)];

/** Returns the default generation of a server, which its tutorial uses. */
export const defaultGeneration = (answers: InitAnswers): TpuGeneration =>
  ['jetstream', 'saxml'].includes(serverOf(answers)) ? 'v5e' : 'v6e';

export const modelOf = (answers: InitAnswers): string | undefined => answers.model ?? defaultModel(answers);

/** The last part of a model's name. */
export const lastPart = (model: string): string => model.replace(/\/+$/, '').split('/').at(-1) ?? model;

/** Returns the id of a known model. For a folder in a bucket, its last part is the name. JetStream's weights have a suffix. */
function knownId(answers: InitAnswers): string | undefined {
  const model = modelOf(answers)?.replace(/-pytorch$/, '');
  if (model === undefined) return undefined;
  const id = model.startsWith('gs://')
    ? knownModels().find((one) => lastPart(one) === lastPart(model))
    : model;
  return id !== undefined && modelNamed(id) !== undefined ? id : undefined;
}

/** The numbers of the model, if it is known. */
export function knownModel(answers: InitAnswers): KnownModel | undefined {
  const id = knownId(answers);
  return id === undefined ? undefined : modelNamed(id);
}

/** The Secret with the Hugging Face token that a project reads; undefined if it needs none. */
export function tokenSecretOf(answers: InitAnswers): string | undefined {
  const server = serverOf(answers);
  if (server === 'saxml' || modelOf(answers)?.startsWith('gs://') === true) return undefined;
  const isNeeded = server === 'jetstream' || knownModel(answers)?.gated === true;
  return answers.tokenSecret ?? (isNeeded ? 'hf-secret' : undefined);
}

/** Default of the longest sequence. The smallest slices hold several sequences of this length. */
const MAX_MODEL_LEN = 8192;

/** The longest sequence of a server; undefined if the model's own limit is not known. */
export function maxModelLenOf(answers: InitAnswers): number | undefined {
  const context = knownModel(answers)?.contextLength;
  return answers.maxModelLen ?? (context && Math.min(MAX_MODEL_LEN, context));
}

/** A model whose size is known, stated, or guessed from its name. */
interface FoundModel {
  readonly model: ModelFacts | string;
  readonly source: 'known' | 'stated' | 'name';
}

function findModel(answers: InitAnswers): FoundModel | undefined {
  if (answers.modelSize !== undefined)
    return { model: { bytes: quantityOf(answers.modelSize) }, source: 'stated' };
  const id = knownId(answers);
  if (id !== undefined) return { model: id, source: 'known' };
  const named = modelByName(modelOf(answers) ?? '');
  return named && { model: named, source: 'name' };
}

/** Share of the HBM for the weights of a model whose KV cache is not known; names also round sizes down. */
const WEIGHTS_SHARE = 0.7;

/** Whether the size of the model is known without asking. */
export const isSized = (answers: InitAnswers): boolean => findModel(answers) !== undefined;

/** The slice of a new server, and how its model fits. */
export interface Sized {
  readonly slice: TpuSlice;
  readonly sentence: string;
  /** Expected weights in GB. */
  readonly weightsGB: number;
  /** Whether the size of the model is guessed from its name. */
  readonly guess: boolean;
}

/** Returns the smallest slice that holds the model. Records a problem if the size is not known, or no slice holds it. */
export function sizeOf(answers: InitAnswers, problems: Problems): Sized | undefined {
  const found = findModel(answers);
  if (found === undefined) {
    problems.add(unsized(modelOf(answers)));
    return undefined;
  }
  const { model, source } = found;
  const generation = answers.generation ?? defaultGeneration(answers);
  const maxModelLen = maxModelLenOf(answers);
  const options = {
    generation,
    ...(maxModelLen !== undefined && { maxModelLen }),
    ...(source !== 'known' && { gpuMemoryUtilization: WEIGHTS_SHARE }),
  };
  const one = new Problems().attempt(() => TpuSlice.forModel(model, { ...options, hosts: 'one' }));
  const hosts = serverOf(answers) === 'jetstream' ? 'one' : 'any';
  const fit = one ?? problems.attempt(() => TpuSlice.forModel(model, { ...options, hosts }));
  return (
    fit && { slice: fit.slice, sentence: fit.sentence, weightsGB: fit.weightsGB, guess: source === 'name' }
  );
}

const unsized = (model: string | undefined): Problem =>
  model === undefined
    ? {
        path: 'modelSize',
        problem: 'required unless there is a model',
        use: "the size of the weights, for example '16G'",
      }
    : {
        path: 'model',
        value: model,
        problem: 'is not a known model, and its name does not contain its size',
        use: "to add --model-size with the size of its weights, for example '16G'",
      };
