import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  Capacity,
  GcsFuseVolume,
  HuggingFaceToken,
  TpuComputeClass,
  TpuSlice,
  VllmServer,
  WorkloadIdentity,
} from '../lib';

/** Llama 3.1 70B with vLLM on the first available ct6e-standard-8t: reserved, on demand, flex-start for a week, or spot. */
export class VllmLlama370bFlex extends Chart {
  constructor(scope: Construct, id = 'vllm-llama3-70b-flex') {
    super(scope, id);

    const slice = TpuSlice.of('ct6e-standard-8t');
    const computeClass = new TpuComputeClass(this, 'compute-class', {
      name: id,
      slice,
      priorities: [
        Capacity.reservation('my-reservation'),
        Capacity.onDemand(),
        Capacity.flexStart({ maxRunDurationSeconds: 604800 }),
        Capacity.spot(),
      ],
      nodeRecyclingLeadTimeSeconds: 3600, // a new server loads and compiles before the old one's node ends
    });
    const identity = new WorkloadIdentity(this, 'identity', {
      name: id,
      projectId: 'my-project',
      projectNumber: '123456789012',
    });

    new VllmServer(this, 'server', {
      name: id,
      model: 'meta-llama/Llama-3.1-70B',
      slice,
      capacity: Capacity.computeClass(computeClass),
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
    });
  }
}
