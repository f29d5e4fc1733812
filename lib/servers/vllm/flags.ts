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

/** Returns the long form of a flag, with dashes. */
export const longFlag = (flag: string): string => SHORT_FLAGS.get(flag) ?? flag.replaceAll('_', '-');

/** Props that determine the command line and environment of a vLLM server. */
export interface StartProps extends FurtherArgs {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string | null>>;
}

/** Returns the release of the image that a server runs. A fragment can replace the image. */
export const releaseOfProps = ({ image, fragments = [] }: StartProps): ImageRelease =>
  releaseOf(fragments.map(({ container }) => container?.image).find(Boolean) ?? image ?? IMAGES.vllm);

/** Returns whether the container starts vLLM: `command` can be another program. */
export const startsVllm = ({ command }: StartProps): boolean =>
  command === undefined || command.some((word) => word.includes('vllm'));

/** Returns the flags in the further arguments by their long form, each with its last value, or '' if the flag has no value. */
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

/** Returns the environment variables that the user set to plain values. */
export const plainVariables = ({ env = {}, fragments = [] }: StartProps): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      ...Object.entries(env),
      ...fragments.flatMap((one) => (one.env ?? []).map(({ name, value }) => [name, value] as const)),
    ].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );

/** Returns a field of a flag's JSON value; undefined if the flag or the field is missing, or the value is not JSON. */
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
