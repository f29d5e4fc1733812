import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { GcsFuseVolume, HuggingFaceToken, TpuRayService, TpuSlice } from '../lib';

/**
 * Gemma 4 31B with vLLM on Ray Serve, on a v6e slice with four hosts. Build the image with the sample's Dockerfile, which extends
 * `vllm/vllm-tpu:v0.23.0` because Ray Serve needs a newer Ray than that image contains.
 *
 * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/gke-ray/rayserve/llm/tpu)
 */
export class VllmOnRayServe extends Chart {
  constructor(scope: Construct, id = 'vllm-ray-serve') {
    super(scope, id);

    const amounts = { cpu: '20', memory: '200Gi' };
    new TpuRayService(this, 'service', {
      name: id,
      image: 'us-docker.pkg.dev/my-project/serving/vllm-tpu-ray:v0.23.0',
      serviceAccountName: 'vllm',
      serveConfig: {
        applications: [
          {
            name: 'llm',
            importPath: 'ai-ml.gke-ray.rayserve.llm.tpu.serve_tpu_multihost:deployment',
            runtimeEnv: {
              workingDir:
                'https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/archive/d52a455bbe469d0d9dd7c330e55bc22092a05c23.zip',
            },
          },
        ],
      },
      head: { resources: { requests: { cpu: '2', memory: '16Gi' }, limits: { cpu: '2', memory: '16Gi' } } },
      workerGroups: [
        {
          groupName: 'tpu-group',
          slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
          resources: { requests: amounts, limits: amounts },
          modelCache: new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' }),
          modelSize: '63G',
          compileCachePath: '/tmp/vllm_xla_cache',
          huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
          sharedMemory: '16Gi',
          env: { JAX_PLATFORMS: 'tpu,cpu', TPU_MULTIHOST_BACKEND: 'ray' },
        },
      ],
    });
  }
}
