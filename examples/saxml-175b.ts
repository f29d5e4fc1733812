import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { acceptFinding, SaxCell, TpuSlice, WorkloadIdentity } from '../lib';

/** A Saxml cell of two v5e slices with 32 chips each, enough for the test model LmCloudSpmd175B32Test. */
export class Saxml175b extends Chart {
  constructor(scope: Construct, id = 'saxml-175b') {
    super(scope, id);

    const { serviceAccountName } = new WorkloadIdentity(this, 'identity', {
      name: id,
      projectId: 'my-project',
      iamServiceAccount: 'sax-iam-sa',
    });

    const { workload } = new SaxCell(this, 'cell', {
      name: id,
      slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'),
      replicas: 2,
      bucketName: 'my-sax',
      serviceAccountName,
    });
    acceptFinding(workload, 'TPU704', 'nothing shows that the image opens its chips without');
    acceptFinding(workload, 'TPU705', 'nothing shows that the hosts of a slice find each other without');
  }
}
