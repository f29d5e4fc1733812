import { type App, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { acceptFinding, Capacity, HuggingFaceToken, TpuSlice, VllmServer } from '../lib';
import { SglangJaxMultiHost } from './servers';

/**
 * Llama 3.3 70B with vLLM on v5e slices with four hosts.
 *
 * @see https://github.com/kubernetes-sigs/lws (docs/examples/vllm)
 */
class VllmLlama370bV5e extends Chart {
  constructor(scope: Construct, id = 'vllm-llama3-70b-v5e') {
    super(scope, id);

    const { workload } = new VllmServer(this, 'server', {
      name: id,
      model: 'meta-llama/Llama-3.3-70B-Instruct',
      slice: TpuSlice.of('ct5lp-hightpu-4t', '4x4'),
      replicas: 2,
      port: 8080,
      maxModelLen: 8192,
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      sharedMemory: '30Gi',
    });
    acceptFinding(workload, 'TPU405', "upstream's example downloads the weights at each start");
  }
}

/** Variables that set how long Ray waits for busy hosts, as in upstream's example. */
const PATIENCE = {
  RAY_RESERVE_CPU_FOR_RAYLET: '1',
  RAY_health_check_failure_threshold: '100',
  RAY_health_check_timeout_ms: '20000',
  RAY_health_check_period_ms: '10000',
  RAY_num_heartbeats_timeout: '300000',
  RAY_raylet_heartbeat_timeout_milliseconds: '3000000',
  RAY_grpc_keepalive_timeout_ms: '3000000',
  RAY_CGRAPH_get_timeout: '30000',
  RAY_CGRAPH_submit_timeout: '30000',
};

/**
 * Qwen3-Coder-480B with vLLM on a tpu7x slice with two hosts, which stream the weights from a bucket.
 *
 * @see https://github.com/vllm-project/tpu-inference (examples/offload/gke)
 */
class VllmQwen3CoderTpu7x extends Chart {
  constructor(scope: Construct, id = 'vllm-qwen3-coder-tpu7x') {
    super(scope, id);

    new VllmServer(this, 'server', {
      name: id,
      model: 'gs://my-models/Qwen3-Coder-480B-A35B-Instruct-FP8',
      modelSize: '482G',
      slice: TpuSlice.of('tpu7x-standard-4t', '2x2x2'),
      serviceAccountName: 'vllm',
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-token-secret', 'token'),
      maxModelLen: 51200,
      enablePrefixCaching: true,
      gpuMemoryUtilization: 0.8,
      args: ['--async-scheduling', '--enable-expert-parallel', '--enable-chunked-prefill', '--seed=42'],
      env: { ...PATIENCE, MODEL_IMPL_TYPE: 'vllm', VLLM_DISABLE_SHARED_EXPERTS_STREAM: '1' },
    });
  }
}

/**
 * Qwen3-Coder-480B with vLLM on a dynamic slice with two hosts, as in the optimized baseline of llm-d.
 *
 * @see https://github.com/llm-d/llm-d (guides/optimized-baseline/modelserver/tpu/v7-dynamic-slice)
 */
class VllmQwen3CoderDynamicSlice extends Chart {
  constructor(scope: Construct, id = 'vllm-qwen3-coder-dynamic-slice') {
    super(scope, id);

    const { workload } = new VllmServer(this, 'server', {
      name: 'decode',
      model: 'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8',
      slice: TpuSlice.of('tpu7x-standard-4t', '2x2x2'),
      capacity: Capacity.dynamicSlice({ queue: 'tpu7x-subslice-lq' }),
      labels: {
        'llm-d.ai/role': 'decode',
        'llm-d.ai/model': 'Qwen3-Coder-480B-A35B-Instruct-FP8',
        'llm-d.ai/accelerator-variant': 'tpu',
        'llm-d.ai/accelerator-vendor': 'google',
      },
      huggingFaceToken: HuggingFaceToken.fromSecret('llm-d-hf-token', 'HF_TOKEN'),
      maxModelLen: 262144,
      maxNumBatchedTokens: 8192,
      maxNumSeqs: 64,
      kvCacheDtype: 'fp8',
      gpuMemoryUtilization: 0.8,
      startupSeconds: 14_400,
      sharedMemory: '100Gi',
      args: [
        '--language-model-only',
        '--async-scheduling',
        '--enable-expert-parallel',
        '--block-size=256',
        '--disable-access-log-for-endpoints=/health,/metrics,/v1/models',
      ],
      env: {
        MODEL_IMPL_TYPE: 'vllm',
        SKIP_JAX_PRECOMPILE: '1',
        USE_BATCHED_RPA_KERNEL: '1',
        USE_MOE_EP_KERNEL: '0',
        VLLM_DISABLE_SHARED_EXPERTS_STREAM: '1',
        VLLM_MLA_DISABLE: '1',
      },
    });
    acceptFinding(workload, 'TPU405', 'the baseline downloads the weights at each start');
  }
}

/** Adds servers on multi-host slices, which need the LeaderWorkerSet controller, in a separate folder. */
export function addLeaderWorkerSets(app: App): void {
  new VllmLlama370bV5e(app);
  new VllmQwen3CoderTpu7x(app);
  new VllmQwen3CoderDynamicSlice(app);
  new SglangJaxMultiHost(app);
}
