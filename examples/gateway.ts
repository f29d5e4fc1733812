import { type App } from 'cdk8s';
import {
  VllmQwen332bAutoscaled,
  VllmQwen332bInTheNetwork,
  VllmQwen332bOnTheInternet,
} from './vllm-qwen3-32b-gateway';

/** Adds servers behind an inference gateway, in a separate folder because not every cluster has its CRDs. */
export function addGateway(app: App): void {
  new VllmQwen332bOnTheInternet(app);
  new VllmQwen332bInTheNetwork(app);
  new VllmQwen332bAutoscaled(app);
}
