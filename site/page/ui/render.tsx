import { type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { BY_HAND, type Field, fragmentOf } from '../choice';
import { forServer, LOADINGS, type Rendered, SCALINGS } from '../render';
import { Problems, SelectField, TextField, useForm } from './fields';
import { copy, Output } from './output';

type Words = readonly (readonly [word: string, label: string])[];

const SERVERS: Words = [
  ['vllm', 'vLLM'],
  ['jetstream', 'JetStream'],
  ['saxml', 'Saxml'],
  ['ray', 'vLLM on Ray Serve'],
  ['any', 'another image'],
];
const CAPACITIES: Words = [
  ['on-demand', 'on demand'],
  ['spot', 'spot'],
  ['flex-start', 'flex-start'],
  ['reservation', 'a reservation'],
  ['compute-class', 'a ComputeClass'],
];
const LOADING_WORDS: Words = [
  ['hub', 'from Hugging Face'],
  ['stream', 'streamed from a bucket'],
  ['cache', 'kept in a mounted bucket'],
];
const SCALING_WORDS: Words = [
  ['fixed', 'fixed'],
  ['adapter', 'HPA, metrics adapter'],
  ['gke', 'HPA, GKE preview'],
  ['keda', 'KEDA'],
  ['ray', "Ray's autoscaler"],
];
const GATEWAYS: Words = [
  ['', 'none'],
  ['gke-l7-rilb', 'in the VPC network'],
  ['gke-l7-regional-external-managed', 'on the internet'],
];

const among = (words: Words, known: readonly string[] | undefined): Words =>
  words.filter(([word]) => known?.includes(word));

/** The fields that are on the screen for a server. */
function shownFields(loading: string, scaling: string, capacity: string): readonly Field[] {
  return [
    'server',
    'name',
    'namespace',
    'capacity',
    'projectId',
    'cluster',
    'location',
    ...(['reservation', 'compute-class'].includes(capacity) ? (['capacityName'] as const) : []),
    ...(loading === 'hub' ? [] : (['bucket'] as const)),
    ...(scaling === 'fixed' ? (['replicas'] as const) : (['scaling', 'maxReplicas'] as const)),
    ...(['adapter', 'gke', 'keda'].includes(scaling) ? (['averageValue'] as const) : []),
  ];
}

function ServerFields(): VNode {
  const { choice } = useForm();
  const { server } = choice;
  return (
    <fieldset>
      <legend>Server</legend>
      <div class="fields">
        <SelectField field="server" label="Server" words={SERVERS} />
        <TextField field="name" label="Name" hint="empty: the name of the model" />
        <TextField field="namespace" label="Namespace" hint="empty: the one that you apply to" />
        {['vllm', 'ray', 'any'].includes(server) && (
          <TextField
            field="image"
            label="Image"
            hint={server === 'vllm' ? 'empty: the release of the library' : 'your own, with a tag'}
          />
        )}
        {server !== 'saxml' && (
          <TextField
            field="tokenSecret"
            label="Secret with the token"
            hint="key hf_api_token; empty: only if the model is gated"
          />
        )}
      </div>
    </fieldset>
  );
}

function PlaceFields({ loading }: { readonly loading: string }): VNode {
  const { choice } = useForm();
  const { server, capacity } = choice;
  const loadings = among(LOADING_WORDS, LOADINGS[server]);
  return (
    <fieldset>
      <legend>Capacity and weights</legend>
      <div class="fields">
        <SelectField field="capacity" label="Capacity" words={CAPACITIES} />
        {capacity === 'reservation' && <TextField field="capacityName" label="Name of the reservation" />}
        {capacity === 'compute-class' && <TextField field="capacityName" label="Name of the ComputeClass" />}
        {loadings.length > 1 && <SelectField field="loading" label="Weights" words={loadings} />}
        {loading !== 'hub' && <TextField field="bucket" label="Bucket" hint="without gs://" />}
      </div>
    </fieldset>
  );
}

function ScalingFields({ scaling }: { readonly scaling: string }): VNode {
  const { choice } = useForm();
  const { server } = choice;
  const scalings = among(SCALING_WORDS, SCALINGS[server]);
  return (
    <fieldset>
      <legend>Replicas and requests</legend>
      <div class="fields">
        {scalings.length > 1 && <SelectField field="scaling" label="Autoscaling" words={scalings} />}
        {scaling === 'fixed' ? (
          <TextField field="replicas" label="Replicas" hint="each on a slice of its own" numeric />
        ) : (
          <TextField field="maxReplicas" label="Most replicas" hint="each on a slice of its own" numeric />
        )}
        {['adapter', 'gke', 'keda'].includes(scaling) && (
          <TextField
            field="averageValue"
            label="Waiting requests"
            hint="average to aim at, per replica"
            numeric
          />
        )}
        {server === 'vllm' && <SelectField field="gateway" label="Inference gateway" words={GATEWAYS} />}
      </div>
    </fieldset>
  );
}

function ClusterFields(): VNode {
  return (
    <fieldset>
      <legend>Cluster, for the commands</legend>
      <div class="fields">
        <TextField field="projectId" label="Project" />
        <TextField field="cluster" label="Cluster" />
        <TextField field="location" label="Zone or region" hint="like us-east5-b" />
      </div>
    </fieldset>
  );
}

function Links({ yaml, onCheck }: { readonly yaml: string; readonly onCheck: () => void }): VNode {
  const { choice } = useForm();
  const [said, say] = useState('');
  const address = `${location.href.split('#', 1)[0] ?? ''}#tab=render&${fragmentOf(choice)}`;
  return (
    <p class="actions">
      <button
        type="button"
        onClick={() => {
          void copy(address).then(say);
        }}
      >
        Copy a link to this choice
      </button>
      <button type="button" disabled={yaml === ''} onClick={onCheck}>
        Check this YAML
      </button>
      <span role="status" class="said">
        {said}
      </span>
    </p>
  );
}

/** The second tab: the choice as TypeScript, YAML and commands. */
export function Render({
  rendered,
  slice,
  onCheck,
}: {
  readonly rendered: Rendered;
  readonly slice: string | undefined;
  readonly onCheck: (yaml: string) => void;
}): VNode {
  const { choice } = useForm();
  const { loading, scaling } = forServer(choice);
  const { typescript, yaml, commands, name, problems } = rendered;
  const id = choice.model === BY_HAND ? choice.modelId : choice.model;
  return (
    <>
      <h2>Manifests and commands</h2>
      <p>
        {id} on {slice === undefined ? 'no slice' : <strong>{slice}</strong>}, as chosen in the first tab.
      </p>
      <ServerFields />
      <PlaceFields loading={loading} />
      <ScalingFields scaling={scaling} />
      <ClusterFields />
      <Problems shown={shownFields(loading, scaling, choice.capacity)} />
      <p role="status" class="status">
        {problems.length > 0 ? 'Nothing is rendered: see the problems above.' : `Rendered ${name}.k8s.yaml.`}
      </p>
      <Links
        yaml={yaml}
        onCheck={() => {
          onCheck(yaml);
        }}
      />
      <div class="outputs">
        <Output id="typescript" title="TypeScript" file="main.ts" text={typescript} />
        <Output id="yaml" title="YAML" file={`${name}.k8s.yaml`} text={yaml} />
        <Output id="commands" title="Commands" file={`${name}.sh`} text={commands} />
      </div>
    </>
  );
}
