// What Kubernetes accepts, one sentence a rule: each answers what is wrong with a value, or undefined.

/** The first few characters of a value in quotes, whatever it is. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? 'undefined' : JSON.stringify(value);
  return `'${text.length > 80 ? `${text.slice(0, 77)}...` : text}'`;
}

/** A name that a DNS label accepts, as near to `text` as possible. */
const asLabel = (text: string, max: number): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, max)
    .replace(/-+$/, '') || 'x';

/** Names of Services, containers, volumes: at most 63 of [a-z0-9-], first a letter; `because` is why it may be fewer. */
export function dnsLabel(prop: string, value: string, max = 63, because?: string): string | undefined {
  if (value.length > max)
    return `${prop} ${quoted(value)} has ${String(value.length)} characters, expected at most ${String(max)}${because === undefined ? '' : `, ${because}`}; nearest: '${asLabel(value, max)}'`;
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value))
    return `${prop} ${quoted(value)} is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: '${asLabel(value, max)}'`;
  return undefined;
}

/** A label's value: at most 63 of [A-Za-z0-9._-], an alphanumeric at both ends. */
export function labelValue(prop: string, value: string): string | undefined {
  const fixed = value
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  return /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a label value, expected at most 63 letters, digits, '.', '_' and '-'; nearest: '${fixed}'`;
}

export function integer(
  prop: string,
  value: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): string | undefined {
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  const range =
    max === Number.MAX_SAFE_INTEGER ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;
  const near = Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : min;
  return `${prop} ${quoted(value)} is not a whole number ${range}; nearest: ${String(near)}`;
}

export const port = (prop: string, value: number): string | undefined => integer(prop, value, 1, 65535);

const QUANTITY = /^([0-9]+(?:\.[0-9]+)?)(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E|m)?$/;
const FACTORS: Record<string, number> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A resource quantity like `500m` or `20Gi`. */
export function quantity(prop: string, value: string): string | undefined {
  if (QUANTITY.test(value)) return undefined;
  const fixed = /^\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgtpe])i?b?\s*$/i.exec(value);
  const near = fixed ? `${fixed[1] ?? ''}${(fixed[2] ?? '').toUpperCase()}i` : '20Gi';
  return `${prop} ${quoted(value)} is not a quantity, expected a number with a suffix like '500m', '20Gi' or '8G'; nearest: '${near}'`;
}

/** A quantity as a number: bytes of memory, cores of CPU. */
export function quantityOf(value: string): number {
  const [, digits = 'NaN', suffix = ''] = QUANTITY.exec(value) ?? [];
  return Number(digits) * (FACTORS[suffix] ?? 1);
}

export function absolutePath(prop: string, value: string): string | undefined {
  return /^\/[^\s:]*$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not an absolute path without ':' and spaces; nearest: '/${value.replace(/[\s:]+/g, '-').replace(/^[-/]+/, '')}'`;
}

/** Whether `path` is `folder` or below it. */
export const isUnder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

export function image(prop: string, value: string): string | undefined {
  return /^[a-z0-9][a-z0-9._:/-]*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not an image reference, expected REPOSITORY:TAG or REPOSITORY@sha256:DIGEST`;
}

/** Cloud Storage's naming rules, without the ones about IP addresses. */
export function bucketName(prop: string, value: string): string | undefined {
  if (value.startsWith('gs://'))
    return `${prop} ${quoted(value)} is a URL, expected the bucket's name alone: '${value.slice(5).split('/')[0] ?? ''}'`;
  if (
    !/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(value) ||
    value.split('.').some((part) => part.length > 63)
  )
    return `${prop} ${quoted(value)} is not a bucket name, expected 3 to 63 lower-case letters, digits, '-', '_' and '.'; nearest: '${(
      value
        .toLowerCase()
        .replace(/[^a-z0-9._-]+/g, '-')
        .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') + '-bucket'
    )
      .replace(/^-/, 'my-')
      .slice(0, 63)}'`;
  if (value.length > 63 && !value.includes('.'))
    return `${prop} ${quoted(value)} has ${String(value.length)} characters, expected at most 63; nearest: '${value.slice(0, 63)}'`;
  return undefined;
}

/** What Hugging Face's access tokens look like. */
export const looksLikeToken = (value: string): boolean => /^hf_[A-Za-z0-9]{10,}$/.test(value);
