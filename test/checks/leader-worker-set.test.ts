import { type Json } from '../../lib/manifest/manifest';
import { container, found, leaderWorkerSet, object, said, service, template, tpu } from './manifests';

// Findings about LeaderWorkerSets, whose groups of pods are the hosts of a slice.

const EXCLUSIVE = 'leaderworkerset.sigs.k8s.io/exclusive-topology';
const SUBGROUP_EXCLUSIVE = 'leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology';
const POOL = 'cloud.google.com/gke-nodepool';
const INDEX = 'leaderworkerset.sigs.k8s.io/worker-index';
const TPU = 'google.com/tpu';
const four = tpu('4x4');
const CPU = template({});
const group = 'spec.leaderWorkerTemplate';

const labeled = (pod: Json, labels: Json): Json => ({ ...pod, metadata: { labels } });
const annotated = (pod: Json, annotations: Json): Json => ({ ...pod, metadata: { annotations } });
const leader = (pod: Json = template(four, '4')): Json => labeled(pod, { app: 'a', role: 'leader' });
const worker = (pod: Json = template(four, '4')): Json => labeled(pod, { app: 'a', role: 'worker' });
const both = (more: Json = {}, replicas?: number, metadata: Json = {}): Json =>
  leaderWorkerSet(
    { size: 4, leaderTemplate: leader(), workerTemplate: worker(), ...more },
    replicas,
    metadata,
  );
const withSpec = (manifest: Json, more: Json): Json => ({
  ...manifest,
  spec: { ...(manifest['spec'] as Json), ...more },
});
const ports = [{ port: 80, targetPort: 8000 }];
const budget = (spec: Json): Json => object('policy/v1', 'PodDisruptionBudget', spec);
const scaledObject = (spec: Json): Json => object('keda.sh/v1alpha1', 'ScaledObject', spec);
const pool = (apiVersion: string, selector: Json): Json => object(apiVersion, 'InferencePool', { selector });
const dynamic = (topology: string): Json =>
  annotated(template({ 'cloud.google.com/gke-tpu-accelerator': 'tpu7x' }, '4'), {
    'cloud.google.com/gke-tpu-slice-topology': topology,
  });
const probe = { readinessProbe: { httpGet: { path: '/health', port: 8000 } } };
const probed = (nodes: Json, chips: string | undefined, more: Json = {}): Json => ({
  metadata: { labels: { app: 'a' } },
  spec: { nodeSelector: nodes, containers: [container(chips, { ...probe, ...more })] },
});

test.each<[string, RegExp, readonly string[], ...Json[]]>([
  ['a leader and workers on one slice', /TPU[12]/, [], both()],
  [
    'a leader and workers on two kinds of slices',
    /TPU(201|219)/,
    [`TPU219 error ${group}.leaderTemplate.spec.nodeSelector`],
    both({ leaderTemplate: template(tpu('2x4'), '4') }),
  ],
  [
    'a leader and workers on single-host slices',
    /TPU219/,
    [],
    both({ leaderTemplate: template(tpu('2x2'), '4'), workerTemplate: template(tpu('2x2'), '4') }),
  ],
  [
    'pods that set the list of hosts themselves',
    /TPU219/,
    [],
    both({
      leaderTemplate: {
        spec: {
          nodeSelector: tpu('2x4'),
          containers: [container('4', { env: [{ name: 'TPU_WORKER_HOSTNAMES', value: 'x' }] })],
        },
      },
    }),
  ],
  ['workers without chips', /TPU201/, [`TPU201 error ${group}.size`], both({ workerTemplate: CPU })],
  [
    'a leader without a topology',
    /TPU106/,
    [`TPU106 error ${group}.leaderTemplate.spec.nodeSelector`],
    both({ leaderTemplate: template(tpu(), '4') }),
  ],
  [
    'the DNS of the node on the host network',
    /TPU209/,
    [`TPU209 error ${group}.workerTemplate.spec.dnsPolicy`],
    both({ workerTemplate: template(four, '4', { hostNetwork: true }) }),
  ],
  [
    'groups that an autoscaler adds without separate node pools',
    /TPU212/,
    ['TPU212 warning metadata.annotations'],
    both(),
    scaledObject({
      scaleTargetRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'a' },
      maxReplicaCount: 3,
    }),
  ],
  [
    'subgroups that are slices, in groups with one node pool',
    /TPU212/,
    [`TPU212 error metadata.annotations[${EXCLUSIVE}]`],
    leaderWorkerSet(
      { size: 8, subGroupPolicy: { subGroupSize: 4 }, workerTemplate: template(four, '4') },
      1,
      { annotations: { [EXCLUSIVE]: POOL } },
    ),
  ],
  [
    'subgroups with separate node pools by an annotation of the pods',
    /TPU21[23]/,
    [],
    leaderWorkerSet({
      size: 8,
      subGroupPolicy: { subGroupSize: 4 },
      workerTemplate: annotated(template(four, '4'), { [SUBGROUP_EXCLUSIVE]: POOL }),
    }),
  ],
  [
    'dynamic slices, which share node pools',
    /TPU(106|201|212)/,
    [],
    leaderWorkerSet({ size: 2, leaderTemplate: dynamic('2x2x2'), workerTemplate: dynamic('2x2x2') }, 3, {
      labels: { 'kueue.x-k8s.io/queue-name': 'q' },
    }),
  ],
  [
    'a dynamic slice of another size',
    /TPU201/,
    [`TPU201 error ${group}.size`],
    leaderWorkerSet({ size: 3, workerTemplate: dynamic('2x2x2') }),
  ],
  ...['None', 'Default'].map((restartPolicy): [string, RegExp, readonly string[], Json] => [
    `restartPolicy ${restartPolicy}`,
    /TPU216/,
    [`TPU216 warning ${group}.restartPolicy`],
    both({ restartPolicy }),
  ]),
  ['restartPolicy RecreateGroupAfterStart', /TPU216/, [], both({ restartPolicy: 'RecreateGroupAfterStart' })],

  [
    'LeaderReady with a leader that has chips and probes',
    /TPU217/,
    ['TPU217 error spec.startupPolicy'],
    withSpec(both({ leaderTemplate: probed(four, '4') }), { startupPolicy: 'LeaderReady' }),
  ],
  [
    'LeaderReady with a leader that has chips but no probes',
    /TPU217/,
    ['TPU217 warning spec.startupPolicy'],
    withSpec(both(), { startupPolicy: 'LeaderReady' }),
  ],
  [
    'LeaderReady with the head of a Ray cluster without chips',
    /TPU217/,
    ['TPU217 warning spec.startupPolicy'],
    withSpec(
      both({
        size: 5,
        leaderTemplate: probed({}, undefined, { command: ['ray', 'start', '--head', '--block'] }),
      }),
      { startupPolicy: 'LeaderReady' },
    ),
  ],
  [
    'LeaderReady with a proxy without chips',
    /TPU217/,
    [],
    withSpec(both({ size: 5, leaderTemplate: probed({}, undefined) }), { startupPolicy: 'LeaderReady' }),
  ],

  [
    'an ordinary Service with the name of the LeaderWorkerSet',
    /TPU218/,
    ['TPU218 error metadata.name'],
    both(),
    service({ selector: { role: 'leader' }, ports }),
  ],
  [
    'a headless Service with the name that selects only leaders',
    /TPU218/,
    ['TPU218 error spec.selector'],
    both(),
    service({ selector: { role: 'leader' }, clusterIP: 'None', publishNotReadyAddresses: true }),
  ],
  [
    'a headless Service with the name that publishes only ready pods',
    /TPU218/,
    ['TPU218 warning spec.publishNotReadyAddresses'],
    both({ leaderTemplate: probed(four, '4') }),
    service({ selector: { app: 'a' }, clusterIP: 'None' }),
  ],
  [
    'a headless Service with the name that publishes only ready model servers',
    /TPU218/,
    ['TPU218 error spec.publishNotReadyAddresses'],
    both({ leaderTemplate: probed(four, '4', { command: ['vllm', 'serve', 'a/b'] }) }),
    service({ selector: { app: 'a' }, clusterIP: 'None' }),
  ],
  [
    'a headless Service with the name that selects all pods',
    /TPU218/,
    [],
    both(),
    service({ selector: { app: 'a' }, clusterIP: 'None', publishNotReadyAddresses: true }),
  ],
  [
    'an ordinary Service with the name if each group has a Service',
    /TPU218/,
    [],
    withSpec(both(), { networkConfig: { subdomainPolicy: 'UniquePerReplica' } }),
    service({ selector: { role: 'leader' }, ports }),
  ],

  [
    'a Service that selects leaders and workers',
    /TPU518/,
    ['TPU518 warning spec.selector'],
    both(),
    service({ selector: { app: 'a' }, ports }, { name: 's' }),
  ],
  [
    'a Service that selects pods with index 0',
    /TPU5(01|18)/,
    [],
    both(),
    service({ selector: { app: 'a', [INDEX]: '0' }, ports }, { name: 's' }),
  ],
  [
    'a Service that selects pods with index 0 of one template',
    /TPU5(01|18)/,
    [],
    leaderWorkerSet({ size: 4, workerTemplate: worker() }),
    service({ selector: { app: 'a', [INDEX]: '0' }, ports }, { name: 's' }),
  ],
  [
    'a Service that selects workers with index 0',
    /TPU501/,
    ['TPU501 error spec.selector'],
    both(),
    service({ selector: { role: 'worker', [INDEX]: '0' }, ports }, { name: 's' }),
  ],
  ...[
    ['v1', pool('inference.networking.k8s.io/v1', { matchLabels: { app: 'a' } })] as const,
    ['v1alpha2', pool('inference.networking.x-k8s.io/v1alpha2', { app: 'a' })] as const,
  ].map(([version, one]): [string, RegExp, readonly string[], ...Json[]] => [
    `an InferencePool ${version} of leaders and workers`,
    /TPU518/,
    ['TPU518 warning spec.selector'],
    both(),
    one,
  ]),
  [
    'an InferencePool of leaders',
    /TPU518/,
    [],
    both(),
    pool('inference.networking.k8s.io/v1', { matchLabels: { role: 'leader' } }),
  ],

  [
    'a ScaledObject without a kind',
    /TPU506/,
    ['TPU506 error spec.scaleTargetRef.kind'],
    both(),
    scaledObject({ scaleTargetRef: { name: 'a' } }),
  ],
  [
    'a ScaledObject without an API group',
    /TPU506/,
    ['TPU506 error spec.scaleTargetRef.apiVersion'],
    both(),
    scaledObject({ scaleTargetRef: { kind: 'LeaderWorkerSet', name: 'a' } }),
  ],
  [
    'a HorizontalPodAutoscaler that scales the StatefulSet of the leaders',
    /TPU506/,
    ['TPU506 error spec.scaleTargetRef.kind'],
    both(),
    object('autoscaling/v2', 'HorizontalPodAutoscaler', {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'a' },
    }),
  ],
  [
    'fixed replicas and a ScaledObject',
    /TPU512/,
    ['TPU512 warning spec.replicas'],
    both({}, 2),
    scaledObject({
      scaleTargetRef: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'a' },
    }),
  ],

  ['several groups without a PodDisruptionBudget', /TPU321/, ['TPU321 note spec.replicas'], both({}, 2)],
  [
    'a PodDisruptionBudget that selects only leaders',
    /TPU321/,
    ['TPU321 note spec.replicas'],
    both({}, 2),
    budget({ maxUnavailable: 4, selector: { matchLabels: { role: 'leader' } } }),
  ],
  [
    'a PodDisruptionBudget that selects all pods',
    /TPU321/,
    [],
    both({}, 2),
    budget({ maxUnavailable: 4, selector: { matchLabels: { app: 'a' } } }),
  ],
  ['multi-host groups, which cannot be spread', /TPU322/, [], both({}, 2)],
  [
    'single-host groups',
    /TPU322/,
    [`TPU322 note ${group}.workerTemplate.spec.topologySpreadConstraints`],
    leaderWorkerSet({ size: 1, workerTemplate: template(tpu('2x2'), '4') }, 2),
  ],
  [
    'workers without the label of inference servers',
    /TPU328/,
    [],
    both({
      leaderTemplate: labeled(template(four, '4'), {
        'app.kubernetes.io/name': 'vllm',
        'app.kubernetes.io/instance': 'a',
        'ai.gke.io/inference-server': 'vllm',
      }),
      workerTemplate: labeled(template(four, '4'), {
        'app.kubernetes.io/name': 'vllm',
        'app.kubernetes.io/instance': 'a',
      }),
    }),
  ],
  [
    'workers without hooks and metrics',
    /TPU3(20|27)/,
    [`TPU320 note ${group}.leaderTemplate.spec.containers[main].lifecycle.preStop`],
    both(),
    service({ selector: { app: 'a', [INDEX]: '0' }, ports }, { name: 's' }),
  ],
  [
    'one template for leader and workers without probes',
    /TPU301/,
    [],
    leaderWorkerSet({ size: 4, workerTemplate: worker() }),
    service({ selector: { app: 'a', [INDEX]: '0' }, ports }, { name: 's' }),
  ],

  [
    'a ReadWriteOnce claim on several hosts',
    /TPU417/,
    [`TPU417 error ${group}.workerTemplate.spec.volumes[w].persistentVolumeClaim`],
    both({
      workerTemplate: template(four, '4', {
        volumes: [{ name: 'w', persistentVolumeClaim: { claimName: 'weights' } }],
      }),
    }),
    object('v1', 'PersistentVolumeClaim', { accessModes: ['ReadWriteOnce'] }, { name: 'weights' }),
  ],

  ['a name that is short enough for indices', /TPU207/, [], both({}, 2, { name: 'n'.repeat(50) })],
  [
    'a name that may be too long for indices',
    /TPU207/,
    ['TPU207 warning metadata.name'],
    both({}, 2, { name: 'n'.repeat(51) }),
  ],
  [
    'a name that is too long for indices',
    /TPU207/,
    ['TPU207 error metadata.name'],
    both({}, 2, { name: 'n'.repeat(53) }),
  ],
  [
    'a restartPolicy that is not Always',
    /TPU719/,
    [`TPU719 error ${group}.workerTemplate.spec.restartPolicy`],
    both({ workerTemplate: template(four, '4', { restartPolicy: 'Never' }) }),
  ],
])('the rules check %s', (_, codes, expected, ...manifests) => {
  expect(found(codes, ...manifests)).toEqual(expected);
});

describe('TPU725 checks', () => {
  const rollout = (rollingUpdateConfiguration: Json): Json => ({
    rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration },
  });
  const at = 'spec.rolloutStrategy.rollingUpdateConfiguration';

  test.each<[string, readonly string[], Json]>([
    ['a name that is not valid for a Service', ['error metadata.name'], both({}, 1, { name: '1a' })],
    ['a size of zero', [`error ${group}.size`], leaderWorkerSet({ size: 0, workerTemplate: CPU })],
    ['negative replicas', ['error spec.replicas'], both({}, -1)],
    [
      'a leader template without a worker template',
      [`error ${group}`],
      leaderWorkerSet({ size: 1, leaderTemplate: CPU }),
    ],
    [
      'an annotation about subgroups without subgroups',
      [`error metadata.annotations[${SUBGROUP_EXCLUSIVE}]`],
      both({}, 1, { annotations: { [SUBGROUP_EXCLUSIVE]: POOL } }),
    ],
    [
      'subgroups that do not divide the group',
      [`error ${group}.subGroupPolicy.subGroupSize`],
      both({ size: 8, subGroupPolicy: { subGroupSize: 3 } }),
    ],
    ['subgroups without the leader', [], both({ size: 9, subGroupPolicy: { subGroupSize: 4 } })],
    [
      'subgroups that exclude a leader that the size counts',
      [`error ${group}.subGroupPolicy.subGroupSize`],
      both({ size: 8, subGroupPolicy: { subGroupSize: 4, subGroupPolicyType: 'LeaderExcluded' } }),
    ],
    [
      'a rolling update of zero groups',
      [`error ${at}.maxUnavailable`],
      withSpec(both(), rollout({ maxUnavailable: 0 })),
    ],
    [
      'a rolling update whose percentage rounds to zero groups',
      [`error ${at}.maxUnavailable`],
      withSpec(both({}, 3), rollout({ maxUnavailable: '25%' })),
    ],
    ['a rolling update of a percentage', [], withSpec(both({}, 4), rollout({ maxUnavailable: '25%' }))],
    ['a rolling update with a surge', [], withSpec(both(), rollout({ maxUnavailable: 0, maxSurge: 1 }))],
    ['a surge above 100%', [`error ${at}.maxSurge`], withSpec(both(), rollout({ maxSurge: '101%' }))],
    ['a partition below 0', [`error ${at}.partition`], withSpec(both(), rollout({ partition: -1 }))],
    [
      'a networkConfig without a subdomainPolicy',
      ['error spec.networkConfig'],
      withSpec(both(), { networkConfig: {} }),
    ],
    [
      'a policy in another case',
      ['error spec.startupPolicy'],
      withSpec(both(), { startupPolicy: 'leaderReady' }),
    ],
    [
      'a policy of another release',
      [`warning ${group}.restartPolicy`],
      both({ restartPolicy: 'RestartInPlace' }),
    ],
    ['placeholders', [], both({ size: '$SIZE' })],
  ])('%s', (_, expected, manifest) => {
    expect(found(/TPU725/, manifest)).toEqual(expected.map((one) => `TPU725 ${one}`));
  });
});

describe('the message names', () => {
  test.each<[string, string, string, ...Json[]]>([
    [
      'the pods that follow the annotation',
      'TPU213',
      `keeps only the leaders of two groups apart; the workers follow the annotation of the LeaderWorkerSet; annotate the LeaderWorkerSet itself with ${EXCLUSIVE}: ${POOL}`,
      both({ leaderTemplate: annotated(template(four, '4'), { [EXCLUSIVE]: POOL }) }, 2),
    ],
    [
      'the workers that request no chips',
      'TPU201',
      `size is 4, but topology '4x4' is 4 hosts of 4 chips besides the workers, which request no chips; set size to 7, or select topology '2x2' (1 host), or request ${TPU} in the workers too`,
      both({ workerTemplate: CPU }),
    ],
    [
      'the number of hosts for maxUnavailable',
      'TPU321',
      'add a PodDisruptionBudget with maxUnavailable: 4, the number of hosts of a slice, for the labels of its pods',
      both({}, 2),
    ],
    [
      'the node pool of each subgroup',
      'TPU212',
      `annotate the LeaderWorkerSet with ${SUBGROUP_EXCLUSIVE}: ${POOL}`,
      leaderWorkerSet({ size: 8, subGroupPolicy: { subGroupSize: 4 }, workerTemplate: template(four, '4') }),
    ],
  ])('%s', (_, code, expected, ...manifests) => {
    expect(said(code, ...manifests)).toContain(expected);
  });
});
