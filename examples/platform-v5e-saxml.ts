import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  ContainerCluster,
  ContainerNodePools,
  IamPolicyMember,
  NodePool,
  StorageBucket,
  TpuSlice,
  WorkloadRoles,
} from '../lib';

/** What saxml-175b runs on: a cluster, a node pool for each of its two slices, its bucket, and who may use that. */
export class PlatformV5eSaxml extends Chart {
  constructor(scope: Construct, id = 'platform-v5e-saxml') {
    super(scope, id);
    const projectId = 'my-project';
    const location = 'us-west4-a';

    const cluster = new ContainerCluster(this, 'saxml', {
      projectId,
      location,
      releaseChannel: 'REGULAR',
      initialNodeCount: 4,
    });

    new ContainerNodePools(this, 'node-pools', {
      cluster,
      nodePool: new NodePool({
        name: 'saxml-tpu',
        slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'),
        replicas: 2,
        cluster: cluster.clusterName,
        location,
      }),
    });

    const bucket = new StorageBucket(this, 'saxml-bucket', {
      bucketName: 'my-sax',
      projectId,
      location: 'us-west4',
    });
    new WorkloadRoles(this, 'identity', {
      name: 'saxml-175b',
      projectId,
      iamServiceAccount: 'sax-iam-sa',
      roles: ['roles/storage.admin'],
      on: bucket,
    });
    // The model servers are on their nodes' network, and act as the account that nodes have by default.
    new IamPolicyMember(this, 'saxml-nodes-storage-admin', {
      member: 'serviceAccount:123456789012-compute@developer.gserviceaccount.com',
      role: 'roles/storage.admin',
      resource: bucket,
    });
  }
}
