import { type Complaint, type Problem, type Problems } from '../problems/problems';
import {
  boolean,
  integer,
  isObject,
  list,
  misfit,
  number,
  object,
  oneOf,
  optional,
  read,
  required,
  type Schema,
  type Type,
} from '../problems/schema';
import {
  type ExpertsConfiguration,
  type FullAttentionConfiguration,
  type LatentAttentionConfiguration,
  type LinearAttentionConfiguration,
  type ModelConfiguration,
  type ReusingConfiguration,
  type VisionConfiguration,
  type WeightFormat,
} from './models';
import { WEIGHT_FORMATS } from './weights';

/** The numbers of a model that determine its KV cache. Set `layers`, `kvHeads` and `headDim` together; otherwise, the KV cache is not counted. */
export interface ModelCacheFacts extends Partial<
  Pick<
    ModelConfiguration,
    | 'layers'
    | 'kvHeads'
    | 'headDim'
    | 'attention'
    | 'window'
    | 'fullAttention'
    | 'mla'
    | 'linear'
    | 'reusing'
    | 'contextLength'
  >
> {}

/** A model by its number of parameters or the bytes of its weights. */
export type SizedModel = ModelCacheFacts &
  (
    | {
        /** Parameters of the model, including all experts of a mixture: `70e9` for 70B. */
        readonly parameters: number;
        /** How the weights are stored in memory. @default 'bf16' */
        readonly weights?: WeightFormat;
        readonly bytes?: never;
      }
    | {
        /** Bytes of the weights as they are stored in memory. */
        readonly bytes: number;
        readonly parameters?: never;
        readonly weights?: never;
      }
  );

/** The numbers of a model that determine how much memory it needs: its configuration, or its size. */
export type ModelFacts = ModelConfiguration | SizedModel;

/** Whether a model is given by its configuration, from which its weights are computed. */
export const isConfiguration = (model: ModelFacts): model is ModelConfiguration =>
  !('parameters' in model) && !('bytes' in model);

/** `ModelFacts` before they are validated: a configuration, a size, or both. */
type GivenFacts = Partial<ModelConfiguration> & { readonly parameters?: number; readonly bytes?: number };

/** Largest number of parameters or bytes of a model. */
export const MAX_MODEL_BYTES = 1e15;

/** Returns what is wrong with a number of parameters or bytes. A small number is probably in billions. */
function amount(value: number): Complaint | undefined {
  if (value >= 1e6 && value <= MAX_MODEL_BYTES) return undefined;
  const use = value > 0 && value < 1e4 ? `${String(value)}e9` : value > MAX_MODEL_BYTES ? '1e15' : '1e6';
  return { problem: 'is not a number from 1e6 to 1e15', use };
}

const whole = integer(1, Number.MAX_SAFE_INTEGER);
const none = integer(0, Number.MAX_SAFE_INTEGER);

const EXPERTS: Schema<ExpertsConfiguration> = {
  properties: {
    count: required(whole, 128),
    active: optional(whole),
    intermediateSize: required(whole, 768),
    sharedIntermediateSize: optional(none),
    denseLayers: optional(none),
    every: optional(whole),
    besideDense: optional(boolean()),
  },
};

const FULL: Schema<FullAttentionConfiguration> = {
  properties: {
    kvHeads: required(whole, 4),
    headDim: required(whole, 512),
    keyIsValue: optional(boolean()),
  },
};

const LATENT: Schema<LatentAttentionConfiguration> = {
  properties: {
    kvLoraRank: required(whole, 512),
    queryLoraRank: required(whole, 1536),
    ropeHeadDim: required(whole, 64),
    noPositionHeadDim: required(whole, 128),
    valueHeadDim: required(whole, 128),
  },
};

const LINEAR: Schema<LinearAttentionConfiguration> = {
  properties: {
    keyHeads: required(whole, 16),
    valueHeads: required(whole, 32),
    headDim: required(whole, 128),
    stateBytes: required(integer(2, 4), 4),
  },
};

const REUSING: Schema<ReusingConfiguration> = {
  properties: { layers: required(whole, 20), intermediateSize: required(whole, 12288) },
};

const VISION: Schema<VisionConfiguration> = {
  properties: {
    layers: required(whole, 27),
    hiddenSize: required(whole, 1152),
    intermediateSize: required(whole, 4304),
  },
};

const ATTENTION = oneOf('full', 'sliding', 'chunked', 'mla', 'linear');

const FACTS: Schema<GivenFacts> = {
  properties: {
    parameters: optional(number(amount)),
    bytes: optional(number(amount)),
    weights: optional(oneOf(...WEIGHT_FORMATS)),
    layers: optional(whole),
    hiddenSize: optional(whole),
    intermediateSize: optional(whole),
    vocabulary: optional(whole),
    tied: optional(boolean()),
    heads: optional(whole),
    kvHeads: optional(whole),
    headDim: optional(whole),
    attention: optional(list(ATTENTION, { min: 1, what: "a list like ['sliding', 'full']" })),
    window: optional(whole),
    fullAttention: optional(object(FULL)),
    outputGate: optional(boolean()),
    mla: optional(object(LATENT)),
    linear: optional(object(LINEAR)),
    experts: optional(object(EXPERTS)),
    reusing: optional(object(REUSING)),
    perLayerEmbedding: optional(none),
    vision: optional(object(VISION)),
    contextLength: optional(whole),
  },
  rules: [sizeProblems, attentionProblems],
};

const CACHE = ['layers', 'kvHeads', 'headDim'] as const;
const CONFIGURATION = ['layers', 'hiddenSize', 'vocabulary', 'heads', 'kvHeads', 'headDim'] as const;
/** Numbers that only determine the size of the weights. */
const OF_WEIGHTS = [
  'hiddenSize',
  'intermediateSize',
  'vocabulary',
  'tied',
  'heads',
  'outputGate',
  'experts',
  'perLayerEmbedding',
  'vision',
] as const;

type Given = { readonly [K in keyof GivenFacts]?: unknown };

/** Finds problems in the properties that state the size of the weights. */
function* sizeProblems(_: GivenFacts, given: Given): Iterable<Problem> {
  const has = (key: keyof GivenFacts): boolean => given[key] !== undefined;
  const size = has('bytes') ? 'bytes' : has('parameters') ? 'parameters' : undefined;
  const others = size === 'bytes' ? (['parameters', 'weights', ...OF_WEIGHTS] as const) : OF_WEIGHTS;
  if (size !== undefined) {
    for (const path of others)
      if (has(path))
        yield {
          path,
          ...(typeof given[path] !== 'object' && { value: given[path] }),
          problem: `is set together with ${size}`,
          use: 'only one of them',
        };
    const cache = CACHE.filter(has);
    if (cache.length > 0)
      for (const path of CACHE)
        if (!has(path))
          yield { path, problem: 'required for the KV cache', use: 'layers, kvHeads and headDim together' };
    return;
  }
  const missing = CONFIGURATION.filter((path) => !has(path));
  if (missing.length === CONFIGURATION.length)
    yield {
      path: 'parameters',
      problem: 'required',
      use: 'a number like 70e9, or bytes, or the numbers of config.json',
    };
  else for (const path of missing) yield { path, problem: 'required without parameters or bytes' };
  if (missing.length === 0 && !has('intermediateSize') && !has('experts'))
    yield { path: 'intermediateSize', problem: 'required without experts' };
}

/** Finds kinds of attention without their numbers, and numbers without their kind of attention. */
function* attentionProblems(
  { attention = ['full'], window, mla, linear }: GivenFacts,
  given: Given,
): Iterable<Problem> {
  const windowed = attention.find((one) => one === 'sliding' || one === 'chunked');
  if (windowed !== undefined && given.window === undefined)
    yield { path: 'window', problem: `required for layers that are '${windowed}'` };
  if (windowed === undefined && window !== undefined)
    yield {
      path: 'attention',
      problem: 'has no layer with a window, but window is set',
      use: "a pattern like ['sliding', 'full']",
    };
  for (const [path, value] of [
    ['mla', mla],
    ['linear', linear],
  ] as const) {
    const used = attention.includes(path);
    if (used && given[path] === undefined) yield { path, problem: `required for layers that are '${path}'` };
    if (!used && value !== undefined)
      yield {
        path: 'attention',
        problem: `has no layer that is '${path}', but ${path} is set`,
        use: `a pattern with '${path}'`,
      };
  }
}

/** Reads the numbers of a model, and records what is wrong with them. */
export const readModelFacts = (given: unknown, problems: Problems, path = ''): ModelFacts | undefined => {
  const { count } = problems;
  const facts = read(FACTS, given, problems, path);
  // The rules make sure that it is exactly one of the two.
  return problems.count > count ? undefined : (facts as ModelFacts | undefined);
};

const WHAT = 'the numbers of a model, like { parameters: 70e9 }';

/** A prop with the numbers of a model. */
export const modelFactsType: Type<ModelFacts> = {
  what: WHAT,
  read: (value, path, problems) => {
    if (isObject(value)) return readModelFacts(value, problems, path);
    problems.add(misfit(path, value, WHAT));
    return undefined;
  },
};
