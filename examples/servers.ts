import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { GcsFuseVolume, HuggingFaceToken, PvcVolume, type ServerMetric, TpuServer, TpuSlice } from '../lib';

/**
 * Stable Diffusion XL with MaxDiffusion. The image is not published: the sample builds it with Cloud Build.
 *
 * @see https://github.com/GoogleCloudPlatform/accelerated-platforms (container-images/tpu/max-diffusion-sdxl)
 */
export class MaxDiffusionSdxl extends Chart {
  constructor(scope: Construct, id = 'maxdiffusion-sdxl') {
    super(scope, id);

    new TpuServer(this, 'server', {
      name: id,
      software: 'maxdiffusion',
      image: 'us-docker.pkg.dev/my-project/serving/max-diffusion-sdxl:v1',
      slice: TpuSlice.of('ct6e-standard-8t'),
      rollout: 'Recreate',
      modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/gcs' }),
      serviceAccountName: id,
      request: { path: '/generate', body: { prompt: 'A photo of an astronaut riding a horse' } },
    });
  }
}

/**
 * Qwen3 8B with SGLang-JAX, which has not reached release 1.0 and exports no metric of its queue. The image is a copy of
 * `lmsysorg/sglang-jax` with a fixed tag.
 *
 * @see https://github.com/sgl-project/sglang-jax (docs/get_started/gke-tpu-install.md)
 */
export class SglangJaxQwen38b extends Chart {
  constructor(scope: Construct, id = 'sglang-jax-qwen3-8b') {
    super(scope, id);

    const slice = TpuSlice.of('ct6e-standard-4t');
    new TpuServer(this, 'server', {
      name: id,
      image: 'us-docker.pkg.dev/my-project/serving/sglang-jax:v0.1.0',
      slice,
      rollout: 'Recreate',
      command: ['python3', '-u', '-m', 'sgl_jax.launch_server'],
      args: [
        '--model-path=Qwen/Qwen3-8B',
        '--host=0.0.0.0', // its default is 127.0.0.1
        '--port=30000',
        '--device=tpu',
        `--tp-size=${String(slice.devices)}`,
        '--watchdog-timeout=1200', // the first compile takes longer than its 300 s
      ],
      port: 30000,
      model: 'Qwen/Qwen3-8B',
      modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }), // weights and compiled programs
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      probes: { startup: { httpGet: { path: '/v1/models' } } },
      request: {
        path: '/v1/completions',
        body: { model: 'Qwen/Qwen3-8B', prompt: 'San Francisco is a', max_tokens: 7, temperature: 0 },
      },
    });
  }
}

/**
 * MiMo-V2-Flash with SGLang-JAX on four hosts. SGLang-JAX documents an Indexed Job; the LeaderWorkerSet used here replaces lost hosts
 * without a limit. The first host answers requests.
 *
 * @see https://github.com/sgl-project/sglang-jax (docs/deployment/gke-indexed-job.md)
 */
export class SglangJaxMultiHost extends Chart {
  constructor(scope: Construct, id = 'sglang-jax-multi-host') {
    super(scope, id);

    const slice = TpuSlice.of('ct6e-standard-4t', '4x4');
    new TpuServer(this, 'server', {
      name: id,
      image: 'us-docker.pkg.dev/my-project/serving/sglang-jax:v0.1.0',
      slice,
      command: ['python3', '-u', '-m', 'sgl_jax.launch_server'],
      args: [
        '--model-path=/models/MiMo-V2-Flash',
        '--trust-remote-code',
        '--host=0.0.0.0',
        '--port=30000',
        '--device=tpu',
        `--tp-size=${String(slice.devices)}`, // devices of all hosts
        '--nnodes=$(LWS_GROUP_SIZE)',
        '--node-rank=$(LWS_WORKER_INDEX)',
        '--dist-init-addr=$(LWS_LEADER_ADDRESS):5000',
        '--watchdog-timeout=1200',
      ],
      port: 30000,
      model: 'MiMo-V2-Flash',
      modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/models', readOnly: true }),
      serviceAccountName: id,
      sharedMemory: '16Gi',
      startupSeconds: 7200,
      probes: { startup: { httpGet: { path: '/v1/models' } } },
      request: {
        path: '/v1/completions',
        body: { model: '/models/MiMo-V2-Flash', prompt: 'San Francisco is a', max_tokens: 7, temperature: 0 },
      },
    });
  }
}

/**
 * Gemma 2B with TGI on TPU. TGI on TPU is in maintenance mode, and its maintainers recommend vLLM on TPU.
 *
 * @see https://github.com/huggingface/optimum-tpu
 * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/llm-serving-optimum-tpu)
 */
export class TgiGemma2b extends Chart {
  constructor(scope: Construct, id = 'tgi-gemma-2b') {
    super(scope, id);

    new TpuServer(this, 'server', {
      name: id,
      software: 'tgi',
      image: 'ghcr.io/huggingface/optimum-tpu:v0.2.3-tgi', // the last one
      slice: TpuSlice.of('ct5lp-hightpu-8t'),
      args: ['--model-id=google/gemma-2b', '--max-input-length=8191', '--max-total-tokens=8192'],
      port: 80,
      model: 'google/gemma-2b',
      modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }),
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      sharedMemory: '16Gi',
    });
  }
}

/** The metric of vLLM's queue, because TorchTPU is a backend of vLLM. */
const REQUESTS_WAITING: ServerMetric = { name: 'vllm:num_requests_waiting', type: 'gauge' };

/**
 * Qwen3.5 397B with a nightly image of TorchTPU, another TPU backend of vLLM, whose public recipes run on tpu7x. The image is a copy of
 * `torchtpu-vllm-prod`, which the recipe says to replace after the first release.
 *
 * @see https://github.com/AI-Hypercomputer/tpu-recipes (inference/ironwood/vLLM/vllm-torchtpu/Qwen3.5-397B/single-host)
 */
export class TorchTpuNightly extends Chart {
  constructor(scope: Construct, id = 'torchtpu-nightly') {
    super(scope, id);

    const slice = TpuSlice.of('tpu7x-standard-4t');
    new TpuServer(this, 'server', {
      name: id,
      software: 'vllm',
      image: 'us-docker.pkg.dev/my-project/serving/torchtpu-vllm-prod:nightly-20261005',
      slice,
      command: ['vllm', 'serve'],
      args: [
        'Qwen/Qwen3.5-397B-A17B-FP8',
        '--download-dir=/data',
        `--tensor-parallel-size=${String(slice.devices)}`,
        '--attention-backend=CUSTOM',
        '--prefill-schedule-interval=1',
        '--quantization=fp8',
        '--kv-cache-dtype=fp8',
      ],
      env: { VLLM_XLA_CACHE_PATH: '/data/compiled' },
      model: 'Qwen/Qwen3.5-397B-A17B-FP8',
      modelSize: '397G',
      modelCache: new PvcVolume({ claimName: 'models', mountPath: '/data' }), // 600 GB of hyperdisk-balanced
      monitoring: {},
      autoscaling: { maxReplicas: 2, metric: REQUESTS_WAITING, averageValue: 10 },
    });
  }
}
