import { type Json } from '../../lib/manifest/manifest';
import {
  apps,
  container,
  found,
  jobSet,
  leaderWorkerSet,
  mutilatedSets,
  object,
  rayCluster,
  rayService,
  replicatedJob,
  said,
  template,
  throws,
  TOPOLOGY,
  tpu,
} from './manifests';

const RAY = /^TPU6/;
const one = template(tpu('2x2'), '4');
const GROUP = 'spec.rayClusterConfig.workerGroupSpecs[g]';
const labelled = (labels: Json, chips?: unknown): Json => ({
  ...template(tpu('2x2'), chips),
  metadata: { labels },
});
const image = (name: unknown): Json => ({
  spec: { nodeSelector: tpu('2x2'), containers: [container('4', { image: name })] },
});
const head = (name: unknown): Json => ({
  headGroupSpec: { template: { spec: { containers: [container(undefined, { image: name })] } } },
});
const serve = (config: unknown): Json => rayService(rayCluster(one), { serveConfigV2: config });
const inCluster = (kind: string, metadata: Json = {}): Json =>
  object('ray.io/v1', kind, rayCluster(one), metadata);
const affinity = { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } };

describe('the Ray rules accept', () => {
  test.each<[string, Json]>([
    ['a RayService', rayService(rayCluster(one))],
    ['custom labels', rayService(rayCluster(labelled({ app: 'x', 'app.kubernetes.io/part-of': 'x' }, '4')))],
    [
      'the labels of KubeRay',
      rayService(
        rayCluster(
          labelled(
            { 'app.kubernetes.io/name': 'kuberay', 'app.kubernetes.io/created-by': 'kuberay-operator' },
            '4',
          ),
        ),
      ),
    ],
    [
      'other labels on a worker group without chips',
      rayService(rayCluster(labelled({ 'app.kubernetes.io/name': 'x' }))),
    ],
    ['other labels on a Deployment', apps('Deployment', labelled({ 'app.kubernetes.io/name': 'x' }, '4'))],
    ['a missing image in a Deployment, which the API server refuses', apps('Deployment', image(undefined))],
    ['the longest name', rayService(rayCluster(one), {}, { name: 'a'.repeat(47) })],
    ['the longest name of a RayCluster', inCluster('RayCluster', { name: 'a'.repeat(53) })],
    ['a name that TPU713 reports', rayService(rayCluster(one), {}, { name: 'A_'.repeat(40) })],
    ['a long name of a Deployment', apps('Deployment', one, { name: 'a'.repeat(60) })],
    ['a Serve configuration in JSON', serve('{"applications": [{"name": "n", "import_path": "m:app"}]}')],
    [
      'a Serve configuration with anchors',
      serve('x: &x {import_path: m:app}\napplications:\n  - <<: *x\n    name: n\n'),
    ],
    [
      'replicas that equal their limits',
      rayService(rayCluster(one, { replicas: 2, minReplicas: 2, maxReplicas: 2 })),
    ],
    ['replicas without limits', rayService(rayCluster(one, { replicas: 2 }))],
    ['replicas that the autoscaler sets', rayService(rayCluster(one, { minReplicas: 1, maxReplicas: 3 }))],
    ['affinity on single hosts', rayService(rayCluster(template(tpu('2x2'), '4', affinity)))],
    [
      'empty affinity',
      rayService(rayCluster(template(tpu('4x4'), '4', { affinity: {} }), { numOfHosts: 4 })),
    ],
    [
      'a topology in affinity, which TPU107 reports',
      rayService(
        rayCluster(
          template(tpu(), '4', {
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [
                    { matchExpressions: [{ key: TOPOLOGY, operator: 'In', values: ['4x4'] }] },
                  ],
                },
              },
            },
          }),
          { numOfHosts: 4 },
        ),
      ),
    ],
    [
      'the version of the images',
      rayService(
        rayCluster(
          image('rayproject/ray-ml:2.9.0-py310'),
          {},
          { rayVersion: '2.9.0', ...head('us-docker.pkg.dev/p/rayproject/ray:2.9.0') },
        ),
      ),
    ],
    [
      'an image without a known version',
      rayService(
        rayCluster(
          image('rayproject/ray:nightly'),
          {},
          { rayVersion: '2.9.0', ...head('vllm/vllm-tpu:0.12.0') },
        ),
      ),
    ],
    ['a missing rayVersion', rayService(rayCluster(image('rayproject/ray:2.9.0')))],
  ])('%s', (_, manifest) => {
    expect(found(RAY, manifest)).toEqual([]);
  });
});

describe('the Ray rules report', () => {
  test.each<[string, Json, string]>([
    [
      'another name label',
      rayService(rayCluster(labelled({ 'app.kubernetes.io/name': 'x' }, '4'))),
      `TPU601 error ${GROUP}.template.metadata.labels[app.kubernetes.io/name]`,
    ],
    [
      'another created-by label',
      rayService(rayCluster(labelled({ 'app.kubernetes.io/created-by': 'Helm' }, '4'))),
      `TPU601 error ${GROUP}.template.metadata.labels[app.kubernetes.io/created-by]`,
    ],
    [
      'another name label on a head with chips',
      rayService({
        ...rayCluster(one),
        headGroupSpec: { template: labelled({ 'app.kubernetes.io/name': 'x' }, '4') },
      }),
      'TPU601 error spec.rayClusterConfig.headGroupSpec.template.metadata.labels[app.kubernetes.io/name]',
    ],
    [
      'another name label in a RayJob',
      object('ray.io/v1', 'RayJob', {
        rayClusterSpec: rayCluster(labelled({ 'app.kubernetes.io/name': 'x' }, '4')),
      }),
      'TPU601 error spec.rayClusterSpec.workerGroupSpecs[g].template.metadata.labels[app.kubernetes.io/name]',
    ],
    [
      'a missing image',
      rayService(rayCluster(image(undefined))),
      `TPU602 error ${GROUP}.template.spec.containers[main].image`,
    ],
    [
      'an empty image of the head',
      rayService({ ...rayCluster(one), ...head(' ') }),
      'TPU602 error spec.rayClusterConfig.headGroupSpec.template.spec.containers[main].image',
    ],
    [
      'a missing image of an init container',
      rayService(rayCluster(template(tpu('2x2'), '4', { initContainers: [{ name: 'init' }] }))),
      `TPU602 error ${GROUP}.template.spec.initContainers[init].image`,
    ],
    [
      'a missing image in a JobSet',
      jobSet([replicatedJob({ spec: { containers: [{ name: 'c' }] } }, {})]),
      'TPU602 error spec.replicatedJobs[j].template.spec.template.spec.containers[c].image',
    ],
    [
      'a missing image in a LeaderWorkerSet',
      leaderWorkerSet({ workerTemplate: { spec: { containers: [{}] } } }),
      'TPU602 error spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].image',
    ],
    [
      'a long name of a RayService',
      rayService(rayCluster(one), {}, { name: 'a'.repeat(48) }),
      'TPU603 error metadata.name',
    ],
    [
      'a long name of a RayJob',
      object('ray.io/v1', 'RayJob', {}, { name: 'a'.repeat(48) }),
      'TPU603 error metadata.name',
    ],
    [
      'a long name of a RayCluster',
      inCluster('RayCluster', { name: 'a'.repeat(54) }),
      'TPU603 error metadata.name',
    ],
    ['a name with a dot', rayService(rayCluster(one), {}, { name: 'a.b' }), 'TPU603 error metadata.name'],
    ['a missing Serve configuration', serve(undefined), 'TPU604 error spec.serveConfigV2'],
    ['an empty Serve configuration', serve(''), 'TPU604 error spec.serveConfigV2'],
    ['a Serve configuration that is a map', serve({ applications: [] }), 'TPU604 error spec.serveConfigV2'],
    [
      'a Serve configuration with tabs',
      serve('applications:\n\t- name: n\n'),
      'TPU604 error spec.serveConfigV2',
    ],
    [
      'a Serve configuration with several documents',
      serve('applications: []\n---\napplications: []\n'),
      'TPU604 error spec.serveConfigV2',
    ],
    [
      'a Serve configuration with a missing anchor',
      serve('applications: [*x]'),
      'TPU604 error spec.serveConfigV2',
    ],
    [
      'a Serve configuration with too many aliases',
      serve(
        `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\napplications: [*c,*c,*c]`,
      ),
      'TPU604 error spec.serveConfigV2',
    ],
    ['a Serve configuration that is plain text', serve('no applications'), 'TPU604 error spec.serveConfigV2'],
    [
      'an application without import_path',
      serve('applications: [{name: n, import_path: m:app}, {name: o}]'),
      'TPU604 error spec.serveConfigV2.applications[o]',
    ],
    [
      'an application that is not a map',
      serve('applications: [x]'),
      'TPU604 error spec.serveConfigV2.applications[0]',
    ],
    [
      'a maximum below the minimum',
      rayService(rayCluster(one, { replicas: 1, minReplicas: 3, maxReplicas: 2 })),
      `TPU605 error ${GROUP}.maxReplicas`,
    ],
    [
      'replicas below the minimum',
      rayService(rayCluster(one, { replicas: 0, minReplicas: 1 })),
      `TPU605 warning ${GROUP}.replicas`,
    ],
    [
      'replicas above the maximum',
      rayService(rayCluster(one, { replicas: 3, maxReplicas: 2 })),
      `TPU605 warning ${GROUP}.replicas`,
    ],
    [
      'affinity on several hosts',
      rayService(rayCluster(template(tpu('4x4'), '4', affinity), { numOfHosts: 4 })),
      `TPU606 warning ${GROUP}.template.spec.affinity`,
    ],
    [
      'another version in the image of a worker',
      rayService(rayCluster(image('rayproject/ray:2.55.0-tpu'), {}, { rayVersion: '2.54.0' })),
      'TPU607 warning spec.rayClusterConfig.rayVersion',
    ],
    [
      'a version without a patch number',
      object('ray.io/v1', 'RayJob', {
        rayClusterSpec: { ...rayCluster(image('rayproject/ray:2.55.0')), rayVersion: 2.55 },
      }),
      'TPU607 warning spec.rayClusterSpec.rayVersion',
    ],
    [
      'another version in a RayCluster',
      object('ray.io/v1', 'RayCluster', {
        ...rayCluster(one),
        ...head('rayproject/ray:2.9.0@sha256:0'),
        rayVersion: '2.9',
      }),
      'TPU607 warning spec.rayVersion',
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(RAY, manifest)).toEqual([expected]);
  });
});

describe('the message names', () => {
  test.each<[string, string, Json, string]>([
    [
      'the problem of the YAML in one line',
      'TPU604',
      serve('applications:\n  - name: a: b\n'),
      'serveConfigV2 is not valid YAML, so its applications never start: Nested mappings are not allowed in compact mappings at line 2, column 11; correct',
    ],
    [
      'the nearest valid name',
      'TPU603',
      rayService(rayCluster(one), {}, { name: `1${'a'.repeat(10)}` }),
      "for example 'aaaaaaaaaa'",
    ],
    [
      'the version of all images',
      'TPU607',
      rayService(rayCluster(image('rayproject/ray:2.55.0'), {}, { rayVersion: '2.54.0' })),
      "set rayVersion to '2.55.0'",
    ],
    [
      'all images if their versions differ',
      'TPU607',
      rayService(
        rayCluster(
          image('rayproject/ray:2.55.0'),
          {},
          { rayVersion: '2.54.0', ...head('rayproject/ray:2.54.0') },
        ),
      ),
      'use images of one Ray version',
    ],
  ])('%s', (_, code, manifest, expected) => {
    expect(said(code, manifest)).toContain(expected);
  });
});

test('the Ray rules never throw on a malformed manifest', () => {
  const odd = [
    rayService(
      rayCluster(
        template(tpu('4x4'), '4', affinity),
        { numOfHosts: 4, replicas: 1, minReplicas: 2 },
        { rayVersion: '2.9.0', ...head('rayproject/ray:2.55.0') },
      ),
    ),
    inCluster('RayJob'),
  ].flatMap((manifest) => [...mutilatedSets([manifest])]);
  expect(odd.length).toBeGreaterThan(500);
  expect(odd.filter((set) => throws(() => found(RAY, ...set)))).toEqual([]);
});

describe('TPU608: NetworkPolicies for Ray pods', () => {
  const cluster = rayService(rayCluster(labelled({ app: 'a' }, '4')));
  const policy = (ingress: unknown, more: Json = {}, metadata: Json = {}): Json =>
    object(
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { podSelector: { matchLabels: { app: 'a' } }, policyTypes: ['Ingress'], ingress, ...more },
      metadata,
    );
  const app = (value: string): Json => ({ podSelector: { matchLabels: { app: value } } });
  const nodes = (type: string): Json => ({ podSelector: { matchLabels: { 'ray.io/node-type': type } } });
  const NAME = 'kubernetes.io/metadata.name';
  const inNamespace = (matchLabels: Json): Json => ({
    from: [{ ...app('a'), namespaceSelector: { matchLabels } }],
  });
  const shut = ['TPU608 error spec.ingress'];

  test.each<[string, readonly Json[], readonly string[]]>([
    ['no peers', [policy([])], shut],
    ['no peers, without policyTypes', [policy(undefined, { policyTypes: undefined })], shut],
    ['only clients', [policy([{ from: [app('client')] }])], shut],
    ['the same pods on one port', [policy([{ from: [app('a')], ports: [{ port: 6379 }] }])], shut],
    ['the same pods in namespaces of a team', [policy([inNamespace({ team: 'x' })])], []],
    ['the same pods in a namespace that may be theirs', [policy([inNamespace({ [NAME]: 'ray' })])], []],
    ['a whole namespace that may be theirs', [policy([{ from: [{ namespaceSelector: {} }] }])], []],
    ['an empty peer', [policy([{ from: [{}] }])], shut],
    [
      'an address block, which may include the pods',
      [policy([{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }])],
      [],
    ],
    ['the same pods on all TCP ports', [policy([{ from: [app('a')], ports: [{ protocol: 'TCP' }] }])], []],
    [
      'the same pods on ranges of ports',
      [policy([{ from: [app('a')], ports: [{ port: 6379 }, { port: 10002, endPort: 19999 }] }])],
      [],
    ],
    ['workers for the head', [policy([{ from: [nodes('worker')] }], nodes('head'))], []],
    ['only clients for the head', [policy([{ from: [app('client')] }], nodes('head'))], shut],
    ['clients and the same pods', [policy([{ from: [app('client'), app('a')] }])], []],
    ['the same pods in any namespace', [policy([{ from: [{ ...app('a'), namespaceSelector: {} }] }])], []],
    ['everybody', [policy([{}])], []],
    ['no peers, while another policy admits the same pods', [policy([]), policy([{ from: [app('a')] }])], []],
    ['no peers of other pods', [policy([], { podSelector: app('b')['podSelector'] })], []],
    ['no peers in another namespace', [policy([], {}, { namespace: 'other' })], []],
    ['egress only', [policy(undefined, { policyTypes: ['Egress'] })], []],
  ])('checks a policy that admits %s', (_, policies, expected) => {
    expect(found(/TPU608/, cluster, ...policies)).toEqual(expected);
  });

  test.each([
    ['ray', []],
    ['other', shut],
  ])('checks a policy that admits the same pods of namespace %s', (name, expected) => {
    const namespace = { namespace: 'ray' };
    const there = { ...cluster, metadata: { ...(cluster['metadata'] as Json), ...namespace } };
    expect(found(/TPU608/, there, policy([inNamespace({ [NAME]: name })], {}, namespace))).toEqual(expected);
  });

  test('the message names the object of the pods', () => {
    expect(said('TPU608', cluster, policy([]))).toBe(
      'the policy selects the pods of RayService/a, but no rule lets them reach each other on every port, so workers never join the head; add a rule without ports whose from has a podSelector for the pods of the cluster',
    );
  });
});
