import { wordsOf } from './command-line';
import { modelServerOf } from './model-servers';
import { type ContainerView, type PodView } from './pods';

// The model names that a server answers to. It answers 404 to other names.

/** The words after a flag that accepts several, up to the next flag. */
function valuesOf(words: readonly string[], flag: string): readonly string[] {
  const index = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (index < 0) return [];
  const [first = ''] = words.slice(index);
  const rest = words.slice(index + 1);
  const end = rest.findIndex((word) => word.startsWith('-'));
  const after = end < 0 ? rest : rest.slice(0, end);
  return first === flag ? after : [first.slice(flag.length + 1), ...after];
}

/** A LoRA adapter of a server: its name, and its Hugging Face id or path. */
export interface LoraAdapter {
  readonly name: string;
  readonly path: string | undefined;
}

/** The LoRA adapter of a word, as `name=path` or as JSON; undefined for other formats. */
function adapterOf(word: string): LoraAdapter | undefined {
  const [, name = /"name"\s*:\s*"([^"]+)"/.exec(word)?.[1], path] = /^([^={]+)=(.*)$/s.exec(word) ?? [];
  return name === undefined ? undefined : { name, path: path ?? /"path"\s*:\s*"([^"]+)"/.exec(word)?.[1] };
}

/** The LoRA adapters in the command of a container. */
export const adaptersOf = (view: ContainerView): readonly LoraAdapter[] =>
  valuesOf(wordsOf(view), '--lora-modules').flatMap((word) => adapterOf(word) ?? []);

/** The model names that a vLLM server answers to; undefined if they are only known at run time. */
function namesOf(view: ContainerView): readonly string[] | undefined {
  const server = modelServerOf(view);
  if (server?.software !== 'vllm') return undefined;
  const words = wordsOf(view);
  const served = valuesOf(words, '--served-model-name');
  const model = server.flag('--model') ?? server.served;
  const own = served.length > 0 ? served : model === undefined ? [] : [model];
  const adapters = valuesOf(words, '--lora-modules').map((word) => adapterOf(word)?.name);
  // Adapters can be loaded while the server runs.
  const known = !words.includes('--enable-lora') || adapters.length > 0;
  const all = [...own, ...adapters];
  return known && own.length > 0 && all.every((name) => name !== undefined && !name.includes('$'))
    ? all.filter((name) => name !== undefined)
    : undefined;
}

/** The model names that the servers of `pods` answer to; undefined if the names of one server are not known. */
export function namesOfModels(pods: readonly PodView[]): readonly string[] | undefined {
  const names = pods.map((pod) => {
    const servers = pod.containers.filter((one) => modelServerOf(one) !== undefined);
    return servers.length === 1 ? servers.map(namesOf)[0] : undefined;
  });
  return names.includes(undefined) ? undefined : [...new Set(names.flatMap((one) => one ?? []))];
}
