import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type * as container from '../../imports/container.cnrm.cloud.google.com';
import type * as storage from '../../imports/storage.cnrm.cloud.google.com';
import { CNRM_PROJECT_ANNOTATION, CNRM_STATE_INTO_SPEC_ANNOTATION } from '../facts/labels';
import { brand } from '../problems/brand';
import {
  cloudDomain,
  clusterName,
  gkeVersion,
  isPlaceholder,
  location as locationRule,
  machineType as machineTypeRule,
  projectId as projectRule,
  WORKLOAD_POOL_DOMAIN,
} from '../problems/google-cloud';
import { bucketName as bucketRule, dnsSubdomain, type Grammar } from '../problems/grammar';
import { type Problem } from '../problems/problems';
import {
  boolean,
  essential,
  instance,
  integer,
  oneOf,
  optional,
  readNamed,
  readOrThrow,
  required,
  type Schema,
  string,
} from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { recommendedLabels } from '../workload/labels';
import { object } from '../workload/objects';
import { type NodePool } from './node-pool';
import { KINDS } from '../facts/rendered';
import { manifest, type Plain } from '../workload/plain';

/**
 * Returns the labels of a Config Connector object. Config Connector copies labels to Google Cloud, except those with a domain.
 *
 * @see https://github.com/GoogleCloudPlatform/k8s-config-connector (pkg/label)
 */
export const resourceLabels = (name: string): Record<string, string> =>
  recommendedLabels('config-connector', name, 'infrastructure');

/**
 * Returns the metadata of a Google Cloud resource. It makes Config Connector add no fields to the spec, so the applied object remains
 * unchanged.
 *
 * @see https://cloud.google.com/config-connector/docs/concepts/ignore-unspecified-fields
 */
export const resourceMetadata = (
  name: string,
  projectId: string | undefined,
): {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
} => ({
  name,
  labels: resourceLabels(name),
  annotations: {
    ...(projectId !== undefined && { [CNRM_PROJECT_ANNOTATION]: projectId }),
    [CNRM_STATE_INTO_SPEC_ANNOTATION]: 'absent',
  },
});

/** Properties of a cluster. */
export interface ContainerClusterProps {
  /** Name of the cluster. @default - the construct's id */
  readonly name?: string;
  /** ID of the project that contains the cluster. */
  readonly projectId: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Minimum GKE version of the control plane, like `1.31.2-gke.1115000`. @default - GKE's default */
  readonly minMasterVersion?: string;
  /** Release channel, which determines how early the cluster gets new GKE versions. @default - GKE's default */
  readonly releaseChannel?: 'RAPID' | 'REGULAR' | 'STABLE';
  /** Whether the cluster is an Autopilot cluster, in which GKE creates the nodes. @default false */
  readonly enableAutopilot?: boolean;
  /** Number of nodes without TPUs in each zone at the start; not allowed on Autopilot. @default 3 */
  readonly initialNodeCount?: number;
  /** Machine type of the nodes without TPUs; not allowed on Autopilot. @default - GKE's default */
  readonly machineType?: string;
  /**
   * Whether the cluster has the Cloud Storage FUSE driver, which `GcsFuseVolume` requires. Autopilot clusters always have it.
   *
   * @default false
   */
  readonly gcsFuseCsiDriver?: boolean;
  /** Domain of the workload identity pool; `s3ns.svc.id.goog` in a sovereign cloud. @default 'svc.id.goog' */
  readonly workloadPoolDomain?: string;
}

/**
 * A GKE cluster that Config Connector creates, with Workload Identity: pods act as their ServiceAccount, not as the node. Config Connector
 * has no field for the Ray operator add-on. Enable it with `gcloud container clusters update NAME --update-addons=RayOperator=ENABLED`.
 *
 * @throws InvalidInputError listing every prop that is invalid, or not available in the cluster's mode
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/container/containercluster
 */
export class ContainerCluster extends Construct {
  /** The ContainerCluster. */
  readonly cluster: ApiObject;
  /** Name of the cluster. */
  readonly clusterName: string;
  /** ID of the project that contains the cluster. */
  readonly projectId: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Whether the cluster is an Autopilot cluster. */
  readonly autopilot: boolean;

  constructor(scope: Construct, id: string, props: ContainerClusterProps) {
    super(scope, id);
    checkAtSynth(this);
    const read = readNamed(CLUSTER, props, this.node);
    const { projectId, location, releaseChannel, minMasterVersion, machineType } = read;
    const { workloadPoolDomain = WORKLOAD_POOL_DOMAIN, initialNodeCount = 3, gcsFuseCsiDriver } = read;
    this.clusterName = read.name;
    this.projectId = projectId;
    this.location = location;
    this.autopilot = read.enableAutopilot ?? false;

    this.cluster = object(
      this,
      'Resource',
      manifest<container.ContainerClusterProps>(KINDS.ContainerCluster, {
        metadata: resourceMetadata(this.clusterName, projectId),
        spec: {
          location,
          minMasterVersion,
          releaseChannel: releaseChannel && { channel: releaseChannel },
          ...(this.autopilot
            ? { enableAutopilot: true }
            : {
                initialNodeCount,
                nodeConfig: { machineType, workloadMetadataConfig: GKE_METADATA },
                workloadIdentityConfig: { workloadPool: `${projectId}.${workloadPoolDomain}` },
                addonsConfig:
                  gcsFuseCsiDriver === undefined
                    ? undefined
                    : { gcsFuseCsiDriverConfig: { enabled: gcsFuseCsiDriver } },
              }),
        },
      }),
    );
  }
}

brand(ContainerCluster, 'ContainerCluster');

const CLUSTER: Schema<ContainerClusterProps> = {
  properties: {
    name: optional(string(clusterName)),
    projectId: required(string(projectRule), 'my-project'),
    location: required(string(locationRule), 'us-west4-a'),
    minMasterVersion: optional(string(gkeVersion)),
    releaseChannel: optional(oneOf('RAPID', 'REGULAR', 'STABLE')),
    enableAutopilot: optional(boolean()),
    initialNodeCount: optional(integer(1)),
    machineType: optional(string(machineTypeRule)),
    gcsFuseCsiDriver: optional(boolean()),
    workloadPoolDomain: optional(string(cloudDomain('s3ns.svc.id.goog'))),
  },
  rules: [
    function* ({ enableAutopilot }, given) {
      if (enableAutopilot !== true) return;
      for (const path of ['initialNodeCount', 'machineType', 'gcsFuseCsiDriver'] as const)
        if (given[path] !== undefined)
          yield { path, value: given[path], problem: 'is set, but Autopilot manages it', use: 'to omit it' };
    },
  ],
};

/** Makes pods act as their ServiceAccount instead of the node. */
const GKE_METADATA = { mode: 'GKE_METADATA' };

/** Properties of node pools that Config Connector creates. */
export interface ContainerNodePoolsProps {
  /** The node pools. */
  readonly nodePool: NodePool;
  /** The cluster, if Config Connector also creates it. @default - an existing cluster in the `projectId` of the node pools */
  readonly cluster?: ContainerCluster;
}

/**
 * Node pools for TPU slices that Config Connector creates, the same as those of the `commands` of the `NodePool`. Config Connector has no
 * fields for flex-start and workload policies, so flex-start capacity and multi-host tpu7x slices are not supported.
 *
 * @throws InvalidInputError listing every part of the node pools that Config Connector cannot create, or that does not match the cluster
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/container/containernodepool
 */
export class ContainerNodePools extends Construct {
  /** One ContainerNodePool for each name of the `NodePool`. */
  readonly nodePools: readonly ApiObject[];

  constructor(scope: Construct, id: string, props: ContainerNodePoolsProps) {
    super(scope, id);
    checkAtSynth(this);
    const { nodePool, cluster } = readOrThrow(NODE_POOLS, props, this.node.path);
    const { autoscaling, location, tpuTopology, startNodesPerZone } = nodePool;
    const projectId = nodePool.projectId ?? cluster?.projectId;

    this.nodePools = nodePool.names.map((name, index) =>
      object(
        this,
        index === 0 ? 'Resource' : `Resource-${String(index)}`,
        manifest<container.ContainerNodePoolProps>(KINDS.ContainerNodePool, {
          metadata: resourceMetadata(name, projectId),
          spec: {
            clusterRef: cluster
              ? { name: cluster.clusterName }
              : {
                  external: `projects/${projectId ?? ''}/locations/${location}/clusters/${nodePool.cluster}`,
                },
            location,
            nodeLocations: nodePool.nodeLocations && [...nodePool.nodeLocations],
            ...(autoscaling
              ? {
                  // with a node count, each reconciliation would undo the autoscaler's changes
                  initialNodeCount: startNodesPerZone,
                  autoscaling: {
                    totalMinNodeCount: autoscaling.minReplicas,
                    totalMaxNodeCount: autoscaling.maxReplicas,
                  },
                }
              : { nodeCount: startNodesPerZone }),
            nodeConfig: nodeConfig(nodePool, cluster),
            placementPolicy: tpuTopology === undefined ? undefined : { type: 'COMPACT', tpuTopology },
            // gcloud's defaults
            management: { autoRepair: true, autoUpgrade: true },
          },
        }),
      ),
    );
  }
}

function nodeConfig(
  { slice, capacity, diskSizeGb }: NodePool,
  cluster: ContainerCluster | undefined,
): Plain<container.ContainerNodePoolSpecNodeConfig> {
  const { reservationName } = capacity;
  return {
    machineType: slice.machineType,
    diskSizeGb,
    spot: capacity.type === 'spot' ? true : undefined,
    reservationAffinity:
      reservationName === undefined
        ? undefined
        : {
            consumeReservationType: 'SPECIFIC_RESERVATION',
            key: 'compute.googleapis.com/reservation-name',
            values: [reservationName],
          },
    workloadMetadataConfig: cluster && GKE_METADATA,
  };
}

const NODE_POOLS: Schema<ContainerNodePoolsProps> = {
  properties: {
    nodePool: essential(instance('NodePool', 'new NodePool({ … })'), 'new NodePool({ … })'),
    cluster: optional(instance('ContainerCluster', 'a ContainerCluster')),
  },
  rules: [unsupported, placeholders, notOfTheCluster],
};

/** Yields a problem for each part of the node pools for which Config Connector has no field. */
function* unsupported({
  nodePool: { flexStart, capacity, slice, workloadPolicy },
}: ContainerNodePoolsProps): Iterable<Problem> {
  if (flexStart)
    yield {
      path: 'nodePool.capacity',
      value: capacity.type,
      problem: 'has no field in Config Connector',
      use: 'the commands of the NodePool, or a TpuComputeClass',
    };
  if (workloadPolicy !== undefined)
    yield {
      path: 'nodePool.slice',
      value: slice.toString(),
      problem: 'needs a workload policy, which has no field in Config Connector',
      use: 'the commands of the NodePool',
    };
}

function* placeholders({ nodePool }: ContainerNodePoolsProps): Iterable<Problem> {
  const { cluster, location, nodeLocations = [], projectId = '' } = nodePool;
  for (const [key, value] of [
    ['cluster', cluster],
    ['location', location],
    ...nodeLocations.map((one, index) => [`nodeLocations[${String(index)}]`, one] as const),
    ['projectId', projectId],
  ] as const)
    if (isPlaceholder(value))
      yield { path: `nodePool.${key}`, value, problem: 'is a placeholder', use: 'the actual value' };
}

function* notOfTheCluster({ nodePool, cluster }: ContainerNodePoolsProps): Iterable<Problem> {
  if (!cluster) {
    if (nodePool.projectId === undefined)
      yield {
        path: 'nodePool.projectId',
        problem: 'required unless cluster is set',
        use: `the project of cluster '${nodePool.cluster}'`,
      };
    return;
  }
  if (cluster.autopilot)
    yield {
      path: 'cluster',
      value: cluster.clusterName,
      problem: 'is an Autopilot cluster, in which GKE creates the nodes',
      use: 'a cluster without enableAutopilot, or no ContainerNodePools',
    };
  for (const [key, value, expected] of [
    ['cluster', nodePool.cluster, cluster.clusterName],
    ['location', nodePool.location, cluster.location],
    ['projectId', nodePool.projectId ?? cluster.projectId, cluster.projectId],
  ] as const)
    if (value !== expected)
      yield {
        path: `nodePool.${key}`,
        value,
        problem: 'differs from the cluster',
        use: `'${expected}'`,
      };
}

/** Properties of a bucket. */
export interface StorageBucketProps {
  /** Name of the object. @default - the construct's id */
  readonly name?: string;
  /** Name of the bucket, without `gs://`; must be globally unique. */
  readonly bucketName: string;
  /** ID of the project that contains the bucket. */
  readonly projectId: string;
  /** Region, or a multi-region like `US`. @default - Cloud Storage's default, `US` */
  readonly location?: string;
  /** Whether only IAM controls access; required for roles that are granted directly to a ServiceAccount. @default true */
  readonly uniformBucketLevelAccess?: boolean;
}

const bucketLocation: Grammar = (value) =>
  /^[A-Za-z]+(-[A-Za-z]+)*\d*$/.test(value)
    ? undefined
    : { problem: 'is neither a region nor a multi-region', use: 'a location', nearest: 'us-west4' };

const BUCKET: Schema<StorageBucketProps> = {
  properties: {
    name: optional(string(dnsSubdomain)),
    bucketName: required(string(bucketRule), 'my-models'),
    projectId: required(string(projectRule), 'my-project'),
    location: optional(string(bucketLocation)),
    uniformBucketLevelAccess: optional(boolean()),
  },
};

/**
 * A Cloud Storage bucket that Config Connector creates. Deleting the StorageBucket deletes the bucket, unless the bucket contains objects.
 *
 * @throws InvalidInputError listing every invalid prop
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/storage/storagebucket
 */
export class StorageBucket extends Construct {
  /** The StorageBucket. */
  readonly bucket: ApiObject;
  /** Name of the bucket, without `gs://`, for servers and volumes. */
  readonly bucketName: string;

  constructor(scope: Construct, id: string, props: StorageBucketProps) {
    super(scope, id);
    checkAtSynth(this);
    const {
      name,
      bucketName,
      location,
      projectId,
      uniformBucketLevelAccess = true,
    } = readNamed(BUCKET, props, this.node);
    this.bucketName = bucketName;
    this.bucket = object(
      this,
      'Resource',
      manifest<storage.StorageBucketProps>(KINDS.StorageBucket, {
        metadata: resourceMetadata(name, projectId),
        spec: {
          resourceID: bucketName === name ? undefined : bucketName,
          location,
          uniformBucketLevelAccess,
        },
      }),
    );
  }
}
brand(StorageBucket, 'StorageBucket');
