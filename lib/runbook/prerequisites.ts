import { QUOTA_NAMES } from '../facts/quota';
import { GKE_NETWORKING_GROUP, LLM_D_GROUP } from '../facts/gateway';
import { bootDiskGb, DEFAULT_BOOT_DISK_GB } from '../platform/boot-disk';
import { AUTOSCALING_METRIC_GROUP, KEDA_GROUP, LWS_GROUP, QUEUE_LABEL } from '../facts/labels';
import { type CapacityType } from '../pod/capacity';
import { unique } from './needs';
import { type ManifestObject, text } from '../manifest/manifest';
import { type Contents, waysOf } from './contents';
import { rolesOfUser } from './commands';

/** A requirement that must be met before a chart runs. */
export interface RunbookPrerequisite {
  /** Kind of the requirement, like `GKE`. */
  readonly what: string;
  /** The requirement, in Markdown. */
  readonly needed: string;
}

/** Sources of custom resources, by API group. */
const CRD_SOURCES: Readonly<Record<string, string>> = {
  'monitoring.googleapis.com': 'Managed Service for Prometheus, which GKE enables by default',
  'jobset.x-k8s.io': 'JobSet',
  'ray.io': 'the Ray Operator add-on',
  'kueue.x-k8s.io': 'Kueue',
  'cloud.google.com': 'GKE',
  [GKE_NETWORKING_GROUP]: 'GKE, with the Gateway API enabled',
  [LLM_D_GROUP]: 'the steps below',
  [KEDA_GROUP]: 'KEDA',
  [LWS_GROUP]: 'LeaderWorkerSet',
  [AUTOSCALING_METRIC_GROUP]: 'GKE',
};

/** The quota of each type of capacity: https://cloud.google.com/tpu/docs/quota */
const QUOTA: Readonly<Record<CapacityType, string>> = {
  'on-demand': 'on-demand quota',
  spot: 'preemptible quota (spot)',
  'flex-start': 'preemptible quota (flex-start)',
  'flex-start-queued': 'preemptible quota (flex-start)',
  reservation: 'a reservation',
  'compute-class': '',
  'dynamic-slice': 'a reservation in All Capacity mode, provisioned as sub-blocks for dynamic slicing',
};

/** Returns the requirements of a chart, one row for each. */
export const prerequisitesOf = (contents: Contents): readonly RunbookPrerequisite[] =>
  [
    ...software(contents),
    ...hardware(contents),
    ...namedObjects(contents),
    ...access(contents),
    ...notes(contents),
  ].flatMap(({ what, needed }) => unique(needed).map((one) => ({ what, needed: one })));

/** Rows of one kind. */
interface Rows {
  readonly what: string;
  readonly needed: readonly string[];
}

function software(contents: Contents): readonly Rows[] {
  const { autopilot, controllers, gkeVersions, location, metricsAdapter, operations, pods } = contents;
  const addOns = unique(operations.flatMap((one) => one.addOns ?? []));
  return [
    {
      what: 'GKE',
      needed: [
        ...gkeVersions.map(({ version, because }) => `${version} or later: ${because}`),
        `a version that has the machine types: \`gcloud container get-server-config --location=${location}\` lists versions`,
      ],
    },
    {
      what: 'Add-on',
      needed: [
        ...(pods.buckets.length > 0
          ? [`Cloud Storage FUSE CSI driver${autopilot ? ', which Autopilot has' : ''}`]
          : []),
        ...(addOns.includes('RayOperator') ? ['Ray Operator'] : []),
      ],
    },
    {
      what: 'Controller',
      needed: [
        ...controllers.map(
          ({ name, minimumVersion, field }) => `${name} ${minimumVersion} or later, for \`${field}\``,
        ),
        ...(metricsAdapter ? ['Custom Metrics Stackdriver Adapter, for the HorizontalPodAutoscaler'] : []),
      ],
    },
    { what: 'CRD', needed: contents.objects.flatMap(crd) },
  ];
}

function crd({ kind, manifest }: ManifestObject): readonly string[] {
  const apiVersion = String(manifest['apiVersion']);
  const group = apiVersion.split('/')[0] ?? '';
  return !group.includes('.') || group.endsWith('.k8s.io')
    ? []
    : [`\`${kind}\` of \`${apiVersion}\`, from ${CRD_SOURCES[group] ?? 'your own controller'}`];
}

const hardware = (contents: Contents): readonly Rows[] => [
  { what: 'Quota', needed: quotasOf(contents) },
  { what: 'More quota', needed: quotaRequests(contents) },
  { what: 'Boot disk', needed: contents.autopilot ? [] : disksOf(contents) },
];

/** Returns the queues of Kueue that workloads wait in and that the chart does not render. */
const queuesOf = ({ objects }: Contents): readonly string[] =>
  objects
    .flatMap(({ manifest }) => text(manifest, 'metadata', 'labels', QUEUE_LABEL) ?? [])
    .filter((queue) => !objects.some(({ kind, name }) => kind === 'LocalQueue' && name === queue))
    .map((queue) => `\`${queue}\`, a queue of Kueue in the namespace of its workloads`);

const namedObjects = (contents: Contents): readonly Rows[] => {
  const { pods, elsewhere, buckets } = contents;
  return [
    {
      what: 'Secret',
      needed: pods.secretKeys.map(({ secretName, key }) => `\`${secretName}\` with key \`${key}\``),
    },
    {
      what: 'ServiceAccount',
      needed: pods.serviceAccountNames.map((name) => {
        const from = elsewhere.find(({ account }) => account.serviceAccountName === name);
        return from === undefined
          ? `\`${name}\``
          : `\`${name}\`, which chart \`${from.chart}\` renders: apply that chart first`;
      }),
    },
    {
      what: 'Secret',
      needed: pods.pullSecretNames.map((name) => `\`${name}\`, with the credentials of a registry`),
    },
    { what: 'LocalQueue', needed: queuesOf(contents) },
    { what: 'PriorityClass', needed: pods.priorityClassNames.map((name) => `\`${name}\``) },
    { what: 'PersistentVolumeClaim', needed: pods.claimNames.map((name) => `\`${name}\``) },
    { what: 'Bucket', needed: buckets.map((bucket) => `\`gs://${bucket}\``) },
  ];
};

const access = (contents: Contents): readonly Rows[] => [
  {
    what: 'Role of the pods',
    needed: contents.grants.map(
      ({ role, bucketName, member }) => `\`${role}\` on \`gs://${bucketName}\` for \`${member}\``,
    ),
  },
  {
    what: 'Your role',
    needed: rolesOfUser(contents).map((role) => `\`${role}\` on \`${contents.projectId}\``),
  },
  {
    what: 'Your image',
    needed: contents.operations
      .flatMap((one) => one.images ?? [])
      .map((image) => `\`${image}\`, which the nodes must be able to pull`),
  },
];

const notes = ({ autopilot, operations, pods }: Contents): readonly Rows[] => [
  {
    what: 'Note',
    needed: [
      ...operations.flatMap((one) => one.notes ?? []),
      ...(autopilot && pods.privileged.length > 0
        ? [
            `Autopilot rejects privileged pods and hostNetwork: it does not run ${pods.privileged.join(', ')} as rendered`,
          ]
        : []),
    ],
  },
];

/** Returns nodes whose boot disk must be larger than GKE's default. */
const disksOf = ({ pods }: Contents): readonly string[] =>
  pods.disks.flatMap(({ object, bytes }) => {
    const size = bootDiskGb(bytes);
    return size === undefined
      ? []
      : [
          `${String(size)} GB on TPU nodes: pods of \`${object}\` request ${String(Math.ceil(bytes / 2 ** 30))}Gi of it and stay Pending on nodes with ${String(DEFAULT_BOOT_DISK_GB)} GB`,
        ];
  });

/** Returns where to request more chips, with the known names of the quotas. */
function quotaRequests(contents: Contents): readonly string[] {
  const names = contents.demands.flatMap((demand) => {
    const quota = QUOTA_NAMES[demand.slice.generation];
    return waysOf(demand, contents.operations).flatMap(({ type }) => {
      if (!QUOTA[type].includes('quota')) return [];
      const name = type === 'on-demand' ? quota?.onDemand : quota?.preemptible;
      return [name === undefined ? `the name that contains ${demand.slice.generation}` : `\`${name}\``];
    });
  });
  return names.length === 0
    ? []
    : [
        `request it at https://console.cloud.google.com/iam-admin/quotas, service Compute Engine API, for the region of the nodes: ${unique(names).join(', ')}`,
      ];
}

/** Returns the chips of each generation and quota. A ComputeClass that can use several quotas counts in full for each. */
function quotasOf(contents: Contents): readonly string[] {
  const chips = new Map<string, number>();
  for (const demand of contents.demands) {
    const { slice, replicas } = demand;
    const ways = unique(waysOf(demand, contents.operations).map(({ type }) => QUOTA[type]));
    for (const way of ways.length > 0 ? ways : ['the quota of its ComputeClass']) {
      const key = `of TPU ${slice.generation}, ${way}`;
      chips.set(key, (chips.get(key) ?? 0) + slice.chips * replicas);
    }
  }
  return [...chips].map(([what, count]) => `${String(count)} ${count === 1 ? 'chip' : 'chips'} ${what}`);
}
