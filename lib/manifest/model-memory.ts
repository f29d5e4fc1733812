import { MODEL_ANNOTATION } from '../facts/labels';
import { releaseOf, type VllmRelease } from '../facts/vllm-releases';
import { Problems } from '../problems/problems';
import { type KvCacheDtype, type MemoryModel, type MemoryOptions, weightsOf } from '../tpu/memory';
import { isConfiguration, type ModelFacts, readModelFacts } from '../tpu/model-facts';
import { modelNamed, type WeightFormat } from '../tpu/models';
import { BYTES_PER_PARAMETER, LEAST_BYTES_PER_PARAMETER, parameterCount } from '../tpu/weights';
import { text } from './manifest';
import { modelServerOf, type ModelServer, namedModelOf } from './model-servers';
import { type ContainerView, type PodView, records } from './pods';

/** A model, and the flags of its server that determine how much memory it needs. */
export interface ServedModel {
  /** Name of the model in the command; undefined if there is none. */
  readonly name: string | undefined;
  /** Source of its numbers: the table of known models, the annotation of its object, a flag, or its name. */
  readonly source: 'table' | 'annotation' | 'flag' | 'name';
  readonly model: MemoryModel;
  readonly options: MemoryOptions;
  /** Its parameters; undefined if only the bytes of its weights are known. */
  readonly parameters: number | undefined;
  /** How its weights are stored; undefined if only their bytes are known. */
  readonly weights: WeightFormat | undefined;
}

/** Whether the numbers of a model are certain. Names and flags only allow a guess. */
export const isCertain = ({ source }: ServedModel): boolean => source === 'table' || source === 'annotation';

/**
 * Returns the model that a container serves; undefined if its size is not known, or if flags or variables change its memory in an unknown
 * way.
 */
export function servedModelOf(view: ContainerView, pod: StatedOn): ServedModel | undefined {
  const server = modelServerOf(view);
  if (server?.software !== 'vllm')
    return (
      sizedModel(server, annotatedModel(pod)) ?? (server && guessedModel(server, { gpuMemoryUtilization: 1 }))
    );
  if (isUnknown(server, view)) return undefined;
  const options = optionsOf(server, releaseOf(text(view.container, 'image') ?? ''));
  return statedModel(server, pod, options) ?? guessedModel(server, options);
}

/** An object that can state the numbers of a model: a pod, or the object that runs it. */
type StatedOn = Pick<PodView, 'object' | 'annotations'>;

/** Returns a model with stated numbers in an unknown program. Counts only the weights, because the program's use of memory is not known. */
function sizedModel(server: ModelServer | undefined, model: ModelFacts | undefined): ServedModel | undefined {
  return (
    model && {
      name: server && namedModelOf(server)?.name,
      source: 'annotation',
      model: { guess: weightsOf(model) },
      options: { gpuMemoryUtilization: 1 },
      ...statedWeights(model),
    }
  );
}

/** Returns a model with numbers from the table, or from the annotation of its object. */
function statedModel(server: ModelServer, pod: StatedOn, options: MemoryOptions): ServedModel | undefined {
  const name = server.flag('--model') ?? server.served;
  if (name === undefined) return undefined;
  const annotated = annotatedModel(pod);
  const known =
    modelNamed(name) ?? (isPath(name) ? modelNamed(server.flag('--served-model-name') ?? '') : undefined);
  const model = annotated ?? known;
  if (model === undefined) return undefined;
  const quantization = server.flag('--quantization', '-q');
  const weightFormat = quantization === undefined ? undefined : QUANTIZED[quantization];
  if (quantization !== undefined && weightFormat === undefined) return undefined;
  // The server does not convert a published checkpoint that is already smaller.
  const changes = weightFormat !== undefined && model.weights === undefined;
  const stated = statedWeights(model);
  return {
    name,
    source: annotated ? 'annotation' : 'table',
    model,
    options: { ...options, ...(changes && { weightFormat }) },
    ...stated,
    ...(changes && stated.weights !== undefined && { weights: weightFormat }),
  };
}

/** Returns the parameters of a model and the format of its weights; undefined if only bytes are known. */
function statedWeights(model: ModelFacts): Pick<ServedModel, 'parameters' | 'weights'> {
  const isSized = !isConfiguration(model) && model.parameters === undefined;
  return {
    parameters: isConfiguration(model) ? parameterCount(model) : model.parameters,
    weights: isSized ? undefined : (model.weights ?? 'bf16'),
  };
}

const isPath = (name: string): boolean => name.startsWith('gs://') || name.startsWith('/');

/** Returns the numbers of a model in the annotation of a pod or its object; undefined without valid numbers. */
export function annotatedModel(
  { object, annotations }: StatedOn,
  problems = new Problems(),
): ModelFacts | undefined {
  const given =
    text(annotations, MODEL_ANNOTATION) ?? text(object.manifest, 'metadata', 'annotations', MODEL_ANNOTATION);
  return given === undefined ? undefined : readModelFacts(parsed(given), problems);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return json;
    throw error;
  }
}

/** Returns a model with parameters from flags or its name. Its weights may have fewer bits than stated, but at least 4. */
function guessedModel(server: ModelServer, options: MemoryOptions): ServedModel | undefined {
  const named = namedModelOf(server);
  if (named === undefined) return undefined;
  const { name, parameters, weights, stated } = named;
  const least = stated && weights !== 'int8' ? weights : 'int4';
  return {
    name,
    source: stated ? 'flag' : 'name',
    model: {
      guess: {
        least: parameters * LEAST_BYTES_PER_PARAMETER[least],
        expected: parameters * BYTES_PER_PARAMETER[weights],
      },
    },
    options,
    parameters,
    weights,
  };
}

/** Weight formats that vLLM converts bf16 to when it loads them, or that a checkpoint has. `compressed-tensors` can be several. */
export const QUANTIZED: Readonly<Record<string, WeightFormat>> = {
  fp8: 'fp8',
  deepseek_v4_fp8: 'fp8',
  tpu_int8: 'int8',
  awq: 'int4',
  auto_awq: 'int4',
  mxfp4: 'mxfp4',
  gpt_oss_mxfp4: 'mxfp4',
  modelopt_fp4: 'int4',
};

const CACHE_DTYPES: readonly KvCacheDtype[] = ['auto', 'bfloat16', 'fp8', 'fp8_e4m3', 'fp8_e5m2'];

function optionsOf(server: ModelServer, release: VllmRelease): MemoryOptions {
  const whole = (...flags: readonly string[]): number | undefined => {
    const value = Number(server.flag(...flags) ?? NaN);
    return Number.isInteger(value) && value > 0 ? value : undefined;
  };
  const given: { readonly [K in keyof MemoryOptions]: MemoryOptions[K] | undefined } = {
    maxModelLen: contextOf(server),
    kvCacheDtype: CACHE_DTYPES.find((one) => one === server.flag('--kv-cache-dtype')),
    tensorParallelSize: whole('--tensor-parallel-size', '-tp'),
    pipelineParallelSize: whole('--pipeline-parallel-size', '-pp'),
    dataParallelSize: whole('--data-parallel-size', '-dp'),
    maxNumSeqs: whole('--max-num-seqs'),
    dpAttention: /"enable_dp_attention"\s*:\s*true/.test(server.flag('--additional-config') ?? ''),
    gpuMemoryUtilization: Number(server.flag('--gpu-memory-utilization')) || release.gpuMemoryUtilization,
  };
  return Object.fromEntries(Object.entries<unknown>(given).filter(([, value]) => value !== undefined));
}

/** vLLM reads `8k` as 8000 and `8K` as 8192. */
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, K: 2 ** 10, M: 2 ** 20 };

/** Returns the longest sequence; undefined if vLLM chooses one that fits. */
function contextOf(server: ModelServer): number | undefined {
  const given = server.flag('--max-model-len');
  if (given === 'auto' || given === '-1' || server.flag('--num-gpu-blocks-override') !== undefined) return 1;
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([kKmM]?)$/.exec(given ?? '') ?? [];
  return digits === undefined ? undefined : Math.floor(Number(digits) * (UNITS[unit] ?? NaN)) || undefined;
}

const CHANGING_FLAGS = ['--hf-overrides', '--config', '--cpu-offload-gb'] as const;
const CHANGING_VARIABLES = /^(MOE_|BF16_LINEAR_)?REQUANTIZE_/;

/** Whether flags or variables change the sizes of the model. */
const isUnknown = (server: ModelServer, { container }: ContainerView): boolean =>
  CHANGING_FLAGS.some((flag) => server.flag(flag) !== undefined) ||
  server.flag('--load-format') === 'dummy' ||
  (server.flag('--additional-config') ?? '').includes('qwix') ||
  records(container, 'env').some((variable) => CHANGING_VARIABLES.test(text(variable, 'name') ?? ''));
