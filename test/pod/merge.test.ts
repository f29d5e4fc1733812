import { IntOrString, Quantity } from 'cdk8s-plus-29/lib/imports/k8s';
import { agree, fill, fix, inFragment, textOfPath, withoutNulls } from '../../lib/pod/merge';
import { Problems, textOf } from '../../lib/problems/problems';

/** The value of a field in two fragments, and the messages. */
function agreed(
  path: string,
  left: unknown,
  right: unknown,
): { readonly value: unknown; readonly said: readonly string[] } {
  const problems = new Problems();
  const value = agree(left, right, path.split('.'), problems, new WeakSet());
  return { value, said: problems.all.map(textOf) };
}

const filled = (
  path: string,
  given: unknown,
  defaults: unknown,
  order: 'given first' | 'defaults first' = 'defaults first',
): unknown => fill(given, defaults, order, new WeakSet(), path === '' ? [] : path.split('.'));

describe('a path', () => {
  test.each([
    ['env', 'name'],
    ['labels', 'app'],
    ['annotations', 'a'],
    ['nodeSelector', 'a'],
    ['volumes', 'a'],
    ['volumeMounts', '/a'],
    ['sidecars', 'a'],
    ['sysctls', 'a'],
    ['matchLabels', 'a'],
    ['overhead', 'cpu'],
    ['requests', 'cpu'],
    ['limits', 'cpu'],
    ['volumeDevices', '/dev/a'],
    ['ports', '80/TCP'],
    ['initContainers', 'a'],
    ['imagePullSecrets', 'a'],
    ['hostAliases', '10.0.0.1'],
    ['resourceClaims', 'a'],
    ['topologySpreadConstraints', 'zone'],
    ['tolerations', '10'],
  ])('below %s shows %s in brackets', (field, part) => {
    expect(textOfPath([field, part, 'x'])).toBe(`${field}[${part}].x`);
  });

  test.each<[readonly string[], string]>([
    [[], ''],
    [['pod', '1a'], 'pod.1a'],
    [['pod', 'a1'], 'pod.a1'],
    [['pod', 'affinity'], 'pod.affinity'],
  ])('%p is %p', (path, text) => {
    expect(textOfPath(path)).toBe(text);
  });

  test.each<[string, string]>([
    ['nodeSelector.a', 'nodeSelector.a'],
    ['tolerations.0', 'tolerations.0'],
    ['volumes.a', 'volumes.a'],
    ['affinity', 'pod.affinity'],
    ['containers.main.env.A', 'env.A'],
    ['containers.main.volumeMounts', 'volumeMounts'],
    ['containers.main.resources.limits', 'resources.limits'],
    ['containers.main.image', 'container.image'],
    ['containers.main', 'container'],
    ['containers.other.env', 'sidecars.other.env'],
  ])('of a pod, %s, is %s in a fragment', (path, expected) => {
    expect(inFragment('main', path.split('.')).join('.')).toBe(expected);
  });
});

describe('two values of the user', () => {
  test.each<[string, string, unknown, unknown, unknown]>([
    ['only the first', 'pod.a', 1, undefined, 1],
    ['only the second', 'pod.a', undefined, 1, 1],
    ['equal texts', 'pod.a', 'a', 'a', 'a'],
    ['equal objects with another order', 'pod.a', { b: 1, c: 2 }, { c: 2, b: 1 }, { b: 1, c: 2 }],
    ['objects with different fields', 'pod.a', { b: 1 }, { c: { d: 2 } }, { b: 1, c: { d: 2 } }],
    ['an object and unset fields', 'pod.a', undefined, { c: { d: undefined } }, { c: {} }],
    ['a removal and a value', 'pod.a', null, [1], [1]],
    ['a value and a removal', 'pod.a', 'x', null, 'x'],
    ['two removals', 'pod.a', null, null, null],
    [
      'equal quantities',
      'pod.a',
      Quantity.fromString('4'),
      Quantity.fromString('4'),
      Quantity.fromString('4'),
    ],
    ['arguments', 'container.args', ['--a'], ['--a', '--b'], ['--a', '--a', '--b']],
    ['equal commands', 'container.command', ['a'], ['a'], ['a']],
    [
      'lists without keys',
      'tolerations',
      [{ key: 'a' }],
      [{ key: 'b' }, { key: 'a' }],
      [{ key: 'a' }, { key: 'b' }],
    ],
    [
      'variables',
      'env',
      [{ name: 'A', value: '1' }],
      [
        { name: 'B', value: '2' },
        { name: 'A', value: '1' },
      ],
      [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    ],
    ['an empty variable', 'env', [{ name: 'A', value: '' }], [{ name: 'A' }], [{ name: 'A', value: '' }]],
    [
      'a removed variable and its value',
      'env',
      [
        { name: 'A', value: null },
        { name: 'B', value: '1' },
      ],
      [{ name: 'A', value: '2' }],
      [
        { name: 'B', value: '1' },
        { name: 'A', value: '2' },
      ],
    ],
    [
      'a variable and its removal',
      'env',
      [{ name: 'A', value: '2' }],
      [{ name: 'A', value: null }],
      [{ name: 'A', value: '2' }],
    ],
    [
      'two removed variables',
      'env',
      [{ name: 'A', value: null }],
      [{ name: 'A', value: null }],
      [{ name: 'A', value: null }],
    ],
    [
      'mounts with a slash at the end',
      'volumeMounts',
      [{ name: 'a', mountPath: '/a/' }],
      [{ name: 'a', mountPath: '/a' }],
      [{ name: 'a', mountPath: '/a/' }],
    ],
    [
      'ports with and without TCP',
      'container.ports',
      [{ containerPort: 80 }],
      [
        { containerPort: 80, protocol: 'TCP' },
        { containerPort: 80, protocol: 'UDP' },
      ],
      [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
    ],
  ])('%s', (_, path, left, right, value) => {
    expect(agreed(path, left, right)).toEqual({ value, said: [] });
  });

  test.each<[string, string, unknown, unknown, string]>([
    ['texts', 'pod.a', 'x', 'y', "pod.a: has two values, 'x' and 'y'; use one of them"],
    [
      'a text and a number',
      'pod.a',
      '1',
      { b: 1 },
      "pod.a: has two values, '1' and '{\"b\":1}'; use one of them",
    ],
    [
      'a list and an object',
      'pod.a',
      [1],
      { b: 1 },
      "pod.a: has two values, '[1]' and '{\"b\":1}'; use one of them",
    ],
    [
      'an object and a list',
      'pod.a',
      { b: 1 },
      [1],
      "pod.a: has two values, '{\"b\":1}' and '[1]'; use one of them",
    ],
    ['parts', 'pod.a', { b: 1 }, { b: 2 }, "pod.a.b: has two values, '1' and '2'; use one of them"],
    [
      'quantities',
      'resources.limits',
      { cpu: Quantity.fromString('4') },
      { cpu: Quantity.fromString('8') },
      "resources.limits[cpu]: has two values, '4' and '8'; use one of them",
    ],
    [
      'commands',
      'container.command',
      ['a'],
      ['b'],
      'container.command: has two values, \'["a"]\' and \'["b"]\'; use one of them',
    ],
    [
      'variables',
      'env',
      [{ name: 'A', value: '1' }],
      [{ name: 'A', value: '2' }],
      "env[A]: has two values, '1' and '2'; use one of them",
    ],
  ])('that differ are a problem: %s', (_, path, left, right, message) => {
    expect(agreed(path, left, right)).toEqual({ value: left, said: [message] });
  });

  test.each<[string, string]>([
    ['volumes', 'name'],
    ['container.volumeDevices', 'devicePath'],
    ['pod.initContainers', 'name'],
    ['pod.imagePullSecrets', 'name'],
    ['pod.hostAliases', 'ip'],
    ['pod.resourceClaims', 'name'],
    ['pod.topologySpreadConstraints', 'topologyKey'],
    ['pod.securityContext.sysctls', 'name'],
  ])('in %s are of one item if their %s is equal', (path, key) => {
    const item = { [key]: 'a', other: 1 };
    expect(agreed(path, [item], [{ other: 1, [key]: 'a' }, { [key]: 'b' }])).toEqual({
      value: [item, { [key]: 'b' }],
      said: [],
    });
    expect(agreed(path, [item], [{ [key]: 'a', other: 2 }]).said).toEqual([
      expect.stringContaining(': has two values, '),
    ]);
    expect(filled(path, [item], [{ [key]: 'b' }, { [key]: 'a' }])).toEqual([{ [key]: 'b' }, item]);
  });
});

describe('a value of the user and a default', () => {
  test.each<[string, string, unknown, unknown, unknown]>([
    ['only the value', 'pod.a', 1, undefined, 1],
    ['only the default', 'pod.a', undefined, 1, 1],
    ['both', 'pod.a', 1, 2, 1],
    ['a removal', 'pod.a', null, 2, null],
    ['a removal of nothing', 'pod.a', null, undefined, null],
    ['a list and an object', 'pod.a', [1], { b: 1 }, [1]],
    ['an object and a list', 'pod.a', { b: 1 }, [1], { b: 1 }],
    ['objects', 'pod.a', { b: 1 }, { b: 2, c: 3 }, { b: 1, c: 3 }],
    ['names of every object', 'labels', {}, { toString: 'a' }, { toString: 'a' }],
    ['a quantity', 'pod.a', Quantity.fromString('4'), { b: 1 }, Quantity.fromString('4')],
    ['lists without keys', 'tolerations', [{ key: 'a' }], [{ key: 'b' }], [{ key: 'a' }]],
    [
      'variables',
      'env',
      [{ name: 'A', value: '1' }, { name: 'C' }],
      [{ name: 'B' }, { name: 'A' }],
      [{ name: 'B' }, { name: 'A', value: '1' }, { name: 'C' }],
    ],
    ['arguments', 'container.args', ['--b'], ['--a'], ['--a', '--b']],
    [
      'a gRPC probe',
      '',
      { grpc: { port: 1 } },
      { httpGet: { port: 2 }, periodSeconds: 5 },
      { grpc: { port: 1 }, periodSeconds: 5 },
    ],
    [
      'a hook that sleeps',
      '',
      { sleep: { seconds: 1 } },
      { exec: { command: [] } },
      { sleep: { seconds: 1 } },
    ],
    [
      'a privileged container',
      '',
      { privileged: true },
      { allowPrivilegeEscalation: false, a: 1 },
      { privileged: true, a: 1 },
    ],
    [
      'a container that is not privileged',
      '',
      { privileged: false },
      { allowPrivilegeEscalation: false },
      { privileged: false, allowPrivilegeEscalation: false },
    ],
    [
      'a limit',
      '',
      { limits: { cpu: 1 } },
      { requests: { cpu: 2, memory: 3 } },
      { limits: { cpu: 1 }, requests: { memory: 3 } },
    ],
  ])('%s', (_, path, given, defaults, value) => {
    expect(filled(path, given, defaults)).toEqual(value);
  });

  test('can come first', () => {
    expect(filled('container.args', ['--b'], ['--a'], 'given first')).toEqual(['--b', '--a']);
    expect(filled('env', [{ name: 'A', value: '1' }], [{ name: 'B' }, { name: 'A' }], 'given first')).toEqual(
      [{ name: 'A', value: '1' }, { name: 'B' }],
    );
  });

  test.each<[string, unknown, unknown, unknown]>([
    ['object', null, { a: 1 }, { a: 1 }],
    ['object, given first', { a: 1 }, null, { a: 1 }],
    ['list', null, [{ name: 'A' }], [{ name: 'A' }]],
  ])('replaces the default as a whole if a fragment removes it: %s', (_, left, right, value) => {
    const exact = new WeakSet();
    const both = agree(left, right, ['pod', 'a'], new Problems(), exact);
    expect(fill(both, { b: 2 }, 'defaults first', exact, ['pod', 'a'])).toEqual(value);
    const three = agree(both, right ?? left, ['pod', 'a'], new Problems(), exact);
    expect(fill(three, { b: 2 }, 'defaults first', exact, ['pod', 'a'])).toEqual(value);
    const turned = agree(right ?? left, both, ['pod', 'a'], new Problems(), exact);
    expect(fill(turned, { b: 2 }, 'defaults first', exact, ['pod', 'a'])).toEqual(value);
  });
});

test.each<[string, unknown, unknown]>([
  ['a removed field', { a: null, b: { c: null, d: 1 } }, { b: { d: 1 } }],
  ['a removed item', [{ name: 'A', value: null }, { name: 'B' }, 1], [{ name: 'B' }, 1]],
  ['a removed value', null, undefined],
  ['nothing', { a: [1] }, { a: [1] }],
])('withoutNulls() leaves out %s', (_, value, expected) => {
  expect(withoutNulls(value)).toStrictEqual(expected);
});

describe('a fact', () => {
  const fixed = (
    path: string,
    value: unknown,
    facts: unknown,
    given: unknown,
  ): { readonly value: unknown; readonly said: readonly string[] } => {
    const problems = new Problems();
    return { value: fix(value, facts, given, path.split('.'), problems), said: problems.all.map(textOf) };
  };
  const use = 'use another slice, or override() on the rendered object';

  test.each<[string, string, unknown, unknown, unknown, unknown, ...string[]]>([
    ['none', 'pod.a', 1, undefined, 1, 1],
    ['instead of a default', 'pod.a', 1, 2, undefined, 2],
    ['in an object', 'pod.a', { b: 1 }, { c: 2 }, undefined, { b: 1, c: 2 }],
    ['without a value', 'pod.a', undefined, { c: 2 }, undefined, { c: 2 }],
    ['equal to the value of the user', 'pod.a', { c: 2 }, { c: 2 }, { c: 2 }, { c: 2 }],
    ['equal to a wrapped value', 'pod.a', IntOrString.fromNumber(2), 2, IntOrString.fromNumber(2), 2],
    [
      'other than the value of the user',
      'pod.a',
      { c: 1 },
      { c: 2 },
      { c: 1 },
      { c: 2 },
      `pod.a.c: '1' differs from '2', which follows from the slice; ${use}`,
    ],
    [
      'that the user removes',
      'pod.a',
      null,
      { c: 2 },
      null,
      { c: 2 },
      `pod.a.c: cannot be removed: the slice needs '2'; ${use}`,
    ],
    [
      'other than a label of the user',
      'labels',
      { app: 'a' },
      { app: 'b' },
      { app: 'a' },
      { app: 'b' },
      "labels[app]: 'a' differs from 'b', which selects the pods; remove it",
    ],
    [
      'that is a label that the user removes',
      'labels',
      { app: null },
      { app: 'b' },
      { app: null },
      { app: 'b' },
      "labels[app]: cannot be removed: 'b' selects the pods; remove it",
    ],
  ])('%s', (_, path, value, facts, given, expected, ...said) => {
    expect(fixed(path, value, facts, given)).toEqual({ value: expected, said });
  });
});
