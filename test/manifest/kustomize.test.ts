import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Finding, findingsIn } from '../../lib/checks/check';
import { readPaths } from '../../lib/manifest/read';
import { deployment, service } from '../checks/field-bases';

// Layouts of Kustomize as people keep them. The files are checked as they are written: nothing that a build changes is called wrong.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kustomize-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Writes some files, and checks the folder with all of them. */
function check(files: Readonly<Record<string, string>>, below = '.'): readonly Finding[] {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  const { objects, unreadable } = readPaths([path.join(folder, below)]);
  expect(unreadable).toEqual([]);
  return findingsIn(objects);
}

const rows = (findings: readonly Finding[]): readonly string[] =>
  findings
    .filter(({ severity, code }) => severity !== 'note' || /^TPU(5|9)/.test(code))
    .map(({ code, severity, object }) => `${code} ${severity} ${object}`);

const json = (value: unknown): string => JSON.stringify(value);
const spec = (patch: string): string => json(deployment(`{ spec: { template: { spec: ${patch} } } }`));
const NOTE = 'TPU906 note document 1';
const command = (place: string, option = ''): string =>
  `run kubectl kustomize ${option}${path.join(folder, place)} | npx cdk8s-tpu-serving check -`;

const BASE = {
  'base/kustomization.yaml': 'resources: [deployment.yaml, service.yaml]',
  'base/deployment.yaml': spec('{ nodeSelector: null }'),
  'base/service.yaml': json(service()),
};
const SELECTOR = `spec:
  template:
    spec:
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 2x4
`;
const HEAD = 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: vllm-tpu\n';

describe('an overlay that patches its base', () => {
  const overlay = (
    kustomization: string,
    patch: string | undefined = `${HEAD}${SELECTOR}`,
  ): readonly Finding[] =>
    check({
      ...BASE,
      'overlays/prod/kustomization.yaml': `resources: [../../base]\n${kustomization}`,
      ...(kustomization.includes('patch.yaml') && { 'overlays/prod/patch.yaml': patch }),
    });

  test('completes the base: fields that the patch sets are not missing', () => {
    expect(rows(check(BASE))).toEqual(['TPU106 error Deployment/vllm-tpu']);
    const findings = overlay('patches: [{ path: patch.yaml }]');
    expect(rows(findings)).toEqual([NOTE]);
    const [note] = findings.filter(({ code }) => code === 'TPU906');
    expect(note?.message).toContain('ignore fields that its patches change');
    expect(note?.fix).toBe(command('overlays/prod'));
  });

  const operations = json([
    {
      op: 'add',
      path: '/spec/template/spec/nodeSelector',
      value: { 'cloud.google.com/gke-tpu-topology': '2x4' },
    },
  ]);
  test.each([
    ['strategic-merge files', 'patchesStrategicMerge: [patch.yaml]', undefined],
    ['inline parts', `patches:\n  - patch: |-\n${`${HEAD}${SELECTOR}`.replace(/^/gm, '      ')}`, undefined],
    [
      'operations of JSON 6902 in a file',
      'patches: [{ path: patch.yaml, target: { kind: Deployment, name: vllm-.* } }]',
      operations,
    ],
    [
      'operations of JSON 6902 in the old field',
      'patchesJson6902: [{ path: patch.yaml, target: { group: apps, version: v1, kind: Deployment, name: vllm-tpu } }]',
      operations,
    ],
    ['inline operations', `patches: [{ target: { kind: Deployment }, patch: '${operations}' }]`, undefined],
  ])('can patch its base by %s', (_, kustomization, patch) => {
    expect(rows(overlay(kustomization, patch))).toEqual([NOTE]);
  });

  test('keeps the findings of other objects and fields', () => {
    const error = 'TPU106 error Deployment/vllm-tpu';
    const other = `${HEAD.replace('vllm-tpu', 'other')}${SELECTOR}`;
    expect(rows(overlay('patches: [{ path: patch.yaml }]', other))).toEqual([error, NOTE]);
    expect(rows(overlay('patches: [{ path: patch.yaml }]', `${HEAD}spec:\n  replicas: 2\n`))).toEqual([
      error,
      NOTE,
    ]);
    expect(rows(overlay('patches: [{ path: patch.yaml, target: { kind: StatefulSet } }]'))).toEqual([
      error,
      NOTE,
    ]);
  });

  test('can add a port, which is then not missing', () => {
    const named = {
      ...BASE,
      'base/service.yaml': json(service('{ spec: { ports: [{ port: 80, targetPort: web }] } }')),
    };
    const patched = (containers: string): readonly string[] =>
      rows(
        check({
          ...named,
          'base/deployment.yaml': json(deployment()),
          'top/kustomization.yaml': 'resources: [../base]\npatches: [{ path: patch.yaml }]',
          'top/patch.yaml': `${HEAD}spec: { template: { spec: { containers: ${containers} } } }`,
        }),
      );
    expect(
      patched('[{ name: proxy, image: example/proxy:v1, ports: [{ name: web, containerPort: 9 }] }]'),
    ).toEqual([NOTE]);
    expect(patched('[{ name: vllm-tpu, imagePullPolicy: Always }]')).toContain(
      'TPU502 error Service/vllm-service',
    );
    const operation = json([{ op: 'add', path: '/spec/template/spec/containers/-', value: {} }]);
    const target = '{ path: patch.yaml, target: { kind: Deployment } }';
    expect(
      rows(
        check({
          ...named,
          'base/deployment.yaml': json(deployment()),
          'top/kustomization.yaml': `resources: [../base]\npatches: [${target}]`,
          'top/patch.yaml': operation,
        }),
      ),
    ).toEqual([NOTE]);
  });

  test('can patch its base through a component', () => {
    const findings = check({
      ...BASE,
      'components/tpu/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{ path: v6e.yaml }]\n',
      'components/tpu/v6e.yaml': `${HEAD}${SELECTOR}`,
      'overlays/prod/kustomization.yaml': 'resources: [../../base]\ncomponents: [../../components/tpu]\n',
    });
    expect(rows(findings)).toEqual(['TPU906 note Component/', NOTE]);
  });
});

describe('with Kustomize,', () => {
  const inPlace = (
    kustomization: string,
    pods: string,
    more: Readonly<Record<string, string>> = {},
  ): readonly string[] =>
    rows(
      check({
        'kustomization.yaml': `resources: [deployment.yaml]\n${kustomization}`,
        'deployment.yaml': spec(pods),
        ...more,
      }),
    );

  test('ConfigMaps and Secrets of a generator are not missing, and its files are not manifests', () => {
    const pods =
      '{ containers: [{ name: vllm-tpu, envFrom: [{ configMapRef: { name: settings } }, { secretRef: { name: keys } }] }] }';
    expect(
      inPlace(
        'configMapGenerator: [{ name: settings, files: [vllm.yaml, b.yaml=other/c.yaml] }]\nsecretGenerator: [{ name: keys, envs: [keys.env] }]\n',
        pods,
        { 'vllm.yaml': 'kv-cache: 1', 'other/c.yaml': 'a: 1' },
      ),
    ).toEqual([NOTE]);
    expect(inPlace('', pods).filter((row) => row.startsWith('TPU5'))).toEqual([
      'TPU515 note Deployment/vllm-tpu',
      'TPU519 note Deployment/vllm-tpu',
    ]);
  });

  test('an image gets its tag from images', () => {
    const pods = '{ containers: [{ name: vllm-tpu, image: vllm/vllm-tpu }] }';
    expect(inPlace('images: [{ name: vllm/vllm-tpu, newTag: v0.12.0 }]', pods)).toEqual([NOTE]);
    expect(inPlace('images: [{ name: vllm/vllm-tpu, digest: "sha256:1" }]', pods)).toEqual([NOTE]);
    const moving = ['TPU701 warning Deployment/vllm-tpu', NOTE];
    expect(inPlace('images: [{ name: vllm/vllm-tpu, newTag: latest }]', pods)).toEqual(moving);
    expect(inPlace('images: [{ name: other, newTag: v1 }]', pods)).toEqual(moving);
  });

  test('labels are added to pods and to selectors', () => {
    const files = {
      'kustomization.yaml': 'resources: [deployment.yaml, service.yaml]\ncommonLabels: { team: serving }\n',
      'deployment.yaml': json(
        deployment('{ spec: { selector: { matchLabels: { team: serving, app: null } } } }'),
      ),
      'service.yaml': json(service('{ spec: { selector: { team: serving, app: null } } }')),
    };
    expect(rows(check(files))).toEqual([NOTE]);
    expect(
      rows(check({ ...files, 'kustomization.yaml': 'resources: [deployment.yaml, service.yaml]' })),
    ).toEqual(['TPU718 error Deployment/vllm-tpu', 'TPU501 note Service/vllm-service']);
  });

  test('all objects get one namespace', () => {
    const files = {
      'kustomization.yaml': 'resources: [deployment.yaml, service.yaml]\nnamespace: serving\n',
      'deployment.yaml': json(deployment('{ metadata: { namespace: serving } }')),
      'service.yaml': json(service()),
    };
    expect(rows(check(files))).toEqual([NOTE]);
    expect(
      rows(check({ ...files, 'kustomization.yaml': 'resources: [deployment.yaml, service.yaml]' })),
    ).toEqual(['TPU501 note Service/vllm-service']);
  });

  test('the values of a Helm chart are not manifests, and the command inflates it', () => {
    const findings = check({
      'kustomization.yaml':
        'helmCharts: [{ name: vllm, repo: "https://example.com/charts", version: 1.2.3, valuesFile: values-tpu.yaml }]\n',
      'values-tpu.yaml': 'image: { repository: vllm/vllm-tpu }\n',
    });
    expect(rows(findings)).toEqual([NOTE]);
    expect(findings[0]?.fix).toBe(command('.', '--enable-helm '));
  });
});

describe('files that Kustomize builds together', () => {
  const twice = (files: Readonly<Record<string, string>>): readonly string[] =>
    rows(check(files)).filter((row) => row.startsWith('TPU703'));

  test('are the files that it names, in any folder', () => {
    const files = {
      'app/kustomization.yaml': 'resources: [../common/a.yaml, tpu/b.yaml]\n',
      'common/a.yaml': json(service()),
      'app/tpu/b.yaml': json(service()),
    };
    expect(twice(files)).toEqual(['TPU703 error Service/vllm-service']);
    expect(twice({ ...files, 'app/kustomization.yaml': 'resources: [../common/a.yaml]\n' })).toEqual([]);
  });

  test('are not duplicates of alternatives in the same folder or in sibling folders', () => {
    expect(
      twice({
        'v5e/kustomization.yaml': 'resources: [server.yaml]\n',
        'v5e/server.yaml': json(deployment()),
        'v5e/server-spot.yaml': json(deployment()),
        'v6e/kustomization.yaml': 'resources: [server.yaml]\n',
        'v6e/server.yaml': json(deployment()),
      }),
    ).toEqual([]);
  });
});

describe('a file next to a kustomization that does not name it', () => {
  const check2 = (patch: string): readonly Finding[] =>
    check({
      'kustomization.yaml': 'resources: [service.yaml]',
      'service.yaml': json(service()),
      'extra.yaml': patch,
    });

  test('is ignored with a note if it has only a part of a workload', () => {
    const part = json({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'vllm' },
      spec: { template: {} },
    });
    const found = check2(part).filter(({ file }) => file?.endsWith('extra.yaml') === true);
    expect(
      found.map(({ code, severity, object, message }) => `${code} ${severity} ${object}: ${message}`),
    ).toEqual([
      'TPU906 note Deployment/vllm: the document is only a part of Deployment/vllm, and no kustomization names this file, so no rule checked it',
    ]);
  });

  test('is checked if it has a complete workload', () => {
    const whole = spec('{ containers: [{ name: vllm-tpu, volumeMounts: [{ name: none, mountPath: /x }] }] }');
    expect(rows(check2(whole))).toContain('TPU403 error Deployment/vllm-tpu');
  });
});

describe('a patch without a kustomization', () => {
  const part = (image: string): string =>
    json({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'vllm' },
      spec: { template: { spec: { containers: [{ name: 'vllm', ...(image !== '' && { image }) }] } } },
    });
  test.each([
    ['server.yaml', '', ['TPU906 note']],
    ['patch-vllm.yaml', 'example/vllm:v1', ['TPU906 note']],
    ['dispatch.yaml', 'example/vllm:v1', ['TPU718 error']],
  ])('%s with image %j', (file, image, found) => {
    const findings = check({ [file]: part(image) });
    expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toEqual(found);
  });
});

test('a kustomization that cannot be read is reported, and the files next to it are checked', () => {
  writeFileSync(path.join(folder, 'kustomization.yaml'), 'resources: [\n');
  writeFileSync(path.join(folder, 'a.yaml'), json(service()));
  const { objects, unreadable } = readPaths([folder]);
  expect(objects.map(({ id }) => id)).toEqual(['Service/vllm-service']);
  expect(unreadable.map(({ file }) => path.basename(file))).toEqual(['kustomization.yaml']);
});

test.each([
  ['an alias without an anchor', 'a: *b'],
  [
    'too many aliases',
    `a0: &a0 [x]\n${[1, 2, 3, 4].map((n) => `a${String(n)}: &a${String(n)} [${`*a${String(n - 1)},`.repeat(10)}]`).join('\n')}`,
  ],
])('a patch that has %s leaves the other objects of the folder to the checks', (_, patch) => {
  writeFileSync(
    path.join(folder, 'kustomization.yaml'),
    json({ resources: ['a.yaml'], patches: [{ patch }] }),
  );
  writeFileSync(path.join(folder, 'a.yaml'), json(service()));
  const { objects, unreadable } = readPaths([folder]);
  expect(objects.map(({ id }) => id)).toContain('Service/vllm-service');
  expect(unreadable).toEqual([]);
});

test("a Kustomization of Flux is not one of Kustomize's files", () => {
  const findings = check({
    'kustomization.yaml':
      'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: { name: a }\nspec: { path: ./a, prune: true }\n',
  });
  expect(rows(findings)).toEqual([]);
});
