import { type Problem } from '../../lib/problems/problems';
import { knownModels } from '../../lib/tpu/models';

/** Value of `model` for a model whose numbers are typed. */
export const BY_HAND = 'by-hand';

/** Every field of the page with the text that it starts with. Fields stay text, so that nothing that was typed is lost. */
const DEFAULTS = {
  model: 'Qwen/Qwen3-32B',
  modelId: 'my-org/my-model',
  parameters: '70e9',
  weights: 'bf16',
  layers: '80',
  kvHeads: '8',
  headDim: '128',
  contextLength: '131072',
  maxModelLen: '8192',
  sequences: '8',
  quantization: '',
  kvCacheDtype: 'auto',
  generation: 'v6e',
  slice: '',
  server: 'vllm',
  name: '',
  namespace: '',
  image: '',
  capacity: 'on-demand',
  capacityName: '',
  loading: 'hub',
  bucket: 'my-models',
  tokenSecret: '',
  scaling: 'fixed',
  replicas: '1',
  maxReplicas: '4',
  averageValue: '10',
  gateway: '',
  projectId: 'PROJECT_ID',
  cluster: 'CLUSTER_NAME',
  location: 'LOCATION',
};

/** A field of the page. */
export type Field = keyof typeof DEFAULTS;

/** What somebody typed and chose. */
export type Choice = Readonly<Record<Field, string>>;

/** The choice that the page starts with. */
export const START: Choice = DEFAULTS;

export const FIELDS = Object.keys(DEFAULTS) as readonly Field[];

/** Words of the fields that are a list to choose from. */
export const WORDS = {
  server: ['vllm', 'jetstream', 'saxml', 'ray', 'any'],
  capacity: ['on-demand', 'spot', 'flex-start', 'reservation', 'compute-class'],
  loading: ['hub', 'stream', 'cache'],
  scaling: ['fixed', 'adapter', 'gke', 'keda', 'ray'],
  gateway: ['', 'gke-l7-rilb', 'gke-l7-regional-external-managed'],
} as const;

/** Longest text of a field in a link. */
const LONGEST = 300;

/** The fragment of a link that restores a choice: the fields that differ from the start. */
export const fragmentOf = (choice: Choice): string =>
  new URLSearchParams(
    FIELDS.filter((field) => choice[field] !== START[field]).map((field): [string, string] => [
      field,
      choice[field],
    ]),
  ).toString();

/** The choice of a fragment. Unknown fields are left out, and so are words that a list does not have. */
export function choiceOf(fragment: string): Choice {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const isWord = (field: Field, text: string): boolean => {
    const words: readonly string[] | undefined = Object.hasOwn(WORDS, field)
      ? WORDS[field as keyof typeof WORDS]
      : undefined;
    return words?.includes(text) ?? (field !== 'model' || isModel(text));
  };
  const read = FIELDS.flatMap((field) => {
    const text = given.get(field)?.slice(0, LONGEST);
    return text === undefined || !isWord(field, text) ? [] : [[field, text] as const];
  });
  return { ...START, ...Object.fromEntries(read) };
}

const isModel = (text: string): boolean => text === BY_HAND || knownModels().includes(text);

/** The number that somebody typed, also as `70B`; the text itself if it is not a number; undefined for an empty field. */
export function numberIn(text: string): number | string | undefined {
  const plain = text.trim().replaceAll(/[\s_,]/g, '');
  if (plain === '') return undefined;
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?(?:e\d+)?)([kmbt]?)$/i.exec(plain) ?? [];
  if (digits === '') return text;
  const value = Number(digits) * UNITS[unit.toLowerCase() as keyof typeof UNITS];
  return unit === '' ? value : Math.round(value);
}

const UNITS = { '': 1, k: 1e3, m: 1e6, b: 1e9, t: 1e12 };

/** The field that a problem of the library is about; undefined if it is about several. */
export function fieldOf({ path }: Problem): Field | undefined {
  const known = FIELDS.find((field) => field === path);
  return known ?? PATHS.find(([start]) => path.startsWith(start))?.[1];
}

/** Starts of the library's paths, and the field behind each. */
const PATHS: readonly (readonly [string, Field])[] = [
  ['autoscaling.maxReplicas', 'maxReplicas'],
  ['autoscaling.averageValue', 'averageValue'],
  ['autoscaling', 'scaling'],
  ['workerGroups[0].maxReplicas', 'maxReplicas'],
  ['workerGroups[0].replicas', 'replicas'],
  ['workerGroups[0].slice', 'slice'],
  ['workerGroups[0].capacity', 'capacity'],
  ['modelConfiguration.', 'parameters'],
  ['modelCache', 'bucket'],
  ['bucketName', 'bucket'],
  ['tokenizer', 'model'],
  ['platformChip', 'server'],
  ['huggingFaceToken', 'tokenSecret'],
  ['secretName', 'tokenSecret'],
  ['capacity', 'capacity'],
  ['computeClass', 'capacityName'],
  ['reservation', 'capacityName'],
  ['gatewayClassName', 'gateway'],
];
