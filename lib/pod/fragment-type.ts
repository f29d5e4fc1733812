// Types of fragments and containers. They only check the shapes that the fold needs; `written.ts` checks the fields of Kubernetes' types.
import { type Container } from 'cdk8s-plus-29/lib/imports/k8s';
import { cores, type Grammar, image, podLabel, quantity, room } from '../problems/grammar';
import { type Problems } from '../problems/problems';
import {
  isObject,
  list,
  misfit,
  object,
  optional,
  string,
  type Type,
  unknownProperty,
} from '../problems/schema';
import {
  type PodFragment,
  type ResourceAmounts,
  type ResourceRequirements,
  type SidecarContainer,
} from './fragment';

type Shape = 'list' | 'strings' | 'object';

const OF_CONTAINER: Partial<Record<keyof Container, Shape>> = {
  args: 'strings',
  command: 'strings',
  envFrom: 'list',
  ports: 'list',
  volumeDevices: 'list',
  lifecycle: 'object',
  livenessProbe: 'object',
  readinessProbe: 'object',
  securityContext: 'object',
  startupProbe: 'object',
};

const OF_POD: Partial<Record<keyof NonNullable<PodFragment['pod']>, Shape>> = {
  affinity: 'object',
  dnsConfig: 'object',
  ephemeralContainers: 'list',
  hostAliases: 'list',
  imagePullSecrets: 'list',
  initContainers: 'list',
  readinessGates: 'list',
  resourceClaims: 'list',
  schedulingGates: 'list',
  securityContext: 'object',
  topologySpreadConstraints: 'list',
};

const OF_FRAGMENT: Record<keyof PodFragment, Shape> = {
  annotations: 'object',
  labels: 'object',
  nodeSelector: 'object',
  tolerations: 'list',
  volumes: 'list',
  volumeMounts: 'list',
  env: 'list',
  resources: 'object',
  container: 'object',
  pod: 'object',
};

/** Fields of a fragment that is a volume. */
const OF_VOLUME: readonly string[] = ['mountPath', 'readOnly'];

const strings = list(string());
const WHAT: Record<Shape, string> = { list: 'a list', strings: 'a list of strings', object: 'an object' };

/** Records fields whose values do not have the required shape. */
function checkShapes(
  value: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, Shape>>,
  path: string,
  problems: Problems,
): void {
  for (const [field, shape] of Object.entries(shapes)) {
    const part = value[field];
    if (part === undefined || part === null) continue;
    const at = `${path}.${field}`;
    if (shape === 'strings') strings.read(part, at, problems);
    else if (shape === 'list' ? !Array.isArray(part) : !isObject(part))
      problems.add(misfit(at, part, WHAT[shape]));
  }
}

/** A fragment: an object literal, or an instance of a class that implements `PodFragment`. */
export const fragmentType: Type<PodFragment> = {
  what: 'a fragment',
  read: (value, path, problems) => {
    if (!isObject(value)) {
      problems.add(misfit(path, value, 'an object with fields of the pod'));
      return undefined;
    }
    const before = problems.count;
    const names = Object.keys(OF_FRAGMENT);
    // Instances of classes have other properties, too.
    if (Object.getPrototypeOf(value) === Object.prototype)
      for (const key of Object.keys(value))
        if (value[key] !== undefined && !names.includes(key) && !OF_VOLUME.includes(key))
          problems.add(unknownProperty(`${path}.${key}`, key, names));
    checkShapes(value, OF_FRAGMENT, path, problems);
    const { container, pod } = value;
    if (isObject(container)) checkShapes(container, OF_CONTAINER, `${path}.container`, problems);
    if (isObject(pod)) checkShapes(pod, OF_POD, `${path}.pod`, problems);
    return problems.count === before ? value : undefined;
  },
};

/** A container other than the main one. */
export const containerType: Type<SidecarContainer> = {
  what: 'a container',
  read: (value, path, problems) => {
    if (!isObject(value)) {
      problems.add(misfit(path, value, 'a container, with a name and an image'));
      return undefined;
    }
    const before = problems.count;
    string(podLabel).read(value['name'], `${path}.name`, problems);
    string(image).read(value['image'], `${path}.image`, problems);
    checkShapes(
      value,
      { ...OF_CONTAINER, env: 'list', volumeMounts: 'list', resources: 'object' },
      path,
      problems,
    );
    return problems.count === before ? (value as unknown as SidecarContainer) : undefined;
  },
};

/** Returns the grammar for amounts of a resource. */
const grammarOf = (resource: string): Grammar =>
  resource === 'cpu' ? cores : /^(memory|ephemeral-storage)$/.test(resource) ? room : quantity;

const AMOUNTS = "an object like { cpu: '8', memory: '32Gi' }";
const amounts: Type<ResourceAmounts> = {
  what: AMOUNTS,
  read: (value, path, problems) => {
    if (!isObject(value)) {
      problems.add(misfit(path, value, AMOUNTS));
      return undefined;
    }
    const usable: Record<string, string> = {};
    for (const [name, one] of Object.entries(value)) {
      if (one === undefined) continue;
      const read = string(grammarOf(name), 'a quantity as a string').read(one, `${path}[${name}]`, problems);
      if (read !== undefined) usable[name] = read;
    }
    return usable;
  },
};

/** Resources of a container, as strings. */
export const resourcesType: Type<ResourceRequirements> = object<ResourceRequirements>({
  properties: { requests: optional(amounts), limits: optional(amounts) },
});
