import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { type EndpointPickerProps, InferenceGateway, InferencePool, TpuSlice, VllmServer } from '../lib';

/**
 * Two replicas of Qwen3-32B on v6e behind Google's inference gateway, with one endpoint picker or several.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/deploy-gke-inference-gateway
 */
export class VllmQwen332bGateway extends Chart {
  constructor(scope: Construct, id: string, endpointPicker: EndpointPickerProps = {}) {
    super(scope, id, { namespace: 'serving' });
    const server = new VllmServer(this, 'qwen3-32b', {
      model: 'Qwen/Qwen3-32B',
      slice: TpuSlice.of('ct6e-standard-8t'),
      replicas: 2,
    });
    const pool = new InferencePool(this, 'qwen3-32b-pool', { servers: [server], endpointPicker });
    new InferenceGateway(this, 'inference-gateway', {
      gatewayClassName: 'gke-l7-regional-external-managed',
      routes: [{ pool }],
    });
  }
}
