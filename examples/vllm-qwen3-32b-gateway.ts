import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  acceptFinding,
  InferenceGateway,
  type InferenceGatewayProps,
  InferencePool,
  type InferencePoolProps,
  PickerMetric,
  TpuSlice,
  VllmServer,
} from '../lib';

interface Options
  extends
    Pick<InferenceGatewayProps, 'gatewayClassName' | 'certificates'>,
    Pick<InferencePoolProps, 'endpointPicker' | 'autoscaling'> {
  /** Name of the server, and prefix of the names of the pool and the gateway. */
  readonly name: string;
  readonly slice: TpuSlice;
}

/**
 * Replicas of Qwen3-32B behind Google's inference gateway.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/deploy-gke-inference-gateway
 */
class VllmQwen332bGateway extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { name, slice, endpointPicker, autoscaling, ...gateway }: Options,
  ) {
    super(scope, id, { namespace: 'serving' });
    const server = new VllmServer(this, 'server', {
      name,
      model: 'Qwen/Qwen3-32B',
      slice,
      replicas: autoscaling ? 'external' : 2,
    });
    acceptFinding(
      server.workload,
      'TPU405',
      'the example is about the gateway; that of Llama 3.1 70B keeps its weights',
    );
    const pool = new InferencePool(this, 'pool', {
      name: `${name}-pool`,
      servers: [server],
      ...(endpointPicker && { endpointPicker }),
      ...(autoscaling && { autoscaling }),
    });
    new InferenceGateway(this, 'gateway', { name: `${name}-gateway`, ...gateway, routes: [{ pool }] });
  }
}

/** On v6e, open to the internet, with one endpoint picker. */
export class VllmQwen332bOnTheInternet extends VllmQwen332bGateway {
  constructor(scope: Construct) {
    super(scope, 'vllm-qwen3-32b-gateway', {
      name: 'qwen3-32b',
      slice: TpuSlice.of('ct6e-standard-8t'),
      gatewayClassName: 'gke-l7-regional-external-managed',
    });
  }
}

/** On tpu7x, in the VPC network over HTTPS, with three endpoint pickers, two of which wait to become the leader. */
export class VllmQwen332bInTheNetwork extends VllmQwen332bGateway {
  constructor(scope: Construct) {
    super(scope, 'vllm-qwen3-32b-internal-gateway', {
      name: 'qwen3-32b-tpu7x',
      slice: TpuSlice.of('tpu7x-standard-4t'),
      endpointPicker: { replicas: 3 },
      gatewayClassName: 'gke-l7-rilb',
      certificates: ['gateway-certificate'],
    });
  }
}

/** On v6e, with one to four replicas. KEDA scales them by held and running requests. */
export class VllmQwen332bAutoscaled extends VllmQwen332bGateway {
  constructor(scope: Construct) {
    super(scope, 'vllm-qwen3-32b-autoscaled', {
      name: 'qwen3-32b-autoscaled',
      slice: TpuSlice.of('ct6e-standard-8t'),
      gatewayClassName: 'gke-l7-rilb',
      endpointPicker: { flowControl: { maxRequests: 1000 } },
      autoscaling: {
        maxReplicas: 4,
        metrics: [
          { metric: PickerMetric.REQUESTS_QUEUED, averageValue: 1 },
          { metric: PickerMetric.REQUESTS_RUNNING, averageValue: 16 },
        ],
        scaler: { keda: { projectId: 'my-project' } },
      },
    });
  }
}
