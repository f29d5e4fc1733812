import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { acceptFinding, TpuRayService, TpuSlice } from '../lib';

/** Stable Diffusion with Ray Serve on single-host TPU v4 slices, ct4p-hightpu-4t. */
export class RayStableDiffusion extends Chart {
  constructor(scope: Construct, id = 'ray-stable-diffusion') {
    super(scope, id);
    const amounts = { cpu: '100', memory: '200G', 'ephemeral-storage': '20Gi' };

    const { rayService } = new TpuRayService(this, 'service', {
      name: id,
      serveConfig: {
        applications: [
          {
            name: 'stable_diffusion',
            importPath: 'ai-ml.gke-ray.rayserve.stable-diffusion.stable_diffusion_tpu:deployment',
            runtimeEnv: {
              workingDir:
                'https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/archive/refs/heads/main.zip',
              pip: [
                'diffusers==0.7.2',
                'flax',
                'jax[tpu]==0.4.11',
                '-f https://storage.googleapis.com/jax-releases/libtpu_releases.html',
                'fastapi',
              ],
            },
          },
        ],
      },
      workerGroups: [
        {
          groupName: 'tpu-group',
          slice: TpuSlice.of('ct4p-hightpu-4t', '2x2x1'),
          resources: { requests: amounts, limits: amounts },
          minReplicas: 1,
          maxReplicas: 10,
        },
      ],
    });
    acceptFinding(rayService, 'TPU609', 'the tutorial fetches its code from this branch');
  }
}
