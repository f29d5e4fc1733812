import { textOf } from '../../lib/problems/problems';
import { ApiObject, Testing, Yaml } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import fc from '../fast-check';
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
import { SLICE_FACTS } from '../../lib/pod/tpu';
import { deployment, job } from '../../lib/workload/objects';

/** Returns an error with one line for each problem. */
const saying = (lines: readonly string[]): Error => new Error(lines.join('\n'));

const MAIN: MainContainer = { name: 'server', image: 'server:v1' };
const pod = (...fragments: readonly PodFragment[]): PodTemplate =>
  podTemplate({ container: MAIN, given: fragments });
const slice = TpuSlice.of('ct6e-standard-8t');

describe('fragments', () => {
  test('add all their fields, in their order', () => {
    expect(
      podTemplate({
        container: {
          ...MAIN,
          args: ['--first'],
          env: [{ name: 'A', value: '1' }],
          resources: { requests: { cpu: '4' } },
        },
        given: [
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
      }),
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

  test('with equal values are merged, in any order of fields', () => {
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

  test('without values add nothing', () => {
    expect(pod({}, { labels: undefined, container: { workingDir: undefined }, pod: {} })).toEqual({
      metadata: {},
      spec: { containers: [{ name: 'server', image: 'server:v1' }] },
    });
  });

  test('can set fields of an object that another fragment sets', () => {
    const template = podTemplate({
      container: MAIN,
      given: [httpProbes(8000, '/health', 95), { container: { readinessProbe: { successThreshold: 2 } } }],
    });
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

  test('restart a server only if it has a liveness path', () => {
    expect(pod(httpProbes(8000, '/ready', 60, '/alive'))).toHaveProperty('spec.containers.0.livenessProbe', {
      httpGet: { path: '/alive', port: 8000 },
      periodSeconds: 10,
      timeoutSeconds: 10,
      failureThreshold: 30,
    });
  });

  test('are not modified', () => {
    const fragment: PodFragment = { labels: { a: '1' }, env: [{ name: 'A', value: '1' }] };
    pod(fragment, { labels: { b: '2' }, env: [{ name: 'B', value: '2' }] });
    expect(fragment).toEqual({ labels: { a: '1' }, env: [{ name: 'A', value: '1' }] });
  });
});

describe('the manifest', () => {
  test('has all quantities as strings', () => {
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

  test('has environment variables without a value if they are empty', () => {
    const env = [{ name: 'EMPTY', value: '' }, { name: 'NONE' }, { name: 'ZERO', value: '0' }];
    const written = [{ name: 'EMPTY' }, { name: 'NONE' }, { name: 'ZERO', value: '0' }];
    const { spec } = podTemplate({
      container: { ...MAIN, env },
      sidecars: [{ name: 'beside', image: 'beside:v1', env }],
    });
    expect(spec['containers']).toEqual([
      { ...MAIN, env: written },
      { name: 'beside', image: 'beside:v1', env: written },
    ]);
  });

  test('has sidecars after the main container, without fields of fragments', () => {
    const sidecar: SidecarContainer = {
      name: 'http',
      image: 'http:v1',
      ports: [{ containerPort: 8000 }],
      resources: { requests: { cpu: '500m' } },
      volumeMounts: [{ name: 'dshm', mountPath: '/shared' }],
    };
    const fragments = [tpuResources(slice), sharedMemory('1Gi'), { env: [{ name: 'A', value: '1' }] }];
    expect(
      podTemplate({ container: MAIN, sidecars: [sidecar], given: fragments }).spec['containers'],
    ).toEqual([expect.objectContaining({ name: 'server', env: [{ name: 'A', value: '1' }] }), sidecar]);
  });

  test('has the same bytes in a Deployment, a Job and a custom resource', () => {
    const template = podTemplate({
      container: { ...MAIN, ports: [{ name: 'http', containerPort: 8000, protocol: 'TCP' }] },
      sidecars: [{ name: 'beside', image: 'beside:v1', env: [{ name: 'EMPTY', value: '' }] }],
      given: [
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
    });
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

describe('rejects', () => {
  const twice = (what: string, left: unknown, right: unknown): string =>
    `${what}: has two values, '${JSON.stringify(left)}' and '${JSON.stringify(right)}'; use one of them`;
  const amount = 'is not a quantity; use a number with a suffix, for example';
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
      "labels[app]: has two values, 'a' and 'b'; use one of them",
    ],
    [
      'two values of an annotation',
      [{ annotations: { note: 'a' } }, { annotations: { note: 'b' } }],
      "annotations[note]: has two values, 'a' and 'b'; use one of them",
    ],
    [
      'two slices',
      [tpuResources(slice), tpuResources(TpuSlice.of('ct5lp-hightpu-4t'))],
      "nodeSelector[cloud.google.com/gke-tpu-accelerator]: has two values, 'tpu-v6e-slice' and 'tpu-v5-lite-podslice'; use one of them",
      "nodeSelector[cloud.google.com/gke-tpu-topology]: has two values, '2x4' and '2x2'; use one of them",
      "resources.requests[google.com/tpu]: has two values, '8' and '4'; use one of them",
      "resources.limits[google.com/tpu]: has two values, '8' and '4'; use one of them",
    ],
    [
      'two values of an environment variable',
      [{ env: [{ name: 'A', value: '1' }] }, { env: [{ name: 'A', value: '2' }] }],
      "env[A]: has two values, '1' and '2'; use one of them",
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
      'env[A]: is set twice; use one of them',
    ],
    [
      'two volumes of one name',
      [{ volumes: [empty] }, { volumes: [secret] }],
      twice('volumes[data]', { emptyDir: {}, name: 'data' }, secret),
    ],
    [
      'two volumes in one folder',
      [
        { volumes: [empty], volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        sharedMemory('1Gi'),
        { volumeMounts: [{ name: 'dshm', mountPath: '/data' }] },
      ],
      twice(
        'volumeMounts[/data]',
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
      'volumeMounts[/data]: is mounted twice; use different folders',
    ],
    [
      'a mount of no volume',
      [{ volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      "volumeMounts[/data]: mounts volume 'data', which the pod does not have; use a volume in 'volumes'",
    ],
    [
      'a mount of another volume',
      [sharedMemory('1Gi'), { volumes: [empty], volumeMounts: [{ name: 'date', mountPath: '/data' }] }],
      "volumeMounts[/data]: mounts volume 'date', which the pod does not have; use 'dshm' or 'data'",
    ],
    [
      'a mount in a relative folder',
      [{ volumes: [empty], volumeMounts: [{ name: 'data', mountPath: 'data' }] }],
      "volumeMounts[data]: 'data' is not an absolute path; use a path that starts with '/', without ':' and spaces, for example '/data'",
    ],
    [
      'a volume that has no name',
      [{ volumes: [{ name: 'My Data', emptyDir: {} }] }],
      "volumes[My Data]: 'My Data' is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit, for example 'my-data'",
    ],
    [
      'two commands',
      [{ container: { command: ['a'] } }, { container: { command: ['b'] } }],
      `container.command: has two values, '["a"]' and '["b"]'; use one of them`,
    ],
    [
      'two ServiceAccounts',
      [{ pod: { serviceAccountName: 'a' } }, { pod: { serviceAccountName: 'b' } }],
      "pod.serviceAccountName: has two values, 'a' and 'b'; use one of them",
    ],
    [
      'a request of chips without a limit',
      [requesting('8', undefined)],
      "resources.requests[google.com/tpu]: '8' has no limit; use the chips of the container as request and as limit",
    ],
    [
      'a limit of other chips',
      [requesting('4', '8')],
      "resources.requests[google.com/tpu]: '4' is not a whole number equal to the limit '8'; use the chips of the container as request and as limit",
    ],
    [
      'invalid amounts',
      [{ resources: { requests: { memory: '20GB' }, limits: { cpu: 'all' } } }],
      `resources.requests[memory]: '20GB' ${amount} '20G'`,
      `resources.limits[cpu]: 'all' ${amount} '8'`,
    ],
    [
      'a label with a slash',
      [{ labels: { 'ai.gke.io/model': 'meta-llama/Llama-3.1' } }],
      "labels[ai.gke.io/model]: 'meta-llama/Llama-3.1' is not a label value; use at most 63 letters, digits, '.', '_' and '-', starting and ending with a letter or digit, for example 'meta-llama-Llama-3.1'",
    ],
    [
      'an init container with the name of the main one',
      [{ pod: { initContainers: [{ name: 'server', image: 'init:v1' }] } }],
      'sidecars[server]: has the name of another container; use different names',
    ],
  ])('%s', (_, fragments, ...problems) => {
    expect(() => pod(...fragments)).toThrow(saying(problems));
  });

  test.each<[string, SidecarContainer, string]>([
    [
      'name',
      { name: 'server', image: 'b:1' },
      'sidecars[server]: has the name of another container; use different names',
    ],
    [
      'invalid name',
      { name: 'Proxy', image: 'b:1' },
      "sidecars[Proxy].name: 'Proxy' is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit, for example 'proxy'",
    ],
    [
      'mount',
      { name: 'proxy', image: 'b:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      "sidecars[proxy].volumeMounts[/data]: mounts volume 'data', which the pod does not have; use a volume in 'volumes'",
    ],
  ])('the %s of a sidecar', (_, sidecar, problem) => {
    expect(() => podTemplate({ container: MAIN, sidecars: [sidecar] })).toThrow(saying([problem]));
  });
});

describe('the layers of a pod', () => {
  const defaults: readonly PodFragment[] = [
    { labels: { tier: 'default' }, env: [{ name: 'LOG', value: 'info' }] },
    { pod: { automountServiceAccountToken: false, terminationGracePeriodSeconds: 60 } },
    { container: { securityContext: { allowPrivilegeEscalation: false } } },
    httpProbes(8000, '/health', 60),
    { resources: { requests: { cpu: '100', memory: '300G' } } },
    {
      pod: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'cloud.google.com/gke-nodepool', whenUnsatisfiable: 'ScheduleAnyway' },
        ],
      },
    },
    sharedMemory('16Gi'),
  ];
  const layered = (...given: readonly PodFragment[]): PodTemplate =>
    podTemplate({ container: MAIN, facts: [tpuResources(slice)], defaults, given });
  const main = (template: PodTemplate): Partial<MainContainer> =>
    (template.spec['containers'] as MainContainer[])[0] ?? {};

  test.each<[string, PodFragment, object]>([
    ['a label', { labels: { tier: 'mine' } }, { metadata: { labels: { tier: 'mine' } } }],
    [
      'the token of the Kubernetes API',
      { pod: { automountServiceAccountToken: true } },
      { spec: { automountServiceAccountToken: true } },
    ],
    [
      'the grace period',
      { pod: { terminationGracePeriodSeconds: 900 } },
      { spec: { terminationGracePeriodSeconds: 900 } },
    ],
    [
      'a timing of a probe, and keeps its request',
      { container: { startupProbe: { periodSeconds: 30 } } },
      {
        spec: {
          containers: [{ startupProbe: { periodSeconds: 30, httpGet: { path: '/health', port: 8000 } } }],
        },
      },
    ],
    [
      'the path of a probe, and keeps its port',
      { container: { readinessProbe: { httpGet: { path: '/ready' } } } } as PodFragment,
      { spec: { containers: [{ readinessProbe: { httpGet: { path: '/ready', port: 8000 } } }] } },
    ],
    [
      'an environment variable',
      { env: [{ name: 'LOG', value: 'debug' }] },
      { spec: { containers: [{ env: [{ name: 'LOG', value: 'debug' }] }] } },
    ],
    [
      'a request of a resource, and keeps the others',
      { resources: { requests: { cpu: '8' } } },
      {
        spec: {
          containers: [{ resources: { requests: { cpu: '8', memory: '300G', 'google.com/tpu': '8' } } }],
        },
      },
    ],
    ['the image', { container: { image: 'server:v2' } }, { spec: { containers: [{ image: 'server:v2' }] } }],
  ])('a fragment replaces the default of %s', (_, fragment, expected) => {
    expect(layered(fragment)).toMatchObject(expected);
  });

  test('a limit removes the default request, which can be larger than the limit', () => {
    expect(main(layered({ resources: { limits: { memory: '64G' } } })).resources).toEqual({
      requests: { cpu: '100', 'google.com/tpu': '8' },
      limits: { memory: '64G', 'google.com/tpu': '8' },
    });
  });

  test('another handler replaces the default handler of a probe', () => {
    const exec = { command: ['cat', '/tmp/ready'] };
    expect(main(layered({ container: { readinessProbe: { exec } } })).readinessProbe).toEqual({
      exec,
      periodSeconds: 10,
      timeoutSeconds: 10,
      failureThreshold: 3,
    });
  });

  test('a privileged container has no allowPrivilegeEscalation, because Kubernetes rejects the two together', () => {
    const { securityContext } = main(layered({ container: { securityContext: { privileged: true } } }));
    expect(securityContext).toEqual({ privileged: true });
  });

  test('a spread over another topology is added, and a spread over the same topology replaces the default', () => {
    const zones = {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule',
    };
    const pools = {
      maxSkew: 2,
      topologyKey: 'cloud.google.com/gke-nodepool',
      whenUnsatisfiable: 'DoNotSchedule',
    };
    const spread = (...topologySpreadConstraints: k8s.TopologySpreadConstraint[]): unknown =>
      layered({ pod: { topologySpreadConstraints } }).spec['topologySpreadConstraints'];
    expect(spread(zones)).toEqual([zones, expect.objectContaining({ topologyKey: pools.topologyKey })]);
    expect(spread(zones, pools)).toEqual([zones, pools]);
  });

  test('a volume in the folder of a default one replaces it', () => {
    const claim = { name: 'shm', emptyDir: { medium: 'Memory' } };
    const template = layered({ volumes: [claim], volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] });
    expect(template.spec['volumes']).toEqual([claim]);
  });

  test('null removes a default', () => {
    const template = layered(
      { labels: { tier: null }, env: [{ name: 'LOG', value: null }], volumes: null, volumeMounts: null },
      { pod: { topologySpreadConstraints: null, automountServiceAccountToken: null } },
      { container: { startupProbe: null, securityContext: { allowPrivilegeEscalation: null } } },
    );
    expect(template.metadata.labels).toEqual({});
    expect(template.spec).not.toHaveProperty('topologySpreadConstraints');
    expect(template.spec).not.toHaveProperty('automountServiceAccountToken');
    expect(template.spec).not.toHaveProperty('volumes');
    expect(main(template)).toEqual({
      ...MAIN,
      readinessProbe: expect.anything() as unknown,
      securityContext: {},
      resources: expect.anything() as unknown,
    });
  });

  test('null in one fragment removes the default and keeps the value of another fragment', () => {
    const { env } = main(layered({ env: null }, { env: [{ name: 'MINE', value: '1' }] }));
    expect(env).toEqual([{ name: 'MINE', value: '1' }]);
    const { startupProbe } = main(
      layered(
        { container: { startupProbe: null } },
        { container: { startupProbe: { exec: { command: ['true'] } } } },
      ),
    );
    expect(startupProbe).toEqual({ exec: { command: ['true'] } });
  });

  test.each<[string, PodFragment, string]>([
    [
      'other chips',
      { resources: { limits: { 'google.com/tpu': '4' } } },
      "resources.limits[google.com/tpu]: '4' differs from '8', which follows from the slice; use another slice, or override() on the rendered object",
    ],
    [
      'another topology',
      { nodeSelector: { 'cloud.google.com/gke-tpu-topology': '4x4' } },
      "nodeSelector[cloud.google.com/gke-tpu-topology]: '4x4' differs from '2x4', which follows from the slice; use another slice, or override() on the rendered object",
    ],
    [
      'no topology',
      { nodeSelector: { 'cloud.google.com/gke-tpu-topology': null } },
      "nodeSelector[cloud.google.com/gke-tpu-topology]: cannot be removed: the slice needs '2x4'; use another slice, or override() on the rendered object",
    ],
  ])('only an override gives a pod %s', (_, fragment, problem) => {
    expect(() => layered(fragment)).toThrow(saying([problem]));
  });

  test('accepts the same value as a fact of the slice', () => {
    expect(layered({ resources: { limits: { 'google.com/tpu': '8' } } })).toEqual(layered());
  });

  test('SLICE_FACTS lists the fields that follow from the slice', () => {
    const leaves = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, child]) => leaves(child, [...path, key]))
        : [path];
    expect(leaves(tpuResources(slice))).toEqual(SLICE_FACTS);
  });
});

describe('chips', () => {
  const chips = (count: string): { resources: ResourceRequirements } => ({
    resources: { requests: { 'google.com/tpu': count }, limits: { 'google.com/tpu': count } },
  });
  const ironwood = { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu7x' } };
  const beside = (name: string, count = '2'): SidecarContainer => ({ name, image: 'b:1', ...chips(count) });

  test('a limit is also a request', () => {
    const resources = { limits: { 'google.com/tpu': '8' } };
    expect(podTemplate({ container: { ...MAIN, resources } })).toHaveProperty(
      'spec.containers.0.resources',
      resources,
    );
  });

  test('two containers can share a host of tpu7x, one on each NUMA node', () => {
    const template = podTemplate({
      container: { ...MAIN, ...chips('2') },
      sidecars: [beside('b')],
      given: [ironwood],
    });
    expect(template.spec['containers']).toMatchObject([chips('2'), chips('2')]);
  });

  test('three containers cannot share a host', () => {
    expect(() =>
      podTemplate({
        container: { ...MAIN, ...chips('2') },
        sidecars: [beside('b', '1'), beside('c', '1')],
        given: [ironwood],
      }),
    ).toThrow(
      saying([
        "resources.limits[google.com/tpu]: is set by containers 'server', 'b', 'c'; use at most two containers with chips, one for each NUMA node of tpu7x",
      ]),
    );
  });

  test('two containers cannot share a host of another generation', () => {
    expect(() =>
      podTemplate({ container: MAIN, sidecars: [beside('b')], facts: [tpuResources(slice)] }),
    ).toThrow(
      saying([
        "resources.limits[google.com/tpu]: is set by containers 'server', 'b'; use one container with chips: only hosts of tpu7x have two NUMA nodes",
      ]),
    );
  });
});

describe('equal values', () => {
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

  test('do not include a TCP and a UDP port, or two arguments', () => {
    const ports = (['TCP', 'UDP'] as const).map((protocol) => ({ containerPort: 53, protocol }));
    const fragments = ports.map((one): PodFragment => ({ container: { ports: [one], args: ['-v'] } }));
    expect(pod(...fragments)).toHaveProperty('spec.containers.0', { ...MAIN, ports, args: ['-v', '-v'] });
  });
});

describe('init containers', () => {
  test('are written like other containers', () => {
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

  test('can have quantities from a typed variable', () => {
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

describe('of the folded pod are rejected', () => {
  const token = `hf_${'Ab1'.repeat(11)}`;
  const tokenElsewhere =
    "contains a Hugging Face token, which everyone who reads the manifest can use; use huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'), which names a Secret";
  const lost = (what: string): string =>
    `${what} is not a field of Kubernetes 1.29, or its value has the wrong type; use the name and type of a field, or override() for a newer field`;
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
      'volumes[data]: is declared twice; use different names',
    ],
    [
      'one variable twice, with one value',
      loose({ env: twoOf({ name: 'A', value: '1' }) }),
      'env[A]: is set twice; use one of them',
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
      'volumeMounts[/x]: is mounted twice; use different folders',
    ],
    [
      'a whole spec of a pod',
      loose({ pod: { containers: [], nodeSelector: {}, tolerations: [], volumes: [], hostname: 'a' } }),
      'pod.containers: does not belong here; use container for the main container, and sidecars for other containers',
      "pod.nodeSelector: does not belong here; use the fragment's own nodeSelector",
      "pod.tolerations: does not belong here; use the fragment's own tolerations",
      "pod.volumes: does not belong here; use the fragment's own volumes",
    ],
    [
      'a whole container',
      loose({ container: { name: 'x', env: [], volumeMounts: [], resources: {} } }),
      'container.name: does not belong here; remove it, because the name of the main container is fixed',
      "container.env: does not belong here; use the fragment's own env",
      "container.volumeMounts: does not belong here; use the fragment's own volumeMounts",
      "container.resources: does not belong here; use the fragment's own resources",
    ],
    [
      'fields that the types drop',
      loose({
        pod: { priorityClass: 'high', hostUsers: false, resourceClaims: [{ name: 'a', devices: 1 }] },
        container: { imagePolicy: 'Always', securityContext: { privilegd: true } },
        volumes: [{ name: 'a', emptyDir: { sizeLimit: '1Gi' } }],
        resources: { claim: {} },
      }),
      lost("pod.priorityClass: 'high'"),
      lost("pod.resourceClaims[a].devices: '1'"),
      lost("volumes[a].emptyDir.sizeLimit: '1Gi'"),
      lost("container.imagePolicy: 'Always'"),
      lost("container.securityContext.privilegd: 'true'"),
      lost('resources.claim:'),
    ],
    [
      'values that are not strings',
      loose({
        labels: { a: true },
        annotations: { b: 8 },
        nodeSelector: { c: false },
        env: [{ name: 'D', value: 1 }],
      }),
      "labels[a]: 'true' is a boolean; use a string, for example 'true'",
      "annotations[b]: '8' is a number; use a string, for example '8'",
      "nodeSelector[c]: 'false' is a boolean; use a string, for example 'false'",
      "env[D]: '1' is a number; use a string, for example '1'",
    ],
    [
      'keys of labels and annotations',
      { labels: { 'my label': '1', 'A/b': '1' }, annotations: { 'a/b/c': '1' }, nodeSelector: { '': '1' } },
      "labels[my label]: is not the key of a label; use NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-', for example 'my-label'",
      "labels[A/b]: is not the key of a label; use NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-', for example 'b'",
      "annotations[a/b/c]: is not the key of a label; use NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-', for example 'c'",
      "nodeSelector[]: is not the key of a label; use NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-', for example 'x'",
    ],
    [
      'a selector with a space',
      { nodeSelector: { pool: 'my pool' } },
      "nodeSelector[pool]: 'my pool' is not a label value; use at most 63 letters, digits, '.', '_' and '-', starting and ending with a letter or digit, for example 'my-pool'",
    ],
    [
      'a subdomain with a dot',
      { pod: { subdomain: 'a.b' } },
      "pod.subdomain: 'a.b' is not a DNS label; use lower-case letters, digits and '-', starting and ending with a letter or digit, for example 'a-b'",
    ],
    [
      'half a chip',
      amounts({ 'google.com/tpu': '500m' }, { 'google.com/tpu': '500m' }),
      "resources.requests[google.com/tpu]: '500m' is not a whole number equal to the limit '500m'; use the chips of the container as request and as limit",
    ],
    [
      'requests above limits',
      amounts({ cpu: '2', memory: '8Gi' }, { cpu: '1500m', memory: '8G' }),
      "resources.requests[cpu]: '2' is more than the limit '1500m'; use at most '1500m'",
      "resources.requests[memory]: '8Gi' is more than the limit '8G'; use at most '8G'",
    ],
    [
      'an extended resource that is requested alone',
      amounts({ 'nvidia.com/gpu': '1' }),
      "resources.requests[nvidia.com/gpu]: '1' has no limit; use the same whole number as request and as limit, for example '1'",
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
      "container.ports[1/TCP].name: 'a-very-long-name' is not the name of a port; use at most 15 lower-case letters, digits and single '-', with at least one letter, for example 'a-very-long-nam'",
      "container.ports[0/TCP].containerPort: '0' is not a whole number from 1 to 65535; use 1",
      "container.ports: has the name 'web' twice; use different names",
    ],
    [
      'two handlers',
      probe({ httpGet: http, tcpSocket: { port: http.port } }),
      'container.readinessProbe: has httpGet and tcpSocket; use one of exec, grpc, httpGet and tcpSocket',
    ],
    [
      'no handler',
      probe({ periodSeconds: 5 }),
      'container.readinessProbe: has no handler; use one of exec, grpc, httpGet and tcpSocket',
    ],
    [
      'tokens',
      { env: [{ name: 'T', value: ` ${token} ` }], container: { args: [`--hf-token=${token}`] } },
      `env[T]: ${tokenElsewhere}`,
      `container.args: ${tokenElsewhere}`,
    ],
    [
      'a bucket on the network of the node',
      {
        pod: { hostNetwork: true },
        volumes: [{ name: 'b', csi: { driver: 'gcsfuse.csi.storage.gke.io' } }],
      },
      "volumes[b]: is a bucket in a pod with hostNetwork, where Cloud Storage FUSE has no identity; remove hostNetwork, or set hostNetworkPodKSA: 'true' in the volumeAttributes of the volume",
    ],
  ])('%s', (_, fragment, ...problems) => {
    expect(() => pod(fragment)).toThrow(InvalidInputError);
    expect(() => pod(fragment)).toThrow(saying(problems));
  });

  test('ports that two containers cannot share, and a container without an image', () => {
    const ports = [{ containerPort: 80 }];
    const chips = { requests: { 'google.com/tpu': '4' }, limits: { 'google.com/tpu': '4' } };
    const sidecar: SidecarContainer = { name: 'beside', resources: chips, ports };
    expect(() =>
      podTemplate({ container: { ...MAIN, resources: chips, ports }, sidecars: [sidecar] }),
    ).toThrow(
      saying([
        'sidecars[beside].image: required; use an image with a tag or digest',
        'container.ports[80/TCP]: is declared twice: all containers of a pod share its ports; use different ports',
      ]),
    );
  });

  test('long values are shown at their first difference', () => {
    const [left, right] = ['1', '2'].map((end) => `${'a'.repeat(100)}${end}`);
    expect(() => pod({ annotations: { n: left ?? '' } }, { annotations: { n: right ?? '' } })).toThrow(
      saying([
        `annotations[n]: has two values, '...${'a'.repeat(40)}1' and '...${'a'.repeat(40)}2'; use one of them`,
      ]),
    );
  });

  test('names of properties that every object inherits are ordinary names', () => {
    expect(pod({ labels: { constructor: '1', valueOf: '2' } }).metadata.labels).toEqual({
      constructor: '1',
      valueOf: '2',
    });
  });

  test('a bucket with hostNetworkPodKSA is accepted with hostNetwork', () => {
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
  /** The settings of a fragment, by kind. */
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
    labels: (key) => `labels[${key}]: `,
    annotations: (key) => `annotations[${key}]: `,
    nodeSelector: (key) => `nodeSelector[${key}]: `,
    env: (key) => `env[${key}]: `,
    volumes: (key) => `volumes[${key}]: `,
    requests: (key) => `resources.requests[${key}]: `,
    container: (key) => `container.${key}: `,
    pod: (key) => `pod.${key}: `,
  };
  const kinds = Object.keys(SAID) as (keyof Settings)[];

  /** Returns undefined for an empty record. */
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
  /** Returns the expected manifest. Lists have the order in which their items were added. */
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

  /** Returns the pod, or the beginnings of its error messages. */
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

  test('two fragments, they merge, or the message names each field that differs', () => {
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

  test('fragment, repeating it or adding an empty one changes nothing', () => {
    fc.assert(
      fc.property(settings, (one) => {
        expect(pod(fragmentOf(one), {}, fragmentOf(one))).toEqual(manifestOf(one));
      }),
    );
  });
});
