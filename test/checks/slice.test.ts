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

describe('nothing is found', () => {
  test.each<[string, Json]>([
    ['no TPU at all', pod({}, undefined)],
    [
      'selectors of other hardware',
      pod({ ...gke('gke-accelerator', 'nvidia-l4'), ...gke('gke-accelerator-count', '1') }),
    ],
    ['flex-start with a GPU and a reservation', pod({ ...flexStart, ...gke('reservation-name', 'r') })],
    ['a legal slice', pod(tpu('2x4'), '8')],
    ['chips as a number', pod(tpu('2x4'), 8)],
    ['chips in thousandths', pod(tpu('2x4'), '8000m')],
    ['no chips, said aloud', pod({}, 0)],
    ['an older accelerator', pod(tpu('4x4', 'tpu-v3-slice'), '4')],
    ['the other spelling of it', pod(tpu('4x4', 'tpu-v3-podslice'), '4')],
    ['an accelerator of single hosts', pod(tpu('2x4', 'tpu-v5-lite-device'), '8')],
    ['an accelerator to come', pod(tpu('2x2x1', 'tpu7'), '2')],
    ['a large shape of the 3D rule', pod(tpu('8x8x12', 'tpu-v5p-slice'), '4')],
    [
      'a Ray head with chips',
      rayService({
        ...rayCluster(template(tpu('2x2'), '4')),
        headGroupSpec: { template: template(tpu('2x2'), '4') },
      }),
    ],
    ['several containers on tpu7x', pod(tpu('2x2x1', 'tpu7x'), undefined, containers('2', '2'))],
    [
      'chips in an init container, and in the container after it',
      pod(tpu('2x2'), '4', { initContainers: [container('4')] }),
    ],
    ['a toleration of all taints', pod(tpu('2x2'), undefined, tolerations({ operator: 'Exists' }))],
    [
      'a toleration of the TPU taint',
      pod(tpu('2x2'), undefined, tolerations({ key: 'google.com/tpu', value: 'present' })),
    ],
    [
      'away from TPUs by affinity',
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
    ['a queue of Kueue', pod({}, '4', {}, { labels: { 'kueue.x-k8s.io/queue-name': 'q' } })],
    [
      'a queue of Kueue on the template',
      job(
        {},
        {
          metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'q' } },
          spec: { containers: [container('4')] },
        },
      ),
    ],
    ['a named node pool', pod(gke('gke-nodepool', 'p'), '4')],
    ['a ComputeClass alone', pod(wantsClass, '4')],
    ['the number of chips', pod({ ...tpu('2x4'), ...gke('gke-accelerator-count', '8') }, '8')],
    ['flex-start', pod({ ...tpu('2x2'), ...flexStart, ...gke('reservation-affinity', 'none') }, '4')],
    [
      'flex-start by its other label',
      pod(
        { ...tpu('2x2'), ...gke('gke-provisioning', 'flex-start') },
        '4',
        tolerations({ key: 'cloud.google.com/gke-flex-start', value: 'true' }),
      ),
    ],
    [
      'flex-start in a class',
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
      'the longest run of other nodes',
      pod({ ...tpu('2x2'), ...gke('gke-max-run-duration-seconds', '10368000') }, '4'),
    ],
    ['a class of GKE itself', pod({ ...tpu('2x2'), ...gke('compute-class', 'Accelerator') }, '4')],
    [
      'a part of a slice',
      pod(
        tpu('4x4x4', 'tpu7x'),
        '4',
        {},
        { annotations: { 'cloud.google.com/gke-tpu-slice-topology': '2x2x2' } },
      ),
    ],
    ['a policy about pods', { kind: 'ClusterPolicy', spec: { template: template(tpu('9x9'), '3') } }],
  ])('%s', (_, manifest) => {
    expect(found(SLICE, manifest)).toEqual([]);
  });
});

test('the pods of an unknown kind are found by their structure', () => {
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

test('chips by a claim are not checked', () => {
  const claimed = pod(tpu('2x2'), undefined, { resourceClaims: [{ name: 'tpu' }] });
  expect(found(SLICE, claimed)).toEqual(['TPU121 note spec.resourceClaims']);
});

describe('one finding', () => {
  const selector = (label: string): string => `spec.nodeSelector[${label}]`;
  const chips = 'spec.containers[main].resources';
  test.each<[string, Json, string]>([
    ['accelerator', pod(tpu('2x2', 'tpu-v5e-slice'), '4'), `TPU101 error ${selector(ACCELERATOR)}`],
    ['topology', pod(tpu('4x2'), '4'), `TPU102 error ${selector(TOPOLOGY)}`],
    ['topology that is no shape', pod(tpu('4 x 4'), '4'), `TPU102 error ${selector(TOPOLOGY)}`],
    [
      'topology of v4 in another order',
      pod(tpu('4x2x2', 'tpu-v4-podslice'), '4'),
      `TPU102 warning ${selector(TOPOLOGY)}`,
    ],
    ['request without limit', resources('4', undefined), `TPU103 error ${chips}`],
    ['request below limit', resources('4', '8'), `TPU103 error ${chips}`],
    ['some chips of a host', pod(tpu('4x4'), '2'), `TPU104 error ${chips}`],
    ['more chips than a host', pod(tpu('2x2x1', 'tpu-v5p-slice'), '8'), `TPU104 error ${chips}`],
    [
      'chips of no host, without topology but in a class',
      pod({ ...tpu(), ...gke('gke-nodepool', 'p') }, '2'),
      `TPU104 error ${chips}`,
    ],
    [
      'some chips in an init container',
      pod(tpu('2x2'), '4', { initContainers: [container('1', { name: 'init' })] }),
      'TPU104 error spec.initContainers[init].resources',
    ],
    [
      'some chips of tpu7x in two containers',
      pod(tpu('2x2x1', 'tpu7x'), undefined, containers('1', '2')),
      'TPU104 error spec.containers',
    ],
    ['half a chip', pod(tpu('2x2'), 0.5), `TPU105 error ${chips}`],
    ['chips in words', pod(tpu('2x2'), 'four'), `TPU105 error ${chips}`],
    ['no selectors', pod({}, '4'), 'TPU106 error spec.nodeSelector'],
    ['no accelerator', pod(tpu('2x2', ''), '4'), 'TPU106 error spec.nodeSelector'],
    ['no topology, one host', pod(tpu(), '4'), 'TPU106 warning spec.nodeSelector'],
    [
      'no topology, several hosts',
      job({ parallelism: 4, completions: 4 }, template(tpu(), '4')),
      'TPU106 error spec.template.spec.nodeSelector',
    ],
    [
      'a preference is no selector',
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
      'TPU106 error spec.nodeSelector',
    ],
    [
      'Ray in a class without topology',
      rayService(rayCluster(template(wantsClass, '4'))),
      'TPU106 error spec.rayClusterConfig.workerGroupSpecs[g].template.spec.nodeSelector',
    ],
    [
      'both by affinity',
      pod({}, '4', required({ [ACCELERATOR]: 'tpu-v6e-slice', [TOPOLOGY]: '2x2' })),
      'TPU107 warning spec.affinity.nodeAffinity',
    ],
    [
      'one of several by affinity',
      pod(tpu('2x2', ''), '4', required({ [ACCELERATOR]: ['tpu-v6e-slice', 'tpu-v5-lite-podslice'] })),
      'TPU107 warning spec.affinity.nodeAffinity',
    ],
    [
      'alternatives by affinity',
      pod(tpu(), '4', required({ [TOPOLOGY]: '2x2' }, { [TOPOLOGY]: '4x4' })),
      'TPU107 warning spec.affinity.nodeAffinity',
    ],
    [
      'topology of Ray by affinity',
      rayService(rayCluster(template(tpu(), '4', required({ [TOPOLOGY]: '2x2' })))),
      'TPU107 error spec.rayClusterConfig.workerGroupSpecs[g].template.spec.affinity.nodeAffinity',
    ],
    [
      'accelerator of Ray by affinity',
      rayService(rayCluster(template(tpu('2x2', ''), '4', required({ [ACCELERATOR]: 'tpu-v6e-slice' })))),
      'TPU107 warning spec.rayClusterConfig.workerGroupSpecs[g].template.spec.affinity.nodeAffinity',
    ],
    ['2x4 of v5e by one chip', pod(tpu('2x4', 'tpu-v5-lite-podslice'), '1'), `TPU108 error ${chips}`],
    [
      '2x4 in an init container',
      pod(tpu('2x4'), '8', { initContainers: [container('1', { name: 'init' })] }),
      'TPU108 error spec.initContainers[init].resources',
    ],
    ['no chips', apps('Deployment', template(tpu('2x2'))), 'TPU109 error spec.template.spec.nodeSelector'],
    ['no chips, said aloud', pod(tpu('2x2'), '0'), 'TPU109 error spec.nodeSelector'],
    [
      'no chips of an older accelerator',
      pod(tpu(undefined, 'tpu-v3-slice')),
      'TPU109 error spec.nodeSelector',
    ],
    [
      'no chips, a toleration of something else',
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
    ['two containers', pod(tpu('2x2'), undefined, containers('4', '4')), 'TPU110 error spec.containers'],
    [
      'two containers of half a host',
      leaderWorkerSet({ size: 1, workerTemplate: template(tpu('2x4'), undefined, containers('4', '4')) }),
      'TPU110 error spec.leaderWorkerTemplate.workerTemplate.spec.containers',
    ],
    [
      'two containers of a 2x4',
      pod(tpu('2x4'), undefined, containers('1', '2')),
      'TPU110 error spec.containers',
    ],
    [
      'two containers, and one that asks for none',
      pod(tpu('2x2'), undefined, containers('4', '4', 0)),
      'TPU110 error spec.containers',
    ],
    [
      'another number of chips',
      pod({ ...tpu('2x2'), ...gke('gke-accelerator-count', '8') }, '4'),
      `TPU111 error ${selector('cloud.google.com/gke-accelerator-count')}`,
    ],
    [
      'flex-start and preemptible',
      pod({ ...tpu('2x2'), ...flexStart, ...gke('gke-preemptible', 'true') }, '4'),
      'TPU112 error spec.nodeSelector',
    ],
    [
      'flex-start and any reservation',
      pod({ ...tpu('2x2'), ...flexStart, ...gke('reservation-affinity', 'any') }, '4'),
      'TPU112 error spec.nodeSelector',
    ],
    [
      'flex-start and spot in a class',
      pod({ ...wantsClass, ...flexStart, ...gke('gke-spot', 'true') }, '4'),
      'TPU112 error spec.nodeSelector',
    ],
    [
      'flex-start that tolerates spot',
      pod(
        { ...tpu('2x2'), ...flexStart },
        '4',
        tolerations({ key: 'cloud.google.com/gke-spot', operator: 'Exists' }),
      ),
      'TPU112 note spec.tolerations',
    ],
    [
      'flex-start of v4',
      pod({ ...tpu('2x2x1', 'tpu-v4-podslice'), ...flexStart }, '4'),
      `TPU113 error ${selector(ACCELERATOR)}`,
    ],
    [
      'flex-start of v3',
      pod({ ...tpu('4x4', 'tpu-v3-slice'), ...flexStart }, '4'),
      `TPU113 error ${selector(ACCELERATOR)}`,
    ],
    [
      'flex-start, said wrong',
      pod({ ...tpu('2x2'), ...gke('gke-flex-start', 'True') }, '4'),
      `TPU114 error ${selector('cloud.google.com/gke-flex-start')}`,
    ],
    [
      'flex-start tolerated alone',
      pod(tpu('2x2'), '4', tolerations({ key: 'cloud.google.com/gke-flex-start', value: 'true' })),
      'TPU115 error spec.tolerations',
    ],
    [
      'flex-start tolerated whatever its value',
      pod(tpu('2x2'), '4', tolerations({ key: 'cloud.google.com/gke-flex-start', operator: 'Exists' })),
      'TPU115 warning spec.tolerations',
    ],
    [
      'flex-start for less than ten minutes',
      pod({ ...tpu('2x2'), ...flexStart, ...gke('gke-max-run-duration-seconds', '599') }, '4'),
      `TPU116 error ${selector('cloud.google.com/gke-max-run-duration-seconds')}`,
    ],
    [
      'a duration with a unit',
      pod({ ...tpu('2x2'), ...gke('gke-max-run-duration-seconds', '7d') }, '4'),
      `TPU116 error ${selector('cloud.google.com/gke-max-run-duration-seconds')}`,
    ],
    [
      'a label that does not exist',
      pod({ ...tpu('2x2'), ...gke('gke-max-run-duration', '3600') }, '4'),
      `TPU116 error ${selector('cloud.google.com/gke-max-run-duration')}`,
    ],
    ['labels of the user beside the chips', pod({ pool: 'tpus' }, '4'), 'TPU106 warning spec.nodeSelector'],
    [
      'any reservation',
      pod({ ...tpu('2x2'), ...gke('reservation-affinity', 'any') }, '4'),
      `TPU118 error ${selector('cloud.google.com/reservation-affinity')}`,
    ],
    [
      'in each place of a JobSet',
      jobSet([replicatedJob(template(tpu('3x3'), '4'), {}, { name: 'w' })]),
      `TPU102 error spec.replicatedJobs[w].template.spec.template.spec.nodeSelector[${TOPOLOGY}]`,
    ],
    [
      'in a CronJob',
      object('batch/v1', 'CronJob', { jobTemplate: { spec: { template: template(tpu('2x2'), '1') } } }),
      'TPU104 error spec.jobTemplate.spec.template.spec.containers[main].resources',
    ],
    [
      'in a RayJob',
      object('ray.io/v1', 'RayJob', { rayClusterSpec: rayCluster(template(tpu('2x2'), '1')) }),
      'TPU104 error spec.rayClusterSpec.workerGroupSpecs[g].template.spec.containers[main].resources',
    ],
    [
      'in a RayCluster',
      object('ray.io/v1', 'RayCluster', rayCluster(template(tpu('2x2'), '1'))),
      'TPU104 error spec.workerGroupSpecs[g].template.spec.containers[main].resources',
    ],
  ])('%s', (_, manifest, expected) => {
    expect(found(SLICE, manifest)).toEqual([expected]);
  });
});

test('a wrong accelerator by affinity is two mistakes', () => {
  expect(found(SLICE, pod(tpu('2x2', ''), '4', required({ [ACCELERATOR]: 'tpu-pod' })))).toEqual([
    'TPU101 error spec.affinity.nodeAffinity',
    'TPU107 warning spec.affinity.nodeAffinity',
  ]);
});

describe('a ComputeClass of the set', () => {
  const both = pod({ ...tpu('2x2'), ...wantsClass }, '4');
  test.each<[string, Json, Json, readonly string[]]>([
    [
      'with TPUs',
      both,
      computeClass([{ tpu: { type: 'tpu-v6e-slice' } }]),
      ['TPU117 note spec.nodeSelector'],
    ],
    [
      'with other TPUs',
      both,
      computeClass([{ tpu: { type: 'tpu-v5p-slice' } }, { tpu: { type: 'tpu-v6e-slice', topology: '4x4' } }]),
      ['TPU117 error spec.nodeSelector'],
    ],
    [
      'with other TPUs, or anything',
      both,
      computeClass([{ tpu: { type: 'tpu-v5p-slice' } }, { nodepools: ['p'] }]),
      [],
    ],
    ['without TPUs', both, computeClass([{ nodepools: ['p'] }]), []],
    [
      'whose hosts have other chips',
      pod(wantsClass, '4'),
      computeClass([{ tpu: { count: 8 } }, { tpu: { count: 1 } }]),
      ['TPU104 error spec.containers[main].resources'],
    ],
    ['whose hosts have as many', pod(wantsClass, '4'), computeClass([{ tpu: { count: 4 } }]), []],
    ['of a pool', pod(wantsClass, '4'), computeClass([{ nodepools: ['p'] }]), []],
    [
      'of other machines',
      pod(wantsClass, '4'),
      computeClass([{ machineFamily: 'n2' }]),
      ['TPU106 error spec.nodeSelector'],
    ],
    [
      'of another group',
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

describe('what it says', () => {
  test.each<[string, string, Json, string]>([
    [
      'the generation in the name',
      'TPU101',
      pod(tpu('2x2', 'tpu-v6e-podslice'), '4'),
      "select 'tpu-v6e-slice'",
    ],
    ['a machine type', 'TPU101', pod(tpu('2x2', 'ct5lp-hightpu-4t'), '4'), "select 'tpu-v5-lite-podslice'"],
    ['a slip of the pen', 'TPU101', pod(tpu('2x2', 'tpu-v6-slice'), '4'), "select 'tpu-v6e-slice'"],
    [
      'nothing like it',
      'TPU101',
      pod(tpu('2x2', 'nvidia-l4'), '4'),
      "select 'tpu-v4-podslice', 'tpu-v5-lite-podslice', 'tpu-v5p-slice', 'tpu-v6e-slice' or 'tpu7x'",
    ],
    [
      'the order of a shape',
      'TPU102',
      pod(tpu('8x4'), '4'),
      "'8x4' is not a topology of tpu-v6e-slice; select '4x8' (8 hosts)",
    ],
    ['the shapes around', 'TPU102', pod(tpu('5x5'), '4'), "select '4x4' (4 hosts) or '4x8' (8 hosts)"],
    [
      'the hosts that are stated',
      'TPU106',
      job({ parallelism: 4, completions: 4 }, template(tpu(), '4')),
      "set nodeSelector cloud.google.com/gke-tpu-topology to '4x4' (4 hosts)",
    ],
    [
      'hosts that no shape has',
      'TPU106',
      job({ parallelism: 3 }, template(tpu(), '4')),
      'to that of the node pool of tpu-v6e-slice',
    ],
    [
      'the accelerators that have such hosts',
      'TPU106',
      pod(tpu('2x2x1', ''), '4'),
      "to that of the node pool, 'tpu-v4-podslice', 'tpu-v5p-slice' or 'tpu7x'",
    ],
    [
      'accelerators that nobody knows',
      'TPU106',
      pod(tpu('9x9', ''), '3'),
      'set nodeSelector cloud.google.com/gke-tpu-accelerator to that of the node pool',
    ],
    [
      'values that are alternatives',
      'TPU107',
      pod(tpu(), '4', required({ [TOPOLOGY]: ['2x2', '4x4'] })),
      'set nodeSelector cloud.google.com/gke-tpu-topology: VALUE',
    ],
    [
      'chips that are not known',
      'TPU110',
      pod(tpu('2x2'), undefined, containers('4', 'x')),
      'request them in one container',
    ],
  ])('%s', (_, code, manifest, expected) => {
    expect(said(code, manifest)).toContain(expected);
  });
});

test('no rule throws on a malformed manifest of its kind', () => {
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
