import { ApiObject, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { acceptFinding, HuggingFaceToken, type TpuSlice, VllmServer } from '../lib';

/**
 * Two replicas of Qwen3-32B with vLLM, each on one host, as in the optimized baseline of llm-d behind its gateway.
 *
 * @see https://github.com/llm-d/llm-d (guides/optimized-baseline)
 */
export class VllmQwen332b extends Chart {
  constructor(scope: Construct, id: string, slice: TpuSlice) {
    super(scope, id);
    const labels = {
      'llm-d.ai/accelerator-variant': 'tpu',
      'llm-d.ai/accelerator-vendor': 'google',
      'llm-d.ai/guide': 'optimized-baseline',
      'llm-d.ai/model': 'Qwen3-32B',
    };
    const account = new ApiObject(this, 'account', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: id, labels },
      automountServiceAccountToken: false,
    });

    const { workload } = new VllmServer(this, 'server', {
      name: id,
      model: 'Qwen/Qwen3-32B',
      slice,
      replicas: 2,
      labels: { ...labels, 'llm-d.ai/role': 'decode' },
      serviceAccountName: account,
      huggingFaceToken: HuggingFaceToken.fromSecret('llm-d-hf-token', 'HF_TOKEN'),
      args: ['--disable-access-log-for-endpoints=/health,/metrics,/v1/models'],
    });
    acceptFinding(workload, 'TPU405', 'the baseline downloads the weights at each start');
  }
}
