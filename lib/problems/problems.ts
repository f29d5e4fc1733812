import { brand, isBranded } from './brand';
import { oneLine, shown } from './shown';

/** A mistake in the input: the property, its value, what is wrong with the value, and what to use instead. */
export interface Problem {
  /** Path of the property, like `workerGroups[0].slice`; empty for the value as a whole. */
  readonly path: string;
  /** The value of the property. @default - none: the property is missing, or its value is not part of the problem */
  readonly value?: unknown;
  /** What is wrong, as a sentence without its subject: `is not a DNS label`. */
  readonly problem: string;
  /** What to use instead, as the words after "use": `a whole number from 1 to 65535`. Text that starts with `to ` is an instruction. */
  readonly use?: string;
  /** A valid value that is close to the given one. */
  readonly nearest?: string | number;
}

/** A problem without the property and its value. */
export type Complaint = Omit<Problem, 'path' | 'value'>;

/** Adds the property and its value to a complaint. */
export const problemOf = (
  path: string,
  value: unknown,
  complaint: Complaint | undefined,
): Problem | undefined => complaint && { path, value, ...complaint };

const BESIDE = { string: (text: string) => `'${text}'`, number: String };

/** Returns a problem as one line of text. No other function turns problems into sentences. */
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

/** Thrown if the input has problems: `problems` has them as data, and the message has one line for each. */
export class InvalidInputError extends Error {
  /** All problems of the input. */
  declare readonly problems: readonly Problem[];

  /**
   * @param problems - what is wrong
   * @param where - path of the construct, or name of the file, that the input belongs to
   */
  constructor(problems: readonly Problem[], where?: string) {
    super(problems.map((one) => lineOf(one, where)).join('\n'));
    this.name = 'InvalidInputError';
    // Node prints enumerable properties below the stack trace, which already shows the message.
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

/** Returns the path of a part of a property. */
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

  /** Records problems; ignores `undefined`, which means that a rule holds. */
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

  /** Throws an `InvalidInputError` with all recorded problems, if there are any. */
  throwIfAny(where?: string): void {
    const lines = new Set<string>();
    const different = this.found.filter((one) => {
      const line = textOf(one);
      return !lines.has(line) && lines.add(line);
    });
    if (different.length > 0) throw new InvalidInputError(different, where);
  }

  /** Returns the result of `attempt` if no problem is recorded. Throws all recorded problems otherwise. */
  settle<T>(made: T | undefined, where?: string): T {
    this.throwIfAny(where);
    return made as T;
  }
}
