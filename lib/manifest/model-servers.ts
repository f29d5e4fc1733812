import { imageName } from '../facts/images';
import { SERVERS, type ServerSoftware } from '../facts/servers';
import { modelByName } from '../tpu/model-names';
import { type WeightFormat } from '../tpu/models';
import { BESIDE, END, isSeparator, wordsOf } from './command-line';
import { text } from './manifest';
import { type ContainerView } from './pods';
import { remembered } from './remembered';

// Recognizes the model server of a container, and reads its flags in every spelling that the server accepts.

/** A model server in a container. */
export interface ModelServer {
  readonly software: ServerSoftware;
  /** Returns the last value of a flag; undefined without one, or if only the cluster knows it. */
  readonly flag: (...names: readonly string[]) => string | undefined;
  /** Whether its shell line starts no other program that runs at the same time. */
  readonly alone: boolean;
  /** The word after `vllm serve`. */
  readonly served: string | undefined;
}

/** A model whose size follows from the command of its server. */
export interface NamedModel {
  /** Name of the model in the command. */
  readonly name: string;
  readonly parameters: number;
  /** How the weights are stored. */
  readonly weights: WeightFormat;
  /** Whether a flag states the parameters. Otherwise they are guessed from the name. */
  readonly stated: boolean;
}

/** Returns the name of a container's image, without registry and tag. */
export const imageNameOf = ({ container }: ContainerView): string =>
  imageName(text(container, 'image') ?? '');

/** Returns the server that a container runs; undefined for other programs. */
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
/** Servers that are recognized only by their command, because their images also run other programs. */
const NOT_BY_IMAGE: ReadonlySet<ServerSoftware> = new Set(['vllm', 'sglang']);

/** Returns the server that a word of a command starts; undefined for other words. */
const startedBy = (word: string, before: string | undefined): ServerSoftware | undefined =>
  word === 'serve' && /(^|\/)vllm$/.test(before ?? '')
    ? 'vllm'
    : SOFTWARE.find((software) => SERVERS[software].command?.test(word) === true);

/** Returns the model of a server: for vLLM by name and data type, for JetStream by size or name. Saxml's models are published later. */
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

/** Returns the words of the command that contains a word. Other commands on the same line have their own flags. */
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

/** The index of a flag among the words, and its value. */
interface Flag {
  readonly index: number;
  readonly value: string;
}

/** Returns the last value of each flag. */
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

/** Returns the last value of a flag that has several names. */
function flagOf(flags: ReadonlyMap<string, Flag>, names: readonly string[]): string | undefined {
  let last: Flag | undefined;
  for (const name of names) {
    const found = flags.get(spelling(name));
    if (found && found.index > (last?.index ?? -1)) last = found;
  }
  const value = last?.value.replace(/^(['"])(.*)\1$/, '$2');
  return value?.includes('$') === true ? undefined : value;
}
