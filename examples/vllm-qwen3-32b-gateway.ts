import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  acceptFinding,
  InferenceGateway,
  type InferenceGatewayProps,
  InferencePool,
  TpuSlice,
  VllmServer,
} from '../lib';

interface Options extends Pick<InferenceGatewayProps, 'gatewayClassName' | 'certificates'> {
  /** Name of the server, and start of the names of the pool and the gateway. */
  readonly name: string;
  readonly slice: TpuSlice;
  /** Number of endpoint pickers. */
  readonly pickers: number;
}

/**
 * Two replicas of Qwen3-32B behind Google's inference gateway.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/deploy-gke-inference-gateway
 */
class VllmQwen332bGateway extends Chart {
  constructor(scope: Construct, id: string, { name, slice, pickers, ...gateway }: Options) {
    super(scope, id, { namespace: 'serving' });
    const server = new VllmServer(this, 'server', { name, model: 'Qwen/Qwen3-32B', slice, replicas: 2 });
    acceptFinding(
      server.workload,
      'TPU405',
      'the example is about the gateway; that of Llama 3.1 70B keeps its weights',
    );
    const pool = new InferencePool(this, 'pool', {
      name: `${name}-pool`,
      servers: [server],
      endpointPicker: { replicas: pickers },
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
      pickers: 1,
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
      pickers: 3,
      gatewayClassName: 'gke-l7-rilb',
      certificates: ['gateway-certificate'],
    });
  }
}
