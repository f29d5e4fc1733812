import { type App } from 'cdk8s';
import { VllmQwen332bGateway } from './vllm-qwen3-32b-gateway';

/** Adds servers behind an inference gateway, which needs CRDs that a cluster without one has not. */
export function addGateway(app: App): void {
  new VllmQwen332bGateway(app, 'vllm-qwen3-32b-gateway');
  new VllmQwen332bGateway(app, 'vllm-qwen3-32b-gateway-ha', { replicas: 3 });
}
