import { type ApiObject, Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { FlexStartQueued } from '../../examples/flex-start-queued';
import {
  Capacity,
  JetStreamCheckpointConverter,
  FlexStartJob,
  type FlexStartJobProps,
  HuggingFaceToken,
  MACHINE_TYPES,
  SaxCell,
  TpuQueue,
  type TpuQueueProps,
  TpuSlice,
  VllmServer,
} from '../../lib';
import { findingsIn } from '../../lib/checks/check';
import { type Json, manifestObject } from '../../lib/manifest/manifest';
import { quantityOf } from '../../lib/problems/grammar';
import { topologiesOf } from '../../lib/tpu/topology';
import { refusal } from '../refusal';

const slice = TpuSlice.of('ct6e-standard-4t', '4x4');
const image = 'us-docker.pkg.dev/my-project/jobs/train:v1';

const newChart = (namespace?: string): Chart => new Chart(Testing.app(), 'chart', { namespace });
const newQueue = (props: TpuQueueProps, id = 'tpu'): TpuQueue => new TpuQueue(newChart(), id, props);
const flexStart = (props: Partial<FlexStartJobProps> = {}): FlexStartJob =>
  new FlexStartJob(newChart(), 'train', { slice, image, queue: 'tpu', ...props });
const specOf = (object: ApiObject): Record<string, unknown> => object.toJson().spec as never;
const podOf = (object: ApiObject): Record<string, unknown> =>
  (specOf(object) as { template: { spec: Record<string, unknown> } }).template.spec;

/** The quotas of a queue by resource. */
const quotasOf = ({ clusterQueue }: TpuQueue): Record<string, string> => {
  const [group] = specOf(clusterQueue)['resourceGroups'] as {
    coveredResources: string[];
    flavors: { resources: { name: string; nominalQuota: string }[] }[];
  }[];
  const quotas = group?.flavors[0]?.resources.map(({ name, nominalQuota }) => [name, nominalQuota]) ?? [];
  expect(group?.coveredResources).toEqual(quotas.map(([name]) => name));
  return Object.fromEntries(quotas) as Record<string, string>;
};

const EVERY_SLICE = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as keyof typeof MACHINE_TYPES).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);
const offered = fc.constantFrom(...EVERY_SLICE.filter(({ flexStart: has }) => has));

describe('a queue', () => {
  test('renders this manifest, with a Job that waits in it', () => {
    expect(Testing.synth(new FlexStartQueued(Testing.app()))).toMatchSnapshot();
  });

  test('renders this manifest in a namespace', () => {
    const chart = newChart('training');
    new TpuQueue(chart, 'queue', { name: 'v5p', slice: TpuSlice.of('ct5p-hightpu-4t'), slices: 250 });
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  test('has a quota for the chips of its slices', () => {
    expect(quotasOf(newQueue({ slice }))['google.com/tpu']).toBe('16');
    expect(quotasOf(newQueue({ slice, slices: 3 }))['google.com/tpu']).toBe('48');
    expect(newQueue({ slice, slices: 3 }).chips).toBe(48);
  });

  test('writes quotas as the API server stores them', () => {
    expect(quotasOf(newQueue({ slice, slices: 250 }))['google.com/tpu']).toBe('4k');
    expect(quotasOf(newQueue({ slice, slices: 62500 }))['google.com/tpu']).toBe('1M');
    expect(quotasOf(newQueue({ slice, slices: 63 }))['google.com/tpu']).toBe('1008');
  });

  test('selects nodes with queued provisioning, and tolerates their taints', () => {
    expect(specOf(newQueue({ slice }).resourceFlavor)).toEqual({
      nodeLabels: {
        'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
        'cloud.google.com/gke-tpu-topology': '4x4',
        'cloud.google.com/gke-queued': 'true',
      },
      tolerations: [
        { key: 'google.com/tpu', operator: 'Equal', value: 'present', effect: 'NoSchedule' },
        { key: 'cloud.google.com/gke-queued', operator: 'Equal', value: 'true', effect: 'NoSchedule' },
      ],
    });
  });

  test('admits a Job when all of its nodes exist, from every namespace with a LocalQueue', () => {
    const name = 'tpu';
    const { clusterQueue, admissionCheck, provisioningRequestConfig, localQueue } = newQueue({ slice }, name);
    expect(specOf(clusterQueue)).toMatchObject({
      namespaceSelector: {},
      admissionChecksStrategy: { admissionChecks: [{ name }] },
    });
    expect(specOf(admissionCheck)).toEqual({
      controllerName: 'kueue.x-k8s.io/provisioning-request',
      parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'ProvisioningRequestConfig', name },
    });
    expect(specOf(provisioningRequestConfig)).toMatchObject({
      provisioningClassName: 'queued-provisioning.gke.io',
      managedResources: ['google.com/tpu'],
    });
    expect(specOf(localQueue)).toEqual({ clusterQueue: name });
  });

  test('has one object in its namespace, and four objects without a namespace', () => {
    const queue = new TpuQueue(newChart('training'), 'tpu', { slice });
    const { resourceFlavor, provisioningRequestConfig, admissionCheck, clusterQueue, localQueue } = queue;
    const namespaces = Object.fromEntries(
      [resourceFlavor, provisioningRequestConfig, admissionCheck, clusterQueue, localQueue].map((object) => [
        object.kind,
        object.toJson().metadata as unknown,
      ]),
    );
    const labels = {
      'app.kubernetes.io/name': 'kueue',
      'app.kubernetes.io/instance': 'tpu',
      'app.kubernetes.io/component': 'queue',
    };
    expect(namespaces).toEqual({
      ResourceFlavor: { name: 'tpu', labels },
      ProvisioningRequestConfig: { name: 'tpu', labels },
      AdmissionCheck: { name: 'tpu', labels },
      ClusterQueue: { name: 'tpu', labels },
      LocalQueue: { name: 'tpu', namespace: 'training', labels },
    });
  });
});

describe('a Job in a queue', () => {
  const queued = { 'cloud.google.com/gke-queued': 'true' };
  const toleration = {
    key: 'cloud.google.com/gke-queued',
    operator: 'Equal',
    value: 'true',
    effect: 'NoSchedule',
  };

  test.each([
    ['one host', TpuSlice.of('ct6e-standard-4t')],
    ['several', slice],
  ])('refers to the queue on %s, and lets Kueue start it', (_, of) => {
    const { job } = flexStart({ slice: of, queue: new TpuQueue(newChart(), 'v6e', { slice: of }) });
    const { labels, annotations } = job.toJson().metadata as Record<string, unknown>;
    expect(labels).toMatchObject({ app: 'train', 'kueue.x-k8s.io/queue-name': 'v6e' });
    expect(annotations).toBeUndefined();
    expect(specOf(job)).not.toHaveProperty('suspend');
  });

  test('selects and tolerates queued nodes instead of other flex-start nodes', () => {
    const { nodeSelector, tolerations } = podOf(flexStart({ maxRunDurationSeconds: 7200 }).job);
    expect(nodeSelector).toEqual({
      'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice',
      'cloud.google.com/gke-tpu-topology': '4x4',
      ...queued,
    });
    expect(tolerations).toEqual([toleration]);
  });

  test('sets its duration only where Kueue reads it', () => {
    const { job } = flexStart({ maxRunDurationSeconds: 7200 });
    expect(job.toJson().metadata.annotations).toEqual({
      'provreq.kueue.x-k8s.io/maxRunDurationSeconds': '7200',
    });
    expect(JSON.stringify(podOf(job))).not.toContain('7200');
  });

  test('can convert a checkpoint', () => {
    const { job } = new JetStreamCheckpointConverter(newChart(), 'convert', {
      slice: TpuSlice.of('ct5lp-hightpu-8t'),
      capacity: Capacity.flexStartQueued({ queue: 'v5e', maxRunDurationSeconds: 600 }),
      huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
      model: 'google/gemma-7b-it-pytorch',
      bucketName: 'my-models',
      path: 'gemma',
      modelName: 'gemma',
    });
    expect(job.toJson().metadata).toMatchObject({
      labels: { 'kueue.x-k8s.io/queue-name': 'v5e' },
      annotations: { 'provreq.kueue.x-k8s.io/maxRunDurationSeconds': '600' },
    });
    expect(podOf(job)['nodeSelector']).toMatchObject(queued);
  });
});

describe('a mistake with a queue', () => {
  test.each<[string, Partial<TpuQueueProps>]>([
    [
      "capacity: 'flex-start-queued' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
      { slice: TpuSlice.of('ct4p-hightpu-4t') },
    ],
    ["slices: '0' is not a whole number of at least 1; use 1", { slices: 0 }],
    ["slices: '1.5' is not a whole number of at least 1; use 2", { slices: 1.5 }],
    ["slices: 'NaN' is not a whole number of at least 1; use 1", { slices: NaN }],
    [
      "name: 'TPU queue' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'tpu-queue'",
      { name: 'TPU queue' },
    ],
    [
      "name: '' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'x'",
      { name: '' },
    ],
    [
      `name: '${'n'.repeat(64)}' has 64 characters; use at most 63, for example '${'n'.repeat(63)}'`,
      { name: 'n'.repeat(64) },
    ],
  ])('rejects %s', (message, wrong) => {
    expect(refusal(() => newQueue({ slice, ...wrong }))).toBe(`chart/tpu ${message}`);
  });

  test.each<[string, Partial<FlexStartJobProps>]>([
    [
      "queue: 'My queue' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'my-queue'",
      { queue: 'My queue' },
    ],
    [
      "maxRunDurationSeconds: '599' is not a whole number from 600 to 604800; use 600",
      { maxRunDurationSeconds: 599 },
    ],
    [
      "maxRunDurationSeconds: '604801' is not a whole number from 600 to 604800; use 604800",
      { maxRunDurationSeconds: 604801 },
    ],
    [
      "capacity: 'flex-start-queued' provides slice 'ct5lp-hightpu-4t/4x4', not 'ct6e-standard-4t/4x4'; use the same slice in both",
      { queue: newQueue({ slice: TpuSlice.of('ct5lp-hightpu-4t', '4x4') }) },
    ],
    [
      "slice: 'ct4p-hightpu-4t/2x2x1' is not available with flex-start; use a slice of v5e, v5p, v6e, tpu7x",
      { slice: TpuSlice.of('ct4p-hightpu-4t') },
    ],
    [
      "fragments[0].nodeSelector[cloud.google.com/gke-flex-start]: 'true' selects nodes that do not use queued provisioning; remove it",
      { fragments: [Capacity.flexStart()] },
    ],
    [
      "fragments[0].nodeSelector[cloud.google.com/gke-queued]: 'true' selects nodes for queued provisioning; use the prop queue",
      { queue: undefined, fragments: [Capacity.flexStartQueued({ queue: 'tpu' })] },
    ],
    [
      "fragments[0].nodeSelector[cloud.google.com/gke-spot]: 'true' selects capacity other than flex-start; use TpuJob with another capacity",
      { fragments: [Capacity.spot()] },
    ],
  ])('rejects in a Job %s', (message, wrong) => {
    expect(refusal(() => flexStart(wrong))).toBe(`chart/train ${message}`);
  });

  const forJobs =
    "capacity: 'flex-start-queued' waits in Kueue queue 'tpu', which this construct does not support; use Capacity.flexStart() or another capacity";
  const capacity = Capacity.flexStartQueued({ queue: 'tpu' });

  test.each<[string, () => unknown]>([
    [
      'a server',
      () =>
        new VllmServer(newChart(), 'x', {
          slice: TpuSlice.of('ct6e-standard-8t'),
          capacity,
          model: 'google/gemma-2b',
        }),
    ],
    [
      'a Saxml cell',
      () =>
        new SaxCell(newChart(), 'x', {
          slice,
          capacity,
          bucketName: 'my-sax',
          serviceAccountName: 'sax',
          platformChip: 'tpu',
        }),
    ],
  ])('rejects a queue for %s', (_, make) => {
    expect(refusal(make)).toBe(`chart/x ${forJobs}`);
  });

  test('lists all mistakes at once', () => {
    expect(
      refusal(() => newQueue({ name: 'A', slice: TpuSlice.of('ct4p-hightpu-4t'), slices: -1 }))
        .split('\n')
        .map((line) => line.split(' ')[1]),
    ).toEqual(['name:', 'slices:', 'capacity:']);
    expect(
      refusal(() => Capacity.flexStartQueued({ queue: 'A', maxRunDurationSeconds: 0 }))
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['queue:', 'maxRunDurationSeconds:']);
  });
});

describe('a queue for any slice', () => {
  test('has the labels, chips and resources that its Job requests', () => {
    fc.assert(
      fc.property(offered, fc.integer({ min: 1, max: 20 }), (any, slices) => {
        const chart = newChart();
        const queue = new TpuQueue(chart, 'q', { slice: any, slices });
        const { job } = new FlexStartJob(chart, 'j', { slice: any, image, queue });
        const { parallelism = 1 } = specOf(job) as { parallelism?: number };
        const { nodeSelector, containers } = podOf(job) as {
          nodeSelector: object;
          containers: { resources: { requests: Record<string, string> } }[];
        };
        const requests = containers[0]?.resources.requests ?? {};
        const quotas = quotasOf(queue);
        expect(quantityOf(quotas['google.com/tpu'] ?? '')).toBe(
          slices * parallelism * Number(requests['google.com/tpu']),
        );
        for (const [resource, amount] of Object.entries(requests))
          expect(quantityOf(amount) * parallelism * slices).toBeLessThanOrEqual(
            quantityOf(quotas[resource] ?? '0'),
          );
        expect((specOf(queue.resourceFlavor) as { nodeLabels: object }).nodeLabels).toEqual(nodeSelector);
      }),
    );
  });

  test('has quotas as strings in the shortest form', () => {
    fc.assert(
      fc.property(offered, fc.integer({ min: 1, max: 20 }), (any, slices) => {
        const amounts = Object.values(quotasOf(newQueue({ slice: any, slices })));
        expect(amounts).toEqual(amounts.map(() => expect.stringMatching(/^\d+[kMGTPE]?$/) as string));
        expect(amounts.filter((amount) => /000[kMGTPE]?$/.test(amount))).toEqual([]);
        expect(quantityOf(amounts[0] ?? '')).toBe(any.chips * slices);
      }),
    );
  });

  test('renders objects without errors', () => {
    fc.assert(
      fc.property(offered, (any) => {
        const chart = newChart();
        const queue = new TpuQueue(chart, 'q', { slice: any });
        new FlexStartJob(chart, 'j', { slice: any, image, queue, maxRunDurationSeconds: 600 });
        const objects = (Testing.synth(chart) as Json[]).map((manifest) => manifestObject(manifest));
        expect(findingsIn(objects).filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
    );
  });
});
