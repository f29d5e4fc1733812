import { type PodFragment } from '../pod/fragment';
import { type Problem } from '../problems/problems';

/** The prop that writes a flag; `null` if the server writes it itself. */
type Writer = string | null;

/** The flags of a server. */
export interface ServerFlags {
  /** Flags that the construct writes, and the prop behind each flag. */
  readonly writers: Readonly<Record<string, Writer>>;
  /** Returns one spelling for all spellings that the server's parser accepts for a flag. */
  readonly spelling: (flag: string) => string;
  /** Whether a flag can be repeated. Of other flags, the parser uses the last value. */
  readonly mayRepeat: (flag: string) => boolean;
}

/**
 * Flags of Abseil for Python: one or two dashes, and `--noflag` for false. All count as repeatable, because no list names the repeatable
 * ones.
 */
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

/** Props that contain further arguments. */
export interface FurtherArgs {
  readonly args?: readonly string[];
  readonly fragments?: readonly PodFragment[];
}

export const isFlag = (text: string): boolean => /^--?[A-Za-z]/.test(text);

/** Returns the further arguments of props and fragments. */
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
 * Returns a problem for each further argument that is not a flag, that the construct already writes, or that occurs twice. A flag and its
 * values can be one item, `--flag=value`, or several.
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
  use: "'--flag=value', or '--flag' and its values as separate items",
});

function flagProblem([path, value]: Argument, flags: ServerFlags, seen: Set<string>): Problem | undefined {
  const { writers, spelling, mayRepeat } = flags;
  if (/^\S+\s/.test(value.split('=')[0] ?? '')) return notAFlag([path, value]);
  const flag = spelling(value.split('=')[0] ?? '');
  if (Object.hasOwn(writers, flag)) {
    const writer = writers[flag];
    return typeof writer === 'string'
      ? { path, value, problem: `is set by the prop '${writer}'`, use: 'that prop' }
      : { path, value, problem: 'is set by the construct itself', use: 'to remove it' };
  }
  if (seen.has(flag) && !mayRepeat(flag))
    return { path, value, problem: `sets ${flag} a second time`, use: 'it once' };
  seen.add(flag);
  return undefined;
}
