import {
  cloudDomain,
  clusterName,
  gkeVersion,
  isRegion,
  location,
  machineType,
  orPlaceholder,
  projectId,
  projectNumber,
  region,
  regionOf,
  zone,
} from '../problems/google-cloud';
import { type Grammar, image as imageRule, podLabel } from '../problems/grammar';
import { type Problem, type Problems } from '../problems/problems';
import {
  essential,
  integer,
  list,
  type NamedResource,
  nameOf,
  object,
  oneOf,
  optional,
  read,
  resourceName,
  type Schema,
  string,
} from '../problems/schema';

/** A custom image and its sources. */
export interface ImageBuild {
  /** The image in Artifact Registry, as the chart names it: `us-docker.pkg.dev/my-project/my-repository/server:v1`. */
  readonly image: string;
  /** Git repository of its sources, like `https://github.com/vllm-project/vllm`. */
  readonly repository: string;
  /** Commit of the sources, 7 to 40 hexadecimal digits. */
  readonly commit: string;
  /** Path of the Dockerfile in the repository. @default 'Dockerfile' */
  readonly dockerfile?: string;
}

/**
 * Options of a runbook. A value that is neither given nor known from the chart appears in the commands as a placeholder in capitals,
 * which the runbook lists at the top. Cluster, location, project and namespace can also be given as placeholders, like `CLUSTER_NAME`.
 */
export interface RunbookOptions {
  /** Mode of the cluster. @default 'standard' */
  readonly mode?: 'standard' | 'autopilot';
  /** ID of the project. @default - the project of the chart's WorkloadIdentity, or `PROJECT_ID` */
  readonly projectId?: string;
  /** Number of the project. @default - the number in the chart's WorkloadIdentity, or `PROJECT_NUMBER` */
  readonly projectNumber?: string;
  /** Name of the cluster. @default 'CLUSTER_NAME' */
  readonly cluster?: string;
  /** Zone or region of the cluster; Autopilot clusters have a region. @default 'LOCATION' */
  readonly location?: string;
  /** Zones of the TPU nodes of a regional cluster; not with Autopilot. @default - the zone of the cluster */
  readonly nodeLocations?: readonly string[];
  /** Region of buckets and images. @default - the region of `location`, or `REGION` */
  readonly region?: string;
  /** GKE version, like `1.33.0-gke.1712000` or `latest`; at least the version that the chart needs. @default 'CLUSTER_VERSION' */
  readonly clusterVersion?: string;
  /** Release channel: how early the cluster gets new GKE versions. @default - GKE's */
  readonly releaseChannel?: 'rapid' | 'regular' | 'stable' | 'extended';
  /** Machine type of the nodes without TPUs; not with Autopilot. @default - GKE's, or the type that the chart needs */
  readonly machineType?: string;
  /** Number of nodes without TPUs in each zone of the cluster; not with Autopilot. @default - GKE's: 3 */
  readonly numNodes?: number;
  /** Name of the TPU node pool, or the prefix of the names of several; not with Autopilot. @default 'tpu' */
  readonly nodePoolName?: string;
  /** Namespace that the chart is applied to: its name, or a `Namespace` of cdk8s-plus. @default - the namespace of the chart or of its WorkloadIdentity, or `default` */
  readonly namespace?: string | NamedResource;
  /** Domain of the workload identity pool; `s3ns.svc.id.goog` in a sovereign cloud. @default - the domain of the chart's WorkloadIdentity, or 'svc.id.goog' */
  readonly workloadPoolDomain?: string;
  /** Custom images that the runbook builds first. @default - none */
  readonly builds?: readonly ImageBuild[];
  /** Path of the chart's manifest, relative to the folder where the commands run. @default - `CHART.k8s.yaml` */
  readonly manifest?: string;
}

/** Validated options. */
export type ReadOptions = Omit<RunbookOptions, 'namespace'> & { readonly namespace?: string };

/** An image of Artifact Registry: its location, project, repository and name. */
export const ARTIFACT = /^([a-z0-9-]+)-docker\.pkg\.dev\/([^/]+)\/([^/]+)\/([^:@]+):[^:@]+$/;

/** Returns the valid options, and records the problems of the others. */
export function readOptions(
  options: RunbookOptions,
  images: readonly string[],
  problems: Problems,
): ReadOptions {
  const { namespace, ...others } = read(OPTIONS, options, problems) ?? {};
  for (const [index, { image }] of (others.builds ?? []).entries())
    if (!images.includes(image))
      problems.add({
        path: `builds[${String(index)}].image`,
        value: image,
        problem: 'is not an image of the chart',
        use: `one of ${images.map((one) => `'${one}'`).join(', ')}`,
      });
  return { ...others, ...(namespace !== undefined && { namespace: nameOf(namespace) }) };
}

/** Texts that match `form`. */
const like =
  (form: RegExp, problem: string, use: string, nearest: string): Grammar =>
  (value) =>
    form.test(value) ? undefined : { problem, use, nearest };

const builtImage: Grammar = (value) =>
  imageRule(value) ??
  (ARTIFACT.test(value)
    ? undefined
    : {
        problem: 'is not in Artifact Registry',
        use: 'an image in Artifact Registry with a tag',
        nearest: 'us-docker.pkg.dev/my-project/my-repository/server:v1',
      });

const BUILD: Schema<ImageBuild> = {
  properties: {
    image: essential(string(builtImage), "'us-docker.pkg.dev/my-project/my-repository/server:v1'"),
    repository: essential(
      string(
        like(
          /^https:\/\/[\w.-]+(\/[\w.-]+)+$/,
          'is not a Git repository',
          'its HTTPS address',
          'https://github.com/vllm-project/vllm',
        ),
      ),
      "'https://github.com/vllm-project/vllm'",
    ),
    commit: essential(
      string((value) =>
        /^[0-9a-f]{7,40}$/.test(value)
          ? undefined
          : { problem: 'is not a commit', use: '7 to 40 hexadecimal digits' },
      ),
      "'1a2b3c4'",
    ),
    dockerfile: optional(
      string(like(/^[\w.-]+(\/[\w.-]+)*$/, 'is not a path in the repository', 'a path', 'Dockerfile.tpu')),
    ),
  },
};

const OPTIONS: Schema<RunbookOptions> = {
  properties: {
    mode: optional(oneOf('standard', 'autopilot')),
    projectId: optional(string(orPlaceholder(projectId))),
    projectNumber: optional(string(orPlaceholder(projectNumber))),
    cluster: optional(string(orPlaceholder(clusterName))),
    location: optional(string(orPlaceholder(location))),
    nodeLocations: optional(
      list(string(orPlaceholder(zone)), { min: 1, what: "a list of zones, like ['us-west4-a']" }),
    ),
    region: optional(string(orPlaceholder(region))),
    clusterVersion: optional(
      string((value) => (value === 'latest' ? undefined : orPlaceholder(gkeVersion)(value))),
    ),
    releaseChannel: optional(oneOf('rapid', 'regular', 'stable', 'extended')),
    machineType: optional(string(orPlaceholder(machineType))),
    numNodes: optional(integer(1)),
    nodePoolName: optional(string()),
    namespace: optional(resourceName(orPlaceholder(podLabel), 'Namespace')),
    workloadPoolDomain: optional(string(cloudDomain('s3ns.svc.id.goog'))),
    builds: optional(list(object(BUILD))),
    manifest: optional(string(like(/^[^-\s]\P{Cc}*$/u, 'is not a path', 'a path', 'dist/llama.k8s.yaml'))),
  },
  rules: [autopilotProblems],
};

function* autopilotProblems(
  { mode, location: place = '' }: RunbookOptions,
  given: { readonly [K in keyof RunbookOptions]?: unknown },
): Iterable<Problem> {
  if (mode !== 'autopilot') return;
  for (const path of ['nodeLocations', 'machineType', 'numNodes', 'nodePoolName'] as const)
    if (given[path] !== undefined)
      yield {
        path,
        problem: "is set together with mode 'autopilot', where GKE creates the nodes",
        use: 'to omit it',
      };
  const around = isRegion(place) ? undefined : regionOf(place);
  if (around !== undefined)
    yield {
      path: 'location',
      value: place,
      problem: 'is a zone, but Autopilot clusters have a region',
      use: `'${around}'`,
    };
}

/** Whether one version is older than another. Compares only the parts that both have. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);
  const others = numbers(than);
  for (const [index, part] of numbers(version).entries()) {
    const other = others[index] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}
