import { type Json } from '../../lib/manifest/manifest';
import {
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
  service,
  template,
  throws,
  tpu,
} from './manifests';

const HOSTS = /^TPU2/;
const four = tpu('4x4');
const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 4 };
const named = { restartPolicy: 'Never', subdomain: 's' };
const headless = (more: Json = {}, metadata: Json = {}): Json =>
  service(
    { clusterIP: 'None', publishNotReadyAddresses: true, selector: { 'job-name': 'a' }, ...more },
    { name: 's', ...metadata },
  );
const probe = { httpGet: { path: '/health', port: 8000 } };
const probed = { containers: [container('4', { readinessProbe: probe })] };
const EXCLUSIVE = 'alpha.jobset.sigs.k8s.io/exclusive-topology';
const LWS_EXCLUSIVE = 'leaderworkerset.sigs.k8s.io/exclusive-topology';
const annotated = (key: string, value = 'cloud.google.com/gke-nodepool'): Json => ({
  annotations: { [key]: value },
});
/** A JobSet of one replicated job with four hosts a slice. */
const workers = (replicas: number, metadata: Json = {}, pods: Json = template(four, '4')): Json =>
  jobSet([replicatedJob(pods, { completions: 4, parallelism: 4 }, { replicas })], metadata);
const withMetadata = (metadata: Json): Json => ({ ...template(four, '4'), metadata });
const statefulSet = (spec: Json, pods: Json = template(four, '4')): Json =>
  apps('StatefulSet', pods, { replicas: 4, serviceName: 's', podManagementPolicy: 'Parallel', ...spec });
const CPU = { spec: { containers: [container()] } };

describe('nothing is found', () => {
  test.each<[string, ...Json[]]>([
    [
      'a Job without TPUs',
      job({ parallelism: 3, completions: 9 }, { spec: { ...named, containers: [container()] } }),
    ],
    ['an Indexed Job and its Service', job(indexed, template(four, '4', named)), headless()],
    [
      'a Service by the older name of a label',
      job(indexed, template(four, '4', named)),
      headless({ selector: { 'batch.kubernetes.io/job-name': 'a' } }),
    ],
    [
      'a Service by the index of a pod',
      job(indexed, template(four, '4', named)),
      headless({ selector: { 'batch.kubernetes.io/job-completion-index': '0' } }),
    ],
    [
      'many Jobs of one host',
      job({ parallelism: 3, completions: 9 }, template(tpu('2x2'), '4', { restartPolicy: 'Never' })),
    ],
    [
      'a Job on the host network',
      job(indexed, template(four, '4', { restartPolicy: 'Never', hostNetwork: true })),
    ],
    [
      'a CronJob of one host',
      object('batch/v1', 'CronJob', {
        jobTemplate: { spec: { template: template(tpu('2x2'), '4', { restartPolicy: 'OnFailure' }) } },
      }),
    ],
    ['a JobSet', workers(1)],
    ['a JobSet of two slices', workers(2, annotated(EXCLUSIVE))],
    [
      'a JobSet that says its defaults',
      jobSet(
        [replicatedJob(template(four, '4', { restartPolicy: 'OnFailure' }), indexed)],
        {},
        { network: { enableDNSHostnames: true, publishNotReadyAddresses: true } },
      ),
    ],
    [
      'two shapes without exclusive topology',
      jobSet([
        replicatedJob(template(four, '4'), indexed),
        replicatedJob(template(tpu('4x8'), '4'), { completions: 8, parallelism: 8 }),
      ]),
    ],
    [
      'slices that a queue of Kueue places',
      workers(2, {}, withMetadata({ annotations: { 'kueue.x-k8s.io/podset-required-topology': 'x' } })),
    ],
    [
      'slices with affinity of their own',
      workers(2, {}, template(four, '4', { affinity: { podAntiAffinity: {} } })),
    ],
    [
      'a job without names on the host network',
      jobSet(
        [replicatedJob(template(four, '4', { hostNetwork: true }), indexed)],
        {},
        { network: { enableDNSHostnames: false, publishNotReadyAddresses: false } },
      ),
    ],
    [
      'a JobSet without TPUs',
      jobSet(
        [replicatedJob(CPU, { completions: 2, parallelism: 4 }, { replicas: 2 })],
        {},
        { network: { enableDNSHostnames: false } },
      ),
    ],
    ['a LeaderWorkerSet', leaderWorkerSet({ size: 4, workerTemplate: template(four, '4') })],
    [
      'a leader without chips',
      leaderWorkerSet({ size: 5, leaderTemplate: CPU, workerTemplate: template(four, '4') }),
    ],
    [
      'a leader with chips',
      leaderWorkerSet({ size: 4, leaderTemplate: template(four, '4'), workerTemplate: template(four, '4') }),
    ],
    [
      'groups in subgroups',
      leaderWorkerSet(
        {
          size: 9,
          subGroupPolicy: { subGroupSize: 4 },
          leaderTemplate: CPU,
          workerTemplate: template(four, '4'),
        },
        1,
        annotated('leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology'),
      ),
    ],
    [
      'a StatefulSet and its Service',
      statefulSet({}, template(four, '4', probed)),
      headless({ selector: { app: 'a' } }),
    ],
    [
      'a StatefulSet of single hosts',
      apps('StatefulSet', template(tpu('2x2'), '4', probed), { replicas: 3 }),
    ],
    ['a Deployment of single hosts', apps('Deployment', template(tpu('2x4'), '8'), { replicas: 3 })],
    [
      'Pods written one by one',
      pod(four, '4', { hostname: 'h', subdomain: 's' }, { labels: { app: 'a' } }),
      headless({ selector: { app: 'a' } }),
    ],
    ['a Ray group of several hosts', rayService(rayCluster(template(four, '4'), { numOfHosts: 4 }))],
    [
      'a Ray group whose slices do not fit',
      rayService(rayCluster(template(tpu('5x5'), '4'), { numOfHosts: 4 })),
    ],
    [
      'a Ray group on a part of a slice',
      rayService(
        rayCluster(
          {
            ...template(tpu('4x4x4', 'tpu7x'), '4'),
            metadata: { annotations: { 'cloud.google.com/gke-tpu-slice-topology': '2x2x2' } },
          },
          { numOfHosts: 2 },
        ),
      ),
    ],
    ['a Job of another group', object('batch.volcano.sh/v1alpha1', 'Job', { tasks: [] })],
    [
      'a Job that JobSet made',
      job(indexed, template(four, '4', named), {
        labels: { 'jobset.sigs.k8s.io/jobset-name': 'x' },
        ...annotated(EXCLUSIVE),
      }),
      headless(),
    ],
    [
      'a name that is made up later',
      job(indexed, template(four, '4', named), { name: undefined, generateName: 'a'.repeat(63) }),
      headless({ selector: { 'batch.kubernetes.io/controller-uid': 'x' } }),
    ],
    [
      'the longest name',
      job(
        { ...indexed, completions: 10, parallelism: 10 },
        { spec: { ...named, containers: [container()] } },
        { name: 'a'.repeat(61) },
      ),
    ],
    [
      'the longest names of a JobSet',
      jobSet([replicatedJob(template(four, '4'), indexed, { name: 'b'.repeat(20) })], {
        name: 'a'.repeat(32),
      }),
    ],
  ])('%s', (_, ...manifests) => {
    expect(found(HOSTS, ...manifests)).toEqual([]);
  });
});

describe('one finding', () => {
  const inJobSet = 'spec.replicatedJobs[j].template.spec';
  const group = 'spec.leaderWorkerTemplate';
  test.each<[string, string, ...Json[]]>([
    [
      'too few pods',
      'TPU201 error spec.parallelism',
      job({ ...indexed, completions: 2, parallelism: 2 }, template(four, '4', named)),
      headless(),
    ],
    [
      'too few completions',
      'TPU201 error spec.completions',
      job({ ...indexed, completions: 2 }, template(four, '4', named)),
      headless(),
    ],
    [
      'too little parallelism',
      'TPU201 error spec.parallelism',
      job({ ...indexed, parallelism: 2 }, template(four, '4', named)),
      headless(),
    ],
    [
      'no parallelism',
      'TPU201 error spec.parallelism',
      job({ ...indexed, parallelism: undefined }, template(four, '4', named)),
      headless(),
    ],
    [
      'a JobSet that states nothing',
      `TPU201 error ${inJobSet}.parallelism`,
      jobSet([replicatedJob(template(four, '4'), {})]),
    ],

    [
      'a LeaderWorkerSet without size',
      `TPU201 error ${group}.size`,
      leaderWorkerSet({ workerTemplate: template(four, '4') }),
    ],
    [
      'a leader that is not counted',
      `TPU201 error ${group}.size`,
      leaderWorkerSet({ size: 4, leaderTemplate: CPU, workerTemplate: template(four, '4') }),
    ],
    [
      'a LeaderWorkerSet of single hosts',
      `TPU201 warning ${group}.size`,
      leaderWorkerSet({ size: 2, workerTemplate: template(tpu('2x2'), '4') }),
    ],
    [
      'subgroups of another size',
      `TPU201 error ${group}.subGroupPolicy.subGroupSize`,
      leaderWorkerSet(
        { size: 4, subGroupPolicy: { subGroupSize: 2 }, workerTemplate: template(four, '4') },
        1,
        annotated(LWS_EXCLUSIVE),
      ),
    ],
    [
      'Ray without numOfHosts',
      'TPU201 error spec.rayClusterConfig.workerGroupSpecs[g].numOfHosts',
      rayService(rayCluster(template(four, '4'), { numOfHosts: undefined })),
    ],
    [
      'Ray with hosts that are not there',
      'TPU201 error spec.rayClusterConfig.workerGroupSpecs[g].numOfHosts',
      rayService(rayCluster(template(tpu('2x2'), '4'), { numOfHosts: 2 })),
    ],
    [
      'a Deployment',
      'TPU202 warning spec.template.spec.nodeSelector[cloud.google.com/gke-tpu-topology]',
      apps('Deployment', template(four, '4'), { replicas: 4 }),
    ],
    [
      'a ReplicaSet',
      'TPU202 error spec.template.spec.nodeSelector[cloud.google.com/gke-tpu-topology]',
      apps('ReplicaSet', template(four, '4')),
    ],
    [
      'a DaemonSet',
      'TPU202 error spec.template.spec.nodeSelector[cloud.google.com/gke-tpu-topology]',
      apps('DaemonSet', template(four, '4')),
    ],
    ['a Pod', 'TPU202 error spec.nodeSelector[cloud.google.com/gke-tpu-topology]', pod(four, '4')],
    ['a StatefulSet of another size', 'TPU202 error spec.replicas', statefulSet({ replicas: 8 })],
    [
      'a Job that is not Indexed',
      'TPU203 error spec.completionMode',
      job({ ...indexed, completionMode: undefined }, template(four, '4', named)),
      headless(),
    ],
    [
      'a JobSet that is not Indexed',
      `TPU203 error ${inJobSet}.completionMode`,
      jobSet([replicatedJob(template(four, '4'), { ...indexed, completionMode: 'NonIndexed' })]),
    ],
    [
      'an Indexed Job without TPUs and completions',
      'TPU204 error spec.completions',
      job({ completionMode: 'Indexed', parallelism: 2 }, { spec: { ...named, containers: [container()] } }),
    ],
    [
      'a JobSet without completions',
      `TPU204 error ${inJobSet}.completions`,
      jobSet([replicatedJob(CPU, { parallelism: 2, completions: null })]),
    ],
    [
      'pods that wait',
      `TPU205 error ${inJobSet}.parallelism`,
      jobSet([replicatedJob(template({}, '4'), { completions: 8, parallelism: 4 })]),
    ],
    [
      'pods that never start',
      `TPU205 warning ${inJobSet}.completions`,
      jobSet([replicatedJob(template({}, '4'), { completions: 2, parallelism: 4 })]),
    ],
    [
      'Job that restarts always',
      'TPU206 error spec.template.spec.restartPolicy',
      job({}, { spec: { restartPolicy: 'Always', containers: [container()] } }),
    ],
    [
      'CronJob without restartPolicy',
      'TPU206 error spec.jobTemplate.spec.template.spec.restartPolicy',
      object('batch/v1', 'CronJob', { jobTemplate: { spec: { template: CPU } } }),
    ],
    [
      'JobSet that restarts always',
      `TPU206 error ${inJobSet}.template.spec.restartPolicy`,
      jobSet([replicatedJob({ spec: { restartPolicy: 'Always', containers: [container()] } }, {})]),
    ],
    [
      'one character too many',
      'TPU207 error metadata.name',
      job(
        { ...indexed, completions: 11, parallelism: 11 },
        { spec: { ...named, containers: [container()] } },
        { name: 'a'.repeat(61) },
      ),
    ],
    [
      'one character too many of a JobSet',
      'TPU207 error metadata.name',
      jobSet(
        [replicatedJob(template(four, '4'), indexed, { name: 'b'.repeat(20) }), replicatedJob(CPU, {})],
        { name: 'a'.repeat(33) },
      ),
    ],
    [
      'a dot',
      'TPU208 error spec.template.spec.subdomain',
      job(indexed, template(four, '4', { ...named, subdomain: 's.x.svc' })),
      headless(),
    ],
    [
      'a capital letter, without TPUs',
      'TPU208 error spec.subdomain',
      pod({}, undefined, { subdomain: 'Hosts' }),
    ],
    ['no Service here', 'TPU209 note spec.template.spec.subdomain', job(indexed, template(four, '4', named))],
    [
      'a Service of another namespace',
      'TPU209 note spec.template.spec.subdomain',
      job(indexed, template(four, '4', named)),
      headless({}, { namespace: 'x' }),
    ],
    [
      'a Service of another name',
      'TPU209 error spec.template.spec.subdomain',
      job(indexed, template(four, '4', named)),
      headless({}, { name: 'other' }),
    ],
    [
      'no subdomain',
      'TPU209 error spec.template.spec.subdomain',
      job(indexed, template(four, '4', { restartPolicy: 'Never' })),
    ],
    ['no serviceName', 'TPU209 error spec.serviceName', statefulSet({ serviceName: undefined })],
    [
      'no names in a JobSet',
      'TPU209 error spec.network.enableDNSHostnames',
      jobSet(
        [replicatedJob(CPU, {}), replicatedJob(template(four, '4'), indexed)],
        {},
        { network: { enableDNSHostnames: false } },
      ),
    ],
    [
      'a Service with an address',
      'TPU210 error spec.clusterIP',
      job(indexed, template(four, '4', named)),
      headless({ clusterIP: undefined }),
    ],
    [
      'a Service of other pods',
      'TPU210 error spec.selector',
      job(indexed, template(four, '4', named)),
      headless({ selector: { 'job-name': 'b' } }),
    ],
    [
      'a Service of no pods',
      'TPU210 error spec.selector',
      statefulSet({}),
      headless({ selector: undefined }),
    ],
    [
      'a Service of one Job of two',
      'TPU210 error spec.selector',
      job(indexed, template(four, '4', named)),
      job(indexed, template(four, '4', named), { name: 'b' }),
      headless(),
    ],
    [
      'names when ready',
      'TPU211 note spec.publishNotReadyAddresses',
      job(indexed, template(four, '4', named)),
      headless({ publishNotReadyAddresses: undefined }),
    ],
    [
      'names when ready, which they never are',
      'TPU211 warning spec.publishNotReadyAddresses',
      statefulSet({}, template(four, '4', probed)),
      headless({ selector: { app: 'a' }, publishNotReadyAddresses: false }),
    ],
    [
      'a JobSet with names when ready',
      'TPU211 warning spec.network.publishNotReadyAddresses',
      jobSet(
        [
          replicatedJob(CPU, {}),
          replicatedJob(
            template(four, '4', { containers: [container('4', { startupProbe: probe })] }),
            indexed,
          ),
        ],
        {},
        { network: { publishNotReadyAddresses: false } },
      ),
    ],
    ['two slices', 'TPU212 error metadata.annotations', workers(2)],
    [
      'two jobs of one slice',
      'TPU212 error metadata.annotations',
      jobSet([
        replicatedJob(template(four, '4'), indexed, {}, annotated(EXCLUSIVE)),
        replicatedJob(template(four, '4'), indexed, { name: 'k' }),
      ]),
    ],
    [
      'a slice on one host',
      'TPU212 error metadata.annotations',
      workers(2, annotated(EXCLUSIVE, 'kubernetes.io/hostname')),
    ],
    [
      'two groups',
      'TPU212 error metadata.annotations',
      leaderWorkerSet({ size: 4, workerTemplate: template(four, '4') }, 2),
    ],
    [
      'two subgroups',
      'TPU212 error metadata.annotations',
      leaderWorkerSet({ size: 8, subGroupPolicy: { subGroupSize: 4 }, workerTemplate: template(four, '4') }),
    ],

    [
      'on the replicated job',
      `TPU213 error spec.replicatedJobs[j].metadata.annotations[${EXCLUSIVE}]`,
      jobSet([replicatedJob(template(four, '4'), indexed, { replicas: 2, metadata: annotated(EXCLUSIVE) })]),
    ],
    [
      'beside the template of the replicated job',
      `TPU213 error spec.replicatedJobs[j].annotations[${EXCLUSIVE}]`,
      jobSet([replicatedJob(template(four, '4'), indexed, { replicas: 2, ...annotated(EXCLUSIVE) })]),
    ],
    [
      'as a label',
      `TPU213 error metadata.labels[${EXCLUSIVE}]`,
      workers(2, { labels: { [EXCLUSIVE]: 'x' } }),
    ],
    [
      'of the other controller',
      `TPU213 error metadata.annotations[${LWS_EXCLUSIVE}]`,
      workers(2, annotated(LWS_EXCLUSIVE)),
    ],

    [
      'on the pods of a LeaderWorkerSet',
      `TPU213 error ${group}.workerTemplate.metadata.annotations[${LWS_EXCLUSIVE}]`,
      leaderWorkerSet({ size: 4, workerTemplate: withMetadata(annotated(LWS_EXCLUSIVE)) }, 2),
    ],
    [
      'on what has no slices',
      `TPU213 warning metadata.annotations[${EXCLUSIVE}]`,
      job({}, { spec: { ...named, containers: [container()] } }, annotated(EXCLUSIVE)),
    ],
    [
      'on single hosts',
      'TPU214 warning metadata.annotations',
      jobSet([
        replicatedJob(template(tpu('2x2'), '4'), {}, { replicas: 3 }, annotated(EXCLUSIVE)),
        replicatedJob(CPU, {}),
      ]),
    ],
    [
      'hosts that start one by one',
      'TPU215 note spec.podManagementPolicy',
      statefulSet({ podManagementPolicy: 'OrderedReady' }),
      headless({ selector: { app: 'a' } }),
    ],
  ])('%s', (_, expected, ...manifests) => {
    expect(found(HOSTS, ...manifests)).toEqual([expected]);
  });
});

describe('what it says', () => {
  test.each<[string, string, string, ...Json[]]>([
    [
      'fields that are not set',
      'TPU201',
      "parallelism is not set, which means 1, but topology '4x4' is 4 hosts of 4 chips; set parallelism and completions to 4",
      job({ completions: 4 }, template(tpu('4x4', ''), '4', named)),
    ],
    [
      'the leader',
      'TPU201',
      "size is 4, but topology '4x4' is 4 hosts of 4 chips besides the leader, which requests no chips; set size to 5, or request google.com/tpu in the leader too",
      leaderWorkerSet({ size: 4, leaderTemplate: CPU, workerTemplate: template(four, '4') }),
    ],
    [
      'the topology of what is stated',
      'TPU201',
      "or select topology '2x4' (2 hosts)",
      rayService(rayCluster(template(four, '4'), { numOfHosts: 2 })),
    ],
    [
      'the chips of one host',
      'TPU202',
      "run it as a LeaderWorkerSet of size 2, or as a JobSet or Indexed Job of 2 completions, or request all '8' chips of one host",
      apps('Deployment', template(tpu('2x4'), '4')),
    ],
    [
      'an accelerator that nobody knows',
      'TPU202',
      "a Pod runs on one host, but topology '4x4' is 4 hosts of 4 chips; run it as a LeaderWorkerSet of size 4, or as a JobSet or Indexed Job of 4 completions",
      pod(tpu('4x4', 'tpu-v3-slice'), '4'),
    ],
    [
      'the replicas of a StatefulSet',
      'TPU202',
      "replicas is 1, but topology '4x4' is 4 hosts of 4 chips; set replicas to 4",
      statefulSet({ replicas: undefined }),
    ],
    [
      'the Service that selects them',
      'TPU209',
      "set subdomain to 's'",
      job(indexed, template(four, '4', { restartPolicy: 'Never' })),
      headless(),
    ],
    [
      'no nearest name',
      'TPU208',
      'set subdomain to the name of the headless Service',
      pod({}, undefined, { subdomain: '.x' }),
    ],
    [
      'a Service of a StatefulSet',
      'TPU210',
      'select labels of the pods',
      statefulSet({}),
      headless({ selector: { app: 'b' } }),
    ],
    [
      'where it belongs',
      'TPU213',
      'annotate the JobSet itself',
      jobSet([replicatedJob(template(four, '4'), indexed, { replicas: 2, ...annotated(EXCLUSIVE) })]),
    ],

    ['that it belongs nowhere', 'TPU213', 'remove it', job({}, CPU, annotated(EXCLUSIVE))],
  ])('%s', (_, code, expected, ...manifests) => {
    expect(said(code, ...manifests)).toContain(expected);
  });
});

test('no rule throws on a malformed manifest of its kind', () => {
  const sets: readonly (readonly Json[])[] = [
    [job(indexed, template(four, '4', named), annotated(EXCLUSIVE)), headless()],
    [workers(2, annotated(EXCLUSIVE), withMetadata(annotated(EXCLUSIVE)))],
    [
      jobSet(
        [replicatedJob(template(four, '4'), indexed)],
        {},
        { network: { enableDNSHostnames: false, publishNotReadyAddresses: false } },
      ),
    ],
    [
      leaderWorkerSet(
        {
          size: 8,
          subGroupPolicy: { subGroupSize: 4 },
          leaderTemplate: CPU,
          workerTemplate: template(four, '4'),
        },
        2,
      ),
    ],
    [statefulSet({}, template(four, '4', probed)), headless({ selector: { app: 'a' } })],
  ];
  const odd = sets.flatMap((set) => [...mutilatedSets(set)]);
  expect(odd.length).toBeGreaterThan(1000);
  expect(odd.filter((set) => throws(() => found(HOSTS, ...set)))).toEqual([]);
});
