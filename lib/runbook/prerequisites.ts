import { bootDiskGb, DEFAULT_BOOT_DISK_GB } from '../platform/boot-disk';
import { type CapacityType } from '../pod/capacity';
import { unique, uniqueBy } from './needs';
import { type Contents, waysOf } from './contents';
import { rolesOfUser } from './sections';

/** Something that must be there before a chart runs. */
export interface RunbookPrerequisite {
  /** What kind of thing it is, like `GKE`. */
  readonly what: string;
  /** What is needed of it, in Markdown. */
  readonly needed: string;
}

/** Who brings the kinds that Kubernetes itself has not, by their API group. */
const BROUGHT_BY: Readonly<Record<string, string>> = {
  'monitoring.googleapis.com': 'Managed Service for Prometheus, which GKE has on by default',
  'jobset.x-k8s.io': 'JobSet',
  'ray.io': 'the Ray Operator add-on',
  'kueue.x-k8s.io': 'Kueue',
  'cloud.google.com': 'GKE',
};

/** The quota that each way to buy slices counts against: https://cloud.google.com/tpu/docs/quota */
const QUOTA: Readonly<Record<CapacityType, string>> = {
  'on-demand': 'on-demand quota',
  spot: 'preemptible quota (spot)',
  'flex-start': 'preemptible quota (flex-start)',
  'flex-start-queued': 'preemptible quota (flex-start)',
  reservation: 'a reservation',
  'compute-class': '',
};

/** Everything that must be there before a chart runs, one row a thing. */
export function prerequisitesOf(contents: Contents): readonly RunbookPrerequisite[] {
  const { gkeVersions, operations, pods, objects, projectId } = contents;
  const rows = (what: string, needed: readonly string[]): readonly RunbookPrerequisite[] =>
    unique(needed).map((one) => ({ what, needed: one }));
  const addOns = unique(operations.flatMap((one) => one.addOns ?? []));
  return [
    ...rows(
      'GKE',
      gkeVersions.map(({ version, because }) => `${version} or later: ${because}`),
    ),
    ...rows('GKE', [
      `the version must have the machine types: \`gcloud container get-server-config --location=${contents.location}\` lists versions`,
    ]),
    ...rows('Add-on', [
      ...(pods.buckets.length > 0
        ? [`Cloud Storage FUSE CSI driver${contents.autopilot ? ', which Autopilot has' : ''}`]
        : []),
      ...(addOns.includes('RayOperator') ? ['Ray Operator'] : []),
    ]),
    ...rows(
      'Controller',
      uniqueBy(
        operations.flatMap((one) => one.controllers ?? []),
        ({ name }) => name,
      ).map(({ name, minimumVersion, field }) => `${name} ${minimumVersion} or later, for \`${field}\``),
    ),
    ...rows(
      'Controller',
      contents.metricsAdapter ? ['Custom Metrics Stackdriver Adapter, for the HorizontalPodAutoscaler'] : [],
    ),
    ...rows(
      'CRD',
      objects.flatMap(({ kind, manifest }) => {
        const group = String(manifest['apiVersion']).split('/')[0] ?? '';
        if (!group.includes('.') || group.endsWith('.k8s.io')) return [];
        return [
          `\`${kind}\` of \`${String(manifest['apiVersion'])}\`, brought by ${BROUGHT_BY[group] ?? 'a controller of your own'}`,
        ];
      }),
    ),
    ...rows('Quota', quotasOf(contents)),
    ...rows('Boot disk', contents.autopilot ? [] : disksOf(contents)),
    ...rows(
      'Secret',
      pods.secretKeys.map(({ secretName, key }) => `\`${secretName}\` with key \`${key}\``),
    ),
    ...rows(
      'ServiceAccount',
      pods.serviceAccountNames.map((name) => {
        const from = contents.elsewhere.find(({ account }) => account.serviceAccountName === name);
        return from === undefined
          ? `\`${name}\``
          : `\`${name}\`, which chart \`${from.chart}\` renders: apply it first`;
      }),
    ),
    ...rows(
      'PersistentVolumeClaim',
      pods.claimNames.map((name) => `\`${name}\``),
    ),
    ...rows(
      'Bucket',
      contents.buckets.map((bucket) => `\`gs://${bucket}\``),
    ),
    ...rows(
      'Role of the pods',
      contents.grants.map(
        ({ role, bucketName, member }) => `\`${role}\` on \`gs://${bucketName}\` for \`${member}\``,
      ),
    ),
    ...rows(
      'Role of yours',
      rolesOfUser(contents).map((role) => `\`${role}\` on \`${projectId}\``),
    ),
    ...rows(
      'Image of yours',
      operations
        .flatMap((one) => one.images ?? [])
        .map((image) => `\`${image}\`, which the nodes must be able to pull`),
    ),
    ...rows(
      'Note',
      operations.flatMap((one) => one.notes ?? []),
    ),
    ...rows(
      'Note',
      contents.autopilot && pods.privileged.length > 0
        ? [
            `Autopilot refuses privileged pods and the nodes' network: it will not run ${pods.privileged.join(', ')} as rendered`,
          ]
        : [],
    ),
  ];
}

/** Nodes whose boot disk must be larger than GKE makes it. */
const disksOf = ({ pods }: Contents): readonly string[] =>
  pods.disks.flatMap(({ object, bytes }) => {
    const size = bootDiskGb(bytes);
    return size === undefined
      ? []
      : [
          `${String(size)} GB on TPU nodes: pods of \`${object}\` request ${String(Math.ceil(bytes / 2 ** 30))}Gi of it, and would wait for ever on nodes with ${String(DEFAULT_BOOT_DISK_GB)} GB`,
        ];
  });

/** Chips of each generation and each quota; where a ladder may use several quotas, of each as many as all its slices have. */
function quotasOf(contents: Contents): readonly string[] {
  const chips = new Map<string, number>();
  for (const demand of contents.demands) {
    const { slice, replicas } = demand;
    const ways = unique(waysOf(demand, contents.operations).map(({ type }) => QUOTA[type]));
    for (const way of ways.length > 0 ? ways : ['whatever its ComputeClass uses']) {
      const key = `of TPU ${slice.generation}, ${way}`;
      chips.set(key, (chips.get(key) ?? 0) + slice.chips * replicas);
    }
  }
  return [...chips].map(([what, count]) => `${String(count)} ${count === 1 ? 'chip' : 'chips'} ${what}`);
}
