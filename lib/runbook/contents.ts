import { App, Chart, Names } from 'cdk8s';
import { type ManifestObject } from '../manifest/manifest';
import { scalersOf } from '../manifest/scalers';
import { manifestSet } from '../manifest/set';
import { type ControllerRequirement } from '../facts/controllers';
import { COMPUTE_CLASS_LABEL } from '../facts/labels';
import { Capacity } from '../pod/capacity';
import { bootDiskGb } from '../platform/boot-disk';
import { NodePool } from '../platform/node-pool';
import { InvalidInputError, isInvalidInput, type Problem, type Problems } from '../problems/problems';
import { FLEX_START_MINIMUM_GKE_VERSION, type TpuGenerationFacts } from '../tpu/generations';
import { partitionOf, SUB_BLOCK } from '../tpu/dynamic-slice';
import { type TpuSlice } from '../tpu/slice';
import { generationFacts } from '../tpu/topology';
import { isPlaceholder, regionOf, WORKLOAD_POOL_DOMAIN } from '../problems/google-cloud';
import { directMember } from '../platform/workload-identity';
import {
  type GkeRequirement,
  type Operations,
  operationsIn,
  type SliceDemand,
  type WorkloadAccount,
} from '../operations/operations';
import { imagesIn, objectsOf, podNeeds, type PodNeeds, readsCustomMetrics, unique, uniqueBy } from './needs';
import { isOlder, type ReadOptions, readOptions, type RunbookOptions } from './options';

/** A role that a member needs on a bucket. */
interface Grant {
  readonly bucketName: string;
  readonly role: string;
  readonly member: string;
}

/** The contents of a runbook: the options, with placeholders for missing ones, and the requirements of the chart. */
export interface Contents {
  readonly chart: Chart;
  readonly options: ReadOptions;
  readonly autopilot: boolean;
  readonly projectId: string;
  readonly projectNumber: string;
  readonly cluster: string;
  readonly location: string;
  readonly region: string;
  readonly clusterVersion: string;
  readonly namespace: string;
  readonly manifest: string;
  readonly workloadPool: string;
  readonly objects: readonly ManifestObject[];
  readonly operations: readonly Operations[];
  readonly pods: PodNeeds;
  readonly images: readonly string[];
  readonly metricsAdapter: boolean;
  readonly demands: readonly SliceDemand[];
  readonly nodePools: readonly NodePool[];
  readonly gkeVersions: readonly GkeRequirement[];
  readonly controllers: readonly ControllerRequirement[];
  readonly accounts: readonly WorkloadAccount[];
  /** Accounts that other charts of the app render, by the chart's name. */
  readonly elsewhere: readonly { readonly account: WorkloadAccount; readonly chart: string }[];
  readonly buckets: readonly string[];
  readonly grants: readonly Grant[];
  /** Folders of buckets that the reader fills, because no chart of the app does. */
  readonly uploads: readonly string[];
}

/** Member of the service account of TPU nodes. */
export const NODES = 'serviceAccount:NODE_SERVICE_ACCOUNT';

/** Reads a chart and the options. Records the problems of the options. */
export function contentsOf(chart: Chart, given: RunbookOptions, problems: Problems): Contents {
  const objects = objectsOf(chart);
  const images = imagesIn(objects);
  const options = readOptions(given, images, problems);
  const pods = podNeeds(objects);
  const accounts = accountsIn(chart);
  const elsewhere = accountsElsewhere(chart, pods);
  const place = placeOf(chart, options, [...accounts, ...elsewhere.map(({ account }) => account)], problems);

  const operations = operationsIn(chart, place.namespace);
  const autopilot = options.mode === 'autopilot';
  const demands = operations.flatMap(({ slices = [] }) => slices).map((one) => scaledDemand(one, objects));
  const grants = grantsOf(operations, pods, place.memberOf);
  const gkeVersions = gkeRequirements(operations, demands, pods, autopilot);
  problems.add(tooOld(options.clusterVersion, gkeVersions[0]));
  return {
    ...place,
    chart,
    options,
    autopilot,
    objects,
    operations,
    pods,
    images,
    metricsAdapter: readsCustomMetrics(objects),
    demands,
    nodePools: autopilot ? [] : nodePoolsOf(demands, pods, { ...options, ...place }, problems),
    gkeVersions,
    controllers: controllersOf(operations),
    accounts,
    elsewhere,
    buckets: unique(grants.map(({ bucketName }) => bucketName)),
    grants,
    uploads: uploadsOf(chart, operations),
  };
}

/** Returns the folders that the servers of a chart read and that no construct of the app writes. */
function uploadsOf(chart: Chart, operations: readonly Operations[]): readonly string[] {
  const written = chartsOf(chart)
    .flatMap((one) => operationsIn(one, 'default'))
    .map(({ writesFolder }) => writesFolder);
  return unique(operations.flatMap(({ readsFolder }) => readsFolder ?? [])).filter(
    (folder) => !written.includes(folder),
  );
}

const chartsOf = (chart: Chart): readonly Chart[] =>
  App.of(chart)
    .node.findAll()
    .filter((one) => Chart.isChart(one));

/** Returns the accounts that a chart renders. They do not depend on the namespace of the commands. */
const accountsIn = (chart: Chart): readonly WorkloadAccount[] => accountsOf(operationsIn(chart, 'default'));

/** Returns the accounts of a chart's pods that other charts of the app render. */
const accountsElsewhere = (
  chart: Chart,
  { serviceAccountNames }: PodNeeds,
): readonly { readonly account: WorkloadAccount; readonly chart: string }[] =>
  chartsOf(chart)
    .filter((one) => one !== chart)
    .flatMap((one) => accountsIn(one).map((account) => ({ account, chart: one.node.path })))
    .filter(({ account }) => serviceAccountNames.includes(account.serviceAccountName));

/** The project, the cluster and the namespace of the commands. */
type Place = Pick<
  Contents,
  | 'projectId'
  | 'projectNumber'
  | 'cluster'
  | 'location'
  | 'region'
  | 'clusterVersion'
  | 'namespace'
  | 'manifest'
  | 'workloadPool'
> & { readonly memberOf: (serviceAccountName: string) => string };

/** Reads the place from the options, the chart and its accounts. Records different values. */
function placeOf(
  chart: Chart,
  options: ReadOptions,
  known: readonly WorkloadAccount[],
  problems: Problems,
): Place {
  const agreed = (
    prop: 'projectId' | 'projectNumber' | 'namespace' | 'workloadPoolDomain',
    otherwise: string,
  ): string => {
    const given = options[prop];
    const said = unique(
      [prop === 'namespace' ? chart.namespace : undefined, ...known.map((one) => one[prop])].filter(
        (one) => one !== undefined,
      ),
    );
    const others = said.filter((one) => one !== given);
    if (given === undefined ? said.length > 1 : others.length > 0)
      problems.add({
        path: prop,
        ...(given !== undefined && { value: given }),
        problem:
          given === undefined
            ? `has several values in the chart: ${said.map((one) => `'${one}'`).join(' and ')}`
            : `differs from ${others.map((one) => `'${one}'`).join(' and ')} in the chart`,
        use: 'one value',
      });
    return given ?? said[0] ?? otherwise;
  };
  const projectId = agreed('projectId', 'PROJECT_ID');
  const projectNumber = agreed('projectNumber', 'PROJECT_NUMBER');
  const namespace = agreed('namespace', 'default');
  const workloadPool = `${projectId}.${agreed('workloadPoolDomain', WORKLOAD_POOL_DOMAIN)}`;
  const location = options.location ?? 'LOCATION';
  return {
    projectId,
    projectNumber,
    namespace,
    workloadPool,
    location,
    cluster: options.cluster ?? 'CLUSTER_NAME',
    region: options.region ?? regionOf(location) ?? 'REGION',
    clusterVersion: options.clusterVersion ?? 'CLUSTER_VERSION',
    manifest: options.manifest ?? `${Names.toDnsLabel(chart)}${App.of(chart).outputFileExtension}`,
    memberOf: (name) =>
      known.find((one) => one.serviceAccountName === name)?.member ??
      directMember(projectNumber, workloadPool, namespace, name),
  };
}

function tooOld(clusterVersion: string | undefined, newest: GkeRequirement | undefined): Problem | undefined {
  if (clusterVersion === undefined || newest === undefined) return undefined;
  if (clusterVersion === 'latest' || isPlaceholder(clusterVersion)) return undefined;
  return isOlder(clusterVersion, newest.version)
    ? {
        path: 'clusterVersion',
        value: clusterVersion,
        problem: `is older than the version that ${newest.because} needs`,
        use: `'${newest.version}' or later`,
      }
    : undefined;
}

const accountsOf = (operations: readonly Operations[]): readonly WorkloadAccount[] =>
  operations.flatMap(({ account }) => account ?? []);

/** Returns the required versions of GKE, newest first. */
function gkeRequirements(
  operations: readonly Operations[],
  demands: readonly SliceDemand[],
  pods: PodNeeds,
  autopilot: boolean,
): readonly GkeRequirement[] {
  const mode = autopilot ? 'autopilot' : 'standard';
  const all: readonly GkeRequirement[] = [
    ...demands.flatMap(({ slice }) => {
      const facts: TpuGenerationFacts = generationFacts(slice.machineType);
      const version = facts.minimumGkeVersion?.[mode];
      return version === undefined ? [] : [{ version, because: `TPU ${slice.generation}` }];
    }),
    ...(demands.some((demand) => waysOf(demand, operations).some(({ type }) => type.startsWith('flex-start')))
      ? [{ version: FLEX_START_MINIMUM_GKE_VERSION, because: 'flex-start of TPUs' }]
      : []),
    ...demands.flatMap(({ slice, capacity }) =>
      capacity?.type === 'dynamic-slice' ? [dynamicSliceRequirement(slice)] : [],
    ),
    ...pods.gkeVersions,
    ...operations.flatMap(({ gkeVersions = [] }) =>
      gkeVersions.filter((one) => one.mode === undefined || one.mode === mode),
    ),
  ];
  return uniqueBy(all, ({ version, because }) => `${version} ${because}`)
    .slice()
    .sort((a, b) => (isOlder(a.version, b.version) ? 1 : isOlder(b.version, a.version) ? -1 : 0));
}

/** Returns the controllers that a chart needs, each in the newest required release. */
function controllersOf(operations: readonly Operations[]): readonly ControllerRequirement[] {
  const all = operations.flatMap((one) => one.controllers ?? []);
  const isNewest = ({ name, minimumVersion }: ControllerRequirement): boolean =>
    !all.some((other) => other.name === name && isOlder(minimumVersion, other.minimumVersion));
  return uniqueBy(all.filter(isNewest), ({ name }) => name);
}

/** https://docs.cloud.google.com/kubernetes-engine/docs/how-to/use-gke-dynamic-slicing */
const dynamicSliceRequirement = ({ topology }: TpuSlice): GkeRequirement =>
  partitionOf(topology) === SUB_BLOCK.topology
    ? { version: '1.35.2-gke.1842000', because: 'dynamic slices of whole sub-blocks' }
    : { version: '1.36.0-gke.3712000', because: 'dynamic slices that are parts of a sub-block' };

/** Returns the capacity types that can provide the slices of a demand; none for a ComputeClass that the chart does not render. */
export function waysOf(
  { capacity = Capacity.onDemand() }: SliceDemand,
  operations: readonly Operations[],
): readonly Capacity[] {
  if (capacity.type !== 'compute-class') return [capacity];
  const name = capacity.nodeSelector[COMPUTE_CLASS_LABEL];
  return operations.find(({ computeClass }) => computeClass?.name === name)?.computeClass?.priorities ?? [];
}

/** Returns the roles on buckets that volumes and constructs need. Leaves out roles that another role includes. */
function grantsOf(
  operations: readonly Operations[],
  { buckets }: PodNeeds,
  memberOf: (serviceAccountName: string) => string,
): readonly Grant[] {
  const said = operations.flatMap(({ roles = [] }) =>
    roles.flatMap(({ bucketName, roles: granted, serviceAccountName = 'default', asNodes = false }) =>
      granted.flatMap((role) =>
        [memberOf(serviceAccountName), ...(asNodes ? [NODES] : [])].map((member) => ({
          bucketName,
          role,
          member,
        })),
      ),
    ),
  );
  const mounted = buckets.map(({ bucketName, serviceAccountName, readOnly }) => ({
    bucketName,
    role: readOnly ? 'roles/storage.objectViewer' : 'roles/storage.objectUser',
    member: memberOf(serviceAccountName),
  }));
  const all = uniqueBy(
    [...said, ...mounted],
    ({ bucketName, role, member }) => `${bucketName} ${role} ${member}`,
  );
  return all.filter(
    ({ bucketName, role, member }) =>
      !all.some(
        (other) =>
          other.bucketName === bucketName &&
          other.member === member &&
          HOLDS[other.role]?.includes(role) === true,
      ),
  );
}

/** Roles that each role includes: https://cloud.google.com/storage/docs/access-control/iam-roles */
const HOLDS: Readonly<Record<string, readonly string[]>> = {
  'roles/storage.admin': ['roles/storage.objectUser', 'roles/storage.objectViewer'],
  'roles/storage.objectUser': ['roles/storage.objectViewer'],
};

/** Returns a demand with the limits of the autoscaler of its workload, if another construct of the chart renders the autoscaler. */
function scaledDemand(demand: SliceDemand, objects: readonly ManifestObject[]): SliceDemand {
  const { scaledFromOutside: name, replicas } = demand;
  if (name === undefined) return demand;
  const scaler = scalersOf(manifestSet(objects)).find((one) => one.name === name);
  // The demand is one replica plus the replicas that an update adds.
  return scaler ? { ...demand, replicas: scaler.max + replicas - 1, minReplicas: scaler.min } : demand;
}

/** Capacity whose node pools a ComputeClass creates, or slices of any shape share. */
const POOLS_MADE_ELSEWHERE: readonly string[] = ['compute-class', 'dynamic-slice'];

/** Returns a node pool for each slice and type of capacity; for multi-host slices, one for each replica. */
function nodePoolsOf(
  demands: readonly SliceDemand[],
  { disks }: PodNeeds,
  options: ReadOptions & { readonly cluster: string; readonly location: string },
  problems: Problems,
): readonly NodePool[] {
  const bought = demands.filter(({ capacity }) => !POOLS_MADE_ELSEWHERE.includes(capacity?.type ?? ''));
  const base = options.nodePoolName ?? 'tpu';
  const names: string[] = [];
  const firsts = uniqueBy(bought, poolKey);
  return firsts.flatMap((first) => {
    const group = bought.filter((demand) => poolKey(demand) === poolKey(first));
    const { slice, capacity } = first;
    const name = firsts.length === 1 ? base : `${base}-${slice.generation}-${slice.topology}`;
    names.push(name);
    const same = names.filter((one) => one === name).length;
    const sum = (count: (demand: SliceDemand) => number): number =>
      group.reduce((total, demand) => total + count(demand), 0);
    const most = sum(({ replicas }) => replicas);
    const fewest = sum(({ replicas, minReplicas = replicas }) => minReplicas);
    const scales = !slice.multiHost && fewest < most && !(capacity?.type.startsWith('flex-start') ?? false);
    const diskSizeGb = bootDiskGb(
      Math.max(
        0,
        ...disks
          .filter((one) => one.accelerator === slice.accelerator && one.topology === slice.topology)
          .map(({ bytes }) => bytes),
      ),
    );
    const pool = problems.attempt(() =>
      withOptionNames(
        () =>
          new NodePool({
            name: same === 1 ? name : `${name}-${String(same)}`,
            slice,
            cluster: options.cluster,
            location: options.location,
            ...(capacity && { capacity }),
            ...(diskSizeGb !== undefined && { diskSizeGb }),
            ...(options.nodeLocations && { nodeLocations: options.nodeLocations }),
            ...(scales
              ? { autoscaling: { minReplicas: fewest, maxReplicas: most } }
              : { replicas: Math.max(1, most) }),
          }),
      ),
    );
    return pool === undefined ? [] : [pool];
  });
}

/** Returns the result of `make`. Problems with the name of a node pool get the path of the option. */
function withOptionNames<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isInvalidInput(error)) throw error;
    throw new InvalidInputError(
      error.problems.map((one) => (one.path === 'name' ? { ...one, path: 'nodePoolName' } : one)),
    );
  }
}

/** Returns a key for the slice and capacity of a node pool. Ignores how long queued nodes run, which each Job sets. */
function poolKey({ slice, capacity = Capacity.onDemand() }: SliceDemand): string {
  const { type, reservationName, maxRunDurationSeconds } = capacity;
  return JSON.stringify([
    slice.toString(),
    type,
    reservationName,
    type === 'flex-start-queued' ? undefined : maxRunDurationSeconds,
  ]);
}
