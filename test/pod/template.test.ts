import { ApiObject, Testing, Yaml } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import fc from 'fast-check';
import {
  GcsFuseVolume,
  InvalidInputError,
  podTemplate,
  sharedMemory,
  tpuResources,
  TpuSlice,
  type MainContainer,
  type PodFragment,
  type PodTemplate,
  type Resources,
  type Sidecar,
} from '../../lib';
import { httpProbes } from '../../lib/pod/startup';
import { deployment, job } from '../../lib/workload/objects';

const MAIN: MainContainer = { name: 'server', image: 'server:v1' };
const pod = (...fragments: readonly PodFragment[]): PodTemplate => podTemplate(MAIN, [], fragments);
const slice = TpuSlice.of('ct6e-standard-8t');

describe('fragments', () => {
  test('add everything that they name, in their order', () => {
    expect(
      podTemplate(
        {
          ...MAIN,
          args: ['--first'],
          env: [{ name: 'A', value: '1' }],
          resources: { requests: { cpu: '4' } },
        },
        [],
        [
          {
            labels: { app: 'server' },
            annotations: { note: 'one' },
            nodeSelector: { pool: 'tpu' },
            tolerations: [{ key: 'a', operator: 'Exists' }],
            volumes: [{ name: 'one', emptyDir: {} }],
            volumeMounts: [{ name: 'one', mountPath: '/one' }],
            env: [{ name: 'B', value: '2' }],
            resources: { requests: { memory: '8Gi' }, limits: { memory: '16Gi' } },
            container: { args: ['--second'], workingDir: '/work' },
            pod: { serviceAccountName: 'server', terminationGracePeriodSeconds: 60 },
          },
          {
            labels: { tier: 'serving' },
            tolerations: [{ key: 'b' }],
            volumes: [{ name: 'two', configMap: { name: 'two' } }],
            volumeMounts: [{ name: 'two', mountPath: '/two', readOnly: true }],
            container: { args: ['--third'] },
          },
        ],
      ),
    ).toEqual({
      metadata: { labels: { app: 'server', tier: 'serving' }, annotations: { note: 'one' } },
      spec: {
        serviceAccountName: 'server',
        terminationGracePeriodSeconds: 60,
        nodeSelector: { pool: 'tpu' },
        tolerations: [{ key: 'a', operator: 'Exists' }, { key: 'b' }],
        containers: [
          {
            name: 'server',
            image: 'server:v1',
            workingDir: '/work',
            args: ['--first', '--second', '--third'],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            resources: { requests: { cpu: '4', memory: '8Gi' }, limits: { memory: '16Gi' } },
            volumeMounts: [
              { name: 'one', mountPath: '/one' },
              { name: 'two', mountPath: '/two', readOnly: true },
            ],
          },
        ],
        volumes: [
          { name: 'one', emptyDir: {} },
          { name: 'two', configMap: { name: 'two' } },
        ],
      },
    });
  });

  test('that say the same say it once, whatever the order of their fields', () => {
    const once: PodFragment = {
      labels: { app: 'server' },
      nodeSelector: { pool: 'tpu' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      volumes: [{ name: 'one', secret: { secretName: 's', defaultMode: 256 } }],
      volumeMounts: [{ name: 'one', mountPath: '/one' }],
      env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
      container: { command: ['serve', '--fast'], ports: [{ containerPort: 8000, name: 'http' }] },
      pod: { securityContext: { runAsUser: 1000, fsGroup: 2000 } },
    };
    const again: PodFragment = {
      tolerations: [{ operator: 'Exists', key: 'a' }],
      volumes: [{ secret: { defaultMode: 256, secretName: 's' }, name: 'one' }],
      env: [{ valueFrom: { secretKeyRef: { key: 'k', name: 's' } }, name: 'A' }],
      container: { ports: [{ name: 'http', containerPort: 8000 }] },
      pod: { securityContext: { fsGroup: 2000, runAsUser: 1000 } },
    };
    expect(pod(once, once, again)).toEqual(pod(once));
  });

  test('that say nothing add nothing', () => {
    expect(pod({}, { labels: undefined, container: { workingDir: undefined }, pod: {} })).toEqual({
      metadata: {},
      spec: { containers: [{ name: 'server', image: 'server:v1' }] },
    });
  });

  test('fill in one field of what another began', () => {
    const template = podTemplate(
      MAIN,
      [],
      [httpProbes(8000, '/health', 95), { container: { readinessProbe: { successThreshold: 2 } } }],
    );
    expect(template).toHaveProperty('spec.containers.0', {
      ...MAIN,
      startupProbe: {
        httpGet: { path: '/health', port: 8000 },
        periodSeconds: 10,
        timeoutSeconds: 10,
        failureThreshold: 10,
      },
      readinessProbe: {
        httpGet: { path: '/health', port: 8000 },
        periodSeconds: 10,
        timeoutSeconds: 10,
        failureThreshold: 3,
        successThreshold: 2,
      },
    });
  });

  test('restart a server only where it answers on a path of its own', () => {
    expect(pod(httpProbes(8000, '/ready', 60, '/alive'))).toHaveProperty('spec.containers.0.livenessProbe', {
      httpGet: { path: '/alive', port: 8000 },
      periodSeconds: 10,
      timeoutSeconds: 10,
      failureThreshold: 30,
    });
  });

  test('are not changed', () => {
    const fragment: PodFragment = { labels: { a: '1' }, env: [{ name: 'A', value: '1' }] };
    pod(fragment, { labels: { b: '2' }, env: [{ name: 'B', value: '2' }] });
    expect(fragment).toEqual({ labels: { a: '1' }, env: [{ name: 'A', value: '1' }] });
  });
});

describe('what stands in the manifest', () => {
  test('quantities are text wherever they are', () => {
    const number = k8s.Quantity.fromNumber(4);
    expect(
      pod(tpuResources(slice), sharedMemory('16Gi'), {
        volumes: [
          { name: 'number', emptyDir: { sizeLimit: k8s.Quantity.fromNumber(1073741824) } },
          {
            name: 'claim',
            ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: number } } } } },
          },
        ],
        pod: { overhead: { cpu: number } },
      }),
    ).toMatchObject({
      spec: {
        containers: [
          { resources: { requests: { 'google.com/tpu': '8' }, limits: { 'google.com/tpu': '8' } } },
        ],
        overhead: { cpu: '4' },
        volumes: [
          { name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } },
          { name: 'number', emptyDir: { sizeLimit: '1073741824' } },
          {
            name: 'claim',
            ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '4' } } } } },
          },
        ],
      },
    });
  });

  test('an empty environment variable has no value', () => {
    const env = [{ name: 'EMPTY', value: '' }, { name: 'NONE' }, { name: 'ZERO', value: '0' }];
    const written = [{ name: 'EMPTY' }, { name: 'NONE' }, { name: 'ZERO', value: '0' }];
    const { spec } = podTemplate({ ...MAIN, env }, [{ name: 'beside', image: 'beside:v1', env }], []);
    expect(spec['containers']).toEqual([
      { ...MAIN, env: written },
      { name: 'beside', image: 'beside:v1', env: written },
    ]);
  });

  test('sidecars come after the main container and get nothing from fragments', () => {
    const sidecar: Sidecar = {
      name: 'http',
      image: 'http:v1',
      ports: [{ containerPort: 8000 }],
      resources: { requests: { cpu: '500m' } },
      volumeMounts: [{ name: 'dshm', mountPath: '/shared' }],
    };
    const fragments = [tpuResources(slice), sharedMemory('1Gi'), { env: [{ name: 'A', value: '1' }] }];
    expect(podTemplate(MAIN, [sidecar], fragments).spec['containers']).toEqual([
      expect.objectContaining({ name: 'server', env: [{ name: 'A', value: '1' }] }),
      sidecar,
    ]);
  });

  test('a Deployment, a Job and a custom resource hold the same bytes', () => {
    const template = podTemplate(
      { ...MAIN, ports: [{ name: 'http', containerPort: 8000, protocol: 'TCP' }] },
      [{ name: 'beside', image: 'beside:v1', env: [{ name: 'EMPTY', value: '' }] }],
      [
        { labels: { app: 'server' } },
        tpuResources(slice),
        httpProbes(8000, '/health', 60),
        new GcsFuseVolume({
          bucketName: 'my-models',
          mountPath: '/data',
          cache: { medium: 'ram', sizeLimit: '1Gi' },
        }),
        { volumes: [{ name: 'empty', emptyDir: {} }] },
      ],
    );
    const chart = Testing.chart();
    const around = { selector: { matchLabels: { app: 'server' } }, template };
    deployment(chart, 'deployment', { name: 'server' }, around);
    job(chart, 'job', { name: 'server' }, { template });
    new ApiObject(chart, 'custom', { apiVersion: 'example.com/v1', kind: 'Example', spec: { template } });
    const templates = Testing.synth(chart).map((object) => Yaml.stringify(object.spec.template));
    expect(templates).toHaveLength(3);
    expect(new Set(templates)).toEqual(new Set([Yaml.stringify(template)]));
    expect(templates[0]).toMatch(/emptyDir: {}\n[^]*name: empty/);
  });
});

describe('refused', () => {
  const twice = (what: string, left: unknown, right: unknown): string =>
    `${what} twice with different contents: '${JSON.stringify(left)}' and '${JSON.stringify(right)}'`;
  const amount = "is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'";
  const requesting = (requests: string | undefined, limits: string | undefined): PodFragment => ({
    resources: {
      ...(requests !== undefined && { requests: { 'google.com/tpu': requests } }),
      ...(limits !== undefined && { limits: { 'google.com/tpu': limits } }),
    },
  });
  const [empty, secret] = [
    { name: 'data', emptyDir: {} },
    { name: 'data', secret: { secretName: 's' } },
  ];

  test.each<[string, readonly PodFragment[], ...(readonly string[])]>([
    [
      'two values of a label',
      [{ labels: { app: 'a' } }, { labels: { app: 'b' } }],
      `labels app is set to 'a' and to 'b', expected one value`,
    ],
    [
      'two values of an annotation',
      [{ annotations: { note: 'a' } }, { annotations: { note: 'b' } }],
      `annotations note is set to 'a' and to 'b', expected one value`,
    ],
    [
      'two slices',
      [tpuResources(slice), tpuResources(TpuSlice.of('ct5lp-hightpu-4t'))],
      `container 'server' resources requests google.com/tpu is set to '8' and to '4', expected one value`,
      `container 'server' resources limits google.com/tpu is set to '8' and to '4', expected one value`,
      `pod nodeSelector cloud.google.com/gke-tpu-accelerator is set to 'tpu-v6e-slice' and to 'tpu-v5-lite-podslice', expected one value`,
      `pod nodeSelector cloud.google.com/gke-tpu-topology is set to '2x4' and to '2x2', expected one value`,
    ],
    [
      'two values of an environment variable',
      [{ env: [{ name: 'A', value: '1' }] }, { env: [{ name: 'A', value: '2' }] }],
      twice("container 'server' env has name 'A'", { name: 'A', value: '1' }, { name: 'A', value: '2' }),
    ],
    [
      'one environment variable twice in one fragment',
      [
        {
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
          ],
        },
      ],
      "container 'server' sets env 'A' twice",
    ],
    [
      'two volumes of one name',
      [{ volumes: [empty] }, { volumes: [secret] }],
      twice("pod volumes has name 'data'", { emptyDir: {}, name: 'data' }, secret),
    ],
    [
      'two volumes in one folder',
      [
        { volumes: [empty], volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        sharedMemory('1Gi'),
        { volumeMounts: [{ name: 'dshm', mountPath: '/data' }] },
      ],
      twice(
        "container 'server' volumeMounts has mountPath '/data'",
        { mountPath: '/data', name: 'data' },
        { mountPath: '/data', name: 'dshm' },
      ),
    ],
    [
      'two volumes in one folder in one fragment',
      [
        {
          volumes: [empty],
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'data', mountPath: '/data', subPath: 'a' },
          ],
        },
      ],
      "container 'server' mounts '/data' twice",
    ],
    [
      'a mount of no volume',
      [{ volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      "container 'server' mounts volume 'data', which the pod does not have, expected one of its volumes, of which there is none",
    ],
    [
      'a mount of another volume',
      [sharedMemory('1Gi'), { volumes: [empty], volumeMounts: [{ name: 'date', mountPath: '/data' }] }],
      "container 'server' mounts volume 'date', which the pod does not have, expected one of 'dshm', 'data'",
    ],
    [
      'a mount in a relative folder',
      [{ volumes: [empty], volumeMounts: [{ name: 'data', mountPath: 'data' }] }],
      "container 'server' mountPath 'data' is not an absolute path without ':' and spaces; nearest: '/data'",
    ],
    [
      'a volume that has no name',
      [{ volumes: [{ name: 'My Data', emptyDir: {} }] }],
      "volume name 'My Data' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'my-data'",
    ],
    [
      'two commands',
      [{ container: { command: ['a'] } }, { container: { command: ['b'] } }],
      `container 'server' command is set to '["a"]' and to '["b"]', expected one value`,
    ],
    [
      'another image',
      [{ container: { image: 'server:v2' } }],
      `container 'server' image is set to 'server:v1' and to 'server:v2', expected one value`,
    ],
    [
      'two ServiceAccounts',
      [{ pod: { serviceAccountName: 'a' } }, { pod: { serviceAccountName: 'b' } }],
      `pod serviceAccountName is set to 'a' and to 'b', expected one value`,
    ],
    [
      'a limit of chips without a request',
      [requesting(undefined, '8')],
      "container 'server' requests 'none' google.com/tpu with limit '8', expected both equal to the chips of its host",
    ],
    [
      'a request of chips without a limit',
      [requesting('8', undefined)],
      "container 'server' requests '8' google.com/tpu with limit 'none', expected both equal to the chips of its host",
    ],
    [
      'a limit of other chips',
      [requesting('4', '8')],
      "container 'server' requests '4' google.com/tpu with limit '8', expected both equal to the chips of its host",
    ],
    [
      'amounts that are none',
      [{ resources: { requests: { memory: '20GB' }, limits: { cpu: 'all' } } }],
      `container 'server' requests memory '20GB' ${amount}; nearest: '20Gi'`,
      `container 'server' limits cpu 'all' ${amount}; nearest: '20Gi'`,
    ],
    [
      'a label with a slash',
      [{ labels: { 'ai.gke.io/model': 'meta-llama/Llama-3.1' } }],
      "label ai.gke.io/model 'meta-llama/Llama-3.1' is not a label value, expected at most 63 letters, digits, '.', '_' and '-'; nearest: 'meta-llama-Llama-3.1'",
    ],
    [
      'an init container with the name of the main one',
      [{ pod: { initContainers: [{ name: 'server', image: 'init:v1' }] } }],
      "container 'server' is there twice, expected different names",
    ],
  ])('%s', (_, fragments, ...problems) => {
    expect(() => pod(...fragments)).toThrow(new InvalidInputError(problems));
  });

  test.each<[string, Sidecar, string]>([
    ['name', { name: 'server', image: 'b:1' }, "container 'server' is there twice, expected different names"],
    [
      'odd name',
      { name: 'Proxy', image: 'b:1' },
      "container name 'Proxy' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'proxy'",
    ],
    [
      'mount',
      { name: 'proxy', image: 'b:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      "container 'proxy' mounts volume 'data', which the pod does not have, expected one of its volumes, of which there is none",
    ],
    [
      'chips',
      { name: 'proxy', image: 'b:1', resources: { limits: { 'google.com/tpu': '4' } } },
      "container 'proxy' requests 'none' google.com/tpu with limit '4', expected both equal to the chips of its host",
    ],
  ])('the %s of a sidecar', (_, sidecar, problem) => {
    expect(() => podTemplate(MAIN, [sidecar], [])).toThrow(new InvalidInputError([problem]));
  });
});

describe('for any', () => {
  const words = (keys: readonly string[]): fc.Arbitrary<Record<string, string>> =>
    fc.dictionary(fc.constantFrom(...keys), fc.constantFrom('1', '2'), { noNullPrototype: true });
  /** What a fragment sets, by kind. */
  const settings = fc.record({
    labels: words(['a', 'b', 'example.com/c']),
    annotations: words(['a', 'b']),
    nodeSelector: words(['a', 'b']),
    env: words(['A', 'B', 'C']),
    volumes: words(['a', 'b']),
    requests: words(['cpu', 'memory', 'example.com/gpu']),
    container: words(['workingDir', 'imagePullPolicy']),
    pod: words(['hostname', 'runtimeClassName']),
  });
  type Settings = Record<
    'labels' | 'annotations' | 'nodeSelector' | 'env' | 'volumes' | 'requests' | 'container' | 'pod',
    Record<string, string>
  >;
  const SAID: Record<keyof Settings, (key: string) => string> = {
    labels: (key) => `labels ${key} is set to `,
    annotations: (key) => `annotations ${key} is set to `,
    nodeSelector: (key) => `pod nodeSelector ${key} is set to `,
    env: (key) => `container 'server' env has name '${key}' twice `,
    volumes: (key) => `pod volumes has name '${key}' twice `,
    requests: (key) => `container 'server' resources requests ${key} is set to `,
    container: (key) => `container 'server' ${key} is set to `,
    pod: (key) => `pod ${key} is set to `,
  };
  const kinds = Object.keys(SAID) as (keyof Settings)[];

  /** Nothing where there is nothing in it. */
  const filled = <T extends object>(all: T): T | undefined => (Object.keys(all).length > 0 ? all : undefined);
  const env = (of: Settings): k8s.EnvVar[] | undefined =>
    filled(Object.entries(of.env).map(([name, value]) => ({ name, value })));
  const volumes = (of: Settings): k8s.Volume[] | undefined =>
    filled(Object.entries(of.volumes).map(([name, medium]) => ({ name, emptyDir: { medium } })));
  const resources = (of: Settings): Resources | undefined => filled(of.requests) && { requests: of.requests };
  const fragmentOf = (of: Settings): PodFragment => ({
    labels: filled(of.labels),
    annotations: filled(of.annotations),
    nodeSelector: filled(of.nodeSelector),
    env: env(of),
    volumes: volumes(of),
    resources: resources(of),
    container: of.container,
    pod: of.pod,
  });
  /** What the manifest must say; lists in the order in which their items came. */
  const manifestOf = (of: Settings): unknown => ({
    metadata: { labels: filled(of.labels), annotations: filled(of.annotations) },
    spec: {
      ...of.pod,
      nodeSelector: filled(of.nodeSelector),
      volumes: volumes(of),
      containers: [{ ...MAIN, ...of.container, env: env(of), resources: resources(of) }],
    },
  });
  const union = (left: Settings, right: Settings): Settings =>
    Object.fromEntries(kinds.map((kind) => [kind, { ...left[kind], ...right[kind] }])) as Settings;
  const conflicts = (left: Settings, right: Settings): readonly string[] =>
    kinds.flatMap((kind) =>
      Object.entries(left[kind])
        .filter(([key, value]) => (right[kind][key] ?? value) !== value)
        .map(([key]) => SAID[kind](key)),
    );

  /** The pod, or the beginnings of what is said against it. */
  function outcome(fragments: readonly Settings[], beginnings: readonly string[]): unknown {
    try {
      return pod(...fragments.map(fragmentOf));
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      return new Set(
        error.problems.map((said) => beginnings.find((start) => said.startsWith(start)) ?? said),
      );
    }
  }

  test('two fragments: they merge, or each thing that they set differently is named', () => {
    fc.assert(
      fc.property(settings, settings, (left, right) => {
        const differ = conflicts(left, right);
        expect(outcome([left, right], differ)).toEqual(
          differ.length === 0 ? manifestOf(union(left, right)) : new Set(differ),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('fragment: twice is once, and an empty one changes nothing', () => {
    fc.assert(
      fc.property(settings, (one) => {
        expect(pod(fragmentOf(one), {}, fragmentOf(one))).toEqual(manifestOf(one));
      }),
    );
  });
});
