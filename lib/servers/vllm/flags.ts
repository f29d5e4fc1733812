import { IMAGES } from '../../facts/images';
import { type ImageRelease, releaseOf } from '../../facts/vllm-releases';
import { type FurtherArgs, furtherArgs, isFlag } from '../flags';

/** vLLM's short forms: https://docs.vllm.ai/en/latest/configuration/engine_args/ */
const SHORT_FLAGS: ReadonlyMap<string, string> = new Map([
  ['-tp', '--tensor-parallel-size'],
  ['-pp', '--pipeline-parallel-size'],
  ['-dp', '--data-parallel-size'],
  ['-q', '--quantization'],
]);

/** The long form of a flag, with dashes. */
export const longFlag = (flag: string): string => SHORT_FLAGS.get(flag) ?? flag.replaceAll('_', '-');

/** Props that decide what a vLLM server is started with. */
export interface StartProps extends FurtherArgs {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string | null>>;
}

/** The release of the image that a server runs. A fragment can replace the image. */
export const releaseOfProps = ({ image, fragments = [] }: StartProps): ImageRelease =>
  releaseOf(fragments.map(({ container }) => container?.image).find(Boolean) ?? image ?? IMAGES.vllm);

/** Whether the arguments go to vLLM: a command can be another program. */
export const startsVllm = ({ command }: StartProps): boolean =>
  command === undefined || command.some((word) => word.includes('vllm'));

/** Flags among the further arguments by their long form, with the last value of each; '' if a flag has none. */
export function furtherFlags(props: StartProps): ReadonlyMap<string, string> {
  const words = furtherArgs(props).map(([, text]) => text);
  const flags = new Map<string, string>();
  words.forEach((word, index) => {
    if (!isFlag(word)) return;
    const at = word.indexOf('=');
    const next = words[index + 1] ?? '';
    const value = at >= 0 ? word.slice(at + 1) : isFlag(next) ? '' : next;
    flags.set(longFlag(at >= 0 ? word.slice(0, at) : word), value);
  });
  return flags;
}

/** Variables of the container that the user set to plain values. */
export const plainVariables = ({ env = {}, fragments = [] }: StartProps): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      ...Object.entries(env),
      ...fragments.flatMap((one) => (one.env ?? []).map(({ name, value }) => [name, value] as const)),
    ].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** A field of a flag whose value is JSON; undefined if the flag, the field or valid JSON is missing. */
export function jsonField(value: string | undefined, ...path: readonly string[]): unknown {
  if (value === undefined) return undefined;
  try {
    return path.reduce<unknown>(
      (one, key) => (typeof one === 'object' && one !== null ? Reflect.get(one, key) : undefined),
      JSON.parse(value),
    );
  } catch {
    return undefined;
  }
}
