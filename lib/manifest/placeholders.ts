import { isRecord, type Json } from './manifest';

// Values to replace before a manifest is applied: of templates, of envsubst, of documentation.

/**
 * `$IMAGE`, `${IMAGE}`, `{IMAGE}`, `{image}`, `%(image)s`, `__IMAGE__`, `{{ .Values.image }}`, `<your-image>`, `[your-image]`, `REPLACE_ME`,
 * `replaced-by-kustomize`, `YOUR_IMAGE`, `PROJECT_ID`, `PROJECT` as a part of a value, and `ko://example.com/cmd/server`, an import path that
 * ko replaces with an image.
 *
 * @see https://ko.build/features/k8s/
 */
const PLACEHOLDER = new RegExp(
  [
    String.raw`^ko:\/\/|\{\{|\$\{[^}]*\}|\{[A-Za-z_][\w.]*\}|\$[A-Za-z_]\w*|%\(\w+\)s|__[A-Z][A-Z0-9_]*__`,
    String.raw`<[A-Za-z][\w .-]*>|\[[A-Za-z][\w .-]*\]`,
    String.raw`\breplaced?-(?:by|me|with|this)\b|\b(?:REPLACE|CHANGE|INSERT|YOUR|MY|FILL)[_-][A-Z0-9_]+\b`,
    String.raw`(?:^|[/:-])[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9](?:$|[/:.-])`,
    String.raw`(?:^|[/:])(?:PROJECT|REPOSITORY|REPO|REGISTRY|IMAGE|TAG|VERSION|DIGEST|BUCKET|REGION|LOCATION|ZONE|NAMESPACE|CLUSTER)(?:$|[/:])`,
  ].join('|'),
);

/**
 * Constants in capitals that fields of Kubernetes and of GKE have as values: capabilities of Linux, kinds of session affinity, of ports of
 * health checks and of reservations.
 *
 * @see https://man7.org/linux/man-pages/man7/capabilities.7.html
 * @see https://github.com/GoogleCloudPlatform/gke-gateway-api
 */
const CONSTANTS = new RegExp(
  `^(?:${[
    '(?:CAP_)?(?:AUDIT|BLOCK|DAC|IPC|LINUX|MAC|NET|SYS)_[A-Z_]+|CHECKPOINT_RESTORE|WAKE_ALARM',
    'CLIENT_IP[A-Z_]*|GENERATED_COOKIE|HEADER_FIELD|HTTP_COOKIE',
    'USE_(?:FIXED|NAMED|SERVING)_PORT|PROXY_V1',
    '(?:ANY|NO|SPECIFIC)_RESERVATION',
  ].join('|')})$`,
);

/** Whether a value contains a placeholder. Kubernetes itself replaces `$(NAME)`. */
export const isPlaceholder = (value: unknown): boolean =>
  typeof value === 'string' && PLACEHOLDER.test(value) && !CONSTANTS.test(value);

/** `name: {JOB_NAME}` in a line of YAML. */
const IN_BRACES = /[:-] *\{([A-Za-z_]\w*)\}/g;

/** Converts each `{IMAGE}` without quotes in YAML, which is a map with an empty value, to the text that its author means. */
export function textsIn(yaml: string, value: unknown): unknown {
  const names = new Set([...yaml.matchAll(IN_BRACES)].map(([, name]) => name));
  return names.size === 0 ? value : withTexts(value, names);
}

function withTexts(value: unknown, names: ReadonlySet<string | undefined>): unknown {
  if (Array.isArray(value)) return value.map((item) => withTexts(item, names));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const [[key, content] = ['', '']] = entries;
  if (entries.length === 1 && content === null && names.has(key)) return `{${key}}`;
  return Object.fromEntries(entries.map(([name, child]) => [name, withTexts(child, names)]));
}

/** Fields with scripts and settings of programs, which have their own variables. */
const PROGRAMS: ReadonlySet<string> = new Set([
  'args',
  'command',
  'annotations',
  'data',
  'stringData',
  'binaryData',
  'env',
  'serveConfigV2',
  'runtimeEnvYAML',
  'entrypoint',
  'description',
  'rayStartParams',
  'last-applied-configuration',
]);

/** Returns the path of the first placeholder in a manifest, except in scripts. */
export function placeholderIn(
  value: unknown,
  path = '',
): { readonly path: string; readonly value: string } | undefined {
  if (typeof value === 'string') return isPlaceholder(value) ? { path, value } : undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const name = isRecord(item) && typeof item['name'] === 'string' ? item['name'] : String(index);
      const found = placeholderIn(item, `${path}[${name}]`);
      if (found) return found;
    }
  } else if (isRecord(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (PROGRAMS.has(key)) continue;
      const step = key.includes('.') ? `[${key}]` : path === '' ? key : `.${key}`;
      const found = placeholderIn(child, `${path}${step}`);
      if (found) return found;
    }
  }
  return undefined;
}

/** Fields with names of variables and keys, which are often in capitals. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['name', 'key']);

/** Keys that an item of a list is named by in a path. */
const NAMES = ['name', 'groupName', 'mountPath', 'containerPort', 'port'];

/** Returns the value at a path like `spec.containers[vllm].image`; undefined if there is none. */
export function valueAt(manifest: Json, path: string): unknown {
  let value: unknown = manifest;
  for (let at = 0; at < path.length && value !== undefined;) {
    const isLabel = path[at] === '[';
    const end = isLabel ? path.indexOf(']', at) : endOfKey(path, at);
    const key = path.slice(isLabel ? at + 1 : at, end < 0 ? undefined : end);
    if (Array.isArray(value)) value = value.find((item) => isNamed(item, key)) ?? value[Number(key)];
    else value = isRecord(value) ? value[key] : undefined;
    at = end < 0 ? path.length : isLabel ? end + 1 : end;
    if (path[at] === '.') at++;
  }
  return value;
}

/** Where a key of a path ends that starts at an index. */
function endOfKey(path: string, start: number): number {
  let end = start;
  while (end < path.length && path[end] !== '.' && path[end] !== '[') end++;
  return end;
}

const isNamed = (item: unknown, label: string): boolean =>
  isRecord(item) && NAMES.some((name) => name in item && String(item[name]) === label);

/** Whether a value, or a value of a small map, is a placeholder. */
export function isFilledIn(value: unknown, depth = 2): boolean {
  if (isRecord(value) && depth > 0)
    return Object.entries(value).some(
      ([key, child]) => !IDENTIFIERS.has(key) && isFilledIn(child, depth - 1),
    );
  // A text of several lines is a script or a configuration with its own variables.
  return typeof value === 'string' && !value.includes('\n') && isPlaceholder(value);
}
