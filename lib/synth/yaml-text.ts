import { Yaml } from 'cdk8s';

/**
 * Returns the same text as `Yaml.stringify` of cdk8s, byte by byte, without a tree of nodes. Nearly all values of a manifest are plain;
 * `Yaml.stringify` itself writes the others.
 */
export function yamlText(document: unknown): string {
  const text = isFilled(document) ? block(document, '', new Set()) : undefined;
  return text ?? Yaml.stringify(document);
}

/** A map or a list, each item on separate lines; undefined if `Yaml.stringify` must write a part of it. */
function block(value: Container, indent: string, seen: Set<Container>): string | undefined {
  // YAML writes the second occurrence as an alias.
  if (seen.has(value)) return undefined;
  seen.add(value);
  let lines = '';
  let at = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      const text = isFilled(item) ? block(item, `${indent}  `, seen) : single(item, `${indent}  `, seen);
      if (text === undefined) return undefined;
      lines += isFilled(item) ? `${at}- ${text}` : `${at}- ${text}\n`;
      at = indent;
    }
    return lines;
  }
  for (const [key, item] of Object.entries(value)) {
    const name = keyText(key);
    const inside = `${indent}  `;
    const text = isFilled(item) ? block(item, inside, seen) : single(item, inside, seen);
    if (name === undefined || text === undefined) return undefined;
    lines += isFilled(item) ? `${at}${name}:\n${inside}${text}` : `${at}${name}: ${text}\n`;
    at = indent;
  }
  return lines;
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Whether a value is a list or a plain map. */
function isContainer(value: unknown): value is Container {
  if (value === null || typeof value !== 'object') return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether a value needs separate lines. */
const isFilled = (value: unknown): value is Container =>
  isContainer(value) && (Array.isArray(value) ? value.length : Object.keys(value).length) > 0;

/** Writes a value that starts on the line of its key or dash. */
function single(value: unknown, indent: string, seen: Set<Container>): string | undefined {
  switch (typeof value) {
    case 'string':
      return stringText(value, indent);
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : undefined;
    case 'boolean':
      return String(value);
  }
  if (value === null) return 'null';
  if (!isContainer(value) || seen.has(value)) return undefined;
  seen.add(value);
  return Array.isArray(value) ? '[]' : '{}';
}

// Starts with a letter or slash: not a number or a date. A colon only within a word: not a key. Without a hash: not a comment.
const PLAIN =
  /^-{0,2}[A-Za-z/](?:[\w./=@,+()[\]{}"'!?&*%$;<>~^|\\-]|:(?=[\w/.{"-])| (?=[\w./=@,+()[\]{}"'!?&*%$;<>~^|\\-]))*$/;
/**
 * Words that YAML does not read as text, and numbers without digits before the exponent, which the `yaml` package accepts.
 * https://yaml.org/type/bool.html, https://yaml.org/type/null.html, https://yaml.org/type/float.html
 */
const WORD = /^(?:y|yes|n|no|true|false|on|off|null|-{0,2}e[-+]?\d+)$/i;
/** Amounts, durations, topologies and versions. A zero comes first only in numbers to other bases. */
const AMOUNT = /^[1-9]\d*(?:[KMGTPk]i?|[smh]|(?:x[1-9]\d*){1,2}|(?:\.\d+){2})$/;
const BOOLEAN = /^(?:true|false)$/i;
const DIGITS = /^\d+$/;
/** Lines that a literal block contains unchanged, with at most one line break at the end. */
const LINES = /^[\x21-\x7e][\x20-\x7e\n]*[\x21-\x7e]\n?$/;
const PLAIN_KEY = /^[A-Za-z][\w./-]{0,200}$/;

/** Quoted forms of texts, because most of these texts are in many documents. */
const quoted = new Map<string, string>();
const quotedKeys = new Map<string, string | undefined>();
/** Largest number of cache entries, which limits memory for large apps. */
const MOST = 10_000;

function remember<T>(known: Map<string, T>, text: string, written: T): T {
  if (known.size >= MOST) known.clear();
  known.set(text, written);
  return written;
}

function stringText(value: string, indent: string): string | undefined {
  if (PLAIN.test(value) && !WORD.test(value)) return value;
  if (AMOUNT.test(value)) return value;
  if (DIGITS.test(value) || BOOLEAN.test(value)) return `"${value}"`;
  if (value.includes('\n')) {
    if (!LINES.test(value)) return undefined;
    const lines = value.replace(/\n(?=[^\n])/g, `\n${indent}`);
    return value.endsWith('\n') ? `|\n${indent}${lines.slice(0, -1)}` : `|-\n${indent}${lines}`;
  }
  // in a list, because a document that is only a text has other rules
  return quoted.get(value) ?? remember(quoted, value, Yaml.stringify([value]).slice('- '.length, -1));
}

function keyText(key: string): string | undefined {
  if (PLAIN_KEY.test(key) && !WORD.test(key)) return key;
  // Text that looks like the start or end of a document is quoted only in some places.
  if (/^(?:---|\.\.\.)/.test(key)) return undefined;
  return quotedKeys.has(key)
    ? quotedKeys.get(key)
    : remember(quotedKeys, key, /^(.+): 0\n$/.exec(Yaml.stringify({ [key]: 0 }))?.[1]);
}
