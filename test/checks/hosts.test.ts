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
/** A JobSet with one replicated job of four hosts per slice. */
const workers = (replicas: number, metadata: Json = {}, pods: Json = template(four, '4')): Json =>
  jobSet([replicatedJob(pods, { completions: 4, parallelism: 4 }, { replicas })], metadata);
const withMetadata = (metadata: Json): Json => ({ ...template(four, '4'), metadata });
const statefulSet = (spec: Json, pods: Json = template(four, '4')): Json =>
  apps('StatefulSet', pods, { replicas: 4, serviceName: 's', podManagementPolicy: 'Parallel', ...spec });
const CPU = { spec: { containers: [container()] } };

describe('the host rules accept', () => {
  test.each<[string, ...Json[]]>([
    [
      'a Job without TPUs',
      job({ parallelism: 3, completions: 9 }, { spec: { ...named, containers: [container()] } }),
    ],
    ['an Indexed Job and its Service', job(indexed, template(four, '4', named)), headless()],
    [
      'a Service that selects by the older label of Jobs',
      job(indexed, template(four, '4', named)),
      headless({ selector: { 'batch.kubernetes.io/job-name': 'a' } }),
    ],
    [
      'a Service that selects by the index of a pod',
      job(indexed, template(four, '4', named)),
      headless({ selector: { 'batch.kubernetes.io/job-completion-index': '0' } }),
    ],
    [
      'a single-host Job with many pods',
      job({ parallelism: 3, completions: 9 }, template(tpu('2x2'), '4', { restartPolicy: 'Never' })),
    ],
    [
      'a Job on the host network without a Service',
      job(indexed, template(four, '4', { restartPolicy: 'Never', hostNetwork: true })),
    ],
    [
      'a single-host CronJob',
      object('batch/v1', 'CronJob', {
        jobTemplate: { spec: { template: template(tpu('2x2'), '4', { restartPolicy: 'OnFailure' }) } },
      }),
    ],
    ['a JobSet', workers(1)],
    ['a JobSet of two slices with exclusive topology', workers(2, annotated(EXCLUSIVE))],
    [
      'a JobSet that states its defaults',
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
      'slices that Kueue places',
      workers(2, {}, withMetadata({ annotations: { 'kueue.x-k8s.io/podset-required-topology': 'x' } })),
    ],
    ['slices with pod affinity', workers(2, {}, template(four, '4', { affinity: { podAntiAffinity: {} } }))],
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
    ['a single-host StatefulSet', apps('StatefulSet', template(tpu('2x2'), '4', probed), { replicas: 3 })],
    ['a single-host Deployment', apps('Deployment', template(tpu('2x4'), '8'), { replicas: 3 })],
    [
      'handwritten Pods, one per host',
      pod(four, '4', { hostname: 'h', subdomain: 's' }, { labels: { app: 'a' } }),
      headless({ selector: { app: 'a' } }),
    ],
    ['a multi-host Ray worker group', rayService(rayCluster(template(four, '4'), { numOfHosts: 4 }))],
    [
      'a Ray worker group with an unknown slice',
      rayService(rayCluster(template(tpu('5x5'), '4'), { numOfHosts: 4 })),
    ],
    [
      'a Ray worker group on a dynamic slice',
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
    ['a Job of another API group', object('batch.volcano.sh/v1alpha1', 'Job', { tasks: [] })],
    [
      'a Job that JobSet created',
      job(indexed, template(four, '4', named), {
        labels: { 'jobset.sigs.k8s.io/jobset-name': 'x' },
        ...annotated(EXCLUSIVE),
      }),
      headless(),
    ],
    [
      'a generated name',
      job(indexed, template(four, '4', named), { name: undefined, generateName: 'a'.repeat(63) }),
      headless({ selector: { 'batch.kubernetes.io/controller-uid': 'x' } }),
    ],
    [
      'the longest name of a Job',
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

describe('the host rules report', () => {
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
      'a multi-host Job without parallelism',
      'TPU201 error spec.parallelism',
      job({ ...indexed, parallelism: undefined }, template(four, '4', named)),
      headless(),
    ],
    [
      'a JobSet without parallelism and completions',
      `TPU201 error ${inJobSet}.parallelism`,
      jobSet([replicatedJob(template(four, '4'), {})]),
    ],

    [
      'a LeaderWorkerSet without a size',
      `TPU201 error ${group}.size`,
      leaderWorkerSet({ workerTemplate: template(four, '4') }),
    ],
    [
      'a size that does not count the leader',
      `TPU201 error ${group}.size`,
      leaderWorkerSet({ size: 4, leaderTemplate: CPU, workerTemplate: template(four, '4') }),
    ],
    [
      'a group of several pods on single hosts',
      `TPU201 warning ${group}.size`,
      leaderWorkerSet({ size: 2, workerTemplate: template(tpu('2x2'), '4') }),
    ],
    [
      'subgroups that are not one slice',
      `TPU201 error ${group}.subGroupPolicy.subGroupSize`,
      leaderWorkerSet(
        { size: 4, subGroupPolicy: { subGroupSize: 2 }, workerTemplate: template(four, '4') },
        1,
        annotated(LWS_EXCLUSIVE),
      ),
    ],
    [
      'a multi-host Ray worker group without numOfHosts',
      'TPU201 error spec.rayClusterConfig.workerGroupSpecs[g].numOfHosts',
      rayService(rayCluster(template(four, '4'), { numOfHosts: undefined })),
    ],
    [
      'a Ray worker group with more hosts than its slice',
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
    ['a multi-host Pod', 'TPU202 error spec.nodeSelector[cloud.google.com/gke-tpu-topology]', pod(four, '4')],
    [
      'a StatefulSet with more replicas than hosts',
      'TPU202 error spec.replicas',
      statefulSet({ replicas: 8 }),
    ],
    [
      'a multi-host Job that is not Indexed',
      'TPU203 error spec.completionMode',
      job({ ...indexed, completionMode: undefined }, template(four, '4', named)),
      headless(),
    ],
    [
      'a multi-host JobSet that is not Indexed',
      `TPU203 error ${inJobSet}.completionMode`,
      jobSet([replicatedJob(template(four, '4'), { ...indexed, completionMode: 'NonIndexed' })]),
    ],
    [
      'an Indexed Job without completions',
      'TPU204 error spec.completions',
      job({ completionMode: 'Indexed', parallelism: 2 }, { spec: { ...named, containers: [container()] } }),
    ],
    [
      'a JobSet without completions',
      `TPU204 error ${inJobSet}.completions`,
      jobSet([replicatedJob(CPU, { parallelism: 2, completions: null })]),
    ],
    [
      'parallelism above completions',
      `TPU205 error ${inJobSet}.parallelism`,
      jobSet([replicatedJob(template({}, '4'), { completions: 8, parallelism: 4 })]),
    ],
    [
      'completions above parallelism',
      `TPU205 warning ${inJobSet}.completions`,
      jobSet([replicatedJob(template({}, '4'), { completions: 2, parallelism: 4 })]),
    ],
    [
      'a Job with restartPolicy Always',
      'TPU206 error spec.template.spec.restartPolicy',
      job({}, { spec: { restartPolicy: 'Always', containers: [container()] } }),
    ],
    [
      'a CronJob without a restartPolicy',
      'TPU206 error spec.jobTemplate.spec.template.spec.restartPolicy',
      object('batch/v1', 'CronJob', { jobTemplate: { spec: { template: CPU } } }),
    ],
    [
      'a JobSet with restartPolicy Always',
      `TPU206 error ${inJobSet}.template.spec.restartPolicy`,
      jobSet([replicatedJob({ spec: { restartPolicy: 'Always', containers: [container()] } }, {})]),
    ],
    [
      'a Job name with one character too many',
      'TPU207 error metadata.name',
      job(
        { ...indexed, completions: 11, parallelism: 11 },
        { spec: { ...named, containers: [container()] } },
        { name: 'a'.repeat(61) },
      ),
    ],
    [
      'a JobSet name with one character too many',
      'TPU207 error metadata.name',
      jobSet(
        [replicatedJob(template(four, '4'), indexed, { name: 'b'.repeat(20) }), replicatedJob(CPU, {})],
        { name: 'a'.repeat(33) },
      ),
    ],
    [
      'a subdomain with a dot',
      'TPU208 error spec.template.spec.subdomain',
      job(indexed, template(four, '4', { ...named, subdomain: 's.x.svc' })),
      headless(),
    ],
    [
      'a subdomain with a capital letter, without TPUs',
      'TPU208 error spec.subdomain',
      pod({}, undefined, { subdomain: 'Hosts' }),
    ],
    [
      'a subdomain without its Service',
      'TPU209 note spec.template.spec.subdomain',
      job(indexed, template(four, '4', named)),
    ],
    [
      'a subdomain whose Service is in another namespace',
      'TPU209 note spec.template.spec.subdomain',
      job(indexed, template(four, '4', named)),
      headless({}, { namespace: 'x' }),
    ],
    [
      'a Service with another name than the subdomain',
      'TPU209 error spec.template.spec.subdomain',
      job(indexed, template(four, '4', named)),
      headless({}, { name: 'other' }),
    ],
    [
      'a multi-host Job without a subdomain',
      'TPU209 error spec.template.spec.subdomain',
      job(indexed, template(four, '4', { restartPolicy: 'Never' })),
    ],
    [
      'a StatefulSet without a serviceName',
      'TPU209 error spec.serviceName',
      statefulSet({ serviceName: undefined }),
    ],
    [
      'a JobSet without hostnames',
      'TPU209 error spec.network.enableDNSHostnames',
      jobSet(
        [replicatedJob(CPU, {}), replicatedJob(template(four, '4'), indexed)],
        {},
        { network: { enableDNSHostnames: false } },
      ),
    ],
    [
      'a Service that is not headless',
      'TPU210 error spec.clusterIP',
      job(indexed, template(four, '4', named)),
      headless({ clusterIP: undefined }),
    ],
    [
      'a Service that selects other pods',
      'TPU210 error spec.selector',
      job(indexed, template(four, '4', named)),
      headless({ selector: { 'job-name': 'b' } }),
    ],
    [
      'a Service without a selector',
      'TPU210 error spec.selector',
      statefulSet({}),
      headless({ selector: undefined }),
    ],
    [
      'a Service that selects one Job of two',
      'TPU210 error spec.selector',
      job(indexed, template(four, '4', named)),
      job(indexed, template(four, '4', named), { name: 'b' }),
      headless(),
    ],
    [
      'a Service that names pods only when they are ready',
      'TPU211 note spec.publishNotReadyAddresses',
      job(indexed, template(four, '4', named)),
      headless({ publishNotReadyAddresses: undefined }),
    ],
    [
      'a Service that names probed pods only when they are ready',
      'TPU211 warning spec.publishNotReadyAddresses',
      statefulSet({}, template(four, '4', probed)),
      headless({ selector: { app: 'a' }, publishNotReadyAddresses: false }),
    ],
    [
      'a JobSet that names pods only when they are ready',
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
    ['two slices without exclusive topology', 'TPU212 error metadata.annotations', workers(2)],
    [
      'two replicated jobs of one slice without exclusive topology',
      'TPU212 error metadata.annotations',
      jobSet([
        replicatedJob(template(four, '4'), indexed, {}, annotated(EXCLUSIVE)),
        replicatedJob(template(four, '4'), indexed, { name: 'k' }),
      ]),
    ],
    [
      'a slice that is kept on one host',
      'TPU212 error metadata.annotations',
      workers(2, annotated(EXCLUSIVE, 'kubernetes.io/hostname')),
    ],
    [
      'two groups without exclusive topology',
      'TPU212 error metadata.annotations',
      leaderWorkerSet({ size: 4, workerTemplate: template(four, '4') }, 2),
    ],
    [
      'two subgroups without exclusive topology',
      'TPU212 error metadata.annotations',
      leaderWorkerSet({ size: 8, subGroupPolicy: { subGroupSize: 4 }, workerTemplate: template(four, '4') }),
    ],

    [
      'an exclusive topology on the replicated job',
      `TPU213 error spec.replicatedJobs[j].metadata.annotations[${EXCLUSIVE}]`,
      jobSet([replicatedJob(template(four, '4'), indexed, { replicas: 2, metadata: annotated(EXCLUSIVE) })]),
    ],
    [
      'an exclusive topology beside the template of the replicated job',
      `TPU213 error spec.replicatedJobs[j].annotations[${EXCLUSIVE}]`,
      jobSet([replicatedJob(template(four, '4'), indexed, { replicas: 2, ...annotated(EXCLUSIVE) })]),
    ],
    [
      'an exclusive topology as a label',
      `TPU213 error metadata.labels[${EXCLUSIVE}]`,
      workers(2, { labels: { [EXCLUSIVE]: 'x' } }),
    ],
    [
      'an exclusive topology of the other controller',
      `TPU213 error metadata.annotations[${LWS_EXCLUSIVE}]`,
      workers(2, annotated(LWS_EXCLUSIVE)),
    ],

    [
      'an exclusive topology on the pods of a LeaderWorkerSet',
      `TPU213 error ${group}.workerTemplate.metadata.annotations[${LWS_EXCLUSIVE}]`,
      leaderWorkerSet({ size: 4, workerTemplate: withMetadata(annotated(LWS_EXCLUSIVE)) }, 2),
    ],
    [
      'an exclusive topology on a Job',
      `TPU213 warning metadata.annotations[${EXCLUSIVE}]`,
      job({}, { spec: { ...named, containers: [container()] } }, annotated(EXCLUSIVE)),
    ],
    [
      'an exclusive topology on single hosts',
      'TPU214 warning metadata.annotations',
      jobSet([
        replicatedJob(template(tpu('2x2'), '4'), {}, { replicas: 3 }, annotated(EXCLUSIVE)),
        replicatedJob(CPU, {}),
      ]),
    ],
    [
      'a StatefulSet that starts hosts one by one',
      'TPU215 note spec.podManagementPolicy',
      statefulSet({ podManagementPolicy: 'OrderedReady' }),
      headless({ selector: { app: 'a' } }),
    ],
  ])('%s', (_, expected, ...manifests) => {
    expect(found(HOSTS, ...manifests)).toEqual([expected]);
  });
});

describe('the message names', () => {
  test.each<[string, string, string, ...Json[]]>([
    [
      'fields that are not set',
      'TPU201',
      "parallelism is not set, which means 1, but topology '4x4' is 4 hosts of 4 chips; set parallelism and completions to 4",
      job({ completions: 4 }, template(tpu('4x4', ''), '4', named)),
    ],
    [
      'the leader that requests no chips',
      'TPU201',
      "size is 4, but topology '4x4' is 4 hosts of 4 chips besides the leader, which requests no chips; set size to 5, or request google.com/tpu in the leader too",
      leaderWorkerSet({ size: 4, leaderTemplate: CPU, workerTemplate: template(four, '4') }),
    ],
    [
      'the topology with the stated hosts',
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
      'only the kinds if the accelerator is unknown',
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
      'the Service that selects the pods',
      'TPU209',
      "set subdomain to 's'",
      job(indexed, template(four, '4', { restartPolicy: 'Never' })),
      headless(),
    ],
    [
      'the Service if no DNS label is similar',
      'TPU208',
      'set subdomain to the name of the headless Service',
      pod({}, undefined, { subdomain: '.x' }),
    ],
    [
      'the labels of a StatefulSet',
      'TPU210',
      'set the selector to labels of the pods',
      statefulSet({}),
      headless({ selector: { app: 'b' } }),
    ],
    [
      'the object that the annotation belongs to',
      'TPU213',
      'annotate the JobSet itself',
      jobSet([replicatedJob(template(four, '4'), indexed, { replicas: 2, ...annotated(EXCLUSIVE) })]),
    ],

    ['the annotation to remove', 'TPU213', 'remove the annotation', job({}, CPU, annotated(EXCLUSIVE))],
  ])('%s', (_, code, expected, ...manifests) => {
    expect(said(code, ...manifests)).toContain(expected);
  });
});

test('the host rules never throw on a malformed manifest', () => {
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
