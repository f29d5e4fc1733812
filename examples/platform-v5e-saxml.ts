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

/** The infrastructure of saxml-175b: a cluster, a node pool for each of its two slices, its bucket, and access to the bucket. */
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
    // The model servers use the network of their nodes and act as the default service account of nodes.
    new IamPolicyMember(this, 'saxml-nodes-storage-admin', {
      member: 'serviceAccount:123456789012-compute@developer.gserviceaccount.com',
      role: 'roles/storage.admin',
      resource: bucket,
    });
  }
}
