import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { FlexStartJob, TpuSlice } from '../lib';

/** A Job on one host with four v6e chips. It sleeps for an hour: replace its image with yours. */
export class FlexStartSingleHost extends Chart {
  constructor(scope: Construct, id = 'flex-start-single-host') {
    super(scope, id);

    new FlexStartJob(this, 'job', {
      name: id,
      slice: TpuSlice.of('ct6e-standard-4t'),
      // https://kueue.sigs.k8s.io/docs/tasks/run/jobs/
      image: 'gcr.io/k8s-staging-perf-tests/sleep:v0.1.0',
      args: ['3600s'],
    });
  }
}

/** A Job on two hosts with four v6e chips each, which counts the chips that JAX finds. */
export class FlexStartMultiHost extends Chart {
  constructor(scope: Construct, id = 'flex-start-multi-host') {
    super(scope, id);

    new FlexStartJob(this, 'job', {
      name: id,
      slice: TpuSlice.of('ct6e-standard-4t', '2x4'),
      // https://cloud.google.com/kubernetes-engine/docs/tutorials/train-llm-tpus-gke-jax
      image: 'us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.7.2-rev1',
      command: ['bash', '-c', `python -c 'import jax; print("TPU cores:", jax.device_count())'\n`],
    });
  }
}
