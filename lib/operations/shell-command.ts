/** Words that a shell takes as they are. */
const PLAIN = /^[\w/:=.,@%+-]+$/;

/** A word for a shell: quoted where the shell would read something into it, of a flag the value alone. */
export function shellWord(word: string): string {
  if (PLAIN.test(word)) return word;
  const [flag = ''] = /^--[a-z-]+=/.exec(word) ?? [];
  return `${flag}'${word.slice(flag.length).replaceAll("'", `'\\''`)}'`;
}

/** A command: its words, and the same as text for a shell. What is to be put in stands in capitals, like `PROJECT_ID`. */
export class ShellCommand {
  /** The command and its arguments, one word each. */
  readonly args: readonly string[];

  constructor(args: readonly string[]) {
    this.args = Object.freeze([...args]);
    Object.freeze(this);
  }

  /** The command for a shell, a flag a line; what a shell would read is quoted. */
  toString(): string {
    return this.args
      .map(shellWord)
      .reduce((line, word) => line + (word.startsWith('--') ? ' \\\n    ' : ' ') + word);
  }
}
