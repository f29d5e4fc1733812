// The app that is timed: `node … APP COPIES` renders the five systems COPIES times, each in its own chart.
//   APP    ours | cdk8s: the App of this library or of cdk8s
import { App as Cdk8sApp, type Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import { FlexStartMultiHost } from '../examples/flex-start';
import { GEMMA_7B_IT, JetStreamFromCheckpoint } from '../examples/jetstream';
import { RayStableDiffusion } from '../examples/ray-stable-diffusion';
import { Saxml175b } from '../examples/saxml-175b';
import { VllmLlama370b } from '../examples/vllm-llama3-70b';
import { App } from '../lib';

const SYSTEMS: Readonly<Record<string, (scope: Construct, id: string) => Chart>> = {
  ray: (scope, id) => new RayStableDiffusion(scope, id),
  vllm: (scope, id) => new VllmLlama370b(scope, id),
  jetstream: (scope, id) => new JetStreamFromCheckpoint(scope, id, GEMMA_7B_IT),
  saxml: (scope, id) => new Saxml175b(scope, id),
  flex: (scope, id) => new FlexStartMultiHost(scope, id),
};

const [, , whose = 'ours', copies = '1'] = process.argv;
const app = whose === 'ours' ? new App() : new Cdk8sApp();
for (let copy = 0; copy < Number(copies); copy++)
  for (const [name, add] of Object.entries(SYSTEMS)) add(app, `${name}-${String(copy)}`);
app.synth();
