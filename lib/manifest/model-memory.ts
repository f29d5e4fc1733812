import { releaseOf, type VllmRelease } from '../facts/vllm-releases';
import { type KvCacheDtype, type MemoryOptions } from '../tpu/memory';
import { type ModelConfiguration, modelNamed, type WeightFormat } from '../tpu/models';
import { text } from './manifest';
import { modelServerOf, type ModelServer } from './model-servers';
import { type ContainerView, records } from './pods';

/** A model whose configuration is known, and the flags of its server that decide how much memory it needs. */
export interface ServedModel {
  /** As the server names it. */
  readonly name: string;
  readonly configuration: ModelConfiguration;
  readonly options: MemoryOptions;
}

/**
 * The known model that vLLM serves in a container; undefined for other servers and models, and if flags or variables change how much
 * memory it needs in a way that is not known.
 */
export function servedModelOf(view: ContainerView): ServedModel | undefined {
  const server = modelServerOf(view);
  if (server?.software !== 'vllm' || isUnknown(server, view)) return undefined;
  const name = server.flag('--model') ?? server.served;
  const configuration = name === undefined ? undefined : modelNamed(name);
  if (name === undefined || configuration === undefined) return undefined;
  const quantization = server.flag('--quantization', '-q');
  const weightFormat = quantization === undefined ? undefined : QUANTIZED[quantization];
  if (quantization !== undefined && weightFormat === undefined) return undefined;
  return {
    name,
    configuration,
    options: {
      ...optionsOf(server, releaseOf(text(view.container, 'image') ?? '')),
      // a published checkpoint that is smaller already stays as it is
      ...(weightFormat && configuration.weights === undefined && { weightFormat }),
    },
  };
}

/** Formats of weights that vLLM makes of bf16 when it loads them, or that a checkpoint has. `compressed-tensors` can be several. */
const QUANTIZED: Readonly<Record<string, WeightFormat>> = {
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

/** The longest sequence. If vLLM chooses what fits, only the weights decide. */
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
