import { containerType, fragmentType, resourcesType } from '../../lib/pod/fragment-type';
import { Problems, textOf } from '../../lib/problems/problems';
import { type Type } from '../../lib/problems/schema';

/** The messages about a value; none if the type returns it unchanged. */
function said<T>(type: Type<T>, value: unknown): readonly string[] {
  const problems = new Problems();
  const usable = type.read(value, 'it', problems);
  expect(usable).toEqual(problems.count === 0 ? value : undefined);
  return problems.all.map(textOf);
}

const OBJECT_FIELDS = {
  '': ['annotations', 'labels', 'nodeSelector', 'resources', 'container', 'pod'],
  container: ['lifecycle', 'livenessProbe', 'readinessProbe', 'securityContext', 'startupProbe'],
  pod: ['affinity', 'dnsConfig', 'securityContext'],
};
const LIST_FIELDS = {
  '': ['tolerations', 'volumes', 'volumeMounts', 'env'],
  container: ['envFrom', 'ports', 'volumeDevices'],
  pod: [
    'ephemeralContainers',
    'hostAliases',
    'imagePullSecrets',
    'initContainers',
    'readinessGates',
    'resourceClaims',
    'schedulingGates',
    'topologySpreadConstraints',
  ],
};
const rows = (fields: Readonly<Record<string, readonly string[]>>): (readonly [string, string])[] =>
  Object.entries(fields).flatMap(([part, names]) => names.map((name) => [part, name] as const));
const put = (part: string, name: string, value: unknown): object =>
  part === '' ? { [name]: value } : { [part]: { [name]: value } };
const at = (part: string, name: string): string => ['it', part, name].filter((word) => word !== '').join('.');

describe('a fragment', () => {
  test('is described', () => {
    expect(fragmentType.what).toBe('a fragment');
    expect(containerType.what).toBe('a container');
  });

  test.each(rows(OBJECT_FIELDS))('has an object in %s %s', (part, name) => {
    expect(said(fragmentType, put(part, name, {}))).toEqual([]);
    expect(said(fragmentType, put(part, name, null))).toEqual([]);
    expect(said(fragmentType, put(part, name, []))).toEqual([`${at(part, name)}: is a list; use an object`]);
  });

  test.each(rows(LIST_FIELDS))('has a list in %s %s', (part, name) => {
    expect(said(fragmentType, put(part, name, []))).toEqual([]);
    expect(said(fragmentType, put(part, name, null))).toEqual([]);
    expect(said(fragmentType, put(part, name, {}))).toEqual([`${at(part, name)}: is an object; use a list`]);
  });

  test.each(['args', 'command'])('has texts in %s of its container', (name) => {
    expect(said(fragmentType, put('container', name, ['a']))).toEqual([]);
    expect(said(fragmentType, put('container', name, [1]))).toEqual([
      `it.container.${name}[0]: '1' is a number; use a string`,
    ]);
  });

  test('is an object', () => {
    expect(said(fragmentType, 'a')).toEqual(["it: 'a' is a string; use an object with fields of the pod"]);
  });

  test('can have the fields of a volume, and unset ones of any name', () => {
    expect(said(fragmentType, { mountPath: '/a', readOnly: true, lables: undefined })).toEqual([]);
  });

  test('has no unknown field', () => {
    expect(said(fragmentType, { lables: {} })).toEqual([
      "it.lables: unknown property; did you mean 'labels'?",
    ]);
  });

  test('of a class can have other properties', () => {
    class Volume {
      readonly bucket = 'my-models';
      readonly volumes = [];
    }
    expect(said(fragmentType, new Volume())).toEqual([]);
  });
});

describe('a sidecar', () => {
  const image = 'proxy:v1';

  test('has a name and an image', () => {
    expect(said(containerType, { name: 'proxy', image })).toEqual([]);
    expect(said(containerType, {})).toEqual([
      'it.name: required; use a string',
      'it.image: required; use a string',
    ]);
    expect(said(containerType, 1)).toEqual([
      "it: '1' is a number; use a container, with a name and an image",
    ]);
  });

  test.each(['env', 'volumeMounts', 'ports', 'envFrom', 'volumeDevices'])('has a list in %s', (name) => {
    expect(said(containerType, { name: 'proxy', image, [name]: [] })).toEqual([]);
    expect(said(containerType, { name: 'proxy', image, [name]: {} })).toEqual([
      `it.${name}: is an object; use a list`,
    ]);
  });

  test('has an object in resources', () => {
    expect(said(containerType, { name: 'proxy', image, resources: [] })).toEqual([
      'it.resources: is a list; use an object',
    ]);
  });
});

describe('resources', () => {
  test.each([
    ['no amounts', {}],
    ['an unset amount', { limits: { cpu: undefined, memory: '1Gi' } }],
    ['cores', { requests: { cpu: '500m' } }],
    ['bytes', { limits: { memory: '32Gi', 'ephemeral-storage': '1Ti' } }],
    [
      'a few of other things',
      { limits: { 'google.com/tpu': '4', 'hugepages-2Mi': '4', 'example.com/memory': '1' } },
    ],
    [
      'a few of things with names like memory',
      { limits: { 'memory-ticket': '1', 'ephemeral-storage2': '1' } },
    ],
  ])('can be %s', (_, value) => {
    const problems = new Problems();
    expect(resourcesType.read(value, 'it', problems)).toBeDefined();
    expect(problems.all).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    [
      'cores in words',
      { limits: { cpu: '8 cores' } },
      "it.limits[cpu]: '8 cores' is not a quantity; use a number with a suffix, for example '8'",
    ],
    [
      'bytes without a suffix',
      { limits: { memory: '32' } },
      "it.limits[memory]: '32' is less than 1 MB; use bytes with a suffix, for example '32G'",
    ],
    [
      'a disk without a suffix',
      { requests: { 'ephemeral-storage': '32' } },
      "it.requests[ephemeral-storage]: '32' is less than 1 MB; use bytes with a suffix, for example '32G'",
    ],
    [
      'a number',
      { limits: { memory: 32 } },
      "it.limits[memory]: '32' is a number; use a quantity as a string",
    ],
    ['a list', { limits: [] }, "it.limits: is a list; use an object like { cpu: '8', memory: '32Gi' }"],
    ['an unknown field', { limit: {} }, "it.limit: unknown property; did you mean 'limits'?"],
  ])('cannot be %s', (_, value, message) => {
    const problems = new Problems();
    resourcesType.read(value, 'it', problems);
    expect(problems.all.map(textOf)).toEqual([message]);
  });

  test('keep their valid amounts', () => {
    const problems = new Problems();
    expect(resourcesType.read({ limits: { cpu: '8', memory: 'all' } }, 'it', problems)).toEqual({
      limits: { cpu: '8' },
    });
  });
});
