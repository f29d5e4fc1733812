import { brand, isBranded } from './brand';
import { oneLine, shown } from './shown';

/** One thing that is wrong with input: which property, what it was set to, why that cannot be, and what to use instead. */
export interface Problem {
  /** Path of the property, like `workerGroups[0].slice`; empty for the value as a whole. */
  readonly path: string;
  /** The value that was given. @default - none: the property is missing, or its value is not part of the problem */
  readonly value?: unknown;
  /** What is wrong with it, without a subject: `is not a DNS label`. */
  readonly problem: string;
  /** What to use instead, as the object of "use": `a whole number from 1 to 65535`; a phrase that begins with `to ` is an instruction. */
  readonly use?: string;
  /** A legal value next to the given one. */
  readonly nearest?: string | number;
}

/** A problem before anyone has said which property it is about. */
export type Complaint = Omit<Problem, 'path' | 'value'>;

/** Makes a complaint about a value the problem of a property. */
export const problemOf = (
  path: string,
  value: unknown,
  complaint: Complaint | undefined,
): Problem | undefined => complaint && { path, value, ...complaint };

const BESIDE = { string: (text: string) => `'${text}'`, number: String };

/** A problem as one line of text: the only place that turns problems into sentences. */
export function textOf({ path, value, problem, use, nearest }: Problem): string {
  const subject = value === undefined ? problem : `${shown(value)} ${problem}`;
  const near =
    nearest === undefined
      ? undefined
      : typeof nearest === 'string'
        ? BESIDE.string(nearest)
        : BESIDE.number(nearest);
  const remedy =
    use === undefined
      ? near && `did you mean ${near}?`
      : `${use.startsWith('to ') ? use.slice('to '.length) : `use ${use}`}${near === undefined ? '' : `, for example ${near}`}`;
  return oneLine(
    [path === '' ? subject : `${path}: ${subject}`, ...(remedy === undefined ? [] : [remedy])].join('; '),
  );
}

/** Thrown when input has one or more problems: `problems` holds them as data, and the message has one line for each. */
export class InvalidInputError extends Error {
  /** Every problem that was found. */
  declare readonly problems: readonly Problem[];

  /**
   * @param problems - what is wrong
   * @param where - path of the construct, or name of the file, that the input belongs to
   */
  constructor(problems: readonly Problem[], where?: string) {
    super(problems.map((one) => lineOf(one, where)).join('\n'));
    this.name = 'InvalidInputError';
    // Node prints enumerable properties of an error below its stack trace, which already has the message.
    Object.defineProperty(this, 'problems', { value: problems, enumerable: false });
  }
}
brand(InvalidInputError, 'InvalidInputError');

function lineOf(problem: Problem, where: string | undefined): string {
  const text = textOf(problem);
  if (where === undefined || where === '') return text;
  return oneLine(problem.path === '' ? `${where}: ${text}` : `${where} ${text}`);
}

/** Whether an error is an `InvalidInputError`, of this copy of the package or of another. */
export const isInvalidInput = (error: unknown): error is InvalidInputError =>
  isBranded(error, 'InvalidInputError');

/** Returns the code of a system error, like `ENOENT`; undefined for other errors. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** Puts the path of a property in front of the paths of its parts. */
export const below = (path: string, part: string): string =>
  path === '' || part === '' || part.startsWith('[') ? `${path}${part}` : `${path}.${part}`;

/** Collects the problems of one value or construct, so that all of them are reported at once. */
export class Problems {
  private readonly found: Problem[] = [];

  /** Problems that were recorded so far. */
  get count(): number {
    return this.found.length;
  }

  /** The problems that were recorded so far. */
  get all(): readonly Problem[] {
    return this.found;
  }

  /** Records problems; `undefined` stands for a rule that holds. */
  add(...problems: readonly (Problem | undefined)[]): void {
    for (const problem of problems) if (problem !== undefined) this.found.push(problem);
  }

  /** Records `problem` unless `holds`. Returns `holds`. */
  check(holds: boolean, problem: Problem | (() => Problem)): boolean {
    if (!holds) this.add(typeof problem === 'function' ? problem() : problem);
    return holds;
  }

  /** Returns what `make` makes. If `make` throws an `InvalidInputError`, records its problems below `path` and returns undefined. */
  attempt<T>(make: () => T, path = ''): T | undefined {
    try {
      return make();
    } catch (error) {
      if (!isInvalidInput(error)) throw error;
      this.add(...error.problems.map((one) => ({ ...one, path: below(path, one.path) })));
      return undefined;
    }
  }

  /** Throws an `InvalidInputError` with everything recorded, if anything is. */
  throwIfAny(where?: string): void {
    const lines = new Set<string>();
    const different = this.found.filter((one) => {
      const line = textOf(one);
      return !lines.has(line) && lines.add(line);
    });
    if (different.length > 0) throw new InvalidInputError(different, where);
  }

  /** Returns what `attempt` made if nothing at all is wrong. Throws everything recorded otherwise. */
  settle<T>(made: T | undefined, where?: string): T {
    this.throwIfAny(where);
    return made as T;
  }
}
