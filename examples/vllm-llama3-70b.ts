import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { GcsFuseVolume, HuggingFaceToken, TpuSlice, VllmMetric, VllmServer, WorkloadIdentity } from '../lib';

/** Llama 3.1 70B with vLLM on one ct6e-standard-8t. An autoscaler adds a second one if requests wait. */
export class VllmLlama370b extends Chart {
  constructor(scope: Construct, id = 'vllm-llama3-70b') {
    super(scope, id);

    const identity = new WorkloadIdentity(this, 'identity', {
      name: id,
      projectId: 'my-project',
      projectNumber: '123456789012',
    });

    new VllmServer(this, 'server', {
      name: id,
      model: 'meta-llama/Llama-3.1-70B',
      slice: TpuSlice.of('ct6e-standard-8t'),
      modelCache: new GcsFuseVolume({
        bucketName: 'my-models',
        mountPath: '/data',
        cache: { medium: 'ram', sizeLimit: '160Gi' }, // 141 GB of weights
        sidecar: GcsFuseVolume.UNLIMITED_SIDECAR,
      }),
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      serviceAccountName: identity.serviceAccountName,
      maxModelLen: 4096,
      maxNumBatchedTokens: 512,
      maxNumSeqs: 128,
      autoscaling: { minReplicas: 1, maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 },
    });
  }
}
