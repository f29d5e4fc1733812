// Nearly all manifests use a small part of YAML: maps and lists on their own lines, short texts, and literal blocks. This reader reads that part, many
// times faster than the parser. It returns undefined for everything else, invalid YAML included, which the parser then reads.

/** A document, and the lines of its values. */
export interface PlainDocument {
  readonly value: unknown;
  /** The first line with a value. */
  readonly line: number;
  /** Two numbers per entry of a map or list: its line, and the number of entries below it. */
  readonly numbers: readonly number[];
}

/** Thrown at a text that only the parser can read. */
class NotPlain extends Error {}
const NOT_PLAIN = new NotPlain();

/** Levels of maps and lists, fewer than the limit of all documents. */
const MAX_DEPTH = 100;
/** Largest number of values, fewer than the limit of all documents. */
const MAX_VALUES = 1_000_000;

/**
 * Reads one document that has no `---`, except as its first line.
 *
 * @param before - lines of the file before the document
 * @param other - reads a plain scalar that may be a number, a truth value or null
 * @returns the document; undefined if it needs the parser
 */
export function readPlain(
  yaml: string,
  before: number,
  other: (text: string) => unknown,
): PlainDocument | undefined {
  try {
    return new Reader(yaml, before, other).document();
  } catch (error) {
    if (error === NOT_PLAIN) return undefined;
    throw error;
  }
}

/** Keys without quotes that are not numbers, truth values or null. */
const KEY = /([A-Za-z][\w./-]{0,200}|"[A-Za-z][\w./-]{0,200}"):(?: +|$)/y;
/** Starts with a letter or slash: not a number. A colon only inside a word: not a key. Without a hash: not a comment. */
const PLAIN =
  /^[A-Za-z0-9/.+-](?:[\w./=@,+()[\]{}"'!?&*%$;<>~^|\\-]|:(?=[\w/.{"-])| (?=[\w./=@,+()[\]{}"'!?&*%$;<>~^|\\-]))*$/;
/** The same inside of brackets, without spaces and brackets. */
const PLAIN_IN_FLOW = /[A-Za-z0-9/.+-][\w./=@+%-]*(?::[\w/.][\w./=@+%-]*)*/y;
/** Texts that can be something other than text. https://yaml.org/type/ */
const OTHER = /^(?:[0-9.+].*|-(?!-).*|y|yes|n|no|true|false|on|off|null|e[-+]?\d+)$/i;
/** A dash before a space is an item of a list. */
const ITEM = /^-(?: |$)|^---|^\.\.\./;
const WHOLE = /^(?:0|-?[1-9]\d{0,14})$/;
const DOUBLE = /"(?:[^"\\\t\n]|\\["\\n])*"/y;
const SINGLE = /'(?:[^'\t\n]|'')*'/y;
const SPACES = / */y;

class Reader {
  private readonly numbers: number[] = [];
  /** Start of the next line. */
  private at = 0;
  /** The current line: its number, the column of its text, and the text. `indent` is -1 at the end. */
  private line: number;
  private indent = -1;
  private text = '';
  /** Offset in a text in brackets. */
  private offset = 0;

  constructor(
    private readonly yaml: string,
    before: number,
    private readonly other: (text: string) => unknown,
  ) {
    this.line = before;
  }

  document(): PlainDocument | undefined {
    const { yaml } = this;
    if (!yaml.endsWith('\n') || yaml.includes('\r')) return undefined;
    if (yaml.startsWith('---\n')) {
      this.at = '---\n'.length;
      this.line++;
    }
    this.next();
    if (this.indent !== 0) return undefined;
    const { line } = this;
    const value = this.text.startsWith('{') ? this.flowDocument() : this.block(0, 0);
    return this.isAtEnd() ? { value, line, numbers: this.numbers } : undefined;
  }

  private isAtEnd(): boolean {
    return this.indent < 0;
  }

  private flowDocument(): unknown {
    const value = this.single(this.text, 0);
    this.next();
    return value;
  }

  /** Goes to the next line with a value. */
  private next(): void {
    const { yaml } = this;
    while (this.at < yaml.length) {
      const end = yaml.indexOf('\n', this.at);
      let start = this.at;
      while (yaml.charCodeAt(start) === SPACE) start++;
      const indent = start - this.at;
      this.at = end + 1;
      this.line++;
      if (start === end || yaml.charCodeAt(start) === HASH) continue;
      this.indent = indent;
      const text = yaml.slice(start, end);
      this.text = text.includes(' #') ? withoutComment(text) : text;
      return;
    }
    this.indent = -1;
    this.text = '';
  }

  private block(indent: number, depth: number): unknown {
    if (depth > MAX_DEPTH) throw NOT_PLAIN;
    return this.isItem() ? this.list(indent, depth) : this.map(indent, depth);
  }

  private isItem(): boolean {
    return this.text.startsWith('- ');
  }

  private map(indent: number, depth: number): unknown {
    const map: Record<string, unknown> = {};
    while (this.indent === indent && !this.isItem()) {
      KEY.lastIndex = 0;
      const [start, quoted] = KEY.exec(this.text) ?? [];
      if (start === undefined || quoted === undefined) throw NOT_PLAIN;
      const key = quoted.startsWith('"') ? quoted.slice(1, -1) : quoted;
      if ((key === quoted && OTHER.test(key)) || Object.hasOwn(map, key)) throw NOT_PLAIN;
      const entry = this.enter();
      const rest = this.text.slice(start.length);
      map[key] = rest === '' ? this.below(indent, start, depth) : this.inline(rest, indent, depth);
      this.leave(entry);
    }
    if (this.indent >= indent) throw NOT_PLAIN;
    return map;
  }

  /** The value of a key that ends its line. */
  private below(indent: number, start: string, depth: number): unknown {
    if (start.endsWith(' ')) throw NOT_PLAIN;
    this.next();
    if (this.indent > indent) return this.block(this.indent, depth + 1);
    return this.indent === indent && this.isItem() ? this.itemsOf(indent, depth + 1) : null;
  }

  private list(indent: number, depth: number): unknown {
    const items = this.itemsOf(indent, depth);
    if (this.indent >= indent) throw NOT_PLAIN;
    return items;
  }

  private itemsOf(indent: number, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    while (this.indent === indent && this.isItem()) {
      const entry = this.enter();
      items.push(this.item(indent, depth));
      this.leave(entry);
    }
    if (this.indent > indent) throw NOT_PLAIN;
    return items;
  }

  private item(indent: number, depth: number): unknown {
    const rest = this.text.slice('- '.length);
    KEY.lastIndex = 0;
    if (!rest.startsWith('- ') && !KEY.test(rest)) return this.inline(rest, indent, depth);
    this.indent += '- '.length;
    this.text = rest;
    return this.block(this.indent, depth + 1);
  }

  /** A value that starts on the line of its key or dash. */
  private inline(text: string, indent: number, depth: number): unknown {
    if (text === '|' || text === '|-') return this.literal(indent, text === '|');
    const value = this.single(text, depth);
    this.next();
    if (this.indent > indent) throw NOT_PLAIN;
    return value;
  }

  private single(text: string, depth: number): unknown {
    const [first] = text;
    if (first === '{' || first === '[' || first === '"' || first === "'") {
      this.offset = 0;
      const value = this.flow(text, depth + 1);
      if (this.offset !== text.length) throw NOT_PLAIN;
      return value;
    }
    if (!PLAIN.test(text) || ITEM.test(text)) throw NOT_PLAIN;
    return this.scalar(text);
  }

  private scalar(text: string): unknown {
    if (!OTHER.test(text)) return text;
    if (WHOLE.test(text)) return Number(text);
    return text === 'true' ? true : text === 'false' ? false : this.other(text);
  }

  /** A literal block: its lines up to one with less indentation. */
  private literal(above: number, endsWithBreak: boolean): string {
    const { yaml } = this;
    const lines: string[] = [];
    let indent = -1;
    let filled = 0;
    while (this.at < yaml.length) {
      const end = yaml.indexOf('\n', this.at);
      let start = this.at;
      while (yaml.charCodeAt(start) === SPACE) start++;
      if (start < end) {
        const own = start - this.at;
        if (indent < 0) indent = own;
        if (own < indent || own <= above) {
          if (own > above) throw NOT_PLAIN;
          break;
        }
        lines.push(yaml.slice(this.at + indent, end));
        filled = lines.length;
      } else if (start > this.at || indent < 0)
        // Empty lines at the start, and lines of spaces, have rules of their own.
        throw NOT_PLAIN;
      else lines.push('');
      this.at = end + 1;
      this.line++;
    }
    if (filled === 0) throw NOT_PLAIN;
    lines.length = filled;
    this.next();
    return endsWithBreak ? `${lines.join('\n')}\n` : lines.join('\n');
  }

  /** A map or list in brackets or a text in quotes, on one line. */
  private flow(text: string, depth: number): unknown {
    if (depth > MAX_DEPTH) throw NOT_PLAIN;
    switch (text[this.offset]) {
      case '{':
        return this.flowMap(text, depth);
      case '[':
        return this.flowList(text, depth);
      case '"': {
        const quoted = this.take(DOUBLE, text);
        return quoted.includes('\\') ? (JSON.parse(quoted) as unknown) : quoted.slice(1, -1);
      }
      case "'":
        return this.take(SINGLE, text).slice(1, -1).replaceAll("''", "'");
    }
    const plain = this.take(PLAIN_IN_FLOW, text);
    if (plain === '-') throw NOT_PLAIN;
    return this.scalar(plain);
  }

  private flowMap(text: string, depth: number): unknown {
    const map: Record<string, unknown> = {};
    this.offset++;
    this.take(SPACES, text);
    while (text[this.offset] !== '}') {
      const isQuoted = text[this.offset] === '"';
      const key = isQuoted ? this.take(DOUBLE, text).slice(1, -1) : this.take(PLAIN_IN_FLOW, text);
      if (!FLOW_KEY.test(key) || (!isQuoted && OTHER.test(key)) || Object.hasOwn(map, key)) throw NOT_PLAIN;
      if (text[this.offset] !== ':' || (!isQuoted && text[this.offset + 1] !== ' ')) throw NOT_PLAIN;
      this.offset++;
      this.take(SPACES, text);
      const entry = this.enter();
      map[key] = this.flow(text, depth + 1);
      this.leave(entry);
      this.separate(text, '}');
    }
    this.offset++;
    return map;
  }

  private flowList(text: string, depth: number): unknown {
    const items: unknown[] = [];
    this.offset++;
    this.take(SPACES, text);
    while (text[this.offset] !== ']') {
      const entry = this.enter();
      items.push(this.flow(text, depth + 1));
      this.leave(entry);
      this.separate(text, ']');
    }
    this.offset++;
    return items;
  }

  /** The comma after a value in brackets, or the bracket at the end. */
  private separate(text: string, end: string): void {
    this.take(SPACES, text);
    if (text[this.offset] === end) return;
    if (text[this.offset] !== ',') throw NOT_PLAIN;
    this.offset++;
    this.take(SPACES, text);
    // A comma at the end is allowed, but rare.
    if (text[this.offset] === end) throw NOT_PLAIN;
  }

  private take(pattern: RegExp, text: string): string {
    pattern.lastIndex = this.offset;
    const [found] = pattern.exec(text) ?? [];
    if (found === undefined) throw NOT_PLAIN;
    this.offset += found.length;
    return found;
  }

  private enter(): number {
    const entry = this.numbers.length;
    if (entry > 2 * MAX_VALUES) throw NOT_PLAIN;
    this.numbers.push(this.line, 0);
    return entry;
  }

  private leave(entry: number): void {
    this.numbers[entry + 1] = (this.numbers.length - entry) / 2 - 1;
  }
}

/** A line without the comment at its end. A hash can also be part of a text in quotes. */
const withoutComment = (text: string): string => (/["']/.test(text) ? text : text.replace(/ +#.*$/, ''));

const SPACE = 32;
const HASH = 35;
const FLOW_KEY = /^[A-Za-z][\w./-]{0,200}$/;
