import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { acceptFinding, TpuRayCluster, TpuRayJob, type TpuRayWorkerGroup, TpuSlice } from '../lib';

const image = 'rayproject/ray:2.43.0-py310';
const amounts = { cpu: '24', memory: '200G' };
const group: TpuRayWorkerGroup = {
  groupName: 'tpu-group',
  slice: TpuSlice.of('ct6e-standard-4t'),
  resources: { requests: amounts, limits: amounts },
};

/** A Ray cluster with one slice of v6e. */
export class RayClusterV6e extends Chart {
  constructor(scope: Construct, id = 'ray-cluster-v6e') {
    super(scope, id);

    new TpuRayCluster(this, 'cluster', { name: id, image, workerGroups: [group] });
  }
}

/**
 * A Ray job that lists the TPUs of its cluster.
 *
 * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples (ai-ml/gke-ray/tpu)
 */
export class RayJobV6e extends Chart {
  constructor(scope: Construct, id = 'ray-job-v6e') {
    super(scope, id);

    const { rayJob } = new TpuRayJob(this, 'job', {
      name: id,
      image,
      workerGroups: [group],
      entrypoint: 'python ai-ml/gke-ray/tpu/tpu_list_devices.py',
      runtimeEnv: {
        workingDir:
          'https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/archive/refs/heads/main.zip',
        pip: ['jax[tpu]==0.4.33', '-f https://storage.googleapis.com/jax-releases/libtpu_releases.html'],
      },
    });
    acceptFinding(rayJob, 'TPU609', 'the tutorial fetches its code from this branch');
  }
}
