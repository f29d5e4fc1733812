import { imageName } from '../facts/images';
import { SERVERS, type ServerSoftware } from '../facts/servers';
import { modelByName } from '../tpu/model-names';
import { type WeightFormat } from '../tpu/models';
import { BESIDE, END, isSeparator, wordsOf } from './command-line';
import { text } from './manifest';
import { type ContainerView } from './pods';
import { remembered } from './remembered';

// Which model server a container runs, and what its flags say: command and arguments, of any spelling that the server reads.

/** A model server in a container. */
export interface ModelServer {
  readonly software: ServerSoftware;
  /** Value of a flag, the last that is given; undefined if there is none, or if only the cluster knows it. */
  readonly flag: (...names: readonly string[]) => string | undefined;
  /** Whether nothing that its line for a shell starts can run beside it. */
  readonly alone: boolean;
  /** The word after `vllm serve`. */
  readonly served: string | undefined;
}

/** The model that a server names, as far as it says how large it is. */
export interface NamedModel {
  /** As the server names it. */
  readonly name: string;
  readonly parameters: number;
  /** How the weights are stored. */
  readonly weights: WeightFormat;
  /** Whether a flag states the parameters; they are guessed by the name otherwise. */
  readonly stated: boolean;
}

/** The name of a container's image, without registry and tag. */
export const imageNameOf = ({ container }: ContainerView): string =>
  imageName(text(container, 'image') ?? '');

/** The server that a container runs; undefined for anything else. */
export const modelServerOf = remembered(readServer);

function readServer(view: ContainerView): ModelServer | undefined {
  const all = wordsOf(view);
  const image = imageNameOf(view);
  const starts = all.findIndex((word, index) => startedBy(word, all[index - 1]) !== undefined);
  const { words, alone } = starts < 0 ? { words: all, alone: true } : commandAround(all, starts);
  const flags = flagsIn(words);
  const flag: ModelServer['flag'] = (...names) => flagOf(flags, names);
  const start = all[starts] ?? '';
  const software =
    startedBy(start, all[starts - 1]) ??
    (flag('--sax_cell') === undefined ? undefined : 'saxml') ??
    SOFTWARE.find((one) => SERVERS[one].image.test(image) && !NOT_BY_IMAGE.has(one));
  const after = start === 'serve' ? words[words.indexOf('serve') + 1] : undefined;
  return software && { software, flag, alone, served: after?.startsWith('-') === false ? after : undefined };
}

const SOFTWARE = Object.keys(SERVERS) as ServerSoftware[];
/** Servers whose images also run other programs: their command decides. */
const NOT_BY_IMAGE: ReadonlySet<ServerSoftware> = new Set(['vllm', 'sglang']);

/** The server that a word of a command starts, if it does. */
const startedBy = (word: string, before: string | undefined): ServerSoftware | undefined =>
  word === 'serve' && /(^|\/)vllm$/.test(before ?? '')
    ? 'vllm'
    : SOFTWARE.find((software) => SERVERS[software].command?.test(word) === true);

/** The model of a server: vLLM's by its name and data type, JetStream's by its size or its name; Saxml's are published later. */
export function namedModelOf({ software, flag, served }: ModelServer): NamedModel | undefined {
  if (software === 'sglang' || software === 'tgi')
    return modelOf(flag('--model-path', '--model-id') ?? undefined, flag('--model-path', '--model-id') ?? '');
  if (software === 'vllm') {
    const name = flag('--model') ?? served;
    const named = [name, flag('--quantization', '-q'), flag('--dtype')].filter((word) => word !== undefined);
    return modelOf(name, named.join('-'));
  }
  if (software !== 'jetstream') return undefined;
  const [size, quantized] = [flag('--size'), flag('--quantize_weights')];
  const isQuantized = quantized !== undefined && /^(true|t|1|yes|y|)$/i.test(quantized);
  const id = flag('--model_id');
  const name = id ?? [flag('--model_name'), size].filter((word) => word !== undefined).join('-');
  const model = modelOf(name, id ?? (size !== undefined && /^\d+(\.\d+)?b$/.test(size) ? size : ''));
  return model && { ...model, ...(isQuantized && { weights: 'int8' }), stated: id === undefined };
}

function modelOf(name: string | undefined, words: string): NamedModel | undefined {
  const known = modelByName(words);
  return name === undefined || known === undefined ? undefined : { name, ...known, stated: false };
}

/** The words of the command that one of them belongs to: what runs before it or beside it has flags of its own. */
function commandAround(
  words: readonly string[],
  index: number,
): { readonly words: readonly string[]; readonly alone: boolean } {
  const first = Math.max(words.lastIndexOf(END, index), words.lastIndexOf(BESIDE, index)) + 1;
  const [before, rest] = [words.slice(0, first), words.slice(first)];
  const length = rest.findIndex(isSeparator);
  const after = length < 0 ? [] : rest.slice(length);
  return {
    words: length < 0 ? rest : rest.slice(0, length),
    alone: !before.includes(BESIDE) && after.every(isSeparator),
  };
}

const spelling = (flag: string): string =>
  (flag.includes('_') ? flag.replaceAll('_', '-') : flag).replace(/^-(?=[a-z]{3})/, '--');

/** Where a flag is among the words, and its value. */
interface Flag {
  readonly index: number;
  readonly value: string;
}

/** By flag, the last value. */
function flagsIn(words: readonly string[]): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  for (const [index, word] of words.entries()) {
    if (!word.startsWith('-')) continue;
    const end = word.indexOf('=');
    const next = words[index + 1] ?? '';
    const value = end >= 0 ? word.slice(end + 1) : next.startsWith('-') ? '' : next;
    flags.set(spelling(end >= 0 ? word.slice(0, end) : word), { index, value });
  }
  return flags;
}

/** The value of the flag with one of some names that is given last. */
function flagOf(flags: ReadonlyMap<string, Flag>, names: readonly string[]): string | undefined {
  let last: Flag | undefined;
  for (const name of names) {
    const found = flags.get(spelling(name));
    if (found && found.index > (last?.index ?? -1)) last = found;
  }
  const value = last?.value.replace(/^(['"])(.*)\1$/, '$2');
  return value?.includes('$') === true ? undefined : value;
}
