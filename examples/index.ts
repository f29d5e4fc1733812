import { type App } from 'cdk8s';
import { VllmLlama370b } from './vllm-llama3-70b';

/** Adds the chart of every example to an app. */
export function addExamples(app: App): void {
  new VllmLlama370b(app);
}
