import { type App } from 'cdk8s';
import { FlexStartMultiHost, FlexStartSingleHost } from './flex-start';
import { GEMMA_7B_IT, JetStreamFromCheckpoint, JetStreamFromHuggingFace, LLAMA_3_8B } from './jetstream';
import { JobOnSpot, MultisliceJob } from './jobs';
import { RayClusterV6e, RayJobV6e } from './ray-jobs';
import { RayStableDiffusion } from './ray-stable-diffusion';
import { VllmOnRayServe } from './ray-vllm';
import { Saxml175b } from './saxml-175b';
import { VllmLlama370b } from './vllm-llama3-70b';
import { VllmQwen332b } from './vllm-qwen3-32b';
import { MaxDiffusionSdxl, SglangJaxQwen38b } from './servers';
import { TpuSlice } from '../lib';

/** Adds the chart of every example to an app. */
export function addExamples(app: App): void {
  new RayStableDiffusion(app);
  new VllmOnRayServe(app);
  new VllmLlama370b(app);
  new VllmQwen332b(app, 'vllm-qwen3-32b-v6e', TpuSlice.of('ct6e-standard-8t'));
  new VllmQwen332b(app, 'vllm-qwen3-32b-tpu7x', TpuSlice.of('tpu7x-standard-4t'));
  new JetStreamFromCheckpoint(app, 'jetstream-gemma-7b-it', GEMMA_7B_IT);
  new JetStreamFromCheckpoint(app, 'jetstream-llama-3-8b', LLAMA_3_8B);
  new JetStreamFromHuggingFace(app, 'jetstream-gemma-7b-it-hf', GEMMA_7B_IT);
  new JetStreamFromHuggingFace(app, 'jetstream-llama-3-8b-hf', LLAMA_3_8B);
  new Saxml175b(app);
  new FlexStartSingleHost(app);
  new FlexStartMultiHost(app);
  new JobOnSpot(app);
  new MultisliceJob(app);
  new RayClusterV6e(app);
  new RayJobV6e(app);
  new MaxDiffusionSdxl(app);
  new SglangJaxQwen38b(app);
}
