// What users of JavaScript, of a typed variable or of a spread can give.
import { App, Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  FlexStartJob,
  type FlexStartJobProps,
  HuggingFaceToken,
  InvalidInputError,
  JetStreamCheckpointConverter,
  type JetStreamCheckpointConverterProps,
  JetStreamServer,
  type JetStreamServerProps,
  SaxCell,
  type SaxCellProps,
  TpuJob,
  type TpuJobProps,
  TpuRayService,
  type TpuRayWorkerGroup,
  TpuServer,
  type TpuServerProps,
  TpuSlice,
  VllmServer,
  type VllmServerProps,
} from '../../lib';

/** The problems of a construct, without its path. */
function problemsOf(make: (chart: Chart) => unknown): readonly string[] {
  try {
    make(new Chart(new App(), 'chart'));
  } catch (error) {
    if (error instanceof InvalidInputError)
      return error.message.split('\n').map((line) => line.replace(/^chart\/it /, ''));
    throw error;
  }
  return [];
}

const ray = (scope: Construct, given: object): TpuRayService =>
  new TpuRayService(scope, 'it', {
    serveConfig: { applications: [{ name: 'app', importPath: 'a:b' }] },
    workerGroups: [{ groupName: 'tpu', ...given } as TpuRayWorkerGroup],
  });

describe.each<[string, string, (scope: Construct, given: object) => Construct]>([
  ['TpuServer', '', (scope, given) => new TpuServer(scope, 'it', given as TpuServerProps)],
  ['VllmServer', '', (scope, given) => new VllmServer(scope, 'it', given as VllmServerProps)],
  ['JetStreamServer', '', (scope, given) => new JetStreamServer(scope, 'it', given as JetStreamServerProps)],
  [
    'JetStreamCheckpointConverter',
    '',
    (scope, given) =>
      new JetStreamCheckpointConverter(scope, 'it', given as JetStreamCheckpointConverterProps),
  ],
  ['SaxCell', '', (scope, given) => new SaxCell(scope, 'it', given as SaxCellProps)],
  ['FlexStartJob', '', (scope, given) => new FlexStartJob(scope, 'it', given as FlexStartJobProps)],
  ['TpuJob', '', (scope, given) => new TpuJob(scope, 'it', given as TpuJobProps)],
  ['TpuRayService', 'workerGroups[0].', ray],
])('%s', (_, at, make) => {
  test.each<[object, string]>([
    [
      { slice: 'ct6e-standard-4t' },
      "slice: 'ct6e-standard-4t' is a string; use TpuSlice.parse('ct6e-standard-4t')",
    ],
    [{ slice: 8 }, "slice: '8' is a number; use TpuSlice.of(…), like TpuSlice.of('ct6e-standard-8t')"],
    [{}, "slice: required, for example TpuSlice.of('ct6e-standard-8t')"],
  ])('explains for %j how to create a slice', (given, problem) => {
    expect(problemsOf((chart) => make(chart, given))).toContain(`${at}${problem}`);
  });

  test('reports the problems of its props and of its pods at once', () => {
    const fragments = [{ env: [{ name: 'LOG', value: 'a' }] }, { env: [{ name: 'LOG', value: 'b' }] }];
    const slice = TpuSlice.of('ct5lp-hightpu-1t');
    const huggingFaceToken = HuggingFaceToken.fromSecret('hf-secret', 'token');
    const given = { slice, huggingFaceToken, priorityClassName: 'A', fragments };
    const problems = problemsOf((chart) => make(chart, given));
    expect(problems).toContain(
      `${at}priorityClassName: 'A' is not a DNS name; use at most 253 lower-case letters, digits, '-' and '.', for example 'a'`,
    );
    expect(problems).toContain(`${at}env[LOG]: has two values, 'a' and 'b'; use one of them`);
  });

  test('names the nearest property of an unknown one', () => {
    const given = { slice: TpuSlice.of('ct5lp-hightpu-1t'), sidecarz: [] };
    expect(problemsOf((chart) => make(chart, given))).toContain(
      `${at}sidecarz: unknown property; did you mean 'sidecars'?`,
    );
  });
});

describe('a server', () => {
  const required = { model: 'google/gemma-2b', slice: TpuSlice.of('ct6e-standard-1t') };
  const server = (given: object): readonly string[] =>
    problemsOf((chart) => new VllmServer(chart, 'it', { ...required, ...given }));

  test.each<[string, object, ...(readonly string[])]>([
    ['a misspelled model', { modle: 'x' }, "modle: unknown property; did you mean 'model'?"],
    [
      'misspelled props',
      { maxModelLenght: 1, replica: 2, cahce: {} },
      "maxModelLenght: unknown property; did you mean 'maxModelLen'?",
      "replica: unknown property; did you mean 'replicas'?",
      'cahce: unknown property',
    ],
    [
      'a number in quotes',
      { maxModelLen: '4096' },
      "maxModelLen: '4096' is a string; use a whole number, for example 4096",
    ],
    [
      'a string in place of a list',
      { args: '--dtype=auto' },
      "args: '--dtype=auto' is a string; use a list of strings",
    ],
    [
      'a command in one string',
      { command: 'python serve.py' },
      "command: 'python serve.py' is a string; use a list of strings",
    ],
    [
      'a number as an amount of memory',
      { resources: { requests: { memory: 32 } } },
      "resources.requests[memory]: '32' is a number; use a quantity as a string",
    ],
    [
      'bytes in place of gigabytes',
      { resources: { requests: { memory: '32' } } },
      "resources.requests[memory]: '32' is less than 1 MB; use bytes with a suffix, for example '32G'",
    ],
    [
      'a selector without matchLabels',
      { allowedClients: [{ podSelector: { app: 'x' } }] },
      "allowedClients[0].podSelector.app: unknown property; use one of 'matchExpressions', 'matchLabels'",
    ],
    [
      'the name of a metric',
      { autoscaling: { maxReplicas: 2, averageValue: 1, metric: 'vllm:num_requests_waiting' } },
      "autoscaling.metric: 'vllm:num_requests_waiting' is a string; use a metric of the server, like VllmMetric.REQUESTS_WAITING",
    ],
    [
      'a bucket in place of a volume',
      { modelCache: 'gs://my-models' },
      "modelCache: 'gs://my-models' is a string; use a volume, like new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data' })",
    ],
    [
      'a capacity as a word',
      { capacity: 'spot' },
      "capacity: 'spot' is a string; use a Capacity, like Capacity.onDemand() or Capacity.spot()",
    ],
    [
      'a fragment with a misspelled field',
      { fragments: [{ nodeselector: {} }] },
      "fragments[0].nodeselector: unknown property; did you mean 'nodeSelector'?",
    ],
    [
      'fields of the wrong shape in a fragment',
      { fragments: [{ env: { A: '1' }, container: { args: '--x' }, pod: { hostAliases: {} } }] },
      'fragments[0].env: is an object; use a list',
      "fragments[0].container.args: '--x' is a string; use a list",
      'fragments[0].pod.hostAliases: is an object; use a list',
    ],
    [
      'a string in place of arguments in a fragment',
      { fragments: [{ container: { args: '--x', command: ['a', 1] } }] },
      "fragments[0].container.args: '--x' is a string; use a list",
      "fragments[0].container.command[1]: '1' is a number; use a string",
    ],
    [
      'a sidecar without an image',
      { sidecars: [{ name: 'proxy' }] },
      'sidecars[0].image: required; use a string',
    ],
    [
      'a probe with a misspelled field',
      { probes: { startup: { periodSecond: 5 } } },
      "probes.startup.periodSecond: unknown property; did you mean 'periodSeconds'?",
    ],
    [
      'an object of another kind as an account',
      { serviceAccountName: { kind: 'Secret', name: 'x' } },
      'serviceAccountName: is a Secret; use a ServiceAccount',
    ],
    [
      'an unknown rollout',
      { rollout: 'RollingUpdate' },
      "rollout: 'RollingUpdate' is not known; use 'Recreate'",
    ],
    ['a number in place of a flag', { replicas: 'many' }, "replicas: 'many' is not known; use 'external'"],
  ])('rejects %s', (_, given, ...problems) => {
    expect(server(given)).toEqual(problems);
  });

  test.each([
    ['props', ": 'props' is a string; use an object"],
    [null, ': is null; use an object'],
    [[], ': is a list; use an object'],
  ])('rejects %j in place of props', (given, problem) => {
    const [said] = problemsOf((chart) => new VllmServer(chart, 'it', given as unknown as VllmServerProps));
    expect(said).toBe(`chart/it${problem}`);
  });

  test('treats an undefined property as missing', () => {
    expect(server({ maxModelLen: undefined, unknown: undefined })).toEqual([]);
  });
});
