import { API_KEY_FLAGS } from '../../../facts/servers';
import { shellLineOf, wordsOf } from '../../../manifest/command-line';
import { type ContainerView } from '../../../manifest/pods';
import { type Violation } from '../../rule';
import { TOKEN_NAMES } from '../../../facts/variables';
import { defineRule } from '../../rule';
import { isRecord, list, type ManifestObject, text } from '../../../manifest/manifest';

const TOKEN = /(?<![A-Za-z0-9_])hf_([A-Za-z0-9]{10,})(?![A-Za-z0-9_])/;

export const TPU702 = defineRule({
  code: 'TPU702',
  title: 'a manifest does not contain tokens or keys',
  severities: ['error', 'warning'],
  kinds: ['any'],
  local: true,
  check: function* ({ objects, pods }) {
    for (const object of objects)
      for (const { path, token } of tokensIn(object))
        yield {
          object,
          path,
          message: `the manifest contains the Hugging Face token '${token.slice(0, 5)}…', which everyone who reads it can use`,
          fix: `${
            object.kind === 'Secret'
              ? 'create the Secret with kubectl create secret or from a secret store'
              : 'reference a Secret with valueFrom.secretKeyRef'
          }, and revoke this token`,
        };
    for (const pod of pods) for (const one of pod.containers) yield* secretsOf(pod.object, one);
  },
});

/** Names of variables with secret values, except the tokens of a tokenizer. */
const SECRET_NAME =
  /(^|_)(TOKEN|API_KEY|APIKEY|PASSWORD|PASSWD|SECRET|SECRET_KEY|SECRET_ACCESS_KEY|PRIVATE_KEY)$/;
const WORD_TOKEN =
  /(^|_)(BOS|EOS|PAD|UNK|SEP|MASK|STOP|START|END|MAX|MIN|PER|NUM|NEW|SPECIAL|IMAGE|VIDEO|AUDIO)_TOKEN$/;
/** Values that are not secrets: numbers, switches, paths, URLs, and variables that Kubernetes expands. */
const NO_SECRET =
  /^(\s*|\$\(.*\)|[\d.]+|true|false|none|null|yes|no|EMPTY|dummy|not-needed|\/.*|[a-z]+:\/\/.*)$/i;

/** An SSH or TLS key in the text of a script. */
const KEY_IN_SCRIPT =
  /echo\s+["']?([^"'\s$]+)["']?\s*\|\s*base64\s+(?:-d|-D|--decode)\b[^|\n;]*(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.pem|\.key)\b/;

function* secretsOf(object: ManifestObject, one: ContainerView): Generator<Violation<'error' | 'warning'>> {
  const { container, name, path } = one;
  const fix = 'reference a Secret with valueFrom.secretKeyRef';
  for (const entry of list(container, 'env')) {
    const key = text(entry, 'name') ?? '';
    const value = text(entry, 'value') ?? '';
    const known = TOKEN_NAMES.includes(key);
    if (!known && (!SECRET_NAME.test(key.toUpperCase()) || WORD_TOKEN.test(key.toUpperCase()))) continue;
    if (NO_SECRET.test(value) || tokenIn(value)) continue;
    yield {
      object,
      path: `${path}.env[${key}].value`,
      message: `the manifest contains the value of ${key} for container '${name}', which everyone who reads it can use`,
      fix,
      severity: known ? 'error' : 'warning',
    };
  }
  const words = wordsOf(one);
  const flagged = API_KEY_FLAGS.flatMap((flag) =>
    words.flatMap((word, index) =>
      word === flag
        ? [words[index + 1] ?? '']
        : word.startsWith(`${flag}=`)
          ? [word.slice(flag.length + 1)]
          : [],
    ),
  ).filter(
    (value) => !NO_SECRET.test(value) && !value.startsWith('-') && !value.includes('$') && !tokenIn(value),
  );
  if (flagged.length > 0)
    yield {
      object,
      path: `${path}.args`,
      message: `the manifest contains the value of ${API_KEY_FLAGS.join()} for container '${name}', which everyone who reads it can use`,
      fix: 'set the variable of the server, like VLLM_API_KEY, with valueFrom.secretKeyRef',
      severity: 'warning',
    };
  if (KEY_IN_SCRIPT.test(shellLineOf(one) ?? ''))
    yield {
      object,
      path: `${path}.${list(container, 'args').length > 0 ? 'args' : 'command'}`,
      message: `the script of container '${name}' contains a private key, which everyone who reads it can use`,
      fix: 'mount the key from a Secret',
    };
}

/** The Hugging Face token in a text. One repeated letter is a placeholder. */
function tokenIn(value: string): string | undefined {
  if (!value.includes('hf_')) return undefined;
  const [token, letters = ''] = TOKEN.exec(value) ?? [];
  return new Set(letters.toLowerCase()).size > 2 ? token : undefined;
}

/** The tokens in the texts of an object, with their paths. The values of a Secret are decoded. */
function tokensIn(object: ManifestObject): readonly { readonly path: string; readonly token: string }[] {
  const tokens: { path: string; token: string }[] = [];
  if (!mayHoldToken(object.manifest)) return tokens;
  const waiting: Node[] = [{ value: object.manifest, key: '', parent: undefined }];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { value } = node;
    if (typeof value === 'string') {
      const token = tokenIn(value) ?? (object.kind === 'Secret' ? tokenIn(decoded(value)) : undefined);
      if (token !== undefined) tokens.push({ path: pathOf(node), token });
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        waiting.push({
          value: item,
          key: `[${(isRecord(item) ? text(item, 'name') : undefined) ?? String(index)}]`,
          parent: node,
        });
    } else if (isRecord(value)) {
      for (const [key, child] of Object.entries(value))
        waiting.push({ value: child, key: key.includes('.') ? `[${key}]` : `.${key}`, parent: node });
    }
  }
  return tokens.reverse();
}

/** Whether a value contains a text that looks like a token, plain or in base64. */
function mayHoldToken(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('hf_') || value.startsWith('aGZf');
  return value !== null && typeof value === 'object' && Object.values(value).some(mayHoldToken);
}

interface Node {
  readonly value: unknown;
  readonly key: string;
  readonly parent: Node | undefined;
}

function pathOf(node: Node): string {
  const keys: string[] = [];
  for (let one: Node | undefined = node; one !== undefined; one = one.parent) keys.push(one.key);
  return keys.reverse().join('').slice(1);
}

/** Decodes base64 of a text that starts with `hf_`. */
const decoded = (value: string): string =>
  value.startsWith('aGZf') ? Buffer.from(value, 'base64').toString('latin1').trim() : '';
