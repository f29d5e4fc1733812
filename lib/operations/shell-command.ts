import { Problems } from '../problems/problems';
import { list, string } from '../problems/schema';

/** Words that need no quotes in a shell. */
export const PLAIN_WORD = /^[\w/:=.,@%+-]+$/;

/** Quotes a word for a shell if necessary. Quotes only the value of a flag. */
export function shellWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  const [flag = ''] = /^--[a-z-]+=/.exec(word) ?? [];
  return `${flag}'${word.slice(flag.length).replaceAll("'", `'\\''`)}'`;
}

/** A command as a list of words, and as text for a shell. Placeholders are in capitals, like `PROJECT_ID`. */
export class ShellCommand {
  /** The command and its arguments. */
  readonly args: readonly string[];

  /** @throws InvalidInputError if `args` is not a list of strings */
  constructor(args: readonly string[]) {
    const problems = new Problems();
    list(string(), { what: 'a list of strings' }).read(args, 'args', problems);
    problems.throwIfAny();
    this.args = Object.freeze([...args]);
    Object.freeze(this);
  }

  /** Returns the command for a shell, with one flag on each line. */
  toString(): string {
    return this.args
      .map(shellWord)
      .reduce((line, word) => line + (word.startsWith('--') ? ' \\\n    ' : ' ') + word);
  }
}
