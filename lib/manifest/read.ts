import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { type Document, isMap, isSeq, LineCounter, parseAllDocuments, Schema, type Tags, visit } from 'yaml';
import { shown } from '../problems/shown';
import { type Layout, layoutOf } from './kustomize';
import { type Located, located, Unusable } from './lines';
import { isRecord, type Json, type ManifestObject, manifestObject, text } from './manifest';
import { textsIn } from './placeholders';
import { podsOf, type PodView } from './pods';
import { scopesIn } from './scopes';
import { grouped } from './selection';

/** A problem with reading the input, and its place. */
export interface Unreadable {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** What is wrong, in one lowercase sentence. */
  readonly message: string;
}

/** The result of reading: objects, and files that cannot be read. */
export interface Reading {
  readonly objects: readonly ManifestObject[];
  readonly unreadable: readonly Unreadable[];
}

/** The path that means the standard input. */
const STDIN = '-';
const MANIFEST = /\.(ya?ml|json)$/;
/** Names of folders and files that are skipped. */
const LEFT_OUT = /^(\..*|node_modules)$/;
/** Largest number of aliases: enough for each item of a long list, but not for a document that expands without limit. */
const MAX_ALIASES = 10_000;

/**
 * Reads files, folders with all their .yaml, .yml and .json files, and the standard input as `-` if there is one. A file that is
 * named twice is read once.
 */
export function readPaths(paths: readonly string[], stdin?: () => Uint8Array): Reading {
  const objects: ManifestObject[] = [];
  const unreadable: Unreadable[] = [];
  const seen = new Set<string>();
  const attempt = (file: string, read: () => Reading | undefined): void => {
    try {
      const reading = read();
      for (const object of reading?.objects ?? []) objects.push(object);
      for (const problem of reading?.unreadable ?? []) unreadable.push(problem);
    } catch (error) {
      unreadable.push({ file, message: inWords(error) });
    }
  };
  const readOnce = (file: string, scope?: string): Reading | undefined => {
    const real = realpathSync(file);
    if (seen.has(real)) return undefined;
    seen.add(real);
    const reading = readManifests(readFileSync(file), file, scope);
    return {
      ...reading,
      objects: reading.objects.map((object) => (isPatch(object) ? partOf(object) : object)),
    };
  };
  for (const one of new Set(paths))
    attempt(one === STDIN ? 'stdin' : one, () => {
      if (one === STDIN && stdin) return readManifests(stdin(), 'stdin');
      if (!statSync(one).isDirectory()) return readOnce(one);
      const files = filesIn(one, new Set());
      const layout = layoutOf(files);
      const start = objects.length;
      for (const file of files)
        if (!layout.isLeftOut(file)) attempt(file, () => readOnce(file, layout.folderOf(file) ?? file));
      for (const object of placed(one, objects.splice(start), layout)) objects.push(object);
      if (files.length > 0) return undefined;
      const message = 'the folder has no .yaml, .yml or .json file';
      return { objects: [], unreadable: [{ file: one, message }] };
    });
  return { objects, unreadable };
}

/** Returns the objects of a folder, with their scopes and the changes that Kustomize makes to them. */
function placed(root: string, objects: readonly ManifestObject[], layout: Layout): readonly ManifestObject[] {
  const files = [...grouped(objects.map((one) => [one.file ?? '', one]))];
  const scopes = scopesIn(
    root,
    files.map(([file, own]) => ({ file, objects: own })),
    layout,
  );
  return objects.map((object) => {
    const { file = '' } = object;
    const one = { ...object, folder: root, scopes: scopes.get(file) };
    return layout.isBeside(file) && isPart(object) ? partOf(one) : layout.changed(one);
  });
}

/** Keeps only the name of an object that is a part of another. */
const partOf = (object: ManifestObject): ManifestObject => ({
  ...object,
  kind: '',
  manifest: {},
  partOf: object.id,
});

/** Whether an object has only some fields of a workload, as patches have: no selector, or containers without an image. */
const isPart = (object: ManifestObject): boolean =>
  podsOf(object).some((pod) => hasNoSelector(pod) || hasNoImage(pod));

/** Whether an object is a patch for certain, even without a kustomization in its folder: it has no selector and no image, or its file is called a patch. */
const isPatch = (object: ManifestObject): boolean =>
  podsOf(object).some(
    (pod) =>
      hasNoSelector(pod) && (hasNoImage(pod) || /(^|[-_.])patch/i.test(path.basename(object.file ?? ''))),
  );

const hasNoSelector = ({ runs, owner }: PodView): boolean =>
  SELECTING.has(runs) && !isRecord(owner['selector']);

const hasNoImage = ({ containers }: PodView): boolean =>
  containers.some(({ container }) => container['image'] === undefined);

const SELECTING: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']);

/** Returns the type of a path; undefined if it does not exist, or its links form a circle. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns the manifests below a folder, in the same order on every system. */
function filesIn(folder: string, above: ReadonlySet<string>): readonly string[] {
  const real = realpathSync(folder);
  // The folder is a link to a folder above it.
  if (above.has(real)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const file = path.join(folder, name);
      const stat = statOf(file);
      if (stat?.isDirectory()) return LEFT_OUT.test(name) ? [] : filesIn(file, new Set([...above, real]));
      // Skips pipes and devices, because reading them might not end. A broken link is reported when it is read.
      return MANIFEST.test(name) && stat?.isFile() !== false ? [file] : [];
    });
}

function inWords(error: unknown): string {
  const code = text(error, 'code');
  if (code === 'ENOENT') return 'the file or folder does not exist';
  if (code === 'EACCES') return 'it cannot be read: permission denied';
  if (code === 'ELOOP') return 'its symbolic links form a loop';
  return `it cannot be read (${String(error)})`;
}

/** Reads one text of YAML or JSON, as kubectl does: YAML 1.1, several documents, lists unwrapped. */
export function readManifests(content: Uint8Array | string, file: string, scope?: string): Reading {
  const source = typeof content === 'string' ? content : decode(content);
  if (typeof source !== 'string') return { objects: [], unreadable: [{ file, message: source.message }] };
  // Concatenated files can have a byte order mark at the start of each.
  const objects: ManifestObject[] = [];
  const unreadable: Unreadable[] = [];
  let index = 0;
  const add = (document: Located, convert = (value: unknown): unknown => value, problem?: Problem): void => {
    for (const { value, lineOf } of unwrap(document)) {
      const texts = convert(value);
      const object = manifestObject(isRecord(texts) ? texts : {}, { file, scope, lineOf });
      if (problem && object.kind === '') continue;
      objects.push(object.kind === '' ? { ...object, id: `document ${String(index)}` } : object);
    }
  };
  for (const part of partsOf(source.replace(/^\uFEFF/gm, ''))) {
    const long = longLineIn(part);
    if (long) {
      index++;
      unreadable.push({ file, ...long });
      continue;
    }
    const lines = new LineCounter();
    for (const document of parse(part.yaml, lines)) {
      index++;
      const problem = problemOf(document, part.yaml);
      // kubectl reads an object with a duplicated key, and uses its last value
      const read = problem && !problem.readable ? problem : valueOf(document, lines, part.line);
      for (const one of new Set([problem, 'message' in read ? read : undefined])) {
        if (!one) continue;
        const { line, col: column } = lines.linePos(one.offset);
        unreadable.push({ file, line: line + part.line, column, message: one.message });
      }
      if (!('message' in read) && read.value !== null && read.value !== undefined)
        add(read, (value) => textsIn(part.yaml, value), problem);
    }
  }
  return { objects, unreadable };
}

/** A part of a file with the documents in it, usually one. */
interface Part {
  readonly yaml: string;
  /** Lines before it. */
  readonly line: number;
}

/** Splits a file before each `---`, so that memory has the tree of only one document. Directives belong to the next document. */
function* partsOf(yaml: string): Generator<Part> {
  if (DIRECTIVE.test(yaml)) {
    yield { yaml, line: 0 };
    return;
  }
  let line = 0;
  let start = 0;
  for (const { index } of yaml.matchAll(/^---(?=\s|$)/gm)) {
    if (index === start) continue;
    const part = yaml.slice(start, index);
    yield { yaml: part, line };
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) line++;
    start = index;
  }
  yield { yaml: yaml.slice(start), line };
}

/** Characters of the longest line that is read. The parser can run out of memory on longer ones. */
const LONGEST_LINE = 2_000_000;

/** Returns the first line of a part that is too long; undefined if there is none. */
function longLineIn({ yaml, line: before }: Part): Pick<Unreadable, 'line' | 'message'> | undefined {
  if (yaml.length <= LONGEST_LINE) return undefined;
  for (let start = 0, line = before + 1; start < yaml.length; line++) {
    const end = yaml.indexOf('\n', start);
    const length = (end < 0 ? yaml.length : end) - start;
    if (length > LONGEST_LINE)
      return {
        line,
        message: `the line has ${String(length)} characters, but the limit is ${String(LONGEST_LINE)}: break JSON into lines, for example with jq`,
      };
    start += length + 1;
  }
  return undefined;
}

/** Reads a map from YAML, for `override`. Returns the map or its problem. */
export function readMap(yaml: string): { readonly map: Json } | { readonly problem: string } {
  const lines = new LineCounter();
  const [document, ...others] = parse(yaml, lines);
  if (!document) return { problem: 'is empty' };
  const read = problemOf(document, yaml) ?? valueOf(document, lines, 0);
  if ('message' in read) {
    const { line, col } = lines.linePos(read.offset);
    return { problem: `is not YAML: line ${String(line)}, column ${String(col)}: ${read.message}` };
  }
  if (others.length > 0) return { problem: `has ${String(others.length + 1)} documents` };
  return isRecord(read.value) ? { map: read.value } : { problem: 'is not a map' };
}

function decode(bytes: Uint8Array): string | Pick<Unreadable, 'message'> {
  const problem = { message: notUtf8(bytes) };
  if (bytes.includes(0)) return problem;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return problem;
  }
}

/** A byte order mark of UTF-16, which Windows PowerShell writes. */
const notUtf8 = ([first = 0, second = 0]: Uint8Array): string =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
    ? 'it is UTF-16 text; save it as UTF-8'
    : 'it is not UTF-8 text; if it is a manifest, save it as UTF-8';

const parse = (yaml: string, lineCounter: LineCounter): readonly Document[] =>
  parseAllDocuments(yaml, {
    version: '1.1',
    // A directive can set another version of YAML, which has another schema.
    ...(DIRECTIVE.test(yaml) ? { customTags: kubectlTags } : { schema: KUBECTL_SCHEMA }),
    lineCounter,
    prettyErrors: false,
    logLevel: 'silent',
  });

/** kubectl does not support times and base-60 numbers of YAML 1.1: `12:30` and `2024-01-01` are strings. */
const kubectlTags = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !OTHER_TAGS.test(tag.tag)));
const OTHER_TAGS = /:(timestamp|binary|set|omap|pairs)$/;
const DIRECTIVE = /^%/m;
/** Created once, because the parser would create one for each document. */
const KUBECTL_SCHEMA = new Schema({ schema: 'yaml-1.1', customTags: kubectlTags, resolveKnownTags: false });

interface Problem {
  readonly offset: number;
  readonly message: string;
  /** Whether the document has a value nevertheless. */
  readonly readable?: boolean;
}

/** Returns the first problem of a document. Others may only follow from it. */
function problemOf(document: Document, yaml: string): Problem | undefined {
  const [error] = document.errors;
  if (error === undefined) return templateOf(document, yaml);
  const [offset] = error.pos;
  const words = MESSAGES[error.code] ?? WORDS[error.message] ?? sentence(error.message);
  const key = /^\s*(\S[^:\n]*):/.exec(yaml.slice(offset, offset + 200))?.[1];
  const line = /^.*/.exec(yaml.slice(yaml.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
  return {
    offset,
    message: `${error.code === 'DUPLICATE_KEY' && key !== undefined ? `the key ${shown(key)} is duplicated` : words}${line.includes('{{') ? TEMPLATE : ''}`,
    readable: document.errors.every(({ code }) => code === 'DUPLICATE_KEY') && !templateOf(document, yaml),
  };
}

const MESSAGES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab indents this line; YAML allows only spaces',
};
/** Messages of the parser that need other words. */
const WORDS: Readonly<Record<string, string>> = {
  'Unexpected flow-map-start at node end':
    "another JSON object follows in the same document; put '---' between them, or use a List",
};
const TEMPLATE =
  ': this looks like a template; check its rendered output, for example helm template | … check -';

/** Returns the problem of a template whose braces are valid YAML: a map with a map as its key. */
function templateOf(document: Document, yaml: string): Problem | undefined {
  if (!yaml.includes('{{')) return undefined;
  const waiting: unknown[] = [document.contents];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isSeq(node)) waiting.push(...node.items);
    if (!isMap(node)) continue;
    for (const { key, value } of node.items) {
      if (isMap(key)) return { offset: key.range?.[0] ?? 0, message: `a map is used as a key${TEMPLATE}` };
      waiting.push(value);
    }
  }
  return undefined;
}

/** Returns the value of a document, or its problem. */
function valueOf(document: Document, lines: LineCounter, before: number): Problem | Located {
  const offset = document.contents?.range?.[0] ?? 0;
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return brokenList(value)
      ? { offset, message: 'the items of the List are not a list' }
      : located(document, value, lines, before);
  } catch (error) {
    if (error instanceof Unusable) return { offset, message: error.message };
    const message = error instanceof Error ? error.message : '';
    const isAlias = /^(Merge sources|Unresolved alias)/.test(message);
    return (isAlias ? aliasProblem(document) : undefined) ?? { offset, message: sentence(message) };
  }
}

const brokenList = (value: unknown): boolean =>
  text(value, 'kind') === 'List' && isRecord(value) && !Array.isArray(value['items'] ?? []);

/** Returns the problem of the first alias whose anchor is not before it in the document. */
function aliasProblem(document: Document): Problem | undefined {
  let problem: Problem | undefined;
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      const message = `no anchor '&${alias.source}' is before this alias in the document; anchors of other documents do not count`;
      problem = { offset: alias.range?.[0] ?? 0, message };
      return visit.BREAK;
    },
  });
  return problem;
}

/** Converts a message of the parser to the style of other messages. */
function sentence(message: string): string {
  if (message.startsWith('Excessive alias count')) return `it has more than ${String(MAX_ALIASES)} aliases`;
  if (message.startsWith('Maximum call stack')) return 'it is nested too deeply';
  return message.slice(0, 1).toLowerCase() + message.slice(1);
}

/** Expands Lists into their items. Returns other objects unchanged. */
function* unwrap(
  given: Located,
  value = given.value,
): Generator<Pick<Located, 'lineOf'> & { readonly value: unknown }> {
  const kind = text(value, 'kind') ?? '';
  if (!isRecord(value) || !kind.endsWith('List') || !Array.isArray(value['items'])) {
    yield { value, lineOf: given.lineOf };
    return;
  }
  for (const item of given.items())
    yield* unwrap(
      item,
      // Items of a typed list can omit apiVersion and kind.
      isRecord(item.value) && kind !== 'List'
        ? { apiVersion: value['apiVersion'], kind: kind.slice(0, -'List'.length), ...item.value }
        : item.value,
    );
}
