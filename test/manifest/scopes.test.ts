import path from 'node:path';
import { manifestObject } from '../../lib/manifest/manifest';
import { scopesIn } from '../../lib/manifest/scopes';

const object = (name: string, kind = 'Service', apiVersion = 'v1') =>
  manifestObject({ apiVersion, kind, metadata: { name } });

/** Files by their places below a folder, with the names of their Services. */
const scopes = (files: Readonly<Record<string, readonly string[]>>, built: readonly string[] = []) =>
  Object.fromEntries(
    [
      ...scopesIn(
        'k8s',
        Object.entries(files).map(([file, names]) => ({
          file: path.join('k8s', file),
          objects: names.map((name) => object(name)),
        })),
        { buildersOf: (file) => (built.includes(file) ? ['k8s/kustomization.yaml'] : []) },
      ),
    ].map(([file, scope]) => [path.relative('k8s', file), [...scope].join()]),
  );

describe('files of a folder are applied together', () => {
  test('if their objects have different names', () => {
    expect(scopes({ 'a.yaml': ['a'], 'x/b.yaml': ['b'], 'x/y/c.yaml': ['c'] })).toEqual({
      'a.yaml': 'k8s',
      'x/b.yaml': 'k8s',
      'x/y/c.yaml': 'k8s',
    });
  });

  test('unless two objects have the same name, which makes the files alternatives; each folder below is judged separately', () => {
    expect(
      scopes({ 'dev/a.yaml': ['a'], 'dev/b.yaml': ['b'], 'prod/a.yaml': ['a'], 'prod/b.yaml': ['b'] }),
    ).toEqual({
      'dev/a.yaml': 'k8s/dev',
      'dev/b.yaml': 'k8s/dev',
      'prod/a.yaml': 'k8s/prod',
      'prod/b.yaml': 'k8s/prod',
    });
    expect(scopes({ 'a.yaml': ['a', 'a'], 'b.yaml': ['a'], 'c.yaml': ['c'] })).toEqual({
      'a.yaml': 'k8s/a.yaml',
      'b.yaml': 'k8s/b.yaml',
      'c.yaml': 'k8s/c.yaml',
    });
  });

  test('if one file contains an object twice, which is a mistake of that file', () => {
    expect(scopes({ 'a.yaml': ['a', 'a'], 'b.yaml': ['b'] })).toEqual({ 'a.yaml': 'k8s', 'b.yaml': 'k8s' });
  });

  test('if a kustomization builds them, next to files that no kustomization lists', () => {
    expect(
      scopes({ 'a.yaml': ['a'], 'b.yaml': ['b'], 'c.yaml': ['a'] }, ['k8s/a.yaml', 'k8s/b.yaml']),
    ).toEqual({
      'a.yaml': 'k8s/kustomization.yaml',
      'b.yaml': 'k8s/kustomization.yaml',
      'c.yaml': 'k8s',
    });
  });
});

test('objects of other groups and kinds, and objects without a name, are not alternatives', () => {
  const files = [
    object('a'),
    object('a', 'Deployment', 'apps/v1'),
    object('a', 'Service', 'serving.knative.dev/v1'),
    object(''),
    object(''),
  ].map((one, index) => ({ file: `k8s/${String(index)}.yaml`, objects: [one] }));
  const found = scopesIn('k8s', files, { buildersOf: () => [] });
  expect(new Set([...found.values()].flatMap((scope) => [...scope]))).toEqual(new Set(['k8s']));
});
