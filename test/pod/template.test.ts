import { textOf } from '../../lib/problems/problems';
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
  type ResourceRequirements,
  type SidecarContainer,
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
    const sidecar: SidecarContainer = {
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
    const templates = [
      deployment(chart, 'deployment', { name: 'server' }, around),
      job(chart, 'job', { name: 'server' }, { template }),
      new ApiObject(chart, 'custom', { apiVersion: 'example.com/v1', kind: 'Example', spec: { template } }),
    ].map((object) => Yaml.stringify(object.toJson().spec.template));
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
      "volume name 'My Data' is not a DNS label, expected lower-case letters, digits and '-' between them; nearest: 'my-data'",
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
      `container 'server' requests memory '20GB' ${amount}; nearest: '20G'`,
      `container 'server' limits cpu 'all' ${amount}; nearest: '8'`,
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

  test.each<[string, SidecarContainer, string]>([
    ['name', { name: 'server', image: 'b:1' }, "container 'server' is there twice, expected different names"],
    [
      'odd name',
      { name: 'Proxy', image: 'b:1' },
      "container name 'Proxy' is not a DNS label, expected lower-case letters, digits and '-' between them; nearest: 'proxy'",
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

describe('equal is', () => {
  const mounted = (mountPath: string): PodFragment => ({ volumeMounts: [{ name: 'dshm', mountPath }] });

  test.each<[string, PodFragment, PodFragment]>([
    [
      'a port without a protocol and one of TCP',
      { container: { ports: [{ containerPort: 80, protocol: 'TCP' }] } },
      { container: { ports: [{ containerPort: 80 }] } },
    ],
    [
      'an empty variable and one without a value',
      { env: [{ name: 'A', value: '' }] },
      { env: [{ name: 'A' }] },
    ],
    [
      'a quantity of a number and of a text',
      { pod: { overhead: { cpu: k8s.Quantity.fromNumber(5) } } },
      { pod: { overhead: { cpu: k8s.Quantity.fromString('5') } } },
    ],
    [
      'a record without a prototype and one with',
      { labels: { a: '1' } },
      { labels: Object.assign(Object.create(null) as object, { a: '1' }) },
    ],
    ['a folder with and without a slash', { ...sharedMemory('1Gi') }, mounted('/dev/shm/')],
  ])('%s', (_, one, other) => {
    expect(pod(one, other)).toEqual(pod(one));
  });

  test('no TCP and UDP port, and no two arguments', () => {
    const ports = (['TCP', 'UDP'] as const).map((protocol) => ({ containerPort: 53, protocol }));
    const fragments = ports.map((one): PodFragment => ({ container: { ports: [one], args: ['-v'] } }));
    expect(pod(...fragments)).toHaveProperty('spec.containers.0', { ...MAIN, ports, args: ['-v', '-v'] });
  });
});

describe('init containers', () => {
  test('are containers like the others', () => {
    const initContainers: readonly SidecarContainer[] = [
      {
        name: '1st',
        image: 'init:v1',
        env: [{ name: 'EMPTY', value: '' }],
        resources: { requests: { cpu: '1' } },
      },
    ];
    expect(pod({ pod: { initContainers } })).toHaveProperty('spec.initContainers', [
      { name: '1st', image: 'init:v1', env: [{ name: 'EMPTY' }], resources: { requests: { cpu: '1' } } },
    ]);
  });

  test('may have their amounts as quantities, from a typed variable', () => {
    const typed: k8s.Container = {
      name: 'init',
      image: 'init:v1',
      resources: { requests: { cpu: k8s.Quantity.fromNumber(1) } },
    };
    const fragment = { pod: { initContainers: [typed] } } as unknown as PodFragment;
    expect(pod(fragment)).toHaveProperty('spec.initContainers', [
      { ...typed, resources: { requests: { cpu: '1' } } },
    ]);
  });
});

describe('of the folded pod is refused', () => {
  const token = `hf_${'Ab1'.repeat(11)}`;
  const tokenElsewhere =
    'a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret';
  const lost = (what: string): string =>
    `${what} is no field of Kubernetes 1.29, or not of its type, expected the field's own name and type; override() writes newer fields`;
  const probe = (of: object): PodFragment => ({ container: { readinessProbe: of } });
  const http = { path: '/', port: k8s.IntOrString.fromNumber(80) };
  const amounts = (requests: object, limits: object = {}): PodFragment =>
    ({ resources: { requests, limits } }) as PodFragment;
  const loose = (fragment: object): PodFragment => fragment;
  const twoOf = (volume: object): object[] => [volume, { ...volume }];

  test.each<[string, PodFragment, ...(readonly string[])]>([
    [
      'two volumes of one name in one fragment',
      {
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'data', configMap: { name: 'x' } },
        ],
      },
      "volume 'data' is there twice, expected different names",
    ],
    [
      'one variable twice, with one value',
      loose({ env: twoOf({ name: 'A', value: '1' }) }),
      "container 'server' sets env 'A' twice",
    ],
    [
      'a folder with and without a slash in one fragment',
      {
        volumes: [{ name: 'data', emptyDir: {} }],
        volumeMounts: [
          { name: 'data', mountPath: '/x' },
          { name: 'data', mountPath: '/x/' },
        ],
      },
      "container 'server' mounts '/x' twice",
    ],
    [
      'a whole spec of a pod',
      loose({ pod: { containers: [], nodeSelector: {}, tolerations: [], volumes: [], hostname: 'a' } }),
      "fragment pod sets containers, expected none: a fragment's container adds to the one that is there",
      "fragment pod sets nodeSelector, expected the fragment's own nodeSelector",
      "fragment pod sets tolerations, expected the fragment's own tolerations",
      "fragment pod sets volumes, expected the fragment's own volumes",
    ],
    [
      'a whole container',
      loose({ container: { name: 'x', env: [], volumeMounts: [], resources: {} } }),
      'fragment container sets name, expected none: the container has one',
      "fragment container sets env, expected the fragment's own env",
      "fragment container sets volumeMounts, expected the fragment's own volumeMounts",
      "fragment container sets resources, expected the fragment's own resources",
    ],
    [
      'fields that the types drop',
      loose({
        pod: { priorityClass: 'high', hostUsers: false, resourceClaims: [{ name: 'a', devices: 1 }] },
        container: { imagePolicy: 'Always', securityContext: { privilegd: true } },
        volumes: [{ name: 'a', emptyDir: { sizeLimit: '1Gi' } }],
        resources: { claim: {} },
      }),
      lost("pod priorityClass 'high'"),
      lost("pod resourceClaims 0 devices '1'"),
      lost("pod volumes 0 emptyDir sizeLimit '1Gi'"),
      lost("container 'server' resources claim '{}'"),
      lost("container 'server' imagePolicy 'Always'"),
      lost("container 'server' securityContext privilegd 'true'"),
    ],
    [
      'texts that are none',
      loose({
        labels: { a: true },
        annotations: { b: 8 },
        nodeSelector: { c: false },
        env: [{ name: 'D', value: 1 }],
      }),
      "label a 'true' is a boolean, expected a text; nearest: 'true'",
      "annotation b '8' is a number, expected a text; nearest: '8'",
      "nodeSelector c 'false' is a boolean, expected a text; nearest: 'false'",
      "container 'server' env 'D' value '1' is a number, expected a text; nearest: '1'",
    ],
    [
      'keys of labels and annotations',
      { labels: { 'my label': '1', 'A/b': '1' }, annotations: { 'a/b/c': '1' }, nodeSelector: { '': '1' } },
      "label key 'my label' is not the key of a label, expected NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-'; nearest: 'my-label'",
      "label key 'A/b' is not the key of a label, expected NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-'; nearest: 'b'",
      "annotation key 'a/b/c' is not the key of a label, expected NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-'; nearest: 'c'",
      "nodeSelector key '' is not the key of a label, expected NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-'; nearest: 'x'",
    ],
    [
      'a selector with a space',
      { nodeSelector: { pool: 'my pool' } },
      "nodeSelector pool 'my pool' is not a label value, expected at most 63 letters, digits, '.', '_' and '-'; nearest: 'my-pool'",
    ],
    [
      'a subdomain with a dot',
      { pod: { subdomain: 'a.b' } },
      "pod subdomain 'a.b' is not a DNS label, expected lower-case letters, digits and '-' between them; nearest: 'a-b'",
    ],
    [
      'half a chip',
      amounts({ 'google.com/tpu': '500m' }, { 'google.com/tpu': '500m' }),
      "container 'server' requests '500m' google.com/tpu with limit '500m', expected both equal to the chips of its host",
    ],
    [
      'requests above limits',
      amounts({ cpu: '2', memory: '8Gi' }, { cpu: '1500m', memory: '8G' }),
      "container 'server' requests '2' cpu with limit '1500m', expected at most the limit; nearest: '1500m'",
      "container 'server' requests '8Gi' memory with limit '8G', expected at most the limit; nearest: '8G'",
    ],
    [
      'an extended resource that is requested alone',
      amounts({ 'nvidia.com/gpu': '1' }),
      "container 'server' requests '1' nvidia.com/gpu with limit 'none', expected both equal and whole; nearest: '1'",
    ],
    [
      'names of ports',
      {
        container: {
          ports: [
            { containerPort: 1, name: 'a-very-long-name' },
            { containerPort: 2, name: 'web' },
            { containerPort: 3, name: 'web' },
            { containerPort: 0 },
          ],
        },
      },
      "container 'server' port name 'a-very-long-name' is not the name of a port, expected at most 15 lower-case letters, digits and '-' between them; nearest: 'a-very-long-nam'",
      "container 'server' containerPort '0' is not a whole number from 1 to 65535; nearest: 1",
      "container 'server' has port name 'web' twice, expected different names",
    ],
    [
      'two ways to ask',
      probe({ httpGet: http, tcpSocket: { port: http.port } }),
      "container 'server' readinessProbe has httpGet and tcpSocket, expected one of exec, grpc, httpGet and tcpSocket",
    ],
    [
      'no way to ask',
      probe({ periodSeconds: 5 }),
      "container 'server' readinessProbe has nothing to ask, expected one of exec, grpc, httpGet and tcpSocket",
    ],
    [
      'tokens',
      { env: [{ name: 'T', value: ` ${token} ` }], container: { args: [`--hf-token=${token}`] } },
      `container 'server' env 'T' holds ${tokenElsewhere}`,
      `container 'server' args hold ${tokenElsewhere}`,
    ],
    [
      'a bucket on the network of the node',
      {
        pod: { hostNetwork: true },
        volumes: [{ name: 'b', csi: { driver: 'gcsfuse.csi.storage.gke.io' } }],
      },
      "volume 'b' is a bucket in a pod with hostNetwork, where Cloud Storage FUSE has no identity, expected no hostNetwork, or a volume of one's own with hostNetworkPodKSA 'true' among its volumeAttributes",
    ],
  ])('%s', (_, fragment, ...problems) => {
    expect(() => pod(fragment)).toThrow(InvalidInputError);
    expect(() => pod(fragment)).toThrow(new InvalidInputError(problems));
  });

  test('what two containers may not share, and a container without an image', () => {
    const ports = [{ containerPort: 80 }];
    const chips = { requests: { 'google.com/tpu': '4' }, limits: { 'google.com/tpu': '4' } };
    const sidecar: SidecarContainer = { name: 'beside', resources: chips, ports };
    expect(() => podTemplate({ ...MAIN, resources: chips, ports }, [sidecar], [])).toThrow(
      new InvalidInputError([
        "container 'beside' has no image, expected one with a tag or digest",
        "containers 'server' and 'beside' request google.com/tpu, expected one: the chips of a host belong to one process",
        "containerPort '80/TCP' is there twice, expected one: all containers of a pod share its ports",
      ]),
    );
  });

  test('long values are shown where they differ', () => {
    const [left, right] = ['1', '2'].map((end) => `${'a'.repeat(100)}${end}`);
    expect(() => pod({ annotations: { n: left ?? '' } }, { annotations: { n: right ?? '' } })).toThrow(
      new InvalidInputError([
        `annotations n is set to '...${'a'.repeat(40)}1' and to '...${'a'.repeat(40)}2', expected one value`,
      ]),
    );
  });

  test('nothing of what every object has by birth', () => {
    expect(pod({ labels: { constructor: '1', valueOf: '2' } }).metadata.labels).toEqual({
      constructor: '1',
      valueOf: '2',
    });
  });

  test('a bucket with an identity of its own on the network of the node is not', () => {
    const csi = { driver: 'gcsfuse.csi.storage.gke.io', volumeAttributes: { hostNetworkPodKSA: 'true' } };
    expect(pod({ pod: { hostNetwork: true }, volumes: [{ name: 'b', csi }] })).toHaveProperty(
      'spec.volumes.0.csi',
      csi,
    );
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
    requests: words(['cpu', 'memory', 'ephemeral-storage']),
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
  const resources = (of: Settings): ResourceRequirements | undefined =>
    filled(of.requests) && { requests: of.requests };
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
        error.problems.map(textOf).map((said) => beginnings.find((start) => said.startsWith(start)) ?? said),
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
