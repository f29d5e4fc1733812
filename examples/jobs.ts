import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { Capacity, TpuJob, TpuSlice } from '../lib';

// https://cloud.google.com/kubernetes-engine/docs/tutorials/train-llm-tpus-gke-jax
const image = 'us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.7.2-rev1';
const command = ['bash', '-c', `python -c 'import jax; print("TPU cores:", jax.device_count())'\n`];

/** A Job on one host with four v6e chips, on spot nodes, whose preemptions do not count as failures. */
export class JobOnSpot extends Chart {
  constructor(scope: Construct, id = 'job-on-spot') {
    super(scope, id);

    new TpuJob(this, 'job', {
      name: id,
      slice: TpuSlice.of('ct6e-standard-4t'),
      capacity: Capacity.spot(),
      ignoreDisruptions: true,
      image,
      command,
    });
  }
}

/** A JobSet on two slices with four hosts each. Every eviction restarts both slices. */
export class MultisliceJob extends Chart {
  constructor(scope: Construct, id = 'multislice-job') {
    super(scope, id);

    new TpuJob(this, 'job', {
      name: id,
      slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
      slices: 2,
      maxRestarts: 4,
      ignoreDisruptions: true,
      image,
      command,
    });
  }
}
