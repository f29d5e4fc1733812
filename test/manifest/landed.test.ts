import { keyProblems, lost, merge, notLanded, strays, valueInWords } from '../../lib/manifest/landed';
import { textOf } from '../../lib/problems/problems';

const KEYED: readonly (readonly [list: string, key: string])[] = [
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['ephemeralContainers', 'name'],
  ['env', 'name'],
  ['volumes', 'name'],
  ['volumeMounts', 'mountPath'],
  ['volumeDevices', 'devicePath'],
  ['ports', 'containerPort'],
  ['ports', 'port'],
  ['imagePullSecrets', 'name'],
  ['hostAliases', 'ip'],
  ['resourceClaims', 'name'],
  ['claims', 'name'],
  ['topologySpreadConstraints', 'topologyKey'],
  ['replicatedJobs', 'name'],
  ['workerGroupSpecs', 'groupName'],
];

describe('a merged patch', () => {
  test.each(KEYED)('changes the item of %s with the same %s, and adds others at the end', (list, key) => {
    const base = {
      [list]: [
        { [key]: 'a', x: 1 },
        { [key]: 'b', x: 2 },
      ],
    };
    expect(merge(base, { [list]: [{ [key]: 'c' }, { [key]: 'b', x: 3, y: 4 }] })).toEqual({
      [list]: [{ [key]: 'a', x: 1 }, { [key]: 'b', x: 3, y: 4 }, { [key]: 'c' }],
    });
  });

  test.each<[string, unknown, unknown, unknown]>([
    ['replaces a value', { a: 1 }, { a: 2 }, { a: 2 }],
    ['removes a field', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['replaces a list without keys', { args: [1, 2] }, { args: [3] }, { args: [3] }],
    [
      'replaces a list if an item has no key',
      { env: [{ name: 'A' }] },
      { env: [{ value: '1' }] },
      { env: [{ value: '1' }] },
    ],
    ['adds a list', {}, { env: [{ name: 'A', value: null }] }, { env: [{ name: 'A' }] }],
    ['adds an object', { a: 1 }, { b: { c: null, d: 1 } }, { a: 1, b: { d: 1 } }],
    ['replaces a text with an object', { a: 'x' }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('%s', (_, base, patch, expected) => {
    expect(merge(base, patch)).toEqual(expected);
  });

  test('sorts the fields of an object like cdk8s, but keeps the order of the manifest', () => {
    expect(
      JSON.stringify(merge({ kind: 'A', spec: { z: 1, a: 2 } }, { apiVersion: 'v1', spec: { m: 3 } })),
    ).toBe(JSON.stringify({ kind: 'A', spec: { a: 2, m: 3, z: 1 }, apiVersion: 'v1' }));
  });
});

describe('a patch', () => {
  const said = (patch: unknown): readonly string[] => [...keyProblems(patch, '', '')].map(textOf);

  test.each<[string, unknown]>([
    ['keys', { spec: { containers: [{ name: 'a', args: ['x'], ports: [{ port: 1 }] }] } }],
    ['no items', { env: [] }],
    ['a list without keys', { tolerations: [{ effect: 'x' }] }],
  ])('can have %s', (_, patch) => {
    expect(said(patch)).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    [
      'an item without its key',
      { spec: { containers: [{ name: 'a', env: [{ value: '1' }] }] } },
      "spec.containers[0].env: has an item without 'name'; use a list in which every item has it, because env are merged by this key",
    ],
    [
      'an item without one of two keys',
      { ports: [{ port: 1 }, { protocol: 'TCP' }] },
      "ports: has an item without 'containerPort' or 'port'; use a list in which every item has it, because ports are merged by this key",
    ],
    [
      'a directive',
      { spec: { $patch: 'replace' } },
      'spec.$patch: is a kubectl patch directive; use only fields, and JsonPatch.remove to remove an item of a list',
    ],
  ])('cannot have %s', (_, patch, message) => {
    expect(said(patch)).toEqual([message]);
  });
});

describe('an item under a new name', () => {
  const pod = (...names: readonly string[]): object => ({
    spec: { containers: names.map((name) => ({ name, image: 'a:1' })) },
  });
  const found = (before: object, patch: object): unknown[] => [
    ...strays(merge(before, patch), before, patch),
  ];

  test.each<[string, object]>([
    ['of a known name', { spec: { containers: [{ name: 'a', tty: true }] } }],
    ['with an image', { spec: { containers: [{ name: 'b', image: 'b:1' }] } }],
    ['of a list without required fields', { spec: { volumes: [{ name: 'b' }] } }],
    ['of a list without keys', { spec: { tolerations: [{ key: 'b' }] } }],
  ])('is correct: %s', (_, patch) => {
    expect(found(pod('a'), patch)).toEqual([]);
  });

  test('without an image is probably a mistake', () => {
    expect(found(pod('server', 'proxy'), { spec: { containers: [{ name: 'sever', tty: true }] } })).toEqual([
      {
        path: 'spec.containers[sever]',
        list: 'containers',
        name: 'sever',
        needed: 'image',
        others: ['server', 'proxy'],
      },
    ]);
  });

  test.each([
    ['initContainers', 'image', 'name'],
    ['replicatedJobs', 'template', 'name'],
    ['workerGroupSpecs', 'template', 'groupName'],
  ])('in %s needs %s', (list, needed, key) => {
    expect(found({}, { [list]: [{ [key]: 'a' }] })).toEqual([
      { path: `${list}[a]`, list, name: 'a', needed, others: [] },
    ]);
    expect(found({}, { [list]: [{ [key]: 'a', [needed]: {} }] })).toEqual([]);
  });

  test('is found below an item of a known name', () => {
    const before = { replicatedJobs: [{ name: 'a', template: pod('x') }] };
    const patch = { replicatedJobs: [{ name: 'a', template: { spec: { containers: [{ name: 'y' }] } } }] };
    expect(found(before, patch)).toMatchObject([{ path: 'replicatedJobs[a].template.spec.containers[y]' }]);
  });
});

describe('the values of a patch', () => {
  const missing = (manifest: unknown, patch: unknown): unknown[] => [...notLanded(manifest, patch)];

  test.each<[string, unknown, unknown]>([
    ['equal values', { a: 1, b: { c: 'x' } }, { b: { c: 'x' } }],
    ['a removed field', { a: 1 }, { b: null }],
    ['a field that is null', { b: null }, { b: null }],
    [
      'items with keys in any order',
      { env: [{ name: 'B' }, { name: 'A', value: '1' }] },
      { env: [{ name: 'A', value: '1' }] },
    ],
    ['a list', { args: ['a', 'b'] }, { args: ['a', 'b'] }],
    ['no items', {}, { args: [] }],
  ])('are in the manifest: %s', (_, manifest, patch) => {
    expect(missing(manifest, patch)).toEqual([]);
  });

  test.each<[string, unknown, unknown, unknown]>([
    ['another value', { a: 1 }, { a: 2 }, { path: 'a', wanted: 2, found: 1 }],
    [
      'a field that was not removed',
      { a: { b: 1 } },
      { a: { b: null } },
      { path: 'a.b', wanted: null, found: 1 },
    ],
    ['an object instead of a text', { a: 'x' }, { a: { b: 1 } }, { path: 'a', wanted: { b: 1 }, found: 'x' }],
    [
      'a list of another length',
      { args: ['a'] },
      { args: ['a', 'b'] },
      { path: 'args', wanted: ['a', 'b'], found: ['a'] },
    ],
    [
      'another item of a list',
      { args: ['a', 'c'] },
      { args: ['a', 'b'] },
      { path: 'args[1]', wanted: 'b', found: 'c' },
    ],
    ['no list', { env: 'x' }, { env: [{ name: 'A' }] }, { path: 'env', wanted: [{ name: 'A' }], found: 'x' }],
    [
      'no such item',
      { env: [] },
      { env: [{ name: 'A' }] },
      { path: 'env[A]', wanted: { name: 'A' }, found: undefined },
    ],
    [
      'another value in an item',
      { env: [{ name: 'A', value: '2' }] },
      { env: [{ name: 'A', value: '1' }] },
      { path: 'env[A].value', wanted: '1', found: '2' },
    ],
  ])('are missing: %s', (_, manifest, patch, expected) => {
    expect(missing(manifest, patch)).toEqual([expected]);
  });
});

describe('the input of a construct', () => {
  const gone = (held: unknown, rendered: unknown): unknown[] => [...lost(held, rendered)];

  test.each<[string, unknown, unknown]>([
    ['equal values', { a: 1, b: [{ c: 'x' }] }, { a: 1, b: [{ c: 'x' }] }],
    ['unset values', { a: undefined, b: null }, {}],
    ['a quantity', { cpu: { value: '4' } }, { cpu: '4' }],
    ['an object with one field that is called value', { a: { value: '4' } }, { a: { value: '4' } }],
    ['names that are spelled differently', { clusterIp: 'x' }, { clusterIP: 'x' }],
    ['names with other characters', { 'a-b': 1 }, { aB: 1 }],
  ])('is rendered: %s', (_, held, rendered) => {
    expect(gone(held, rendered)).toEqual([]);
  });

  test.each<[string, unknown, unknown, unknown]>([
    ['an unknown field', { a: { b: 1 } }, { a: {} }, { path: 'a.b', wanted: 1, found: undefined }],
    ['an object', { a: { b: 1 } }, {}, { path: 'a', wanted: { b: 1 }, found: undefined }],
    ['another value', { a: 1 }, { a: 2 }, { path: 'a', wanted: 1, found: 2 }],
    ['a quantity', { cpu: { value: '4' } }, { cpu: '8' }, { path: 'cpu', wanted: '4', found: '8' }],
    [
      'a field with a dot',
      { labels: { 'a.b/c': 'x' } },
      { labels: {} },
      { path: 'labels[a.b/c]', wanted: 'x', found: undefined },
    ],
    [
      'an item with a name',
      { env: [{ name: 'A', value: '1' }] },
      { env: [{ name: 'A' }] },
      { path: 'env[A].value', wanted: '1', found: undefined },
    ],
    ['an item', { args: ['a'] }, {}, { path: 'args[0]', wanted: 'a', found: undefined }],
  ])('is lost: %s', (_, held, rendered, expected) => {
    expect(gone(held, rendered)).toEqual([expected]);
  });
});

test('a missing value is shown in words', () => {
  expect([valueInWords(undefined), valueInWords('a'), valueInWords(null)]).toEqual([
    'nothing',
    "'a'",
    "'null'",
  ]);
});
