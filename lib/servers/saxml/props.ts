import { type NetworkPolicyPeer } from 'cdk8s-plus-29/lib/imports/k8s';
import { SAX_CHIPS } from '../../facts/saxml';
import { type PodFragment } from '../../pod/fragment';
import { type PodSecurityLevel } from '../../pod/security';
import { shutdownProblems } from '../../pod/shutdown';
import { bucketName, dnsLabel, type Grammar, image, room } from '../../problems/grammar';
import { type Problem } from '../../problems/problems';
import {
  boolean,
  essential,
  integer,
  list,
  type NamedResource,
  object,
  optional,
  required,
  type Schema,
  string,
} from '../../problems/schema';
import { type TpuGeneration } from '../../tpu/generations';
import { type TpuSlice } from '../../tpu/slice';
import { jobSetName } from '../../workload/job-set';
import { peerType } from '../../workload/network-policy';
import {
  ACCESS_PROPERTIES,
  type AccessProps,
  IMAGE_PROPERTIES,
  type ImageProps,
  LIFECYCLE_PROPERTIES,
  type LifecycleProps,
  POD_PROPERTIES,
  type PodProps,
  REPLICA_PROPERTIES,
  type ReplicaProps,
  SLICE_PROPERTIES,
  sliceProblems,
  type SliceProps,
} from '../../workload/vocabulary';
import { abseilFlags, argsProblems } from '../flags';

/** Images of a Saxml cell's servers, each with a tag or digest. */
export interface SaxImages {
  /** The admin server. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-admin-server:v1.1.0' */
  readonly adminServer?: string;
  /** The model servers. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-model-server:v1.1.0' */
  readonly modelServer?: string;
  /** The HTTP server. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-http:v1.0.0' */
  readonly http?: string;
}

/** Properties of a Saxml cell. Properties of a pod, like `resources`, apply to the pods of the model servers. */
export interface SaxCellProps
  extends
    SliceProps,
    PodProps,
    Pick<ImageProps, 'imagePullSecrets' | 'command' | 'args' | 'env'>,
    Pick<LifecycleProps, 'preStopSeconds' | 'shutdownSeconds'>,
    Pick<AccessProps, 'serviceName' | 'serviceType' | 'allowedClients'>,
    Pick<ReplicaProps, 'rollout' | 'disruptionBudget'> {
  /**
   * Name of the JobSet or Deployment of model servers. The admin server is `NAME-admin`, the HTTP server `NAME-http`.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /** Fields of the pod of the admin server that no prop covers. @default - none */
  readonly adminFragments?: readonly PodFragment[];
  /** Fields of the pod of the HTTP server that no prop covers. @default - none */
  readonly httpFragments?: readonly PodFragment[];
  /** Name of the Service of the HTTP server. @default - the name of the HTTP server */
  readonly serviceName?: string;
  /**
   * ServiceAccount of all pods; it needs `roles/storage.admin` on the bucket. With `hostNetwork`, the model servers act as the service
   * account of their nodes instead, which then also needs the role.
   */
  readonly serviceAccountName: string | NamedResource;
  /** The TPU slice of each model server; single-host or multi-host. */
  readonly slice: TpuSlice;
  /** Number of model servers, each on its own slice, and the largest number of `replicas` of a published model. @default 1 */
  readonly replicas?: number;
  /** Images of the servers. @default - the releases that the tutorial uses */
  readonly images?: SaxImages;
  /** Further flags of the model servers, as `--flag=value`. @default - none */
  readonly args?: readonly string[];
  /** Bucket with the state of the cell, without `gs://`. The servers find each other through its folder `sax-root`. */
  readonly bucketName: string;
  /** The cell, `--sax_cell`: models are published as `/sax/CELL/MODEL`. @default '/sax/test' */
  readonly saxCell?: string;
  /**
   * Saxml's name for the chip, `--platform_chip`. Saxml reports no error for an unknown name and assumes 8 GB of memory.
   *
   * @default - 'tpuv4' on v4, 'tpuv5e' on v5e; required for other generations
   * @see https://github.com/google/saxml/blob/main/saxml/server/proto_util.py
   */
  readonly platformChip?: string;
  /**
   * Size of the model weights that one model server will hold, as a quantity like `350G`. The weights must fit in the memory of all hosts
   * of the slice. Models are published later, so no other prop contains their size.
   *
   * @default - unknown, and not compared with the slice
   */
  readonly modelSize?: string;
  /** How a new version replaces the model servers; only for single-host slices. @default - maxSurge 0, maxUnavailable 1 */
  readonly rollout?: ReplicaProps['rollout'];
  /** Number of model servers that a node drain can evict at a time; only for single-host slices. @default - 1 with several model servers */
  readonly disruptionBudget?: ReplicaProps['disruptionBudget'];
  /** How often a failure restarts all model servers before the JobSet fails; only for multi-host slices. @default - no limit */
  readonly maxRestarts?: number;
  /**
   * Whether the model servers use the network of their nodes. Model servers on multi-host slices are not known to work without it; those on
   * single-host slices are. Pods on this network act as the service account of their nodes, not as `serviceAccountName`.
   *
   * @default - true for a multi-host slice, false for a single-host slice
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity#restrictions
   * @see https://github.com/GoogleCloudPlatform/ai-on-gke (saxml-on-gke/single-host-inference)
   */
  readonly hostNetwork?: boolean;
  /** Who can reach the HTTP server, and so publish and unpublish models. @default 'ClusterIP' */
  readonly serviceType?: AccessProps['serviceType'];
  /**
   * Peers that can send requests to the HTTP server. A NetworkPolicy rejects other traffic to the servers of the cell, except probes and
   * traffic between the servers. It has no effect on model servers with `hostNetwork`: close their ports with a firewall rule of the VPC
   * network.
   *
   * @default - no NetworkPolicy: everyone who can reach the pods
   */
  readonly allowedClients?: readonly NetworkPolicyPeer[];
  /**
   * Addresses of the nodes, from which model servers with `hostNetwork` reach the admin server. Required with `allowedClients` and
   * `hostNetwork`; not allowed otherwise.
   *
   * @default - none
   */
  readonly nodePeers?: readonly NetworkPolicyPeer[];
  /**
   * Level of the Pod Security Standards of the model servers. Since 1.28, GKE gives unprivileged pods access to their chips, but the images
   * of 2023 are not known to work that way. The admin and HTTP servers always run at `baseline`.
   *
   * @default 'privileged'
   */
  readonly podSecurityLevel?: PodSecurityLevel;
}

const PLATFORM_CHIPS: Partial<Record<TpuGeneration, string>> = SAX_CHIPS;

/** Returns Saxml's name for the chip of a cell; undefined if it is not known. */
export const platformChipOf = ({
  platformChip,
  slice,
}: Pick<SaxCellProps, 'platformChip' | 'slice'>): string | undefined =>
  platformChip ?? PLATFORM_CHIPS[slice.generation];

/** Returns whether the model servers of a cell use the network of their nodes. */
export const usesHostNetwork = ({
  hostNetwork,
  slice,
}: Pick<SaxCellProps, 'hostNetwork' | 'slice'>): boolean => hostNetwork ?? slice.multiHost;

/** Name of the replicated job of model servers. */
export const SAX_JOB_NAME = 'model-server';

/** Returns the last part of a path, with only the characters that the name of a cell can contain. */
const nameIn = (path: string): string =>
  (path.split('/').filter(Boolean).at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '') || 'test';

/** Accepts names of cells: https://github.com/google/saxml/blob/main/saxml/common/naming.go */
const cellName: Grammar = (value) =>
  /^\/sax\/[a-z][a-z0-9_-]*$/.test(value)
    ? undefined
    : {
        problem: 'is not the name of a cell',
        use: "'/sax/' and a name that starts with a letter and contains only lower-case letters, digits, '-' and '_'",
        nearest: `/sax/${nameIn(value)}`,
      };

const chipName: Grammar = (value) =>
  /^[a-z0-9]+$/.test(value)
    ? undefined
    : { problem: 'is not the name of a chip', use: "lower-case letters and digits, like 'tpuv5e'" };

const FLAGS = abseilFlags({ '--port': null, '--sax_cell': 'saxCell', '--platform_chip': 'platformChip' });

const { serviceAccountName, ...podProperties } = POD_PROPERTIES;
const { imagePullSecrets, command, args, env } = IMAGE_PROPERTIES;
const { preStopSeconds, shutdownSeconds } = LIFECYCLE_PROPERTIES;
const { serviceName, serviceType, allowedClients } = ACCESS_PROPERTIES;

const IMAGES_OF_CELL: Schema<SaxImages> = {
  properties: {
    adminServer: optional(string(image)),
    modelServer: optional(string(image)),
    http: optional(string(image)),
  },
};

export const SAX_CELL: Schema<SaxCellProps> = {
  properties: {
    name: optional(string()),
    ...SLICE_PROPERTIES,
    bucketName: required(string(bucketName), 'my-bucket'),
    serviceAccountName: { ...essential(serviceAccountName.type, "'sax-sa'"), standIn: 'sax-sa' },
    ...podProperties,
    adminFragments: podProperties.fragments,
    httpFragments: podProperties.fragments,
    serviceName,
    replicas: optional(integer(1)),
    images: optional(object(IMAGES_OF_CELL)),
    imagePullSecrets,
    command,
    args,
    env,
    saxCell: optional(string(cellName)),
    platformChip: optional(string(chipName)),
    modelSize: optional(string(room)),
    rollout: REPLICA_PROPERTIES.rollout,
    disruptionBudget: REPLICA_PROPERTIES.disruptionBudget,
    maxRestarts: optional(integer(0)),
    preStopSeconds,
    shutdownSeconds,
    hostNetwork: optional(boolean()),
    serviceType,
    allowedClients,
    nodePeers: optional(list(peerType, { min: 1, what: 'a list of at least one peer' })),
  },
  rules: [nameProblems, formProblems, podProblems, platformProblems, peerProblems],
};

/** Yields the problems of the model servers' pods. */
function* podProblems(props: SaxCellProps): Iterable<Problem | undefined> {
  yield* sliceProblems(props);
  yield* shutdownProblems(props);
  yield* argsProblems(props, FLAGS);
}

/** The longest suffix of the names of a cell's objects. */
const SUFFIX = '-admin';

function* nameProblems({ name, slice, replicas = 1 }: SaxCellProps): Iterable<Problem> {
  if (name === undefined) return;
  const grammar = slice.multiHost
    ? jobSetName({ jobName: SAX_JOB_NAME, slice, replicas })
    : dnsLabel(63 - SUFFIX.length, `the name of the admin server ends with '${SUFFIX}'`);
  const wrong = grammar(name);
  if (wrong) yield { path: 'name', value: name, ...wrong };
}

/** Props of a JobSet have no effect on a Deployment, and vice versa. */
function* formProblems(props: SaxCellProps): Iterable<Problem> {
  const [paths, kind] = props.slice.multiHost
    ? ([['rollout', 'disruptionBudget'], 'the JobSet that multi-host slices require'] as const)
    : ([['maxRestarts'], 'the Deployment that single-host slices require'] as const);
  for (const path of paths)
    if (props[path] !== undefined) yield { path, problem: `has no effect on ${kind}`, use: 'to remove it' };
}

function* platformProblems(props: SaxCellProps): Iterable<Problem> {
  if (platformChipOf(props) === undefined)
    yield {
      path: 'platformChip',
      problem: `required for slice '${props.slice.toString()}', because Saxml's name for its chip is not known`,
      use: "Saxml's name for the chip",
    };
}

/** Pods on the network of their nodes have the addresses of the nodes, which a podSelector does not match. */
function* peerProblems(props: SaxCellProps): Iterable<Problem> {
  const { allowedClients: clients, nodePeers } = props;
  if (clients !== undefined && usesHostNetwork(props) && nodePeers === undefined)
    yield {
      path: 'nodePeers',
      problem:
        'required with allowedClients: the model servers reach the admin server from the addresses of their nodes',
      use: "a list like [{ ipBlock: { cidr: '10.128.0.0/20' } }]",
    };
  if (nodePeers !== undefined && (clients === undefined || !usesHostNetwork(props)))
    yield {
      path: 'nodePeers',
      problem: 'has no effect without allowedClients and hostNetwork',
      use: 'to remove it',
    };
}
