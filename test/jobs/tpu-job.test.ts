import { Chart, Testing } from 'cdk8s';
import fc from '../fast-check';
import { JobOnSpot, MultisliceJob } from '../../examples/jobs';
import { Capacity, InvalidInputError, Runbook, TpuJob, type TpuJobProps, TpuSlice } from '../../lib';
import { EVERY_SLICE } from '../slices';

const image = 'us-docker.pkg.dev/my-project/jobs/train:v1';
const oneHost = { slice: TpuSlice.of('ct6e-standard-4t'), image } as const satisfies TpuJobProps;
const fourHosts = { slice: TpuSlice.of('ct6e-standard-4t', '4x4'), image } as const satisfies TpuJobProps;
const twoSlices = { ...fourHosts, slices: 2 } as const satisfies TpuJobProps;

interface PodSpec {
  readonly restartPolicy: string;
  readonly subdomain?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly containers: readonly [
    {
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
      readonly ports: readonly { readonly containerPort: number }[];
    },
  ];
}
interface JobSpec {
  readonly template: { readonly spec: PodSpec };
  readonly [field: string]: unknown;
}
interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly labels: Readonly<Record<string, string>>; readonly annotations?: unknown };
  readonly spec: JobSpec & {
    readonly replicatedJobs: readonly [
      { readonly replicas: number; readonly template: { readonly spec: JobSpec } },
    ];
  };
}

const make = (props: TpuJobProps, id = 'train'): TpuJob =>
  new TpuJob(new Chart(Testing.app(), 'chart'), id, props);
const render = (props: TpuJobProps): Rendered => make(props).job.toJson() as Rendered;
/** The Job of one slice. */
const jobOf = (props: TpuJobProps): JobSpec => {
  const { kind, spec } = render(props);
  return kind === 'JobSet' ? spec.replicatedJobs[0].template.spec : spec;
};

function refusal(props: TpuJobProps, id?: string): readonly string[] {
  try {
    make(props, id);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message.split('\n');
    throw error;
  }
  throw new Error('it was accepted');
}

test.each([
  ['a single-host slice on spot', JobOnSpot],
  ['several slices', MultisliceJob],
])('renders a Job on %s', (_, Example) => {
  expect(Testing.synth(new Example(Testing.app()))).toMatchSnapshot();
});

describe('the slice and the number of slices determine the object', () => {
  test('a single-host slice is a Job', () => {
    const { kind, spec } = render(oneHost);
    expect(kind).toBe('Job');
    expect(Object.keys(spec)).toEqual(['template']);
    expect(spec.template.spec.restartPolicy).toBe('OnFailure');
    expect(make(oneHost).service).toBeUndefined();
  });

  test('a multi-host slice is an Indexed Job and its headless Service', () => {
    const { job, service } = make(fourHosts);
    expect(job.toJson()).toMatchObject({
      kind: 'Job',
      spec: { completionMode: 'Indexed', completions: 4, parallelism: 4, backoffLimit: 0 },
    });
    expect(jobOf(fourHosts).template.spec.subdomain).toBe(service?.name);
  });

  test('several slices are a JobSet with one replica per slice', () => {
    const { kind, spec } = render(twoSlices);
    expect(kind).toBe('JobSet');
    expect(spec.replicatedJobs[0]).toMatchObject({ replicas: 2, template: { spec: { parallelism: 4 } } });
    expect(make(twoSlices).service).toBeUndefined();
    expect(jobOf(twoSlices).template.spec).not.toHaveProperty('subdomain');
  });

  test('pods, chips and slices agree for any slice and number', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVERY_SLICE), fc.integer({ min: 1, max: 8 }), (slice, slices) => {
        const props = { ...oneHost, slice, slices };
        const { parallelism = 1, completions = 1 } = jobOf(props);
        expect([parallelism, completions]).toEqual([slice.hosts, slice.hosts]);
        expect(render(props).kind).toBe(slices > 1 ? 'JobSet' : 'Job');
      }),
      { numRuns: 40 },
    );
  });
});

describe('several slices', () => {
  const variables = (props: TpuJobProps): unknown =>
    jobOf(props).template.spec.containers[0].env?.find(({ name }) => name === 'MEGASCALE_NUM_SLICES')?.value;

  test('know their number', () => {
    expect(variables(twoSlices)).toBe('2');
    expect(variables(fourHosts)).toBeUndefined();
    expect(variables({ ...twoSlices, env: { MEGASCALE_NUM_SLICES: null } })).toBeUndefined();
    expect(
      jobOf(twoSlices).template.spec.containers[0].ports.map(({ containerPort }) => containerPort),
    ).toEqual([8471, 8080, 8431]);
  });

  test('restart up to maxRestarts, and always after evictions', () => {
    const policy = (props: Partial<TpuJobProps>): unknown =>
      render({ ...twoSlices, ...props }).spec['failurePolicy'];
    expect(policy({})).toEqual({ restartStrategy: 'Recreate' });
    expect(policy({ maxRestarts: 3 })).toEqual({ restartStrategy: 'Recreate', maxRestarts: 3 });
    expect(policy({ maxRestarts: 3, ignoreDisruptions: true })).toEqual({
      restartStrategy: 'Recreate',
      maxRestarts: 3,
      rules: [
        {
          name: 'restartAfterDisruptions',
          action: 'RestartJobSetAndIgnoreMaxRestarts',
          onJobFailureReasons: ['PodFailurePolicy'],
        },
      ],
    });
    expect(jobOf({ ...twoSlices, ignoreDisruptions: true })['podFailurePolicy']).toEqual({
      rules: [{ action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
    });
  });
});

test('evictions do not count with ignoreDisruptions on a single-host slice', () => {
  const { podFailurePolicy, template } = jobOf({ ...oneHost, ignoreDisruptions: true });
  expect(podFailurePolicy).toEqual({
    rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
  });
  expect(template.spec.restartPolicy).toBe('Never');
});

test('a Job on a single-host slice can have several completions, some at a time', () => {
  expect(jobOf({ ...oneHost, completions: 10, parallelism: 2, activeDeadlineSeconds: 600 })).toMatchObject({
    completions: 10,
    parallelism: 2,
    activeDeadlineSeconds: 600,
  });
});

describe('a Job on any capacity', () => {
  test.each([
    ['a reservation', Capacity.reservation('tpus', { queue: 'tpu' }), 'cloud.google.com/reservation-name'],
    ['a compute class', Capacity.computeClass('tpu-v6e', { queue: 'tpu' }), 'cloud.google.com/compute-class'],
    ['on demand', Capacity.onDemand({ queue: 'tpu' }), 'cloud.google.com/gke-tpu-topology'],
  ])('can wait in a Kueue queue: %s', (_, capacity, label) => {
    for (const props of [oneHost, fourHosts, twoSlices]) {
      const { metadata } = render({ ...props, capacity });
      expect(metadata.labels['kueue.x-k8s.io/queue-name']).toBe('tpu');
      expect(jobOf({ ...props, capacity }).template.spec.nodeSelector).toHaveProperty([label]);
    }
  });

  test('dynamic slices share node pools, so a JobSet of them has no exclusive topology', () => {
    const capacity = Capacity.dynamicSlice({ queue: 'tpu7x' });
    const slice = TpuSlice.of('tpu7x-standard-4t', '2x2x2');
    const { metadata } = render({ slice, image, slices: 2, capacity });
    expect(metadata.annotations).toBeUndefined();
    expect(metadata.labels).toMatchObject({ 'kueue.x-k8s.io/queue-name': 'tpu7x' });
  });

  test('keeps the annotation of exclusive slices together with the annotation of a queue', () => {
    const capacity = Capacity.flexStartQueued({ queue: 'tpu', maxRunDurationSeconds: 3600 });
    expect(render({ ...twoSlices, capacity }).metadata.annotations).toEqual({
      'alpha.jobset.sigs.k8s.io/exclusive-topology': 'cloud.google.com/gke-nodepool',
      'provreq.kueue.x-k8s.io/maxRunDurationSeconds': '3600',
    });
  });
});

describe('a Job with a mistake', () => {
  test.each<[TpuJobProps, ...string[]]>([
    [
      { ...fourHosts, completions: 2, parallelism: 2, maxRestarts: 1 },
      'completions: has no effect on a multi-host slice or several slices, whose pods start and complete together; remove it',
      'parallelism: has no effect on a multi-host slice or several slices, whose pods start and complete together; remove it',
      'maxRestarts: has no effect without several slices; remove it',
    ],
    [{ ...oneHost, parallelism: 2 }, "parallelism: '2' is more than completions (1); use at most 1"],
    [
      { ...fourHosts, ignoreDisruptions: true },
      'ignoreDisruptions: does not help on one multi-host slice: if one host is evicted, the other hosts fail; use backoffLimit',
    ],
    [
      { ...twoSlices, activeDeadlineSeconds: 60 },
      'activeDeadlineSeconds: has no effect on several slices; remove it',
    ],
    [{ ...oneHost, slices: 0 }, "slices: '0' is not a whole number of at least 1; use 1"],
    [
      { ...twoSlices, name: 'n'.repeat(48) },
      `name: '${'n'.repeat(48)}' has 48 characters; use at most 47 (the name of the last pod ends with '-slice-1-3-xxxxx'), for example '${'n'.repeat(47)}'`,
    ],
    [
      { ...oneHost, slice: TpuSlice.of('ct4p-hightpu-4t'), capacity: Capacity.flexStart() },
      "capacity: 'flex-start' is not available on ct4p-hightpu-4t; use a slice of v5e, v5p, v6e or tpu7x, or another capacity",
    ],
  ])('rejects mistake %#', (props, ...messages) => {
    expect(refusal(props)).toEqual(messages.map((message) => `chart/train ${message}`));
  });

  test('rejects missing props without a TypeError', () => {
    expect(refusal(JSON.parse('{ "queue": "tpu" }') as TpuJobProps)).toEqual([
      'chart/train queue: unknown property',
      "chart/train slice: required, for example TpuSlice.of('ct6e-standard-8t')",
      "chart/train image: required, for example 'us-docker.pkg.dev/my-project/my-repository/train:v1'",
    ]);
  });
});

test('the runbook watches the JobSet and installs its controller', () => {
  const runbook = new Runbook(new MultisliceJob(Testing.app()));
  const text = runbook.toString();
  expect(text).toContain('kubectl get pods -l jobset.sigs.k8s.io/jobset-name=multislice-job -o wide');
  expect(text).toContain('--max-log-requests=8');
  expect(text).toContain('kubectl delete jobset multislice-job');
  expect(text).toContain('deployment/jobset-controller-manager');
  expect(runbook.prerequisites).toContainEqual({
    what: 'Quota',
    needed: '32 chips of TPU v6e, on-demand quota',
  });
});
