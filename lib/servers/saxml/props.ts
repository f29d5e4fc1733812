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

/** Properties of a Saxml cell. Those that are about one pod, like `resources`, are about the pods of the model servers. */
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
   * ServiceAccount of all pods; it needs `roles/storage.admin` on the bucket. With `hostNetwork` the model servers act as the service
   * account of their nodes instead, which then needs the role too.
   */
  readonly serviceAccountName: string | NamedResource;
  /** The TPU slice of each model server; of one host or several. */
  readonly slice: TpuSlice;
  /** Model servers, each on a slice of its own; a published model can have up to as many `replicas`. @default 1 */
  readonly replicas?: number;
  /** Images of the servers. @default - the releases of the tutorial */
  readonly images?: SaxImages;
  /** Further flags of the model servers, as `--flag=value`. @default - none */
  readonly args?: readonly string[];
  /** Bucket with the state of the cell, without `gs://`. The servers find each other in its folder `sax-root`. */
  readonly bucketName: string;
  /** The cell, `--sax_cell`: models are published as `/sax/CELL/MODEL`. @default '/sax/test' */
  readonly saxCell?: string;
  /**
   * Saxml's name of the chip, `--platform_chip`. Saxml treats an unknown name as a chip with 8 GB of memory, without an error.
   *
   * @default - 'tpuv4' on v4, 'tpuv5e' on v5e; required for other generations
   * @see https://github.com/google/saxml/blob/main/saxml/server/proto_util.py
   */
  readonly platformChip?: string;
  /**
   * Size of the model weights that one model server will hold, as a quantity like `350G`: it must fit in the memory of all hosts of its
   * slice. Models are published later, so nothing else tells their size.
   *
   * @default - unknown, and not compared with the slice
   */
  readonly modelSize?: string;
  /** How a new version replaces the model servers; only on slices of one host. @default - maxSurge 0, maxUnavailable 1 */
  readonly rollout?: ReplicaProps['rollout'];
  /** Model servers that a drain of nodes can evict at a time; only on slices of one host. @default - 1 if there are several */
  readonly disruptionBudget?: ReplicaProps['disruptionBudget'];
  /**
   * How often a failed model server restarts all of them before the JobSet fails for good; only on slices of several hosts.
   *
   * @default - no limit
   */
  readonly maxRestarts?: number;
  /**
   * Whether the model servers use the network of their nodes. Model servers on several hosts are not known to work without it; those on
   * one host are. Pods on this network act as the service account of their nodes, not as `serviceAccountName`.
   *
   * @default - true if the slice has several hosts, false if it has one
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity#restrictions
   * @see https://github.com/GoogleCloudPlatform/ai-on-gke (saxml-on-gke/single-host-inference)
   */
  readonly hostNetwork?: boolean;
  /** Who can reach the HTTP server. Everyone who can may publish and unpublish models. @default 'ClusterIP' */
  readonly serviceType?: AccessProps['serviceType'];
  /**
   * Peers that can send requests to the HTTP server. A NetworkPolicy then refuses all others at all servers of the cell, except probes. It
   * has no effect on model servers with `hostNetwork`, whose ports only a firewall rule of the VPC network can close.
   *
   * @default - no NetworkPolicy: everyone who reaches the pods
   */
  readonly allowedClients?: readonly NetworkPolicyPeer[];
  /**
   * Addresses of the nodes, from which model servers with `hostNetwork` reach the admin server; required with `allowedClients` and
   * `hostNetwork`, and useless otherwise.
   *
   * @default - none
   */
  readonly nodePeers?: readonly NetworkPolicyPeer[];
  /**
   * Level of the Pod Security Standards of the model servers. GKE gives pods their chips without privileges from 1.28 on, but nothing
   * shows that the images of 2023 can open them so. The admin and HTTP servers always run at `baseline`.
   *
   * @default 'privileged'
   */
  readonly podSecurityLevel?: PodSecurityLevel;
}

const PLATFORM_CHIPS: Partial<Record<TpuGeneration, string>> = SAX_CHIPS;

/** Saxml's name of the chip of a cell, if it is known. */
export const platformChipOf = ({
  platformChip,
  slice,
}: Pick<SaxCellProps, 'platformChip' | 'slice'>): string | undefined =>
  platformChip ?? PLATFORM_CHIPS[slice.generation];

/** Whether the model servers of a cell use the network of their nodes. */
export const usesHostNetwork = ({
  hostNetwork,
  slice,
}: Pick<SaxCellProps, 'hostNetwork' | 'slice'>): boolean => hostNetwork ?? slice.multiHost;

/** Name of the replicated job of model servers. */
export const SAX_JOB_NAME = 'model-server';

/** The last part of a path, as close to the name of a cell as possible. */
const nameIn = (path: string): string =>
  (path.split('/').filter(Boolean).at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '') || 'test';

/** Names of cells: https://github.com/google/saxml/blob/main/saxml/common/naming.go */
const cellName: Grammar = (value) =>
  /^\/sax\/[a-z][a-z0-9_-]*$/.test(value)
    ? undefined
    : {
        problem: 'is not the name of a cell',
        use: "'/sax/' and a name of lower-case letters, digits, '-' and '_', starting with a letter",
        nearest: `/sax/${nameIn(value)}`,
      };

const chipName: Grammar = (value) =>
  /^[a-z0-9]+$/.test(value)
    ? undefined
    : { problem: "is not a chip's name", use: "lower-case letters and digits, like 'tpuv5e'" };

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

/** Problems of the pods of model servers. */
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

/** Props of a JobSet have no effect on a Deployment, and the reverse. */
function* formProblems(props: SaxCellProps): Iterable<Problem> {
  const [paths, kind] = props.slice.multiHost
    ? ([['rollout', 'disruptionBudget'], 'a JobSet, on slices of several hosts'] as const)
    : ([['maxRestarts'], 'a Deployment, on slices of one host'] as const);
  for (const path of paths)
    if (props[path] !== undefined) yield { path, problem: `has no effect on ${kind}`, use: 'to remove it' };
}

function* platformProblems(props: SaxCellProps): Iterable<Problem> {
  if (platformChipOf(props) === undefined)
    yield {
      path: 'platformChip',
      problem: `required for slice '${props.slice.toString()}', since Saxml's name of its chip is not known`,
      use: "Saxml's name of the chip",
    };
}

/** Pods on the network of their nodes have the addresses of the nodes, and no podSelector matches them. */
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
