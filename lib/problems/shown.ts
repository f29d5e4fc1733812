/** Length of the longest text that is shown in full. */
const LONGEST = 80;

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text);

/** Characters that change the direction of the text after them and can disguise it: https://trojansource.codes */
const BIDIRECTIONAL = '\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}';
const STEERING = new RegExp(`[\\p{Cc}\u{2028}\u{2029}${BIDIRECTIONAL}]`, 'gu');
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns a text as one line: escapes line ends, terminal commands and characters that change the direction of text. */
export const oneLine = (text: string): string =>
  // fast path: most lines are printable ASCII
  /^[ -~]*$/.test(text)
    ? text
    : text.replace(
        STEERING,
        (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );

/** Returns any value in quotes, shortened. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return `'${cut(typeof value === 'object' && value !== null ? json(value) : String(value))}'`;
}

function json(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    // the value has a circular reference or a BigInt
    return Object.prototype.toString.call(value);
  }
}

/** Returns two different texts in quotes; of long texts, only the part around the first difference. */
export function shownApart(left: string, right: string): readonly [string, string] {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const start = left.length > LONGEST || right.length > LONGEST ? Math.max(0, same - LONGEST / 2) : 0;
  const part = (text: string): string => shown(start === 0 ? text : `...${text.slice(start)}`);
  return [part(left), part(right)];
}

/** Joins alternatives in a sentence: `a`, `a or b`, `a, b or c`. */
export const either = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.slice(-1).join('')}`;
