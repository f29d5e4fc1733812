// Grammars of Kubernetes, Cloud Storage and Hugging Face: each function returns the problem of a value, or undefined.
import { type Complaint } from './problems';

/** Returns what is wrong with a text, or undefined if it is valid. */
export type Grammar = (value: string) => Complaint | undefined;

/** Returns a name of lower-case letters, digits and '-' that resembles `text`. Removes what `before` matches at its start. */
const asLabel = (text: string, max: number, before: RegExp): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(before, '')
    .slice(0, max)
    .replace(/-+$/, '') || 'x';

/**
 * Names of Services and of objects named after one: at most `max` lower-case letters, digits and '-', starting with a letter, which
 * Kubernetes up to 1.33 requires of Services. `because` says why `max` is less than 63.
 */
export const dnsLabel =
  (max = 63, because?: string): Grammar =>
  (value) => {
    const nearest = asLabel(value, max, /^[^a-z]+/);
    if (value.length > max)
      return {
        problem: `has ${String(value.length)} characters`,
        use: `at most ${String(max)}${because === undefined ? '' : ` (${because})`}`,
        nearest,
      };
    return /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value)
      ? undefined
      : {
          problem: 'is not a DNS label',
          use: "lower-case letters, digits and '-', starting with a letter and not ending with '-'",
          nearest,
        };
  };

/** Returns a valid name that resembles `text`. */
export const nearestLabel = (text: string): string => asLabel(text, 63, /^[^a-z]+/);

/** Names of namespaces, containers and volumes: at most 63 lower-case letters, digits and '-'; a digit can come first. */
export const podLabel: Grammar = (value) => {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value)) return undefined;
  const nearest = asLabel(value, 63, /^-+/);
  return value.length > 63
    ? { problem: `has ${String(value.length)} characters`, use: 'at most 63', nearest }
    : {
        problem: 'is not a DNS label',
        use: "lower-case letters, digits and '-', starting and ending with a letter or digit",
        nearest,
      };
};

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Names of ServiceAccounts, Secrets and PriorityClasses: DNS labels with dots between them. */
export const dnsSubdomain: Grammar = (value) => {
  if (value.length <= 253 && SUBDOMAIN.test(value)) return undefined;
  const nearest = value
    .slice(0, 253)
    .split('.')
    .filter((part) => /[a-z0-9]/i.test(part))
    .map((part) => asLabel(part, 253, /^-+/))
    .join('.');
  return {
    problem: 'is not a DNS name',
    use: "at most 253 lower-case letters, digits, '-' and '.'",
    nearest: nearest || 'x',
  };
};

/** Names of ports: at most 15 lower-case letters, digits and '-', with at least one letter and no '--'. */
export const portName: Grammar = (value) =>
  /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(value)
    ? undefined
    : {
        problem: 'is not the name of a port',
        use: "at most 15 lower-case letters, digits and single '-', with at least one letter",
        nearest: asLabel(value.replace(/[^A-Za-z0-9]+/g, '-'), 15, /^[^a-z]+/),
      };

const asLabelValue = (value: string): string =>
  value
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

/** Values of labels: at most 63 letters, digits, '.', '_' and '-', with a letter or digit at both ends. */
export const labelValue: Grammar = (value) =>
  LABEL_VALUE.test(value)
    ? undefined
    : {
        problem: 'is not a label value',
        use: "at most 63 letters, digits, '.', '_' and '-', starting and ending with a letter or digit",
        nearest: asLabelValue(value),
      };

/** Keys of labels and annotations: NAME or DOMAIN/NAME. */
export const labelKey: Grammar = (key) => {
  const [name = '', domain, ...more] = key.split('/').reverse();
  const named = name !== '' && LABEL_VALUE.test(name) && more.length === 0;
  return named && (domain === undefined || (domain.length <= 253 && SUBDOMAIN.test(domain)))
    ? undefined
    : {
        problem: 'is not the key of a label',
        use: "NAME or DOMAIN/NAME of letters, digits, '.', '_' and '-'",
        nearest: asLabelValue(name) || 'x',
      };
};

/** Text without line ends and other control characters. */
export const singleLine: Grammar = (value) =>
  /\p{Cc}/u.test(value)
    ? { problem: 'contains a control character, like a line end', use: 'a single line' }
    : undefined;

/** Names of environment variables, as Kubernetes up to 1.33 accepts them. */
export const variableName: Grammar = (name) =>
  /^[-._A-Za-z][-._A-Za-z0-9]*$/.test(name)
    ? undefined
    : {
        problem: 'is not a variable name',
        use: "letters, digits, '_', '-' and '.', not starting with a digit",
      };

/** Largest number that Kubernetes stores in most of its fields. */
export const INT32 = 2 ** 31 - 1;

/** Returns the problem of a number that is not whole, or not in a range. */
export function integerProblem(value: number, min: number, max = INT32): Complaint | undefined {
  if (Number.isInteger(value) && value >= min && value <= max) return undefined;
  const range =
    max > 1e9 && !(value > max) ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;
  const nearest = Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : min;
  return { problem: `is not a whole number ${range}`, use: String(nearest) };
}

const QUANTITY = /^(\d+(?:\.\d*)?|\.\d+)(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d+))?$/;
const FACTORS: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['k', 1e3],
  ...'MGTPE'.split('').map((letter, index): [string, number] => [letter, 1000 ** (index + 2)]),
  ...'KMGTPE'.split('').map((letter, index): [string, number] => [`${letter}i`, 1024 ** (index + 1)]),
]);

/** Amounts of CPU, like `8` or `500m`. */
export const cores: Grammar = (value) => notAQuantity(value, asCores);
/** Amounts of memory or disk, like `20Gi`; any number that Kubernetes accepts. */
export const quantity: Grammar = (value) => notAQuantity(value, asBytes);

const notAQuantity = (value: string, repair: (value: string) => string): Complaint | undefined =>
  QUANTITY.test(value)
    ? undefined
    : {
        problem: 'is not a quantity',
        use: 'a number with a suffix',
        nearest: repair(value),
      };

/** Reads `20 cores` as 20 and `500 m` as 500m. */
function asCores(value: string): string {
  const [, digits = '8', milli = ''] = /(\d+(?:\.\d+)?)\s*(m\b)?/.exec(value) ?? [];
  return digits + milli;
}

/** Reads `160GB` as 160G and `16 gib` as 16Gi. */
function asBytes(value: string): string {
  const [, digits = '20', letter = 'G', binary = ''] = /^\s*(\d+(?:\.\d+)?)\s*([kmgtpe])(i?)b?\s*$/i.exec(
    value,
  ) ?? [undefined, undefined, undefined, 'i'];
  const upper = letter.toUpperCase();
  return digits + (binary === '' ? upper.replace('K', 'k') : `${upper}i`);
}

/** Sizes in bytes: quantities of at least 1 MB. A smaller value probably has no suffix. */
export const room: Grammar = (value) => {
  const wrong = quantity(value);
  if (wrong !== undefined || quantityOf(value) >= 1e6) return wrong;
  const number = Number(QUANTITY.exec(value)?.[1]);
  const suffix = value.endsWith('m') ? 'M' : 'G';
  const nearest = quantityOf(`${String(number)}${suffix}`) >= 1e6 ? number : 1;
  return {
    problem: 'is less than 1 MB',
    use: 'bytes with a suffix',
    nearest: `${String(nearest)}${suffix}`,
  };
};

/** Returns a quantity as a number: bytes of memory, cores of CPU. NaN if `value` is not a quantity. */
export function quantityOf(value: string): number {
  const [, digits = 'NaN', suffix = '', exponent = '0'] = QUANTITY.exec(value) ?? [];
  return Number(digits) * (FACTORS.get(suffix) ?? 1) * 10 ** Number(exponent);
}

/** Absolute paths of folders and files in a container. */
export const absolutePath: Grammar = (value) => {
  const parts = value
    .replace(/[\s:]+/g, '-')
    .replace(/^[-/]+/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reduce<readonly string[]>((path, part) => (part === '..' ? path.slice(0, -1) : [...path, part]), []);
  const nearest = `/${parts.join('/') || 'data'}`;
  if (!/^\/[^\s:]*$/.test(value))
    return {
      problem: 'is not an absolute path',
      use: "a path that starts with '/', without ':' and spaces",
      nearest,
    };
  if (value.split('/').includes('..'))
    return { problem: "contains '..'", use: "the path without '..'", nearest };
  if (parts.length === 0) return { problem: 'is the root of the file system', use: 'a folder', nearest };
  return undefined;
};

/** Returns the path of a folder without slashes at its end. */
export const bare = (folder: string): string => folder.replace(/(?<=.)\/+$/, '');

/** Whether `path` is `folder` or below it. */
export const isUnder = (path: string, folder: string): boolean =>
  `${path}/`.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

const COMPONENT = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const IMAGE = new RegExp(
  `^(?:[a-z0-9-]+(?:\\.[a-z0-9-]+)*(?::\\d+)?/)?${COMPONENT}(?:/${COMPONENT})*(?=[:@])(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`,
);

/** Container images with a tag or digest. */
export const image: Grammar = (value) => {
  if (IMAGE.test(value)) return undefined;
  const near = value.trim().replace(/^[a-z]+:\/\//, '');
  return {
    problem: 'is not an image with a tag or digest',
    use: 'REPOSITORY:TAG or REPOSITORY@sha256:DIGEST',
    ...(IMAGE.test(near) && { nearest: near }),
  };
};

/** Rules of Cloud Storage for the name of a bucket, each with advice for a name that breaks it. */
const BUCKET_RULES: readonly (readonly [(name: string) => boolean, string])[] = [
  [
    (name) =>
      /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(name) && name.split('.').every((part) => part.length <= 63),
    "3 to 63 lower-case letters, digits, '-', '_' and '.'",
  ],
  [(name) => !/\.[.-]|-\./.test(name), "a name without '.' or '-' next to a '.'"],
  [(name) => !/^\d+(\.\d+){3}$/.test(name), 'a name that is not an IP address'],
  [(name) => !/^goog|google/.test(name), "a name that does not start with 'goog' or contain 'google'"],
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
 * Names of buckets.
 *
 * @see https://cloud.google.com/storage/docs/buckets#naming
 */
export const bucketName: Grammar = (value) => {
  if (value.startsWith('gs://'))
    return {
      problem: 'is a URL',
      use: "the bucket's name alone",
      nearest: asBucket(value.slice('gs://'.length).split('/')[0] ?? ''),
    };
  const [, use] = BUCKET_RULES.find(([holds]) => !holds(value)) ?? [];
  return use === undefined ? undefined : { problem: 'is not a bucket name', use, nearest: asBucket(value) };
};

/** Whether a value is a Hugging Face access token. */
export const looksLikeToken = (value: string): boolean => /^\s*hf_[A-Za-z0-9]{10,}\s*$/.test(value);

/**
 * Whether a text contains a Hugging Face access token. Real tokens have 34 characters after `hf_`; after `=`, `:` or a space, ten are
 * enough, as in `--hf-token=hf_…`.
 */
export const holdsToken = (value: string): boolean =>
  looksLikeToken(value) ||
  /[=:\s"']hf_[A-Za-z0-9]{10,}(?![A-Za-z0-9_-])/.test(value) ||
  /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}/.test(value);

/** Host names of requests; the first part can be `*`. */
export const hostName: Grammar = (value) =>
  value.length <= 253 &&
  /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value)
    ? undefined
    : { problem: 'is not a host name', use: 'a host name', nearest: 'llm.example.com' };

/** Paths of requests that a route matches. */
export const urlPath: Grammar = (value) =>
  value.length <= 1024 &&
  /^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/.test(value) &&
  !/\/\/|\/\.\.?(\/|$)/.test(value)
    ? undefined
    : { problem: 'is not a path', use: 'an absolute path', nearest: '/v1' };

const BUCKET_FOLDER = /^gs:\/\/([^/]+)\/([^?#]*[^/?#])\/*$/;

/** Returns the bucket of a folder like `gs://my-models/Qwen3-32B`; undefined for other texts. */
export const bucketOfFolder = (folder: string): string | undefined => BUCKET_FOLDER.exec(folder)?.[1];

/** Folders of buckets, like `gs://my-models/Qwen3-32B`. */
export const bucketFolder: Grammar = (value) => {
  const bucket = bucketOfFolder(value);
  return bucket !== undefined && bucketName(bucket) === undefined
    ? undefined
    : {
        problem: 'is not a folder of a bucket',
        use: 'gs://BUCKET/FOLDER',
        nearest: 'gs://my-models/Qwen3-32B',
      };
};
