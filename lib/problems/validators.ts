// What Kubernetes accepts, one sentence a rule: each answers what is wrong with a value, or undefined.

/** The first few characters of a value in quotes, whatever it is. */
export function quoted(value: unknown): string {
  const json = typeof value === 'object' ? JSON.stringify(value) : undefined;
  const text = json ?? String(value);
  return `'${text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text}'`;
}

/** Two different texts in quotes: of long ones the part around where they begin to differ. */
export function quotedApart(left: string, right: string): readonly [string, string] {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const start = left.length > SHOWN || right.length > SHOWN ? Math.max(0, same - SHOWN / 2) : 0;
  const part = (text: string): string => quoted(start === 0 ? text : `...${text.slice(start)}`);
  return [part(left), part(right)];
}

/** Longest text that is shown whole. */
const SHOWN = 80;

/** A name of [a-z0-9-] as near to `text` as possible, without what `before` finds at its start. */
const asLabel = (text: string, max: number, before: RegExp): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(before, '')
    .slice(0, max)
    .replace(/-+$/, '') || 'x';

/**
 * Names of Services, and of all that one bears the name of: at most 63 of [a-z0-9-], first a letter, without which 1.33 and older
 * take no Service; `because` is why it may be fewer.
 */
export function dnsLabel(prop: string, value: string, max = 63, because?: string): string | undefined {
  const nearest = (): string => asLabel(value, max, /^[^a-z]+/);
  if (value.length > max)
    return `${prop} ${quoted(value)} has ${String(value.length)} characters, expected at most ${String(max)}${because === undefined ? '' : `, ${because}`}; nearest: '${nearest()}'`;
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value))
    return `${prop} ${quoted(value)} is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: '${nearest()}'`;
  return undefined;
}

/** A legal name like `text`. */
export const nearestLabel = (text: string): string => asLabel(text, 63, /^[^a-z]+/);

/** Names of namespaces, containers, volumes: at most 63 of [a-z0-9-]; a digit may come first. */
export function podLabel(prop: string, value: string): string | undefined {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value)) return undefined;
  const wrong =
    value.length > 63
      ? `has ${String(value.length)} characters, expected at most 63`
      : "is not a DNS label, expected lower-case letters, digits and '-' between them";
  return `${prop} ${quoted(value)} ${wrong}; nearest: '${asLabel(value, 63, /^-+/)}'`;
}

/** Names of ServiceAccounts, Secrets, PriorityClasses: DNS labels with dots between them. */
export function dnsSubdomain(prop: string, value: string): string | undefined {
  if (value.length <= 253 && SUBDOMAIN.test(value)) return undefined;
  const near = value
    .slice(0, 253)
    .split('.')
    .filter((part) => /[a-z0-9]/i.test(part))
    .map((part) => asLabel(part, 253, /^-+/))
    .join('.');
  return `${prop} ${quoted(value)} is not a DNS name, expected at most 253 lower-case letters, digits, '-' and '.' between them; nearest: '${near || 'x'}'`;
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A port's name: at most 15 of [a-z0-9-], a letter among them, no two '-' together. */
export function portName(prop: string, value: string): string | undefined {
  if (/^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(value)) return undefined;
  const near = asLabel(value.replace(/[^A-Za-z0-9]+/g, '-'), 15, /^[^a-z]+/);
  return `${prop} ${quoted(value)} is not the name of a port, expected at most 15 lower-case letters, digits and '-' between them; nearest: '${near}'`;
}

/** What stands in a map of texts: labels, annotations, node selectors, environment. */
export function text(prop: string, value: unknown): string | undefined {
  if (typeof value === 'string') return undefined;
  // What an object holds may be a secret.
  return typeof value === 'object'
    ? `${prop} is not a text, expected a map of names to texts`
    : `${prop} ${quoted(value)} is a ${typeof value}, expected a text; nearest: ${quoted(value)}`;
}

const asLabelValue = (value: string): string =>
  value
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

/** A label's value: at most 63 of [A-Za-z0-9._-], an alphanumeric at both ends. */
export function labelValue(prop: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return text(prop, value);
  return LABEL_VALUE.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a label value, expected at most 63 letters, digits, '.', '_' and '-'; nearest: '${asLabelValue(value)}'`;
}

/** The key of a label or an annotation: NAME or DOMAIN/NAME. */
export function labelKey(prop: string, key: string): string | undefined {
  const [name = '', domain, ...more] = key.split('/').reverse();
  const named = name !== '' && LABEL_VALUE.test(name) && more.length === 0;
  return named && (domain === undefined || (domain.length <= 253 && SUBDOMAIN.test(domain)))
    ? undefined
    : `${prop} key ${quoted(key)} is not the key of a label, expected NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-'; nearest: '${asLabelValue(name) || 'x'}'`;
}

/** One of a few words. */
export function oneOf(prop: string, value: string, words: readonly string[]): string | undefined {
  return words.includes(value)
    ? undefined
    : `${prop} ${quoted(value)} is not known, expected one of ${words.map((word) => `'${word}'`).join(', ')}`;
}

/** What Kubernetes' numbers end at. */
export const INT32 = 2 ** 31 - 1;

export function integer(prop: string, value: number, min: number, max = INT32): string | undefined {
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  const range =
    max > 1e9 && !(value > max) ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;
  const given: unknown = value;
  // '4096' of untyped code; what '24h' meant is not known
  const number = typeof given === 'string' ? Number(given.trim() || NaN) : value;
  const near = Number.isFinite(number) ? Math.min(max, Math.max(min, Math.round(number))) : min;
  if (typeof given !== 'string')
    return `${prop} ${quoted(value)} is not a whole number ${range}; nearest: ${String(near)}`;
  const nearest = Number.isFinite(number) ? `; nearest: ${String(near)}` : '';
  return `${prop} ${quoted(given)} is a string, expected a whole number ${range}${nearest}`;
}

export const port = (prop: string, value: number): string | undefined => integer(prop, value, 1, 65535);

const QUANTITY = /^(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d+))?$/;
const FACTORS: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['k', 1e3],
  ...'MGTPE'.split('').map((letter, index): [string, number] => [letter, 1000 ** (index + 2)]),
  ...'KMGTPE'.split('').map((letter, index): [string, number] => [`${letter}i`, 1024 ** (index + 1)]),
]);

/** A resource quantity like `500m` or `20Gi`. */
export function quantity(prop: string, value: string): string | undefined {
  if (QUANTITY.test(value)) return undefined;
  const near = /cpu/i.test(prop) ? asCores(value) : asBytes(value);
  return `${prop} ${quoted(value)} is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '${near}'`;
}

/** `20 cores` as 20, `500 m` as 500m. */
function asCores(value: string): string {
  const [, digits = '8', milli = ''] = /(\d+(?:\.\d+)?)\s*(m\b)?/.exec(value) ?? [];
  return digits + milli;
}

/** `160GB` as 160G, `16 gib` as 16Gi. */
function asBytes(value: string): string {
  const [, digits = '20', letter = 'G', binary = ''] = /^\s*(\d+(?:\.\d+)?)\s*([kmgtpe])(i?)b?\s*$/i.exec(
    value,
  ) ?? [undefined, undefined, undefined, 'i'];
  const upper = letter.toUpperCase();
  return digits + (binary === '' ? upper.replace('K', 'k') : `${upper}i`);
}

/** Room for something in bytes, as a quantity: of less than a megabyte the suffix is missing. */
export function room(prop: string, value: string): string | undefined {
  const wrong = quantity(prop, value);
  if (wrong !== undefined || quantityOf(value) >= 1e6) return wrong;
  const number = Number(QUANTITY.exec(value)?.[1]);
  const suffix = value.endsWith('m') ? 'M' : 'G';
  const near = quantityOf(`${String(number)}${suffix}`) >= 1e6 ? number : 1;
  return `${prop} '${value}' is less than 1M, expected bytes with their suffix; nearest: '${String(near)}${suffix}'`;
}

/** A quantity as a number: bytes of memory, cores of CPU. */
export function quantityOf(value: string): number {
  const [, digits = 'NaN', suffix = '', exponent = '0'] = QUANTITY.exec(value) ?? [];
  return Number(digits) * (FACTORS.get(suffix) ?? 1) * 10 ** Number(exponent);
}

export function absolutePath(prop: string, value: string): string | undefined {
  const parts = value
    .replace(/[\s:]+/g, '-')
    .replace(/^[-/]+/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reduce<readonly string[]>((path, part) => (part === '..' ? path.slice(0, -1) : [...path, part]), []);
  const nearest = `; nearest: '/${parts.join('/') || 'data'}'`;
  if (!/^\/[^\s:]*$/.test(value))
    return `${prop} ${quoted(value)} is not an absolute path without ':' and spaces${nearest}`;
  if (value.split('/').includes('..'))
    return `${prop} ${quoted(value)} leaves folders by '..', expected a path without${nearest}`;
  if (parts.length === 0)
    return `${prop} ${quoted(value)} is the root of the file system, expected a folder${nearest}`;
  return undefined;
}

/** A folder without slashes at its end. */
export const bare = (folder: string): string => folder.replace(/(?<=.)\/+$/, '');

/** Whether `path` is `folder` or below it. */
export const isUnder = (path: string, folder: string): boolean =>
  `${path}/`.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

const COMPONENT = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const IMAGE = new RegExp(
  `^(?:[a-z0-9-]+(?:\\.[a-z0-9-]+)*(?::\\d+)?/)?${COMPONENT}(?:/${COMPONENT})*(?=[:@])(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`,
);

export function image(prop: string, value: string): string | undefined {
  if (IMAGE.test(value)) return undefined;
  const near = value.trim().replace(/^[a-z]+:\/\//, '');
  return `${prop} ${quoted(value)} is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST${IMAGE.test(near) ? `; nearest: '${near}'` : ''}`;
}

/** What Cloud Storage asks of a bucket's name, each with what is expected where it is not so. */
const BUCKET_RULES: readonly (readonly [(name: string) => boolean, string])[] = [
  [
    (name) =>
      /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(name) && name.split('.').every((part) => part.length <= 63),
    "3 to 63 lower-case letters, digits, '-', '_' and '.'",
  ],
  [(name) => !/\.[.-]|-\./.test(name), "no '.' or '-' beside a '.'"],
  [(name) => !/^\d+(\.\d+){3}$/.test(name), 'no IP address'],
  [(name) => !/^goog|google/.test(name), "none that begins with 'goog' or holds 'google'"],
];

function asBucket(value: string): string {
  const near = value
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/-*\.[.-]*/g, /^\d+(\.\d+){3}$/.test(value) ? '-' : '.')
    .replace(/google|^[^a-z0-9]*goog/g, 'my')
    .slice(0, 63)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  return near.length < 3 ? `${near || 'my'}-bucket` : near;
}

/**
 * Cloud Storage's naming rules.
 *
 * @see https://cloud.google.com/storage/docs/buckets#naming
 */
export function bucketName(prop: string, value: string): string | undefined {
  if (value.startsWith('gs://'))
    return `${prop} ${quoted(value)} is a URL, expected the bucket's name alone: '${asBucket(value.slice(5).split('/')[0] ?? '')}'`;
  const [, expected] = BUCKET_RULES.find(([holds]) => !holds(value)) ?? [];
  return (
    expected &&
    `${prop} ${quoted(value)} is not a bucket name, expected ${expected}; nearest: '${asBucket(value)}'`
  );
}

/** Whether a value is a Hugging Face access token. */
export const looksLikeToken = (value: string): boolean => /^\s*hf_[A-Za-z0-9]{10,}\s*$/.test(value);

/** Whether a text holds one: real ones have 34 characters after `hf_`, and names of other things fewer. */
export const holdsToken = (value: string): boolean =>
  looksLikeToken(value) || /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}/.test(value);
