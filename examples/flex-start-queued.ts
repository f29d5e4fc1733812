import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { FlexStartJob, TpuQueue, TpuSlice } from '../lib';

/** A queue for two 4x4 slices of v6e, and a Job in the queue that counts the chips that JAX finds on four hosts. */
export class FlexStartQueued extends Chart {
  constructor(scope: Construct, id = 'flex-start-queued') {
    super(scope, id);

    const slice = TpuSlice.of('ct6e-standard-4t', '4x4');
    const queue = new TpuQueue(this, 'queue', { name: id, slice, slices: 2 });

    new FlexStartJob(this, 'job', {
      name: id,
      slice,
      queue,
      maxRunDurationSeconds: 3600,
      // https://cloud.google.com/kubernetes-engine/docs/tutorials/train-llm-tpus-gke-jax
      image: 'us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.7.2-rev1',
      command: ['bash', '-c', `python -c 'import jax; print("TPU cores:", jax.device_count())'\n`],
    });
  }
}
