import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import * as container from '../../imports/container.cnrm.cloud.google.com';
import * as storage from '../../imports/storage.cnrm.cloud.google.com';
import { bucketName as bucketRule, dnsSubdomain, integer, oneOf, quoted } from '../problems/validators';
import { Problems } from '../problems/problems';
import {
  cloudDomain,
  clusterName,
  isPlaceholder,
  location as locationRule,
  projectId as projectRule,
  WORKLOAD_POOL_DOMAIN,
} from '../problems/google-cloud';
import { recommendedLabels } from '../workload/labels';
import { object } from '../workload/objects';
import { type NodePool } from './node-pool';

/**
 * Labels of an object of Config Connector. It hands labels on to Google Cloud, but for those with a domain.
 *
 * @see https://github.com/GoogleCloudPlatform/k8s-config-connector (pkg/label)
 */
export const resourceLabels = (name: string): Record<string, string> =>
  recommendedLabels('config-connector', name, 'infrastructure');

/**
 * Metadata of a Google Cloud resource. What the spec leaves out stays out of it, so that whoever applied the object finds it unchanged.
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
    ...(projectId !== undefined && { 'cnrm.cloud.google.com/project-id': projectId }),
    'cnrm.cloud.google.com/state-into-spec': 'absent',
  },
});

/** Properties of a cluster. */
export interface ContainerClusterProps {
  /** Name of the cluster. @default - the construct's id */
  readonly name?: string;
  /** ID of the project that it is in. */
  readonly projectId: string;
  /** Zone or region of the cluster. */
  readonly location: string;
  /** Oldest version of GKE that the cluster may run, like `1.31.2-gke.1115000`. @default - GKE's */
  readonly minMasterVersion?: string;
  /** How early new versions of GKE arrive. @default - GKE's */
  readonly releaseChannel?: 'RAPID' | 'REGULAR' | 'STABLE';
  /** Whether it is an Autopilot cluster, which makes its nodes itself. @default false */
  readonly enableAutopilot?: boolean;
  /** Nodes without TPU that the cluster starts with, in each zone. @default 3; none on Autopilot */
  readonly initialNodeCount?: number;
  /** Machine type of those nodes. @default - GKE's */
  readonly machineType?: string;
  /** Whether the Cloud Storage FUSE driver is installed, which `GcsFuseVolume` needs; on Autopilot it always is. @default false */
  readonly gcsFuseCsiDriver?: boolean;
  /** Domain of the workload identity pool; `s3ns.svc.id.goog` in a sovereign cloud. @default 'svc.id.goog' */
  readonly workloadPoolDomain?: string;
}

/**
 * A GKE cluster, made by Config Connector. Workload Identity is on: pods act as their ServiceAccount, not as the node. Config Connector
 * has no field for the Ray operator add-on: `gcloud container clusters update NAME --update-addons=RayOperator=ENABLED` adds it.
 *
 * @throws InvalidInputError listing every prop that is malformed or not for such a cluster
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/container/containercluster
 */
export class ContainerCluster extends Construct {
  /** The ContainerCluster. */
  readonly cluster: ApiObject;
  /** Name of the cluster. */
  readonly clusterName: string;
  /** ID of its project. */
  readonly projectId: string;
  /** Its zone or region. */
  readonly location: string;
  /** Whether it makes its nodes itself. */
  readonly autopilot: boolean;

  constructor(scope: Construct, id: string, props: ContainerClusterProps) {
    super(scope, id);
    checkAtSynth(this);
    const { projectId, location, releaseChannel, minMasterVersion, machineType } = props;
    this.clusterName = props.name ?? id;
    this.projectId = projectId;
    this.location = location;
    this.autopilot = props.enableAutopilot ?? false;
    const poolDomain = props.workloadPoolDomain ?? WORKLOAD_POOL_DOMAIN;
    const problems = new Problems();
    problems.add(
      clusterName('name', this.clusterName),
      projectRule('projectId', projectId),
      locationRule('location', location),
      cloudDomain('workloadPoolDomain', poolDomain, 's3ns.svc.id.goog'),
      releaseChannel && oneOf('releaseChannel', releaseChannel, ['RAPID', 'REGULAR', 'STABLE']),
      props.initialNodeCount === undefined
        ? undefined
        : integer('initialNodeCount', props.initialNodeCount, 1),
    );
    problems.check(
      minMasterVersion === undefined || /^1\.\d+(\.\d+(-gke\.\d+)?)?$/.test(minMasterVersion),
      `minMasterVersion ${quoted(minMasterVersion)} is not a version of GKE, expected one like '1.31.2-gke.1115000'`,
    );
    problems.check(
      machineType === undefined || /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(machineType),
      `machineType ${quoted(machineType)} is not a machine type, expected one like 'e2-standard-4'`,
    );
    if (this.autopilot)
      for (const key of ['initialNodeCount', 'machineType', 'gcsFuseCsiDriver'] as const)
        problems.check(
          props[key] === undefined,
          `${key} '${String(props[key])}' is set beside enableAutopilot, expected none: Autopilot decides that itself`,
        );
    problems.throwIfAny(this.node.path);

    this.cluster = object(
      this,
      'Resource',
      container.ContainerCluster.manifest({
        metadata: resourceMetadata(this.clusterName, projectId),
        spec: {
          location,
          minMasterVersion,
          releaseChannel: releaseChannel && { channel: releaseChannel },
          ...(this.autopilot
            ? { enableAutopilot: true }
            : {
                initialNodeCount: props.initialNodeCount ?? 3,
                nodeConfig: { machineType, workloadMetadataConfig: GKE_METADATA },
                workloadIdentityConfig: { workloadPool: `${projectId}.${poolDomain}` },
                addonsConfig:
                  props.gcsFuseCsiDriver === undefined
                    ? undefined
                    : { gcsFuseCsiDriverConfig: { enabled: props.gcsFuseCsiDriver } },
              }),
        },
      }),
    );
  }
}

/** Pods ask the cluster who they are; without it they act as the node. */
const GKE_METADATA = { mode: 'GKE_METADATA' };

/** Properties of node pools. */
export interface ContainerNodePoolsProps {
  /** The node pools. */
  readonly nodePool: NodePool;
  /** Their cluster, where Config Connector makes it too. @default - one that is there already, in the `projectId` of the node pools */
  readonly cluster?: ContainerCluster;
}

/**
 * The node pools of TPU slices, made by Config Connector: what the `commands` of the same `NodePool` make. Config Connector has fields
 * neither for flex-start nor for workload policies, so that flex-start capacity and tpu7x slices of several hosts are refused.
 *
 * @throws InvalidInputError listing what Config Connector cannot make, and what does not go with the cluster
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/container/containernodepool
 */
export class ContainerNodePools extends Construct {
  /** One ContainerNodePool for each name of the `NodePool`. */
  readonly nodePools: readonly ApiObject[];

  constructor(scope: Construct, id: string, props: ContainerNodePoolsProps) {
    super(scope, id);
    checkAtSynth(this);
    const { nodePool, cluster } = props;
    const { slice, capacity, autoscaling, location, tpuTopology, startNodesPerZone } = nodePool;
    const projectId = nodePool.projectId ?? cluster?.projectId;
    const problems = new Problems();
    checkNodePool(nodePool, cluster, problems);
    problems.throwIfAny(this.node.path);

    this.nodePools = nodePool.names.map((name, index) =>
      object(
        this,
        index === 0 ? 'Resource' : `Resource-${String(index)}`,
        container.ContainerNodePool.manifest({
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
                  // a node count would undo at each reconciliation what the autoscaler did
                  initialNodeCount: startNodesPerZone,
                  autoscaling: {
                    totalMinNodeCount: autoscaling.minReplicas,
                    totalMaxNodeCount: autoscaling.maxReplicas,
                  },
                }
              : { nodeCount: startNodesPerZone }),
            nodeConfig: {
              machineType: slice.machineType,
              diskSizeGb: nodePool.diskSizeGb,
              spot: capacity.type === 'spot' ? true : undefined,
              reservationAffinity:
                capacity.reservationName === undefined
                  ? undefined
                  : {
                      consumeReservationType: 'SPECIFIC_RESERVATION',
                      key: 'compute.googleapis.com/reservation-name',
                      values: [capacity.reservationName],
                    },
              workloadMetadataConfig: cluster && GKE_METADATA,
            },
            placementPolicy: tpuTopology === undefined ? undefined : { type: 'COMPACT', tpuTopology },
            // as gcloud makes them
            management: { autoRepair: true, autoUpgrade: true },
          },
        }),
      ),
    );
  }
}

function checkNodePool(nodePool: NodePool, cluster: ContainerCluster | undefined, problems: Problems): void {
  problems.check(
    !nodePool.flexStart,
    `nodePool has capacity ${nodePool.capacity.type}, for which Config Connector has no field, expected its commands, or a ComputeClass`,
  );
  problems.check(
    nodePool.workloadPolicy === undefined,
    `nodePool has slice '${nodePool.slice.toString()}', which takes a workload policy, for which Config Connector has no field, expected its commands`,
  );
  for (const [key, value] of [
    ['cluster', nodePool.cluster],
    ['location', nodePool.location],
    ...(nodePool.nodeLocations ?? []).map((one) => ['nodeLocations', one] as const),
    ['projectId', nodePool.projectId ?? ''],
  ] as const)
    problems.check(
      !isPlaceholder(value),
      `nodePool ${key} '${value}' is a placeholder, expected its value: nobody completes what Config Connector reads`,
    );
  if (!cluster) {
    problems.check(
      nodePool.projectId !== undefined,
      `nodePool projectId is missing, expected that of cluster '${nodePool.cluster}', or cluster`,
    );
    return;
  }
  problems.check(
    !cluster.autopilot,
    `cluster '${cluster.clusterName}' is an Autopilot cluster, which makes its nodes itself, expected one without enableAutopilot, or no node pools`,
  );
  for (const [key, value, expected] of [
    ['cluster', nodePool.cluster, cluster.clusterName],
    ['location', nodePool.location, cluster.location],
    ['projectId', nodePool.projectId ?? cluster.projectId, cluster.projectId],
  ] as const)
    problems.check(
      value === expected,
      `nodePool ${key} '${value}' is not that of the cluster, expected '${expected}'`,
    );
}

/** Properties of a bucket. */
export interface StorageBucketProps {
  /** Name of the object. @default - the construct's id */
  readonly name?: string;
  /** The bucket, without `gs://`: a name that no other bucket of Google Cloud has. */
  readonly bucketName: string;
  /** ID of the project that it is in. */
  readonly projectId: string;
  /** Region, or a group of them like `US`. @default - Cloud Storage's: US */
  readonly location?: string;
  /** Whether IAM alone decides on access; roles that are bound to a ServiceAccount directly need it. @default true */
  readonly uniformBucketLevelAccess?: boolean;
}

/**
 * A Cloud Storage bucket, made by Config Connector. When the object is deleted so is the bucket, unless something is in it.
 *
 * @throws InvalidInputError listing every prop that is malformed
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/storage/storagebucket
 */
export class StorageBucket extends Construct {
  /** The StorageBucket. */
  readonly bucket: ApiObject;
  /** The bucket, without `gs://`: what servers and volumes take. */
  readonly bucketName: string;

  constructor(scope: Construct, id: string, props: StorageBucketProps) {
    super(scope, id);
    checkAtSynth(this);
    const { name = id, bucketName, location } = props;
    const problems = new Problems();
    problems.add(
      dnsSubdomain('name', name),
      bucketRule('bucketName', bucketName),
      projectRule('projectId', props.projectId),
    );
    problems.check(
      location === undefined || /^[A-Za-z]+(-[A-Za-z]+)*\d*$/.test(location),
      `location ${quoted(location)} is not a region or a group of them, expected one like 'us-west4' or 'US'`,
    );
    problems.throwIfAny(this.node.path);

    this.bucketName = bucketName;
    this.bucket = object(
      this,
      'Resource',
      storage.StorageBucket.manifest({
        metadata: resourceMetadata(name, props.projectId),
        spec: {
          resourceId: bucketName === name ? undefined : bucketName,
          location,
          uniformBucketLevelAccess: props.uniformBucketLevelAccess ?? true,
        },
      }),
    );
  }
}
