import { list, text } from './manifest';
import { type ContainerView, records } from './pods';
import { remembered } from './remembered';

// Splits the command of a container into words. Only a shell splits a line; other arguments are single words.

/** Separators of commands in a line: after `END`, the next command waits; after `BESIDE`, it does not. */
export const END = ';';
export const BESIDE = '&';
export const isSeparator = (word: string): boolean => word === END || word === BESIDE;

const SHELL = /(^|\/)(ba|da|a|z|k)?sh$/;
/** `-c`, `-lc`, `-exc`: the next word is a line for the shell. */
const LINE_FLAG = /^-[a-z]*c$/;

const strings = (container: unknown, key: string): readonly string[] =>
  list(container, key).filter((word) => typeof word === 'string');

/** Returns the words of a container's command, and the index of the line for a shell; -1 without one. */
function argv({ container }: ContainerView): { readonly words: readonly string[]; readonly line: number } {
  const words = [...strings(container, 'command'), ...strings(container, 'args')];
  const flag = words.findIndex((word) => LINE_FLAG.test(word));
  // Without a command, the image determines what reads the arguments.
  const program = words.slice(0, Math.max(flag, 0));
  const isShell = program.some((word) => SHELL.test(word)) || (flag === 0 && words.length > 1);
  return { words, line: flag >= 0 && isShell ? flag + 1 : -1 };
}

/** Returns the line that a container passes to a shell; undefined if it starts a program directly. */
export function shellLineOf(view: ContainerView): string | undefined {
  const { words, line } = argv(view);
  return line < 0 ? undefined : words[line];
}

/** Returns command and arguments as the words that the programs get, with the values of the container's variables. */
export const wordsOf = remembered(readWords);

function readWords(view: ContainerView): readonly string[] {
  const { words, line } = argv(view);
  if (words.length === 0) return words;
  const env = new Map(
    records(view.container, 'env').map((variable) => [text(variable, 'name'), text(variable, 'value')]),
  );
  return words
    .flatMap((word, index) => (index === line ? shellWords(word) : [word]))
    .map((word) =>
      word.includes('$')
        ? word.replace(
            /\$(?:\((\w+)\)|\{(\w+)\}|(\w+))/g,
            (whole, a?: string, b?: string, c?: string) => env.get(a ?? b ?? c) ?? whole,
          )
        : word,
    )
    .filter((word) => word !== '');
}

const OPERATOR = /^(;+|\n+|&&|\|\|?|&(?!>))/;
const SPACE = /^([ \t\r]|\\\n)+/;
/** One piece of a word: quoted text, an escaped character, a substitution, or plain characters. */
const PIECE =
  /^(?:'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^\n])|(>+&\w*|\$\([^)]*\)|\$\{[^}]*\}|[^\s;&|'"\\]|[&](?=>)|['"\\]))/;

/** Splits a line for a shell into words, with separators between its commands. */
export function shellWords(source: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  const finish = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  let rest = source;
  while (rest !== '') {
    const space =
      SPACE.exec(rest)?.[0] ??
      (rest.startsWith('#') && word === undefined ? /^[^\n]*/.exec(rest)?.[0] : undefined);
    const operator = space === undefined ? OPERATOR.exec(rest)?.[0] : undefined;
    if (space !== undefined || operator !== undefined) {
      finish();
      if (operator !== undefined) words.push(operator === BESIDE ? BESIDE : END);
      rest = rest.slice((space ?? operator ?? ' ').length);
      continue;
    }
    const [all = rest.slice(0, 1), single, double, escaped, plain] = PIECE.exec(rest) ?? [];
    word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? all);
    rest = rest.slice(all.length);
  }
  finish();
  return words;
}
