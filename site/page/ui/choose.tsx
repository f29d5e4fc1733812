import { type VNode } from 'preact';
import { QUANTIZED } from '../../../lib/manifest/model-memory';
import { knownModels } from '../../../lib/tpu/models';
import { WEIGHT_FORMATS } from '../../../lib/tpu/weights';
import { BY_HAND, type Field } from '../choice';
import { GENERATION_NAMES, type Sizing } from '../sizing';
import { Problems, SelectField, TextField, useForm } from './fields';
import { Legend, MemoryBar } from './memory-bar';
import { Generation } from './slices';
import { count } from './words';

const same = (words: readonly string[]): readonly (readonly [string, string])[] =>
  words.map((word) => [word, word]);

const MODELS = [...same(knownModels()), [BY_HAND, 'Another model: enter its numbers']] as const;
const QUANTIZATIONS = [
  ['', 'as published'],
  ...Object.entries(QUANTIZED).map(([name, format]) => [name, `${name} (${format})`] as const),
] as const;
const GENERATIONS = [...same(GENERATION_NAMES), ['', 'all generations']] as const;

const HAND_FIELDS = ['modelId', 'parameters', 'layers', 'kvHeads', 'headDim', 'contextLength'] as const;
const SHOWN: readonly Field[] = [
  'model',
  'maxModelLen',
  'sequences',
  'quantization',
  'kvCacheDtype',
  'generation',
];

function ByHand(): VNode {
  return (
    <fieldset>
      <legend>Numbers of the model, from its config.json</legend>
      <div class="fields">
        <TextField field="modelId" label="Hugging Face id" />
        <TextField
          field="parameters"
          label="Parameters"
          hint="like 70e9 or 70B, all experts included"
          numeric
        />
        <SelectField field="weights" label="Format of the weights" words={same(WEIGHT_FORMATS)} />
        <TextField field="layers" label="Layers" hint="num_hidden_layers" numeric />
        <TextField field="kvHeads" label="KV heads" hint="num_key_value_heads" numeric />
        <TextField field="headDim" label="Head dimension" hint="head_dim" numeric />
        <TextField
          field="contextLength"
          label="Context of the model"
          hint="max_position_embeddings"
          numeric
        />
      </div>
    </fieldset>
  );
}

function ModelFields(): VNode {
  return (
    <div class="fields">
      <SelectField field="model" label="Model" words={MODELS} />
      <TextField
        field="maxModelLen"
        label="Context"
        hint="longest sequence, prompt and answer, in tokens"
        numeric
      />
      <TextField
        field="sequences"
        label="Concurrency"
        hint="sequences of that length at the same time"
        numeric
      />
      <SelectField
        field="quantization"
        label="Quantization"
        hint="as vLLM's --quantization"
        words={QUANTIZATIONS}
      />
      <SelectField
        field="kvCacheDtype"
        label="KV cache"
        hint="how keys and values are stored"
        words={same(['auto', 'fp8'])}
      />
      <SelectField field="generation" label="TPU generation" words={GENERATIONS} />
    </div>
  );
}

/** What the slices of all generations say together. */
function statusOf({ groups, chosen, problems }: Sizing): string {
  if (problems.length > 0) return 'No slice can be chosen: see the problems above.';
  const fitting = groups.reduce((sum, group) => sum + group.fitting.length, 0);
  return `${count(fitting, 'slice')} hold the model. Chosen: ${chosen?.toString() ?? 'none'}.`;
}

/** The first tab: the model, and every slice that holds it. */
export function Choose({
  sizing,
  onRender,
}: {
  readonly sizing: Sizing;
  readonly onRender: () => void;
}): VNode {
  const { choice } = useForm();
  const isByHand = choice.model === BY_HAND;
  const { memory, chosen } = sizing;
  return (
    <>
      <h2>Which slice fits your model?</h2>
      <ModelFields />
      {isByHand && <ByHand />}
      <Problems shown={isByHand ? [...SHOWN, ...HAND_FIELDS] : SHOWN} />
      <p role="status" class="status">
        {statusOf(sizing)}
      </p>
      <p class="actions">
        <button type="button" disabled={chosen === undefined} onClick={onRender}>
          Render manifests for it
        </button>
        <span class="hint">Startup times are estimates. Node pools and quota are for all replicas.</span>
      </p>
      {memory !== undefined && chosen !== undefined && (
        <section class="memory">
          <h3>Memory of one chip of {chosen.toString()}</h3>
          <MemoryBar memory={memory} />
          <Legend memory={memory} />
        </section>
      )}
      {sizing.groups.map((group) => (
        <Generation key={group.generation} group={group} chosen={chosen?.toString()} />
      ))}
    </>
  );
}
