import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  App,
  FlexStartJob,
  HuggingFaceToken,
  InferencePool,
  JetStreamCheckpoint,
  JetStreamCheckpointConverter,
  JetStreamServer,
  PickerMetric,
  type PodSecurityLevel,
  type PoolScaler,
  PvcVolume,
  SaxCell,
  type SaxCellProps,
  type Scaler,
  TpuRayService,
  TpuServer,
  TpuSlice,
  VllmMetric,
  VllmServer,
  type VllmServerProps,
} from '../../../lib';
import { type KubernetesObject } from './api';

// Small systems for the tests. Props of the library are named here and in comes-up.test.ts only.

/** The objects that a construct renders, without the checks of a synth. */
const rendered = (add: (chart: Construct) => unknown, namespace?: string): readonly KubernetesObject[] => {
  const chart = new Chart(new App(), 'chart', { namespace });
  add(chart);
  return chart.toJson() as KubernetesObject[];
};

/** The slice of the servers: one host. */
export const SERVER_SLICE = TpuSlice.parse('ct6e-standard-8t/2x4');
/** The slice of the Saxml cell: two hosts. */
export const CELL_SLICE = TpuSlice.parse('ct5lp-hightpu-4t/2x4');

const token = HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token');
const clients = [{ ipBlock: { cidr: '203.0.113.0/24' } }];

export const vllm = (props: Partial<VllmServerProps> = {}): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new VllmServer(chart, 'vllm', {
        name: 'vllm',
        slice: SERVER_SLICE,
        model: 'google/gemma-3-1b-it',
        huggingFaceToken: token,
        ...props,
      }),
  );

export const tpuServer = (podSecurityLevel?: PodSecurityLevel): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new TpuServer(chart, 'server', {
        slice: SERVER_SLICE,
        image: 'us-docker.pkg.dev/my-project/servers/server:v1',
        port: 8000,
        healthPath: '/health',
        ...(podSecurityLevel && { podSecurityLevel }),
      }),
  );

/** The slice of a server on several hosts. */
export const GROUP_SLICE = TpuSlice.parse('ct6e-standard-4t/2x4');

/** A server on slices of several hosts. */
export const vllmGroups = (props: Partial<VllmServerProps> = {}): readonly KubernetesObject[] =>
  vllm({ slice: GROUP_SLICE, monitoring: false, ...props });

export const vllmGroupsWithAutoscaler = (): readonly KubernetesObject[] =>
  vllmGroups({
    monitoring: {},
    autoscaling: { minReplicas: 1, maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 },
  });

/** A server that may lose so many replicas during a rolling update. */
export const vllmWithMaxUnavailable = (
  replicas: number,
  maxUnavailable: number,
): readonly KubernetesObject[] => vllm({ replicas, rollout: { maxUnavailable } });

/** A server that an autoscaler scales from 1 to 3 replicas. */
export const vllmScaledBy = (scaler?: Scaler): readonly KubernetesObject[] =>
  vllm({
    autoscaling: {
      minReplicas: 1,
      maxReplicas: 3,
      metric: VllmMetric.REQUESTS_WAITING,
      averageValue: 10,
      ...(scaler && { scaler }),
    },
  });

/** A server that several autoscalers can scale, on one host or on several. */
export interface ScaledSample {
  readonly scaler: Scaler;
  readonly hosts: 'one' | 'several';
}

/** A server that an autoscaler of its own scales up to 4 replicas. */
export const scaledServer = ({ scaler, hosts }: ScaledSample): readonly KubernetesObject[] =>
  vllm({
    ...(hosts === 'several' && { slice: GROUP_SLICE }),
    autoscaling: { maxReplicas: 4, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10, scaler },
  });

/** A pool whose server is scaled up to 4 replicas by the picker's metrics; all of it in one namespace. */
export const scaledPool = (
  { scaler, hosts }: Omit<ScaledSample, 'scaler'> & { readonly scaler: PoolScaler },
  namespace: string,
): readonly KubernetesObject[] =>
  rendered((chart) => {
    const server = new VllmServer(chart, 'vllm', {
      name: 'vllm',
      slice: hosts === 'several' ? GROUP_SLICE : SERVER_SLICE,
      model: 'google/gemma-3-1b-it',
      huggingFaceToken: token,
      replicas: 'external',
    });
    return new InferencePool(chart, 'pool', {
      namespace,
      servers: [server],
      endpointPicker: { flowControl: {} },
      autoscaling: {
        maxReplicas: 4,
        scaler,
        metrics: [
          { metric: PickerMetric.REQUESTS_QUEUED, averageValue: 1 },
          { metric: PickerMetric.REQUESTS_RUNNING, averageValue: 16 },
        ],
      },
    });
  }, namespace);

/** A server behind a load balancer that some addresses may call. */
export const vllmForAddresses = (): readonly KubernetesObject[] =>
  vllm({ serviceType: 'InternalLoadBalancer', allowedClients: clients });

export const jetStream = (podSecurityLevel?: 'baseline' | 'restricted'): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new JetStreamServer(chart, 'jetstream', {
        name: 'jetstream',
        slice: SERVER_SLICE,
        model: 'google/gemma-2b-it',
        huggingFaceToken: token,
        monitoring: false,
        ...(podSecurityLevel && { podSecurityLevel }),
      }),
  );

/** A server that reads a converted checkpoint from a disk. */
export const jetStreamOnDisk = (): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new JetStreamServer(chart, 'jetstream', {
        name: 'jetstream',
        slice: SERVER_SLICE,
        checkpoint: JetStreamCheckpoint.onVolume({
          volume: new PvcVolume({ claimName: 'checkpoints', mountPath: '/models', readOnly: true }),
          modelName: 'gemma',
          path: 'gemma/2b',
        }),
        size: '2b',
        replicas: 2,
      }),
  );

export const converter = (): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new JetStreamCheckpointConverter(chart, 'converter', {
        name: 'converter',
        slice: SERVER_SLICE,
        huggingFaceToken: token,
        model: 'google/gemma-2b-it-pytorch',
        modelName: 'gemma',
        bucketName: 'my-models',
        path: 'gemma/2b',
      }),
  );

export const saxCell = (own: Partial<SaxCellProps> = {}): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new SaxCell(chart, 'sax', {
        name: 'sax',
        slice: CELL_SLICE,
        bucketName: 'my-sax',
        serviceAccountName: 'default',
        ...own,
      }),
  );

/** A cell that some addresses may call, whose pods are all in the network that NetworkPolicies apply to. */
export const saxCellForAddresses = (): readonly KubernetesObject[] =>
  saxCell({ hostNetwork: false, allowedClients: clients });

export const rayService = (): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new TpuRayService(chart, 'ray', {
        name: 'ray',
        serveConfig: { applications: [{ name: 'app', importPath: 'my.module:app' }] },
        workerGroups: [
          {
            groupName: 'workers',
            slice: SERVER_SLICE,
            resources: { requests: { cpu: '8', memory: '20G' } },
            minReplicas: 1,
            maxReplicas: 2,
          },
        ],
      }),
  );

export const flexStartJob = (podSecurityLevel?: PodSecurityLevel): readonly KubernetesObject[] =>
  rendered(
    (chart) =>
      new FlexStartJob(chart, 'job', {
        name: 'job',
        slice: SERVER_SLICE,
        image: 'example.com/training:v1',
        ...(podSecurityLevel && { podSecurityLevel }),
      }),
  );
