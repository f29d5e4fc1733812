import { GCS_FUSE_DRIVER } from '../facts/gcs-fuse';
import { ACCELERATOR_LABEL, TPU_RESOURCE } from '../facts/labels';
import {
  absolutePath,
  bare,
  cores,
  type Grammar,
  holdsToken,
  INT32,
  integerProblem,
  labelKey,
  labelValue,
  podLabel,
  portName,
  quantity,
  quantityOf,
  variableName,
} from '../problems/grammar';
import { type Problem, type Problems } from '../problems/problems';
import { misfit } from '../problems/schema';
import { GENERATIONS } from '../tpu/generations';
import { HANDLERS, inFragment, type Path, textOfPath } from './merge';

type Texts = Readonly<Record<string, unknown>>;

/** A container of a manifest. */
interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly unknown[];
  readonly args?: readonly unknown[];
  readonly env?: readonly { readonly name: string; readonly value?: unknown }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly protocol?: string;
  }[];
  readonly resources?: Partial<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly startupProbe?: object;
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
  readonly lifecycle?: { readonly postStart?: object; readonly preStop?: object };
  readonly securityContext?: { readonly privileged?: boolean; readonly allowPrivilegeEscalation?: boolean };
}

interface Volume {
  readonly name: string;
  readonly csi?: { readonly driver: string; readonly volumeAttributes?: Texts };
}

interface PodSpec {
  readonly nodeSelector?: Texts;
  readonly subdomain?: string;
  readonly hostname?: string;
  readonly hostNetwork?: boolean;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
}

/** Collects the problems of a pod. Paths start at the fragment. */
interface Findings {
  readonly add: (path: Path, problem: Omit<Problem, 'path'> | undefined) => void;
}

/** Records problems that make Kubernetes reject a pod. `main` is the name of the main container. */
export function checkTemplate(
  template: {
    readonly metadata: { readonly labels?: Texts; readonly annotations?: Texts };
    readonly spec: Readonly<Record<string, unknown>>;
  },
  main: string,
  problems: Problems,
): void {
  const spec = template.spec as unknown as PodSpec;
  const findings: Findings = {
    add: (path, problem) => {
      if (problem) problems.add({ ...problem, path: textOfPath(path) });
    },
  };
  checkTexts(['labels'], template.metadata.labels, labelValue, findings);
  checkTexts(['annotations'], template.metadata.annotations, () => undefined, findings);
  checkTexts(['nodeSelector'], spec.nodeSelector, labelValue, findings);
  for (const field of ['subdomain', 'hostname'] as const) {
    const value = spec[field];
    if (value !== undefined) findings.add(['pod', field], about(value, podLabel));
  }
  checkVolumes(spec, findings);
  checkContainers(spec, main, findings);
}

/** Returns the problem of a text, with the text. */
const about = (value: string, grammar: Grammar): Omit<Problem, 'path'> | undefined => {
  const wrong = grammar(value);
  return wrong && { value, ...wrong };
};

const twice = (what: string, use: string): Omit<Problem, 'path'> => ({ problem: `is ${what} twice`, use });

function checkTexts(path: Path, texts: Texts = {}, grammar: Grammar, { add }: Findings): void {
  for (const [key, value] of Object.entries(texts)) {
    add([...path, key], labelKey(key));
    add([...path, key], notText(value) ?? about(value as string, grammar));
  }
}

/** Returns the problem of a value that must be a string. */
function notText(value: unknown): Omit<Problem, 'path'> | undefined {
  if (typeof value === 'string') return undefined;
  const wrong = misfit('', value, 'a string');
  return typeof value === 'number' || typeof value === 'boolean'
    ? { ...wrong, nearest: String(value) }
    : wrong;
}

function checkVolumes({ volumes = [], hostNetwork }: PodSpec, { add }: Findings): void {
  for (const { name, csi } of volumes) {
    add(['volumes', name], about(name, podLabel));
    // https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver/pull/865
    if (
      hostNetwork === true &&
      csi?.driver === GCS_FUSE_DRIVER &&
      csi.volumeAttributes?.['hostNetworkPodKSA'] !== 'true'
    )
      add(['volumes', name], {
        problem: 'is a bucket in a pod with hostNetwork, where Cloud Storage FUSE has no identity',
        use: "to remove hostNetwork, or set hostNetworkPodKSA: 'true' in the volumeAttributes of the volume",
      });
  }
  for (const name of repeated(volumes.map((one) => one.name)))
    add(['volumes', name], twice('declared', 'different names'));
}

function checkContainers(spec: PodSpec, main: string, findings: Findings): void {
  const { containers, initContainers = [], volumes = [] } = spec;
  const all = [
    ...containers.map((one): [Path, Container] => [inFragment(main, ['containers', one.name]), one]),
    ...initContainers.map((one): [Path, Container] => [['pod', 'initContainers', one.name], one]),
  ];
  for (const name of repeated(all.map(([, one]) => one.name)))
    findings.add(['sidecars', name], {
      problem: 'has the name of another container',
      use: 'different names',
    });
  for (const [path, container] of all)
    checkContainer(
      container,
      volumes,
      // env, volumeMounts and resources of the main container are fields of the fragment.
      (field, ...rest) =>
        path.length === 1
          ? inFragment(main, ['containers', main, field, ...rest])
          : [...path, field, ...rest],
      findings,
    );

  checkChips(spec, findings);
  const ports = containers.flatMap((one) =>
    (one.ports ?? []).map(({ containerPort, protocol = 'TCP' }) => `${String(containerPort)}/${protocol}`),
  );
  for (const port of repeated(ports))
    findings.add(['container', 'ports', port], {
      problem: 'is declared twice: all containers of a pod share its ports',
      use: 'different ports',
    });
}

/**
 * Containers of one pod can share the chips of a host on tpu7x, one container for each NUMA node.
 *
 * @see https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/tree/1f88a5e1/ai-ml
 */
function checkChips({ containers, nodeSelector }: PodSpec, { add }: Findings): void {
  const withChips = containers.filter(({ resources }) => resources?.limits?.[TPU_RESOURCE] !== undefined);
  const accelerator = nodeSelector?.[ACCELERATOR_LABEL];
  const shares = accelerator === undefined || accelerator === GENERATIONS.tpu7x.accelerator;
  if (withChips.length > (shares ? NUMA_NODES : 1))
    add(['resources', 'limits', TPU_RESOURCE], {
      problem: `is set by containers ${withChips.map(({ name }) => `'${name}'`).join(', ')}`,
      use: shares
        ? 'at most two containers with chips, one for each NUMA node of tpu7x'
        : 'one container with chips: only hosts of tpu7x have two NUMA nodes',
    });
}

/** Number of NUMA nodes of a tpu7x host. */
const NUMA_NODES = 2;

type At = (field: string, ...rest: readonly string[]) => Path;

function checkContainer(container: Container, volumes: readonly Volume[], at: At, findings: Findings): void {
  const { add } = findings;
  const { name, image, env = [], volumeMounts = [], resources = {} } = container;
  add(at('name'), about(name, podLabel));
  if (image === undefined || image === '')
    add(at('image'), { problem: 'required', use: 'an image with a tag or digest' });
  for (const one of repeated(env.map((variable) => variable.name)))
    add(at('env', one), twice('set', 'one of them'));
  for (const variable of env) checkVariable(at('env', variable.name), variable, findings);
  for (const field of ['command', 'args'] as const)
    if ((container[field] ?? []).some((arg) => holdsToken(String(arg)))) add(at(field), TOKEN);
  for (const folder of repeated(volumeMounts.map(({ mountPath }) => bare(mountPath))))
    add(at('volumeMounts', folder), twice('mounted', 'different folders'));
  for (const mount of volumeMounts) {
    add(at('volumeMounts', mount.mountPath), about(mount.mountPath, absolutePath));
    if (!volumes.some((volume) => volume.name === mount.name))
      add(at('volumeMounts', mount.mountPath), {
        problem: `mounts volume '${mount.name}', which the pod does not have`,
        use:
          volumes.length === 0 ? "a volume in 'volumes'" : volumes.map((one) => `'${one.name}'`).join(' or '),
      });
  }
  checkResources(at, resources, findings);
  checkPorts(container, at, findings);
  checkHandlers(container, at, findings);
  const { privileged, allowPrivilegeEscalation } = container.securityContext ?? {};
  if (privileged === true && allowPrivilegeEscalation === false)
    add(at('securityContext', 'allowPrivilegeEscalation'), {
      value: false,
      problem: 'contradicts privileged: true',
      use: 'one of them',
    });
}

const TOKEN: Omit<Problem, 'path'> = {
  problem: 'contains a Hugging Face token, which everyone who reads the manifest can use',
  use: "huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret",
};

function checkVariable(
  path: Path,
  { name, value }: { readonly name: string; readonly value?: unknown },
  { add }: Findings,
): void {
  add(path, variableName(name));
  if (value === undefined) return;
  const wrong = notText(value);
  add(path, wrong ?? (holdsToken(value as string) ? TOKEN : undefined));
}

function checkPorts({ ports = [] }: Container, at: At, { add }: Findings): void {
  for (const { containerPort, protocol = 'TCP', name } of ports) {
    const path = at('ports', `${String(containerPort)}/${protocol}`);
    const wrong = integerProblem(containerPort, 1, 65535);
    add([...path, 'containerPort'], wrong && { value: containerPort, ...wrong });
    add([...path, 'name'], name === undefined ? undefined : about(name, portName));
  }
  for (const name of repeated(ports.flatMap((one) => one.name ?? [])))
    add(at('ports'), { problem: `has the name '${name}' twice`, use: 'different names' });
}

function checkResources(
  at: At,
  { requests = {}, limits = {} }: Required<Container>['resources'],
  { add }: Findings,
): void {
  for (const resource of new Set([...Object.keys(requests), ...Object.keys(limits)])) {
    const [request, limit] = [requests[resource], limits[resource]];
    const wrong = Object.entries({ requests: request, limits: limit }).flatMap(([kind, amount]) => {
      const problem = amount === undefined ? undefined : about(amount, resource === 'cpu' ? cores : quantity);
      add(at('resources', kind, resource), problem);
      return problem ? [problem] : [];
    });
    if (wrong.length === 0)
      add(at('resources', 'requests', resource), requestProblem(resource, request, limit));
  }
}

/** Returns the problem of a request with its limit. For Kubernetes, a limit without a request is also the request. */
function requestProblem(
  resource: string,
  request: string | undefined,
  limit: string | undefined,
): Omit<Problem, 'path'> | undefined {
  const [requested, limited] = [request ?? limit, limit].map((amount) => quantityOf(amount ?? ''));
  const value = request ?? limit;
  // An extended resource cannot be divided, and its request must equal its limit.
  if (resource.includes('/'))
    return requested === limited && Number.isInteger(limited)
      ? undefined
      : {
          value,
          problem:
            limit === undefined ? 'has no limit' : `is not a whole number equal to the limit '${limit}'`,
          use:
            resource === TPU_RESOURCE
              ? 'the chips of the container as request and as limit'
              : 'the same whole number as request and as limit',
          ...(resource !== TPU_RESOURCE && { nearest: String(Math.ceil(quantityOf(value ?? '')) || 1) }),
        };
  return requested !== undefined && limited !== undefined && requested > limited
    ? { value, problem: `is more than the limit '${limit ?? ''}'`, use: `at most '${limit ?? ''}'` }
    : undefined;
}

/** Lowest values of the fields of probes. Kubernetes sets missing fields. */
const PROBE_NUMBERS = {
  initialDelaySeconds: 0,
  periodSeconds: 1,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 1,
  terminationGracePeriodSeconds: 1,
} as const;

/** Records probes and hooks without exactly one handler, and numbers of probes that are out of range. */
function checkHandlers(container: Container, at: At, { add }: Findings): void {
  const { startupProbe, readinessProbe, livenessProbe, lifecycle = {} } = container;
  const probes = { startupProbe, readinessProbe, livenessProbe };
  for (const [path, handler] of [
    ...Object.entries(probes).map(([field, one]): [Path, object | undefined] => [at(field), one]),
    ...Object.entries(lifecycle).map(([field, one]): [Path, object] => [at('lifecycle', field), one]),
  ]) {
    if (handler === undefined) continue;
    const found = Object.keys(handler).filter((key) => HANDLERS.includes(key));
    if (found.length !== 1)
      add(path, {
        problem: found.length === 0 ? 'has no handler' : `has ${found.join(' and ')}`,
        use: `one of exec, ${path.includes('lifecycle') ? 'httpGet, sleep' : 'grpc, httpGet'} and tcpSocket`,
      });
    if (path.includes('lifecycle')) continue;
    for (const [field, min] of Object.entries(PROBE_NUMBERS)) {
      const value = (handler as Readonly<Record<string, unknown>>)[field];
      const wrong = typeof value === 'number' ? integerProblem(value, min, INT32) : undefined;
      add([...path, field], wrong && { value, ...wrong });
    }
  }
}

const repeated = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];
