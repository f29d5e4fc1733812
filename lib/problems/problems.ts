/**
 * Thrown when input breaks one or more rules: `problems` holds one sentence per broken rule, and the message all of them.
 */
export class InvalidInputError extends Error {
  /** One lowercase sentence per broken rule: the prop, the value got, what is expected, the nearest legal value. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], path?: string) {
    super(problems.map((problem) => (path === undefined ? problem : `${path}: ${problem}`)).join('\n'));
    this.name = 'InvalidInputError';
    this.problems = problems;
  }
}

/** Collects the broken rules of one value or construct, so that all of them are reported at once. */
export class Problems {
  private readonly sentences: string[] = [];

  /** Records `sentence` unless `holds`; answers `holds`. */
  check(holds: boolean, sentence: string | (() => string)): boolean {
    if (!holds) this.sentences.push(typeof sentence === 'string' ? sentence : sentence());
    return holds;
  }

  /** Records the sentences that rules answered; undefined is a rule that holds. */
  add(...sentences: readonly (string | undefined)[]): void {
    for (const sentence of sentences) if (sentence !== undefined) this.sentences.push(sentence);
  }

  /** `value`; where it is `wrong` that is recorded, and `standIn` takes its place, lest what is made of it be refused as well. */
  sound<T>(value: T, wrong: string | undefined, standIn: T): T {
    this.add(wrong);
    return wrong === undefined ? value : standIn;
  }

  /** Runs `make`; what it refuses is recorded here, each sentence after `path`, and the answer is then undefined. */
  attempt<T>(make: () => T, path?: string): T | undefined {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      for (const problem of error.problems)
        this.sentences.push(path === undefined ? problem : `${path} ${problem}`);
      return undefined;
    }
  }

  /** Throws an `InvalidInputError` with everything recorded, each line prefixed with `path`. */
  throwIfAny(path?: string): void {
    if (this.sentences.length > 0) throw new InvalidInputError([...new Set(this.sentences)], path);
  }

  /** What `attempt` made, once nothing at all is wrong; throws everything recorded otherwise. */
  settle<T>(made: T | undefined, path?: string): T {
    this.throwIfAny(path);
    return made as T;
  }
}
