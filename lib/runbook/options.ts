import { image, integer, oneOf, podLabel, quoted } from '../problems/validators';
import { type Problems } from '../problems/problems';
import {
  cloudDomain,
  clusterName,
  isPlaceholder,
  isRegion,
  location,
  orPlaceholder,
  projectId,
  projectNumber,
  regionOf,
} from '../problems/google-cloud';

/** An image of one's own, and what it is built from. */
export interface ImageBuild {
  /** The image as the chart names it, in Artifact Registry: `us-docker.pkg.dev/my-project/my-repository/server:v1`. */
  readonly image: string;
  /** Git repository of its sources, like `https://github.com/vllm-project/vllm`. */
  readonly repository: string;
  /** Commit of the sources, 7 to 40 hexadecimal digits. */
  readonly commit: string;
  /** The Dockerfile, by its path in the repository. @default 'Dockerfile' */
  readonly dockerfile?: string;
}

/**
 * Options of a runbook. What is left out, and is not known from the chart, stands in capitals in the commands and is listed at the top;
 * so may cluster, location, project and namespace be given, like `CLUSTER_NAME`.
 */
export interface RunbookOptions {
  /** Mode of the cluster. @default 'standard' */
  readonly mode?: 'standard' | 'autopilot';
  /** ID of the project. @default - that of the chart's WorkloadIdentity, or `PROJECT_ID` */
  readonly projectId?: string;
  /** Number of the project. @default - that of the chart's WorkloadIdentity, or `PROJECT_NUMBER` */
  readonly projectNumber?: string;
  /** Name of the cluster. @default 'CLUSTER_NAME' */
  readonly cluster?: string;
  /** Zone or region of the cluster; of an Autopilot cluster a region. @default 'LOCATION' */
  readonly location?: string;
  /** Zones of the TPU nodes, where the cluster has a region; not with Autopilot. @default - the cluster's own zone */
  readonly nodeLocations?: readonly string[];
  /** Region of buckets and images. @default - that of `location`, or `REGION` */
  readonly region?: string;
  /** Version of GKE, like `1.33.0-gke.1712000` or `latest`; none that the chart does not run on. @default 'CLUSTER_VERSION' */
  readonly clusterVersion?: string;
  /** How early new versions of GKE arrive. @default - GKE's */
  readonly releaseChannel?: 'rapid' | 'regular' | 'stable' | 'extended';
  /** Machine type of the cluster's own nodes, which have no TPUs; not with Autopilot. @default - GKE's, or what the chart needs */
  readonly machineType?: string;
  /** Own nodes of the cluster, in each of its zones; not with Autopilot. @default - GKE's: 3 */
  readonly numNodes?: number;
  /** Name of the TPU node pool, or what the names of several start with; not with Autopilot. @default 'tpu' */
  readonly nodePoolName?: string;
  /** Namespace that the chart is applied to. @default - the chart's, that of its WorkloadIdentity, or `default` */
  readonly namespace?: string;
  /** Domain of the workload identity pool; `s3ns.svc.id.goog` in a sovereign cloud. @default - that of the chart's WorkloadIdentity, or 'svc.id.goog' */
  readonly workloadPoolDomain?: string;
  /** Images of one's own that are built first. @default - none */
  readonly builds?: readonly ImageBuild[];
  /** The chart's manifest, by its path from where the commands run. @default - `CHART.k8s.yaml` */
  readonly manifest?: string;
}

const STANDARD_ONLY = ['nodeLocations', 'machineType', 'numNodes', 'nodePoolName'] as const;
const GKE_VERSION = /^1\.\d+(\.\d+(-gke\.\d+)?)?$/;
/** An image of Artifact Registry: its location, project, repository and name. */
export const ARTIFACT = /^([a-z0-9-]+)-docker\.pkg\.dev\/([^/]+)\/([^/]+)\/([^:@]+):[^:@]+$/;

/** Records what is wrong with the options themselves. */
export function checkOptions(options: RunbookOptions, images: readonly string[], problems: Problems): void {
  const { mode = 'standard', clusterVersion, machineType, numNodes } = options;
  const rules: readonly [string, string | undefined, (prop: string, value: string) => string | undefined][] =
    [
      ['projectId', options.projectId, orPlaceholder(projectId)],
      [
        'projectNumber',
        options.projectNumber,
        orPlaceholder((prop, value) => projectNumber(prop, value, options.projectId ?? 'PROJECT_ID')),
      ],
      ['cluster', options.cluster, orPlaceholder(clusterName)],
      ['location', options.location, orPlaceholder(location)],
      ['region', options.region, orPlaceholder(region)],
      ['namespace', options.namespace, orPlaceholder(podLabel)],
      [
        'workloadPoolDomain',
        options.workloadPoolDomain,
        (prop, value) => cloudDomain(prop, value, 's3ns.svc.id.goog'),
      ],
    ];
  problems.add(
    oneOf('mode', mode, ['standard', 'autopilot']),
    options.releaseChannel === undefined
      ? undefined
      : oneOf('releaseChannel', options.releaseChannel, ['rapid', 'regular', 'stable', 'extended']),
    numNodes === undefined ? undefined : integer('numNodes', numNodes, 1),
    ...rules.map(([prop, value, rule]) => (value === undefined ? undefined : rule(prop, value))),
  );
  problems.check(
    clusterVersion === undefined ||
      clusterVersion === 'latest' ||
      isPlaceholder(clusterVersion) ||
      GKE_VERSION.test(clusterVersion),
    `clusterVersion ${quoted(clusterVersion)} is not a version of GKE, expected one like '1.31.2-gke.1115000', or 'latest'`,
  );
  problems.check(
    machineType === undefined ||
      /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(machineType) ||
      isPlaceholder(machineType),
    `machineType ${quoted(machineType)} is not a machine type, expected one like 'e2-standard-4'`,
  );
  problems.check(
    options.manifest === undefined || /^[^-\s]\P{Cc}*$/u.test(options.manifest),
    `manifest ${quoted(options.manifest)} is not a path, expected one like 'dist/llama.k8s.yaml'`,
  );
  if (mode === 'autopilot') {
    for (const prop of STANDARD_ONLY)
      problems.check(
        options[prop] === undefined,
        `${prop} is set beside mode 'autopilot', expected none: an Autopilot cluster makes its nodes itself`,
      );
    const zone = options.location;
    const around = zone === undefined || isRegion(zone) ? undefined : regionOf(zone);
    problems.check(
      around === undefined,
      `location '${zone ?? ''}' is a zone, expected a region: Autopilot clusters have one; nearest: '${around ?? ''}'`,
    );
  }
  for (const build of options.builds ?? []) checkBuild(build, images, problems);
}

const region = (prop: string, value: string): string | undefined =>
  isRegion(value) ? undefined : `${prop} ${quoted(value)} is not a region, expected one like 'us-west4'`;

function checkBuild(build: ImageBuild, images: readonly string[], problems: Problems): void {
  const malformed = image('builds image', build.image);
  problems.add(malformed);
  if (malformed === undefined) {
    problems.check(
      ARTIFACT.test(build.image),
      `builds image '${build.image}' is not in Artifact Registry, expected one like 'us-docker.pkg.dev/my-project/my-repository/server:v1'`,
    );
    problems.check(
      images.includes(build.image),
      `builds image '${build.image}' is not run by the chart, expected one of ${images.map((one) => `'${one}'`).join(', ')}`,
    );
  }
  problems.check(
    /^https:\/\/[\w.-]+(\/[\w.-]+)+$/.test(build.repository),
    `builds repository ${quoted(build.repository)} is not a Git repository, expected one like 'https://github.com/vllm-project/vllm'`,
  );
  problems.check(
    /^[0-9a-f]{7,40}$/.test(build.commit),
    `builds commit ${quoted(build.commit)} is not a commit, expected 7 to 40 hexadecimal digits`,
  );
  problems.check(
    build.dockerfile === undefined || /^[\w.-]+(\/[\w.-]+)*$/.test(build.dockerfile),
    `builds dockerfile ${quoted(build.dockerfile)} is not a path in the repository, expected one like 'Dockerfile.tpu'`,
  );
}

/** Whether one version of GKE is older than another; as far as both say. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const others = numbers(than);
  for (const [index, part] of numbers(version).entries()) {
    const other = others[index] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}
