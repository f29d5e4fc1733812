import { type ModelDtype, modelByName } from '../tpu/sizing';
import { list, text } from './manifest';
import { type ContainerView, records } from './pods';

// Which model server a container runs, and what its flags say: command and arguments, of any spelling that the server reads.

/** A model server in a container. */
export interface ModelServer {
  readonly software: 'vllm' | 'jetstream' | 'saxml';
  /** Value of a flag, the last that is given; undefined where there is none, or where only the cluster knows it. */
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
  readonly dtype: ModelDtype;
  /** Whether a flag states the parameters; they are guessed by the name otherwise. */
  readonly stated: boolean;
}

/** The server that a container runs; undefined for anything else. */
export function modelServerOf(view: ContainerView): ModelServer | undefined {
  const all = wordsOf(view);
  const starts = all.findIndex(
    (word, index) => word === API_SERVER || (word === 'serve' && /(^|\/)vllm$/.test(all[index - 1] ?? '')),
  );
  const { words, alone } = starts < 0 ? { words: all, alone: true } : commandAround(all, starts);
  const flag: ModelServer['flag'] = (...names) => flagOf(words, names);
  const image = text(view.container, 'image') ?? '';
  if (starts >= 0) {
    const after = all[starts] === 'serve' ? words[words.indexOf('serve') + 1] : undefined;
    return { software: 'vllm', flag, alone, served: after?.startsWith('-') === false ? after : undefined };
  }
  if (/(^|\/)jetstream-pytorch-server[:@]/.test(image))
    return { software: 'jetstream', flag, alone, served: undefined };
  return flag('--sax_cell') === undefined ? undefined : { software: 'saxml', flag, alone, served: undefined };
}

/** The model of a server: vLLM's by its name and data type, JetStream's by its size or its name; Saxml's are published later. */
export function namedModelOf({ software, flag, served }: ModelServer): NamedModel | undefined {
  if (software === 'saxml') return undefined;
  if (software === 'vllm') {
    const name = flag('--model') ?? served;
    const named = [name, flag('--quantization', '-q'), flag('--dtype')].filter((word) => word !== undefined);
    return modelOf(name, named.join('-'));
  }
  const [size, quantized] = [flag('--size'), flag('--quantize_weights')];
  const isQuantized = quantized !== undefined && /^(true|t|1|yes|y|)$/i.test(quantized);
  const id = flag('--model_id');
  const name = id ?? [flag('--model_name'), size].filter((word) => word !== undefined).join('-');
  const model = modelOf(name, id ?? (size !== undefined && /^\d+(\.\d+)?b$/.test(size) ? size : ''));
  return model && { ...model, ...(isQuantized && { dtype: 'int8' }), stated: id === undefined };
}

function modelOf(name: string | undefined, words: string): NamedModel | undefined {
  const known = modelByName(words);
  return name === undefined || known === undefined ? undefined : { name, ...known, stated: false };
}

const API_SERVER = 'vllm.entrypoints.openai.api_server';

/** What stands between two commands of a line for a shell: where one waits for the other, and where it does not. */
const END = ';';
const BESIDE = '&';
const isEnd = (word: string): boolean => word === END || word === BESIDE;

/** The words of the command that one of them belongs to: what runs before it or beside it has flags of its own. */
function commandAround(
  words: readonly string[],
  index: number,
): { readonly words: readonly string[]; readonly alone: boolean } {
  const first = Math.max(words.lastIndexOf(END, index), words.lastIndexOf(BESIDE, index)) + 1;
  const [before, rest] = [words.slice(0, first), words.slice(first)];
  const length = rest.findIndex(isEnd);
  const after = length < 0 ? [] : rest.slice(length);
  return {
    words: length < 0 ? rest : rest.slice(0, length),
    alone: !before.includes(BESIDE) && after.every(isEnd),
  };
}

/** Command and arguments as words; a line for a shell is taken apart, with `END` or `BESIDE` between its commands. */
function wordsOf({ container }: ContainerView): readonly string[] {
  const env = new Map(
    records(container, 'env').map((variable) => [text(variable, 'name'), text(variable, 'value')]),
  );
  return [...list(container, 'command'), ...list(container, 'args')]
    .filter((word) => typeof word === 'string')
    .map((word) =>
      word
        .replaceAll('\\\n', ' ')
        .replace(/(?<=\s)&(?=\s|$)/g, ` ${BESIDE} `)
        .replace(/;+|\n|(?<=\s)(?:&&|\|\|?)(?=\s|$)/g, ` ${END} `),
    )
    .flatMap((word) => word.split(/[\s\\]+/))
    .map((word) =>
      word
        .replace(
          /\$(?:\((\w+)\)|\{(\w+)\}|(\w+))/g,
          (whole, a?: string, b?: string, c?: string) => env.get(a ?? b ?? c) ?? whole,
        )
        .replace(/^(['"])(.*)\1$/, '$2'),
    )
    .filter((word) => word !== '');
}

const spelling = (flag: string): string => flag.replaceAll('_', '-').replace(/^--?(?=[a-z]{3})/, '--');

function flagOf(words: readonly string[], names: readonly string[]): string | undefined {
  const wanted = names.map(spelling);
  const found = words.flatMap((word, index) => {
    const [flag = '', ...value] = word.split('=');
    if (!flag.startsWith('-') || !wanted.includes(spelling(flag))) return [];
    const next = words[index + 1] ?? '';
    return [value.length > 0 ? value.join('=') : next.startsWith('-') ? '' : next];
  });
  const last = found.at(-1)?.replace(/^(['"])(.*)\1$/, '$2');
  return last?.includes('$') === true ? undefined : last;
}
