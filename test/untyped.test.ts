// Whatever JavaScript gives to an export of the package is accepted or refused with a problem: nothing else fails.
import { Chart, Testing } from 'cdk8s';
import * as lib from '../lib';
import { InvalidInputError } from '../lib';
import { refusal } from './refusal';

type Call = (value: never) => unknown;

const slice = lib.TpuSlice.of('ct6e-standard-8t');
const token = lib.HuggingFaceToken.fromSecret('hf-secret', 'token');

/** A construct that gets `value` as its props. */
const construct =
  (Type: new (scope: Chart, id: string, props: never) => unknown): Call =>
  (value) =>
    new Type(new Chart(Testing.app(), 'chart'), 'it', value);

/** An object to override and to accept findings on. */
const object = (): lib.VllmServer['workload'] =>
  new lib.VllmServer(new Chart(Testing.app(), 'chart'), 'it', { model: 'google/gemma-2b', slice }).workload;

/** Every call that the package exports, by the argument that is replaced. */
const CALLS: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  ArgoApplication: { props: construct(lib.ArgoApplication) },
  Capacity: {
    onDemand: (value) => lib.Capacity.onDemand(value),
    spot: (value) => lib.Capacity.spot(value),
    flexStart: (value) => lib.Capacity.flexStart(value),
    flexStartQueued: (value) => lib.Capacity.flexStartQueued(value),
    reservation: (value) => lib.Capacity.reservation(value),
    computeClass: (value) => lib.Capacity.computeClass(value),
  },
  ContainerCluster: { props: construct(lib.ContainerCluster) },
  ContainerNodePools: { props: construct(lib.ContainerNodePools) },
  FlexStartJob: { props: construct(lib.FlexStartJob) },
  GcsFusePersistentVolume: { props: construct(lib.GcsFusePersistentVolume) },
  GcsFuseVolume: { props: (value) => new lib.GcsFuseVolume(value) },
  HuggingFaceToken: {
    fromSecret: (value) => lib.HuggingFaceToken.fromSecret(value, value),
    asFile: (value) => token.asFile(value),
  },
  IamPolicyMember: { props: construct(lib.IamPolicyMember) },
  IamServiceAccount: { props: construct(lib.IamServiceAccount) },
  InferenceGateway: { props: construct(lib.InferenceGateway) },
  InferencePool: { props: construct(lib.InferencePool) },
  JetStreamCheckpoint: {
    at: (value) => lib.JetStreamCheckpoint.at(value),
    onVolume: (value) => lib.JetStreamCheckpoint.onVolume(value),
  },
  JetStreamCheckpointConverter: { props: construct(lib.JetStreamCheckpointConverter) },
  JetStreamServer: { props: construct(lib.JetStreamServer) },
  NodePool: { props: (value) => new lib.NodePool(value) },
  PvcVolume: { props: (value) => new lib.PvcVolume(value) },
  Runbook: {
    chart: (value) => new lib.Runbook(value),
    options: (value) => new lib.Runbook(Chart.of(object()), value),
  },
  SaxCell: { props: construct(lib.SaxCell) },
  ShellCommand: { args: (value) => new lib.ShellCommand(value) },
  StorageBucket: { props: construct(lib.StorageBucket) },
  TpuComputeClass: { props: construct(lib.TpuComputeClass) },
  TpuJob: { props: construct(lib.TpuJob) },
  TpuQueue: { props: construct(lib.TpuQueue) },
  TpuRayCluster: { props: construct(lib.TpuRayCluster) },
  TpuRayJob: { props: construct(lib.TpuRayJob) },
  TpuRayService: { props: construct(lib.TpuRayService) },
  TpuServer: { props: construct(lib.TpuServer) },
  TpuSlice: {
    of: (value) => lib.TpuSlice.of(value),
    'of, topology': (value) => lib.TpuSlice.of('ct6e-standard-8t', value),
    parse: (value) => lib.TpuSlice.parse(value),
    forModel: (value) => lib.TpuSlice.forModel(value),
    'forModel, options': (value) => lib.TpuSlice.forModel('google/gemma-2b', value),
  },
  VllmServer: { props: construct(lib.VllmServer) },
  WorkloadIdentity: { props: construct(lib.WorkloadIdentity) },
  WorkloadRoles: { props: construct(lib.WorkloadRoles) },
  acceptFinding: {
    object: (value) => {
      lib.acceptFinding(value, 'TPU503', 'because');
    },
    code: (value) => {
      lib.acceptFinding(object(), value, 'because');
    },
    reason: (value) => {
      lib.acceptFinding(object(), 'TPU503', value);
    },
  },
  findings: {
    scope: (value) => lib.findings(value),
    options: (value) => lib.findings(Testing.app(), value),
  },
  knownModels: {},
  modelByName: { model: (value) => lib.modelByName(value) },
  modelFit: {
    model: (value) => lib.modelFit(slice, value),
    slice: (value) => lib.modelFit(value, { parameters: 2e9 }),
  },
  override: {
    object: (value) => {
      lib.override(value, {});
    },
    patch: (value) => {
      lib.override(object(), value);
    },
  },
  podTemplate: { parts: (value) => lib.podTemplate(value) },
  sharedMemory: { sizeLimit: (value) => lib.sharedMemory(value) },
  startupEstimate: { conditions: (value) => lib.startupEstimate(value) },
  tpuResources: {
    slice: (value) => lib.tpuResources(value),
    capacity: (value) => lib.tpuResources(slice, value),
  },
  writeRunbooks: {
    app: (value) => lib.writeRunbooks(value),
    options: (value) => lib.writeRunbooks(Testing.app(), value),
  },
};

/** Functions that users do not call with values of their own. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  App: 'has the props of cdk8s, which newer releases can extend',
  ArgoHealthChecks: 'has no props',
  InvalidInputError: 'is thrown by the package',
  JetStreamVolumeCheckpoint: 'is made by JetStreamCheckpoint.onVolume',
  JetStreamMetric: 'has a fixed set of instances',
  PickerMetric: 'has a fixed set of instances',
  VllmMetric: 'has a fixed set of instances',
};

test('every function of the package is listed', () => {
  const functions = Object.entries(lib).filter(([, value]) => typeof value === 'function');
  expect(functions.map(([name]) => name).sort()).toEqual(
    [...Object.keys(CALLS), ...Object.keys(LEFT_OUT)].sort(),
  );
});

const VALUES: readonly unknown[] = [
  ...['text', '', 'a\nb', 8, NaN, 10n, true, null, undefined, Symbol('s'), () => 1],
  ...[[], ['x'], [undefined], {}, { unknown: 1 }, Object.create(null), new Date(0), new Map(), slice, token],
];

describe.each(
  Object.entries(CALLS).flatMap(([name, calls]) =>
    Object.entries(calls).map(([argument, call]): [string, string, Call] => [name, argument, call]),
  ),
)('%s, %s', (_, __, call) => {
  test('refuses each value with problems in one line each, or accepts it', () => {
    const others = VALUES.filter((value) => {
      try {
        call(value as never);
        return false;
      } catch (error) {
        if (!(error instanceof InvalidInputError)) return true;
        const { message, problems } = error;
        return message.split('\n').length !== problems.length || /undefined'|\[object|: 0: /.test(message);
      }
    });
    expect(others).toEqual([]);
  });
});

const PROPS = Object.entries(CALLS).flatMap(([name, { props }]): [string, Call][] =>
  props === undefined ? [] : [[name, props]],
);

describe.each(PROPS)('%s', (_, call) => {
  test.each<[unknown, string]>([
    ['text', "'text' is a string; use an object"],
    [8, "'8' is a number; use an object"],
    [null, 'is null; use an object'],
    [undefined, 'required; use an object'],
    [['x'], 'is a list; use an object'],
  ])('says that %j is not an object, once', (value, problem) => {
    expect(refusal(() => call(value as never)).replace(/^chart\/it: /, '')).toBe(problem);
  });
});
