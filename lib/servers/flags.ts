import { type PodFragment } from '../pod/fragment';
import { type Problem } from '../problems/problems';

/** The prop that writes a flag; `null` if the server writes it itself. */
type Writer = string | null;

/** The flags of a server. */
export interface ServerFlags {
  /** Flags that are written already, with the prop behind each. */
  readonly writers: Readonly<Record<string, Writer>>;
  /** One spelling for all that the server's parser takes for the same flag. */
  readonly spelling: (flag: string) => string;
  /** Whether a flag can be given more than once; of others the parser takes the last. */
  readonly mayRepeat: (flag: string) => boolean;
}

/** Flags as Abseil reads them in Python: one dash or two, and `--noflag` for false. Some can be repeated; no list says which. */
export const abseilFlags = (writers: Readonly<Record<string, Writer>>): ServerFlags => ({
  writers,
  spelling: (flag) => {
    const long = flag.replace(/^--?/, '--');
    const affirmed = long.replace(/^--no/, '--');
    return Object.hasOwn(writers, affirmed) ? affirmed : long;
  },
  mayRepeat: () => true,
});

/** An argument and its path in the props. */
type Argument = readonly [path: string, text: string];

/** Props that can have further arguments. */
export interface FurtherArgs {
  readonly args?: readonly string[];
  readonly fragments?: readonly PodFragment[];
}

export const isFlag = (text: string): boolean => /^--?[A-Za-z]/.test(text);

/** Further arguments, those of fragments included. */
export const furtherArgs = ({ args = [], fragments = [] }: FurtherArgs): readonly Argument[] => [
  ...args.map((text, index): Argument => [`args[${String(index)}]`, text]),
  ...fragments.flatMap(({ container }, at) =>
    (container?.args ?? []).map((text, index): Argument => [
      `fragments[${String(at)}].container.args[${String(index)}]`,
      text,
    ]),
  ),
];

/**
 * What is wrong with further arguments, those of fragments included: a flag is written already, or given twice. A flag and its values can
 * be one item, `--flag=value`, or several.
 */
export function argsProblems(props: FurtherArgs, flags: ServerFlags): readonly Problem[] {
  const given = furtherArgs(props);
  const seen = new Set<string>();
  const [first] = given;
  return [
    ...(first !== undefined && props.args?.[0] === first[1] && !isFlag(first[1]) ? [notAFlag(first)] : []),
    ...given.filter(([, text]) => isFlag(text)).flatMap((one) => flagProblem(one, flags, seen) ?? []),
  ];
}

const notAFlag = ([path, value]: Argument): Problem => ({
  path,
  value,
  problem: 'is not a flag',
  use: "'--flag=value', or '--flag' and its values as items of their own",
});

function flagProblem([path, value]: Argument, flags: ServerFlags, seen: Set<string>): Problem | undefined {
  const { writers, spelling, mayRepeat } = flags;
  if (/^\S+\s/.test(value.split('=')[0] ?? '')) return notAFlag([path, value]);
  const flag = spelling(value.split('=')[0] ?? '');
  if (Object.hasOwn(writers, flag)) {
    const writer = writers[flag];
    return typeof writer === 'string'
      ? { path, value, problem: `is written by the prop '${writer}'`, use: 'that prop' }
      : { path, value, problem: 'is written by the server itself', use: 'to remove it' };
  }
  if (seen.has(flag) && !mayRepeat(flag))
    return { path, value, problem: `sets ${flag} a second time`, use: 'it once' };
  seen.add(flag);
  return undefined;
}
