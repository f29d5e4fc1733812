import { type Json } from '../../lib/manifest/manifest';
import {
  ACCELERATOR,
  apps,
  container,
  found,
  job,
  jobSet,
  leaderWorkerSet,
  mutilatedSets,
  object,
  pod,
  rayCluster,
  rayService,
  replicatedJob,
  said,
  template,
  throws,
  TOPOLOGY,
  tpu,
} from './manifests';

const SLICE = /^TPU1/;
const flexStart = { 'cloud.google.com/gke-flex-start': 'true' };
const gke = (label: string, value: unknown): Json => ({ [`cloud.google.com/${label}`]: value });
const required = (...terms: readonly Json[]): Json => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((labels) => ({
          matchExpressions: Object.entries(labels).map(([key, value]) => ({
            key,
            operator: 'In',
            values: [value].flat(),
          })),
        })),
      },
    },
  },
});
const containers = (...chips: readonly unknown[]): Json => ({
  containers: chips.map((amount, index) => container(amount, { name: `c${String(index)}` })),
});
const tolerations = (...list: readonly Json[]): Json => ({ tolerations: list });
const resources = (requests: unknown, limits: unknown): Json =>
  pod(tpu('2x2'), undefined, {
    containers: [
      container(undefined, {
        resources: { requests: { 'google.com/tpu': requests }, limits: { 'google.com/tpu': limits } },
      }),
    ],
  });
const computeClass = (priorities: readonly Json[]): Json =>
  object('cloud.google.com/v1', 'ComputeClass', { priorities }, { name: 'c' });
const wantsClass = gke('compute-class', 'c');

describe('the slice rules accept', () => {
  test.each<[string, Json]>([
    ['a pod without TPUs', pod({}, undefined)],
    [
      'selectors of other hardware',
      pod({ ...gke('gke-accelerator', 'nvidia-l4'), ...gke('gke-accelerator-count', '1') }),
    ],
    ['flex-start with a GPU and a reservation', pod({ ...flexStart, ...gke('reservation-name', 'r') })],
    ['a legal slice', pod(tpu('2x4'), '8')],
    ['chips that are a number', pod(tpu('2x4'), 8)],
    ['chips in thousandths, like 8000m', pod(tpu('2x4'), '8000m')],
    ['zero chips', pod({}, 0)],
    ['an older accelerator', pod(tpu('4x4', 'tpu-v3-slice'), '4')],
    ['the other name of an older accelerator', pod(tpu('4x4', 'tpu-v3-podslice'), '4')],
    ['an accelerator that has only single hosts', pod(tpu('2x4', 'tpu-v5-lite-device'), '8')],
    ['an accelerator that is not known yet', pod(tpu('2x2x1', 'tpu7'), '2')],
    ['a large 3D topology', pod(tpu('8x8x12', 'tpu-v5p-slice'), '4')],
    [
      'a Ray head with chips',
      rayService({
        ...rayCluster(template(tpu('2x2'), '4')),
        headGroupSpec: { template: template(tpu('2x2'), '4') },
      }),
    ],
    [
      'several containers that share a host on tpu7x',
      pod(tpu('2x2x1', 'tpu7x'), undefined, containers('2', '2')),
    ],
    [
      'chips in an init container and in the container after it',
      pod(tpu('2x2'), '4', { initContainers: [container('4')] }),
    ],
    ['a toleration of all taints', pod(tpu('2x2'), undefined, tolerations({ operator: 'Exists' }))],
    [
      'a pod without chips that tolerates the TPU taint',
      pod(tpu('2x2'), undefined, tolerations({ key: 'google.com/tpu', value: 'present' })),
    ],
    [
      'affinity that excludes TPU nodes',
      pod({}, undefined, {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: ACCELERATOR, operator: 'NotIn', values: ['x'] }] },
              ],
            },
          },
        },
      }),
    ],
    ['a pod in a Kueue queue', pod({}, '4', {}, { labels: { 'kueue.x-k8s.io/queue-name': 'q' } })],
    [
      'a pod template in a Kueue queue',
      job(
        {},
        {
          metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'q' } },
          spec: { containers: [container('4')] },
        },
      ),
    ],
    ['a named node pool', pod(gke('gke-nodepool', 'p'), '4')],
    ['a pod that selects only a ComputeClass', pod(wantsClass, '4')],
    [
      'an accelerator count that equals the requested chips',
      pod({ ...tpu('2x4'), ...gke('gke-accelerator-count', '8') }, '8'),
    ],
    ['flex-start', pod({ ...tpu('2x2'), ...flexStart, ...gke('reservation-affinity', 'none') }, '4')],
    [
      'flex-start selected by its provisioning label',
      pod(
        { ...tpu('2x2'), ...gke('gke-provisioning', 'flex-start') },
        '4',
        tolerations({ key: 'cloud.google.com/gke-flex-start', value: 'true' }),
      ),
    ],
    [
      'flex-start in a ComputeClass',
      pod(wantsClass, '4', tolerations({ key: 'cloud.google.com/gke-flex-start', value: 'true' })),
    ],
    [
      'spot',
      pod(
        { ...tpu('2x2'), ...gke('gke-spot', 'true') },
        '4',
        tolerations({ key: 'cloud.google.com/gke-spot', operator: 'Exists' }),
      ),
    ],
    [
      'the longest run duration of nodes without flex-start',
      pod({ ...tpu('2x2'), ...gke('gke-max-run-duration-seconds', '10368000') }, '4'),
    ],
    ['a built-in ComputeClass', pod({ ...tpu('2x2'), ...gke('compute-class', 'Accelerator') }, '4')],
    [
      'a dynamic slice',
      pod(
        tpu('4x4x4', 'tpu7x'),
        '4',
        {},
        { annotations: { 'cloud.google.com/gke-tpu-slice-topology': '2x2x2' } },
      ),
    ],
    [
      'an object of another group with a pod template',
      { kind: 'ClusterPolicy', spec: { template: template(tpu('9x9'), '3') } },
    ],
  ])('%s', (_, manifest) => {
    expect(found(SLICE, manifest)).toEqual([]);
  });
});

test('finds the pods of an unknown kind by their structure', () => {
  const pods = template(tpu('9x9'), '3');
  const service = { kind: 'InferenceService', spec: { predictor: { ...(pods['spec'] as Json) } } };
  expect(
    found(/^TPU(102|905)$/, { kind: 'Widget', spec: { workers: [{ name: 'w', template: pods }] } }),
  ).toEqual([`TPU102 error spec.workers[w].template.spec.nodeSelector[${TOPOLOGY}]`, 'TPU905 note kind']);
  expect(found(/^TPU(102|905)$/, service)).toEqual([
    `TPU102 error spec.predictor.nodeSelector[${TOPOLOGY}]`,
    'TPU905 note kind',
  ]);
});

test('does not check the chips of a ResourceClaim', () => {
  const claimed = pod(tpu('2x2'), undefined, { resourceClaims: [{ name: 'tpu' }] });
  expect(found(SLICE, claimed)).toEqual(['TPU121 note spec.resourceClaims']);
});

describe('the slice rules report', () => {
  const selector = (label: string): string => `spec.nodeSelector[${label}]`;
  const chips = 'spec.containers[main].resources';
  test.each<[string, Json, string]>([
    ['accelerator', pod(tpu('2x2', 'tpu-v5e-slice'), '4'), `TPU101 error ${selector(ACCELERATOR)}`],
    ['topology', pod(tpu('4x2'), '4'), `TPU102 error ${selector(TOPOLOGY)}`],
    ['a topology with spaces', pod(tpu('4 x 4'), '4'), `TPU102 error ${selector(TOPOLOGY)}`],
    [
      'a topology of v4 in another order',
      pod(tpu('4x2x2', 'tpu-v4-podslice'), '4'),
      `TPU102 warning ${selector(TOPOLOGY)}`,
    ],
    ['a request without a limit', resources('4', undefined), `TPU103 error ${chips}`],
    ['a request below the limit', resources('4', '8'), `TPU103 error ${chips}`],
    ['fewer chips than a host has', pod(tpu('4x4'), '2'), `TPU104 error ${chips}`],
    ['more chips than a host has', pod(tpu('2x2x1', 'tpu-v5p-slice'), '8'), `TPU104 error ${chips}`],
    [
      'chips of no host, without a topology but in a ComputeClass',
      pod({ ...tpu(), ...gke('gke-nodepool', 'p') }, '2'),
      `TPU104 error ${chips}`,
    ],
    [
      'fewer chips than a host has in an init container',
      pod(tpu('2x2'), '4', { initContainers: [container('1', { name: 'init' })] }),
      'TPU104 error spec.initContainers[init].resources',
    ],
    [
      'fewer chips than a tpu7x host has in two containers',
      pod(tpu('2x2x1', 'tpu7x'), undefined, containers('1', '2')),
      'TPU104 error spec.containers',
    ],
    ['a fraction of a chip', pod(tpu('2x2'), 0.5), `TPU105 error ${chips}`],
    ['chips in words', pod(tpu('2x2'), 'four'), `TPU105 error ${chips}`],
    ['a pod without selectors', pod({}, '4'), 'TPU106 error spec.nodeSelector'],
    ['a pod without an accelerator', pod(tpu('2x2', ''), '4'), 'TPU106 warning spec.nodeSelector'],
    ['a single-host pod without a topology', pod(tpu(), '4'), 'TPU106 warning spec.nodeSelector'],
    [
      'a multi-host Job without a topology',
      job({ parallelism: 4, completions: 4 }, template(tpu(), '4')),
      'TPU106 error spec.template.spec.nodeSelector',
    ],
    [
      'a preferred affinity instead of a selector',
      pod(tpu('2x2', ''), '4', {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                preference: {
                  matchExpressions: [{ key: ACCELERATOR, operator: 'In', values: ['tpu-v6e-slice'] }],
                },
              },
            ],
          },
        },
      }),
      'TPU106 warning spec.nodeSelector',
    ],
    [
      'a Ray cluster in a ComputeClass without a topology',
      rayService(rayCluster(template(wantsClass, '4'))),
      'TPU106 error spec.rayClusterConfig.workerGroupSpecs[g].template.spec.nodeSelector',
    ],
    [
      'accelerator and topology selected by affinity',
      pod({}, '4', required({ [ACCELERATOR]: 'tpu-v6e-slice', [TOPOLOGY]: '2x2' })),
      'TPU107 warning spec.affinity.nodeAffinity',
    ],
    [
      'an accelerator selected by affinity with several values',
      pod(tpu('2x2', ''), '4', required({ [ACCELERATOR]: ['tpu-v6e-slice', 'tpu-v5-lite-podslice'] })),
      'TPU107 warning spec.affinity.nodeAffinity',
    ],
    [
      'alternatives in affinity',
      pod(tpu(), '4', required({ [TOPOLOGY]: '2x2' }, { [TOPOLOGY]: '4x4' })),
      'TPU107 warning spec.affinity.nodeAffinity',
    ],
    [
      'the topology of a Ray cluster selected by affinity',
      rayService(rayCluster(template(tpu(), '4', required({ [TOPOLOGY]: '2x2' })))),
      'TPU107 error spec.rayClusterConfig.workerGroupSpecs[g].template.spec.affinity.nodeAffinity',
    ],
    [
      'the accelerator of a Ray cluster selected by affinity',
      rayService(rayCluster(template(tpu('2x2', ''), '4', required({ [ACCELERATOR]: 'tpu-v6e-slice' })))),
      'TPU107 warning spec.rayClusterConfig.workerGroupSpecs[g].template.spec.affinity.nodeAffinity',
    ],
    ['a 2x4 of v5e with one chip', pod(tpu('2x4', 'tpu-v5-lite-podslice'), '1'), `TPU108 error ${chips}`],
    [
      'a 2x4 with other chips in an init container',
      pod(tpu('2x4'), '8', { initContainers: [container('1', { name: 'init' })] }),
      'TPU108 error spec.initContainers[init].resources',
    ],
    [
      'a pod that selects TPU nodes without chips',
      apps('Deployment', template(tpu('2x2'))),
      'TPU109 error spec.template.spec.nodeSelector',
    ],
    ['zero chips', pod(tpu('2x2'), '0'), 'TPU109 error spec.nodeSelector'],
    [
      'a pod without chips that selects an older accelerator',
      pod(tpu(undefined, 'tpu-v3-slice')),
      'TPU109 error spec.nodeSelector',
    ],
    [
      'a pod without chips that tolerates another taint',
      pod(
        tpu('2x2'),
        undefined,
        tolerations(
          { key: 'google.com/tpu', operator: 'Exists', effect: 'NoExecute' },
          { key: 'x', value: 'y' },
        ),
      ),
      'TPU109 error spec.nodeSelector',
    ],
    [
      'chips in two containers',
      pod(tpu('2x2'), undefined, containers('4', '4')),
      'TPU110 error spec.containers',
    ],
    [
      'half a host in each of two containers',
      leaderWorkerSet({ size: 1, workerTemplate: template(tpu('2x4'), undefined, containers('4', '4')) }),
      'TPU110 error spec.leaderWorkerTemplate.workerTemplate.spec.containers',
    ],
    [
      'chips of a 2x4 in two containers',
      pod(tpu('2x4'), undefined, containers('1', '2')),
      'TPU110 error spec.containers',
    ],
    [
      'chips in two of three containers',
      pod(tpu('2x2'), undefined, containers('4', '4', 0)),
      'TPU110 error spec.containers',
    ],
    [
      'an accelerator count that differs from the chips',
      pod({ ...tpu('2x2'), ...gke('gke-accelerator-count', '8') }, '4'),
      `TPU111 error ${selector('cloud.google.com/gke-accelerator-count')}`,
    ],
    [
      'flex-start on preemptible nodes',
      pod({ ...tpu('2x2'), ...flexStart, ...gke('gke-preemptible', 'true') }, '4'),
      'TPU112 error spec.nodeSelector',
    ],
    [
      'flex-start with any reservation',
      pod({ ...tpu('2x2'), ...flexStart, ...gke('reservation-affinity', 'any') }, '4'),
      'TPU112 error spec.nodeSelector',
    ],
    [
      'flex-start and spot in a ComputeClass',
      pod({ ...wantsClass, ...flexStart, ...gke('gke-spot', 'true') }, '4'),
      'TPU112 error spec.nodeSelector',
    ],
    [
      'a flex-start pod that tolerates spot nodes',
      pod(
        { ...tpu('2x2'), ...flexStart },
        '4',
        tolerations({ key: 'cloud.google.com/gke-spot', operator: 'Exists' }),
      ),
      'TPU112 note spec.tolerations',
    ],
    [
      'flex-start on v4',
      pod({ ...tpu('2x2x1', 'tpu-v4-podslice'), ...flexStart }, '4'),
      `TPU113 error ${selector(ACCELERATOR)}`,
    ],
    [
      'flex-start on v3',
      pod({ ...tpu('4x4', 'tpu-v3-slice'), ...flexStart }, '4'),
      `TPU113 error ${selector(ACCELERATOR)}`,
    ],
    [
      'a flex-start selector with another value',
      pod({ ...tpu('2x2'), ...gke('gke-flex-start', 'True') }, '4'),
      `TPU114 error ${selector('cloud.google.com/gke-flex-start')}`,
    ],
    [
      'a toleration of flex-start without its selector',
      pod(tpu('2x2'), '4', tolerations({ key: 'cloud.google.com/gke-flex-start', value: 'true' })),
      'TPU115 error spec.tolerations',
    ],
    [
      'a toleration of flex-start with any value',
      pod(tpu('2x2'), '4', tolerations({ key: 'cloud.google.com/gke-flex-start', operator: 'Exists' })),
      'TPU115 warning spec.tolerations',
    ],
    [
      'flex-start for less than ten minutes',
      pod({ ...tpu('2x2'), ...flexStart, ...gke('gke-max-run-duration-seconds', '599') }, '4'),
      `TPU116 error ${selector('cloud.google.com/gke-max-run-duration-seconds')}`,
    ],
    [
      'a run duration with a unit',
      pod({ ...tpu('2x2'), ...gke('gke-max-run-duration-seconds', '7d') }, '4'),
      `TPU116 error ${selector('cloud.google.com/gke-max-run-duration-seconds')}`,
    ],
    [
      'the label of a run duration without -seconds',
      pod({ ...tpu('2x2'), ...gke('gke-max-run-duration', '3600') }, '4'),
      `TPU116 error ${selector('cloud.google.com/gke-max-run-duration')}`,
    ],
    ['a pod that selects only custom labels', pod({ pool: 'tpus' }, '4'), 'TPU106 warning spec.nodeSelector'],
    [
      'a reservation affinity of any',
      pod({ ...tpu('2x2'), ...gke('reservation-affinity', 'any') }, '4'),
      `TPU118 error ${selector('cloud.google.com/reservation-affinity')}`,
    ],
    [
      'wrong chips in a JobSet',
      jobSet([replicatedJob(template(tpu('3x3'), '4'), {}, { name: 'w' })]),
      `TPU102 error spec.replicatedJobs[w].template.spec.template.spec.nodeSelector[${TOPOLOGY}]`,
    ],
    [
      'wrong chips in a CronJob',
      object('batch/v1', 'CronJob', { jobTemplate: { spec: { template: template(tpu('2x2'), '1') } } }),
      'TPU104 error spec.jobTemplate.spec.template.spec.containers[main].resources',
    ],
    [
      'wrong chips in a RayJob',
      object('ray.io/v1', 'RayJob', { rayClusterSpec: rayCluster(template(tpu('2x2'), '1')) }),
      'TPU104 error spec.rayClusterSpec.workerGroupSpecs[g].template.spec.containers[main].resources',
    ],
    [
      'wrong chips in a RayCluster',
      object('ray.io/v1', 'RayCluster', rayCluster(template(tpu('2x2'), '1'))),
      'TPU104 error spec.workerGroupSpecs[g].template.spec.containers[main].resources',
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(SLICE, manifest)).toEqual([expected]);
  });
});

test('reports both mistakes of a wrong accelerator selected by affinity', () => {
  expect(found(SLICE, pod(tpu('2x2', ''), '4', required({ [ACCELERATOR]: 'tpu-pod' })))).toEqual([
    'TPU101 error spec.affinity.nodeAffinity',
    'TPU107 warning spec.affinity.nodeAffinity',
  ]);
});

describe('the slice rules compare a pod with a ComputeClass', () => {
  const both = pod({ ...tpu('2x2'), ...wantsClass }, '4');
  test.each<[string, Json, Json, readonly string[]]>([
    [
      'with TPUs',
      both,
      computeClass([{ tpu: { type: 'tpu-v6e-slice' } }]),
      ['TPU117 note spec.nodeSelector'],
    ],
    [
      'that has other TPUs',
      both,
      computeClass([{ tpu: { type: 'tpu-v5p-slice' } }, { tpu: { type: 'tpu-v6e-slice', topology: '4x4' } }]),
      ['TPU117 error spec.nodeSelector'],
    ],
    [
      'that has other TPUs or any nodes',
      both,
      computeClass([{ tpu: { type: 'tpu-v5p-slice' } }, { nodepools: ['p'] }]),
      [],
    ],
    ['without TPUs', both, computeClass([{ nodepools: ['p'] }]), []],
    [
      'whose hosts have another number of chips',
      pod(wantsClass, '4'),
      computeClass([{ tpu: { count: 8 } }, { tpu: { count: 1 } }]),
      ['TPU104 error spec.containers[main].resources'],
    ],
    ['whose hosts have the requested chips', pod(wantsClass, '4'), computeClass([{ tpu: { count: 4 } }]), []],
    ['that names a node pool', pod(wantsClass, '4'), computeClass([{ nodepools: ['p'] }]), []],
    [
      'that creates no TPU nodes',
      pod(wantsClass, '4'),
      computeClass([{ machineFamily: 'n2' }]),
      ['TPU106 error spec.nodeSelector'],
    ],
    [
      'of another API group',
      both,
      { ...computeClass([{ tpu: { type: 'tpu-v5p-slice' } }]), apiVersion: 'example.com/v1' },
      [],
    ],

    [
      'of Ray',
      rayService(rayCluster(template({ ...tpu('2x2'), ...wantsClass }, '4'))),
      computeClass([{ tpu: {} }]),
      [],
    ],
  ])('%s', (_, manifest, other, expected) => {
    expect(found(SLICE, manifest, other)).toEqual(expected);
  });
});

describe('the message names', () => {
  test.each<[string, string, Json, string]>([
    [
      'the accelerator of the generation in the value',
      'TPU101',
      pod(tpu('2x2', 'tpu-v6e-podslice'), '4'),
      "select 'tpu-v6e-slice'",
    ],
    [
      'the accelerator of a machine type',
      'TPU101',
      pod(tpu('2x2', 'ct5lp-hightpu-4t'), '4'),
      "select 'tpu-v5-lite-podslice'",
    ],
    ['the closest accelerator', 'TPU101', pod(tpu('2x2', 'tpu-v6-slice'), '4'), "select 'tpu-v6e-slice'"],
    [
      'all accelerators if none is similar',
      'TPU101',
      pod(tpu('2x2', 'nvidia-l4'), '4'),
      "select 'tpu-v4-podslice', 'tpu-v5-lite-podslice', 'tpu-v5p-slice', 'tpu-v6e-slice' or 'tpu7x'",
    ],
    [
      'the topology with its numbers in order',
      'TPU102',
      pod(tpu('8x4'), '4'),
      "'8x4' is not a topology of tpu-v6e-slice; select '4x8' (8 hosts)",
    ],
    [
      'the next smaller and larger topology',
      'TPU102',
      pod(tpu('5x5'), '4'),
      "select '4x4' (4 hosts) or '4x8' (8 hosts)",
    ],
    [
      'the topology with the stated number of hosts',
      'TPU106',
      job({ parallelism: 4, completions: 4 }, template(tpu(), '4')),
      "set nodeSelector cloud.google.com/gke-tpu-topology to '4x4' (4 hosts)",
    ],
    [
      'the node pool if no topology has the stated hosts',
      'TPU106',
      job({ parallelism: 3 }, template(tpu(), '4')),
      'to the topology of the node pool of tpu-v6e-slice',
    ],
    [
      'the accelerators that have the requested chips per host',
      'TPU106',
      pod(tpu('2x2x1', ''), '4'),
      "to the accelerator of the node pool, 'tpu-v4-podslice', 'tpu-v5p-slice' or 'tpu7x'",
    ],
    [
      'the node pool if no accelerator has the requested chips',
      'TPU106',
      pod(tpu('9x9', ''), '3'),
      'set nodeSelector cloud.google.com/gke-tpu-accelerator to the accelerator of the node pool',
    ],
    [
      'a placeholder if the affinity has alternatives',
      'TPU107',
      pod(tpu(), '4', required({ [TOPOLOGY]: ['2x2', '4x4'] })),
      'set nodeSelector cloud.google.com/gke-tpu-topology: VALUE',
    ],
    [
      'no number if the chips are unknown',
      'TPU110',
      pod(tpu('2x2'), undefined, containers('4', 'x')),
      'request all chips in one container',
    ],
  ])('%s', (_, code, manifest, expected) => {
    expect(said(code, manifest)).toContain(expected);
  });
});

test('the slice rules never throw on a malformed manifest', () => {
  const odd = [
    pod({ ...tpu('2x4'), ...flexStart, ...gke('gke-max-run-duration-seconds', '1') }, '8', {
      ...required({ [TOPOLOGY]: '2x2' }),
      ...tolerations({ key: 'cloud.google.com/gke-flex-start', value: 'true' }),
      initContainers: [container('4')],
    }),
    rayService(rayCluster(template({ ...tpu('2x2'), ...wantsClass }, '4'))),
    computeClass([{ tpu: {} }]),
  ].flatMap((manifest) => [...mutilatedSets([manifest])]);
  expect(odd.length).toBeGreaterThan(500);
  expect(odd.filter((set) => throws(() => found(SLICE, ...set)))).toEqual([]);
});
