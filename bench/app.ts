// The app that is timed: `node … APP KIND COPIES` renders the five systems as often as asked for, in charts of their own.
//   APP    ours | cdk8s: whose App
//   KIND   constructs | objects: ours, or the L1 objects that they render, written out, without checks | empty: an app without charts
import { readFileSync } from 'node:fs';
import { ApiObject, App as Cdk8sApp, Chart } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
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

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

type L1 = new (scope: Construct, id: string, props: Manifest) => ApiObject;

/** Maps of quantities. */
const QUANTITIES = new Set(['requests', 'limits']);

const [, , whose = 'ours', kind = 'constructs', copies = '1', manifests = ''] = process.argv;
const app = whose === 'ours' ? new App() : new Cdk8sApp();
if (kind === 'constructs')
  for (let copy = 0; copy < Number(copies); copy++)
    for (const [name, add] of Object.entries(SYSTEMS)) add(app, `${name}-${String(copy)}`);
if (kind === 'objects') {
  const systems = Object.entries(
    JSON.parse(readFileSync(manifests, 'utf8')) as Record<string, readonly Manifest[]>,
  ).map(([name, objects]) => ({
    name,
    objects: objects.map((manifest) => ({ type: classOf(manifest), props: typed(manifest) as Manifest })),
  }));
  for (let copy = 0; copy < Number(copies); copy++)
    for (const { name, objects } of systems) {
      const id = `${name}-${String(copy)}`;
      const chart = new Chart(app, id);
      for (const [index, { type, props }] of objects.entries()) {
        const named = props.metadata.name.replace(`${name}-0`, id);
        new type(chart, String(index), { ...props, metadata: { ...props.metadata, name: named } });
      }
    }
}
app.synth();

/** The L1 class of an object, for what Kubernetes 1.29 has. */
function classOf({ apiVersion, kind: name }: Manifest): L1 {
  const suffix = apiVersion === 'autoscaling/v2' ? 'V2' : '';
  return ((k8s as Record<string, unknown>)[`Kube${name}${suffix}`] as L1 | undefined) ?? ApiObject;
}

/** Props of an L1 class: with its classes in place of quantities and of what is a number or a text. */
function typed(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(item));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        typed(item, QUANTITIES.has(key) ? 'quantity' : name),
      ]),
    );
  if (key === 'quantity' || key === 'sizeLimit' || key === 'averageValue')
    return k8s.Quantity.fromString(String(value));
  if (['port', 'targetPort', 'maxUnavailable'].includes(key) && typeof value === 'string')
    return k8s.IntOrString.fromString(value);
  return value;
}
