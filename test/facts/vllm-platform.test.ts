import { textOf } from '../../lib/problems/problems';
import { type PlatformOptions, platformProblems } from '../../lib/facts/vllm-platform';
import { releaseOf } from '../../lib/facts/vllm-releases';

const lines = (tag: string, options: Partial<PlatformOptions>): readonly string[] =>
  platformProblems(releaseOf(`vllm/vllm-tpu:${tag}`), { devices: 8, tensorParallelSize: 1, ...options }).map(
    textOf,
  );

const HMA = { name: 'TPUConnectorHMA', module: 'tpu_inference.distributed.tpu_connector_hma' };

describe('options that the TPU platform accepts', () => {
  test.each<[string, Partial<PlatformOptions>]>([
    ['v0.27.0', { tensorParallelSize: 8 }],
    ['v0.27.0', { tensorParallelSize: 4, dataParallelSize: 2 }],
    ['v0.27.0', { tensorParallelSize: 2, pipelineParallelSize: 2, dataParallelSize: 2 }],
    ['v0.27.0', { enableLora: true }],
    ['v0.27.0', { enableLora: true, dataParallelSize: 2, env: { TPU_MULTIPROCESS_DP: '1' } }],
    ['v0.18.0', { mla: true }],
    ['v0.19.0', { mla: true, dpAttention: true, env: { NEW_MODEL_DESIGN: 'True' } }],
    ['v0.22.1', { dpAttention: true, dataParallelSize: 2, env: { TPU_MULTIPROCESS_DP: '1' } }],
    ['v0.26.0', { connector: HMA }],
    ['v0.27.0', { connector: { name: 'TPUConnector' } }],
    ['nightly', { connector: { name: 'NewConnector' } }],
    ['v0.27.0', { env: { MODEL_IMPL_TYPE: 'vllm', JAX_PLATFORMS: 'tpu,cpu', TPU_MULTIHOST_BACKEND: 'ray' } }],
    ['v0.27.0', { env: { JAX_PLATFORMS: '', SKIP_JAX_PRECOMPILE: 'TRUE', MY_VARIABLE: 'maybe' } }],
    ['v0.12.0', { env: { SKIP_JAX_PRECOMPILE: 'yes' } }],
  ])('%s, %j', (tag, options) => {
    expect(lines(tag, options)).toEqual([]);
  });
});

describe('options that the TPU platform rejects', () => {
  test.each<[string, Partial<PlatformOptions>, string]>([
    [
      'v0.27.0',
      { tensorParallelSize: 16 },
      "tensorParallelSize: '16' needs 16 devices, but the slice has 8; use at most 8",
    ],
    [
      'v0.27.0',
      { tensorParallelSize: 4, dataParallelSize: 4 },
      "tensorParallelSize: '4' with dataParallelSize 4 needs 16 devices, but the slice has 8; use at most 2",
    ],
    [
      'v0.27.0',
      { tensorParallelSize: 1, pipelineParallelSize: 2, dataParallelSize: 8 },
      "tensorParallelSize: '1' with pipelineParallelSize 2 and with dataParallelSize 8 needs 16 devices, but the slice has 8",
    ],
    [
      'v0.27.0',
      { enableLora: true, dataParallelSize: 2 },
      'enableLora: cannot be combined with dataParallelSize 2: vLLM on TPU has no LoRA with data parallelism; use replicas instead of dataParallelSize',
    ],
    [
      'v0.27.0',
      { mla: true, dpAttention: true },
      'model: has multi-head latent attention, which vLLM on TPU supports only with attention data parallelism; use NEW_MODEL_DESIGN=1 in env, and enable_dp_attention in --additional-config',
    ],
    [
      'v0.27.0',
      { dpAttention: true, dataParallelSize: 2, env: { TPU_MULTIPROCESS_DP: '1' } },
      "env: 'TPU_MULTIPROCESS_DP' cannot be combined with attention data parallelism; use TPU_MULTIPROCESS_DP=0",
    ],
    [
      'v0.27.0',
      { connector: HMA },
      "kv_connector: 'TPUConnectorHMA' stops the engine of v0.27.0 to v0.29.0 at startup; use an image of v0.26.0",
    ],
    [
      'v0.18.0',
      { connector: HMA },
      "kv_connector: 'TPUConnectorHMA' is a KV connector of vLLM v0.20.0 and later, but the image is v0.18.0; use an image of v0.20.0 or later",
    ],
    [
      'v0.19.0',
      { connector: { name: 'NixlConnector' } },
      "kv_connector: 'NixlConnector' is not a KV connector of vLLM v0.19.0 on TPU; use TPUConnector",
    ],
    [
      'v0.26.0',
      { connector: { ...HMA, module: 'tpu_inference.distributed.tpu_connector' } },
      "kv_connector_module_path: 'tpu_inference.distributed.tpu_connector' is not the module of TPUConnectorHMA; use 'tpu_inference.distributed.tpu_connector_hma'",
    ],
    [
      'v0.27.0',
      { env: { SKIP_JAX_PRECOMPILE: 'yes' } },
      "env.SKIP_JAX_PRECOMPILE: 'yes' is not a boolean; use '1' or '0'",
    ],
    [
      'v0.27.0',
      { env: { TPU_MULTIHOST_BACKEND: 'mp' } },
      "env.TPU_MULTIHOST_BACKEND: 'mp' is not a value of TPU_MULTIHOST_BACKEND; use 'ray'",
    ],
    [
      'v0.27.0',
      { env: { JAX_PLATFORMS: 'tpu,gpu' } },
      "env.JAX_PLATFORMS: 'tpu,gpu' is not a value of JAX_PLATFORMS; use 'tpu', 'cpu', 'proxy'",
    ],
  ])('%s, %j', (tag, options, line) => {
    expect(lines(tag, options)).toEqual([line]);
  });
});
