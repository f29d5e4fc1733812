import { Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { VllmLlama370bFlex } from '../../examples/vllm-llama3-70b-flex';
import {
  Capacity,
  JetStreamCheckpointConverter,
  FlexStartJob,
  HuggingFaceToken,
  JetStreamServer,
  MACHINE_TYPES,
  SaxCell,
  TpuComputeClass,
  type TpuComputeClassProps,
  TpuRayService,
  TpuSlice,
  VllmServer,
} from '../../lib';
import { findingsIn } from '../../lib/checks/check';
import { type Json, manifestObject } from '../../lib/manifest/manifest';
import { topologiesOf } from '../../lib/tpu/topology';
import { refusal } from '../refusal';

const slice = TpuSlice.of('ct6e-standard-8t');
const ladder = {
  slice,
  priorities: [
    Capacity.reservation('mine'),
    Capacity.onDemand(),
    Capacity.flexStart({ maxRunDurationSeconds: 86400 }),
    Capacity.spot(),
  ],
} as const satisfies TpuComputeClassProps;
const tpu7x = TpuSlice.of('tpu7x-standard-4t', '2x2x2');

const newChart = (namespace?: string): Chart => new Chart(Testing.app(), 'chart', { namespace });
const computeClass = (props: TpuComputeClassProps, id = 'tpu'): TpuComputeClass =>
  new TpuComputeClass(newChart(), id, props);
interface Rule {
  readonly machineType: string;
  readonly tpu: object;
}
const specOf = (props: TpuComputeClassProps): Record<string, unknown> & { priorities: Rule[] } =>
  computeClass(props).computeClass.toJson().spec as never;

const EVERY_SLICE = Object.keys(MACHINE_TYPES).flatMap((type) =>
  topologiesOf(type as keyof typeof MACHINE_TYPES).map((topology) => TpuSlice.parse(`${type}/${topology}`)),
);
/** The workload policy, where there must be one. */
const policyOf = ({ generation, multiHost }: TpuSlice): Pick<TpuComputeClassProps, 'placementPolicyName'> =>
  generation === 'tpu7x' && multiHost ? { placementPolicyName: 'policy' } : {};

describe('a ComputeClass', () => {
  test('renders this manifest, with a server that uses it', () => {
    expect(Testing.synth(new VllmLlama370bFlex(Testing.app()))).toMatchSnapshot();
  });

  test('renders this manifest with every prop', () => {
    const chart = newChart();
    new TpuComputeClass(chart, 'class', {
      name: 'tpu7x-2x2x2',
      slice: tpu7x,
      priorities: [Capacity.flexStart({ maxRunDurationSeconds: 600 }), Capacity.flexStart(), Capacity.spot()],
      nodePoolAutoCreation: false,
      whenUnsatisfiable: 'ScaleUpAnyway',
      optimizeRulePriority: true,
      nodeRecyclingLeadTimeSeconds: 599,
      placementPolicyName: 'tpu7x-2x2x2',
    });
    expect(Testing.synth(chart)).toMatchSnapshot();
  });

  const tpu = { machineType: 'ct6e-standard-8t', tpu: { type: 'tpu-v6e-slice', count: 8, topology: '2x4' } };

  test('keeps the order of priorities, and renders only the differences in each', () => {
    expect(specOf(ladder).priorities).toEqual([
      { ...tpu, reservations: { affinity: 'Specific', specific: [{ name: 'mine' }] } },
      tpu,
      { ...tpu, flexStart: { enabled: true }, maxRunDurationSeconds: 86400 },
      { ...tpu, spot: true },
    ]);
  });

  test('creates node pools, does not move pods, and does not create other nodes by default', () => {
    expect(specOf(ladder)).toMatchObject({
      nodePoolAutoCreation: { enabled: true },
      activeMigration: { optimizeRulePriority: false },
      whenUnsatisfiable: 'DoNotScaleUp',
    });
    expect(specOf({ ...ladder, nodePoolAutoCreation: false })['nodePoolAutoCreation']).toEqual({
      enabled: false,
    });
  });

  test('replaces only flex-start nodes before they end', () => {
    const { priorities } = specOf({ ...ladder, nodeRecyclingLeadTimeSeconds: 3600 });
    expect(priorities.map((rule) => 'flexStart' in rule)).toEqual([false, false, true, false]);
    expect(priorities[2]).toMatchObject({
      flexStart: { enabled: true, nodeRecycling: { leadTimeSeconds: 3600 } },
    });
  });

  test('sets the same boot disk in every priority', () => {
    const { priorities } = specOf({ ...ladder, bootDiskSize: 320 });
    expect(priorities).toEqual(Array(4).fill(expect.objectContaining({ storage: { bootDiskSize: 320 } })));
  });

  test('has a workload policy for a multi-host tpu7x slice', () => {
    expect(specOf({ ...ladder, slice: tpu7x, placementPolicyName: 'policy' }).priorities).toEqual(
      Array(4).fill(expect.objectContaining({ placement: { policyName: 'policy' } })),
    );
  });

  test('has no namespace, also in a chart with one', () => {
    const chart = newChart('serving');
    const { computeClass: object } = new TpuComputeClass(chart, 'tpu', ladder);
    expect(object.toJson().metadata).toEqual({
      name: 'tpu',
      labels: {
        'app.kubernetes.io/name': 'compute-class',
        'app.kubernetes.io/instance': 'tpu',
        'app.kubernetes.io/component': 'capacity',
      },
    });
  });
});

describe('a workload with a ComputeClass', () => {
  const byName = Capacity.computeClass('tpu');
  const token = HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token');
  const server = { slice, capacity: byName, huggingFaceToken: token };
  const oneHost: Record<string, (chart: Chart) => unknown> = {
    VllmServer: (chart) => new VllmServer(chart, 'x', { ...server, model: 'google/gemma-3-27b-it' }),
    JetStreamServer: (chart) => new JetStreamServer(chart, 'x', { ...server, model: 'google/gemma-7b-it' }),
    JetStreamCheckpointConverter: (chart) =>
      new JetStreamCheckpointConverter(chart, 'x', {
        ...server,
        model: 'google/gemma-7b-it-pytorch',
        bucketName: 'my-models',
        path: 'gemma',
        modelName: 'gemma',
      }),
    SaxCell: (chart) =>
      new SaxCell(chart, 'x', {
        slice,
        capacity: byName,
        bucketName: 'my-sax',
        serviceAccountName: 'sax',
        platformChip: 'tpuv6e',
      }),
  };

  test.each(Object.entries(oneHost))('%s selects the class and requests the chips', (_, add) => {
    const chart = newChart();
    add(chart);
    const text = JSON.stringify(Testing.synth(chart));
    expect(text).toContain('"nodeSelector":{"cloud.google.com/compute-class":"tpu"}');
    expect(text).toContain('"limits":{"google.com/tpu":"8"}');
    expect(text).toMatch(/"requests":\{[^}]*"google.com\/tpu":"8"/);
    expect(text).not.toContain('gke-tpu-');
  });

  test('drains as on spot nodes if the class has a spot priority', () => {
    const graceOf = (capacity: Capacity): unknown =>
      new VllmServer(newChart(), 'x', { ...server, capacity, model: 'a/gemma-2b' }).workload.toJson().spec
        .template.spec.terminationGracePeriodSeconds;
    const withoutSpot = computeClass({ slice, priorities: [Capacity.onDemand()] });
    expect(graceOf(Capacity.computeClass(computeClass(ladder)))).toBe(15);
    expect(graceOf(Capacity.computeClass(withoutSpot))).toBe(60);
    expect(graceOf(byName)).toBe(60);
  });

  const ofClass = Capacity.computeClass(computeClass(ladder));
  const other = TpuSlice.of('ct6e-standard-4t');

  test.each<[string, string, () => unknown]>([
    [
      'a slice of another class',
      "chart/x capacity: 'compute-class' provides slice 'ct6e-standard-8t/2x4', not 'ct6e-standard-4t/2x2'; use the same slice in both",
      () => new VllmServer(newChart(), 'x', { slice: other, capacity: ofClass, model: 'google/gemma-2b' }),
    ],
    [
      'the same topology on two hosts',
      "chart/x capacity: 'compute-class' provides slice 'ct6e-standard-8t/2x4', not 'ct6e-standard-4t/2x4'; use the same slice in both",
      () =>
        new SaxCell(newChart(), 'x', {
          slice: TpuSlice.of('ct6e-standard-4t', '2x4'),
          capacity: ofClass,
          bucketName: 'my-sax',
          serviceAccountName: 'sax',
          platformChip: 'tpuv6e',
        }),
    ],
    [
      'Ray',
      "chart/x workerGroups[0].capacity: is a ComputeClass, so the node selectors contain no topology, which Ray's TPU webhook reads from them; use another capacity",
      () =>
        new TpuRayService(newChart(), 'x', {
          image: 'my/ray:v1',
          rayVersion: '2.55.0',
          serveConfig: { applications: [{ name: 'a', importPath: 'a:b' }] },
          workerGroups: [{ groupName: 'tpu', slice, replicas: 1, capacity: byName }],
        }),
    ],
    [
      'a flex-start Job',
      "chart/x fragments[0].nodeSelector[cloud.google.com/compute-class]: 'tpu' selects capacity other than flex-start; use TpuJob with another capacity",
      () => new FlexStartJob(newChart(), 'x', { slice, image: 'a/b:v1', fragments: [byName] }),
    ],
  ])('rejects %s', (_, message, make) => {
    expect(refusal(make)).toBe(message);
  });

  test('rejects a reserved name', () => {
    expect(refusal(() => Capacity.computeClass('default'))).toBe(
      "computeClass: 'default' is reserved by GKE; use another name, for example 'tpu-v6e-2x4'",
    );
  });
});

describe('a ComputeClass with a mistake', () => {
  test.each<[string, Partial<TpuComputeClassProps>]>([
    [
      'priorities: is empty; use a list like [Capacity.reservation(…), Capacity.onDemand()]',
      { priorities: [] },
    ],
    [
      "priorities[1]: 'on-demand' is the same as priorities[0]; omit it",
      { priorities: [Capacity.onDemand(), Capacity.onDemand()] },
    ],
    [
      "priorities[2]: 'reservation' is the same as priorities[0]; omit it",
      { priorities: [Capacity.reservation('a'), Capacity.reservation('b'), Capacity.reservation('a')] },
    ],
    [
      "priorities[0]: 'compute-class' refers to a ComputeClass, which a ComputeClass cannot use; use Capacity.onDemand(), .spot(), .flexStart() or .reservation(…)",
      { priorities: [Capacity.computeClass('other')] },
    ],
    [
      "priorities[1]: 'flex-start-queued' refers to Kueue queue 'q', which a ComputeClass cannot use; use Capacity.onDemand(), .spot(), .flexStart() or .reservation(…)",
      { priorities: [Capacity.spot(), Capacity.flexStartQueued({ queue: 'q' })] },
    ],
    [
      "priorities[2]: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
      { slice: TpuSlice.of('ct4p-hightpu-4t') },
    ],
    ["bootDiskSize: '9' is not a whole number from 10 to 65536; use 10", { bootDiskSize: 9 }],
    [
      "nodeRecyclingLeadTimeSeconds: '0' is not a whole number from 1 to 604800; use 1",
      { nodeRecyclingLeadTimeSeconds: 0 },
    ],
    [
      "nodeRecyclingLeadTimeSeconds: '60.5' is not a whole number from 1 to 604800; use 61",
      { nodeRecyclingLeadTimeSeconds: 60.5 },
    ],
    [
      "nodeRecyclingLeadTimeSeconds: '86400' is not less than the 86400 seconds that the nodes run; use at most 86399",
      { nodeRecyclingLeadTimeSeconds: 86400 },
    ],
    [
      "nodeRecyclingLeadTimeSeconds: '604800' is not less than the 604800 seconds that the nodes run; use at most 604799",
      { priorities: [Capacity.flexStart()], nodeRecyclingLeadTimeSeconds: 604800 },
    ],
    [
      "nodeRecyclingLeadTimeSeconds: '3600' is set, but no priority is flex-start; add Capacity.flexStart(), or omit it",
      { priorities: [Capacity.spot()], nodeRecyclingLeadTimeSeconds: 3600 },
    ],
    [
      "whenUnsatisfiable: 'Wait' is not known; use one of 'DoNotScaleUp', 'ScaleUpAnyway'",
      { whenUnsatisfiable: 'Wait' as 'DoNotScaleUp' },
    ],
    [
      "placementPolicyName: required for slice 'tpu7x-standard-4t/2x2x2'; use the NAME of a workload policy, from: gcloud compute resource-policies create workload-policy NAME --region=REGION --type=HIGH_THROUGHPUT --accelerator-topology=2x2x2",
      { slice: tpu7x },
    ],
    [
      "placementPolicyName: 'policy' is set for slice 'ct6e-standard-8t/2x4', but only multi-host tpu7x slices have a placement policy; omit it",
      { placementPolicyName: 'policy' },
    ],
    [
      "placementPolicyName: 'My policy' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'my-policy'",
      { slice: tpu7x, placementPolicyName: 'My policy' },
    ],
    [
      "name: 'TPU_v6e' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'tpu-v6e'",
      { name: 'TPU_v6e' },
    ],
    [
      `name: '${'n'.repeat(64)}' has 64 characters; use at most 63 (the limit of node labels), for example '${'n'.repeat(63)}'`,
      { name: 'n'.repeat(64) },
    ],
    ...['autopilot', 'autopilot-spot', 'default'].map((name): [string, Partial<TpuComputeClassProps>] => [
      `name: '${name}' is reserved by GKE; use another name, for example 'tpu-v6e-2x4'`,
      { name },
    ]),
  ])('rejects %s', (message, wrong) => {
    expect(refusal(() => computeClass({ ...ladder, ...wrong }))).toBe(`chart/tpu ${message}`);
  });

  test('lists all mistakes at once', () => {
    const wrong = {
      name: 'default',
      slice: TpuSlice.of('ct4p-hightpu-4t'),
      priorities: [Capacity.spot(), Capacity.spot(), Capacity.flexStart()],
      nodeRecyclingLeadTimeSeconds: 1e6,
      placementPolicyName: '',
    };
    expect(
      refusal(() => computeClass(wrong))
        .split('\n')
        .map((line) => line.split(' ').slice(0, 2).join(' ')),
    ).toEqual(
      [
        'name:',
        'nodeRecyclingLeadTimeSeconds:',
        'placementPolicyName:',
        'priorities[1]:',
        'priorities[2]:',
      ].map((prop) => `chart/tpu ${prop}`),
    );
  });
});

describe('a ComputeClass for any slice', () => {
  const rungs = fc.uniqueArray(
    fc.constantFrom(...ladder.priorities, Capacity.flexStart(), Capacity.reservation('other')),
    { minLength: 1 },
  );

  test('has the machine type, accelerator, topology, chips and hosts of its pods', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVERY_SLICE), rungs, (any, priorities) => {
        const offered = priorities.filter(({ type }) => type !== 'flex-start' || any.flexStart);
        fc.pre(offered.length > 0);
        const chart = newChart();
        const made = new TpuComputeClass(chart, 'c', { slice: any, priorities: offered, ...policyOf(any) });
        const { workload } = new SaxCell(chart, 's', {
          slice: any,
          capacity: Capacity.computeClass(made),
          bucketName: 'my-sax',
          serviceAccountName: 'sax',
          platformChip: 'tpu',
        });
        const rules = made.computeClass.toJson().spec.priorities as Rule[];
        const { spec } = workload.toJson();
        // The model servers are a JobSet if the slice has several hosts, otherwise a Deployment.
        const pods = (any.multiHost ? spec.replicatedJobs[0].template.spec : spec) as {
          parallelism?: number;
          template: { spec: { nodeSelector: object; containers: { resources: { limits: object } }[] } };
        };
        const { nodeSelector, containers } = pods.template.spec;
        expect(pods.parallelism).toBe(any.multiHost ? any.hosts : undefined);
        expect(rules).toHaveLength(offered.length);
        for (const { machineType, tpu } of rules) {
          expect({ machineType, ...tpu }).toEqual({
            machineType: any.machineType,
            type: any.accelerator,
            topology: any.topology,
            count: any.chips / (pods.parallelism ?? 1),
          });
        }
        expect(nodeSelector).toEqual({ 'cloud.google.com/compute-class': 'c' });
        expect(containers[0]?.resources.limits).toEqual({ 'google.com/tpu': String(any.chipsPerHost) });
      }),
    );
  });

  test('renders objects without errors', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVERY_SLICE), (any) => {
        const chart = newChart();
        const made = new TpuComputeClass(chart, 'c', {
          slice: any,
          priorities: [Capacity.onDemand()],
          ...policyOf(any),
        });
        new SaxCell(chart, 's', {
          slice: any,
          capacity: Capacity.computeClass(made),
          bucketName: 'my-sax',
          serviceAccountName: 'sax',
          platformChip: 'tpu',
        });
        const objects = (Testing.synth(chart) as Json[]).map((manifest) => manifestObject(manifest));
        expect(findingsIn(objects).filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
    );
  });
});
