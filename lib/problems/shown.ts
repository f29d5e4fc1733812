/** Longest text that is shown whole. */
const LONGEST = 80;

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text);

/** Characters that change the direction of the text after them, and so what a line seems to say: https://trojansource.codes */
const BIDIRECTIONAL = '\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}';
const STEERING = new RegExp(`[\\p{Cc}\u{2028}\u{2029}${BIDIRECTIONAL}]`, 'gu');
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text in one line: a value in it cannot end the line, steer the terminal or turn the text around. */
export const oneLine = (text: string): string =>
  // most lines have nothing else than printable characters of ASCII, which is quick to see
  /^[ -~]*$/.test(text)
    ? text
    : text.replace(
        STEERING,
        (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );

/** A value in quotes, shortened, whatever it is. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return `'${cut(typeof value === 'object' && value !== null ? json(value) : String(value))}'`;
}

function json(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    // a circle, or a BigInt
    return Object.prototype.toString.call(value);
  }
}

/** Two different texts in quotes; of long texts, the part around the first difference. */
export function shownApart(left: string, right: string): readonly [string, string] {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const start = left.length > LONGEST || right.length > LONGEST ? Math.max(0, same - LONGEST / 2) : 0;
  const part = (text: string): string => shown(start === 0 ? text : `...${text.slice(start)}`);
  return [part(left), part(right)];
}

/** Alternatives in a sentence: `a`, `a or b`, `a, b or c`. */
export const either = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.slice(-1).join('')}`;
