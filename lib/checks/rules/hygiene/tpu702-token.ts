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
  title: 'no manifest holds a token',
  severities: ['error', 'warning'],
  kinds: ['any'],
  local: true,
  check: function* ({ objects, pods }) {
    for (const object of objects)
      for (const { path, token } of tokensIn(object))
        yield {
          object,
          path,
          message: `the manifest holds the Hugging Face token '${token.slice(0, 5)}…', for everyone who reads it`,
          fix: `${
            object.kind === 'Secret'
              ? 'create the Secret with kubectl create secret or from a secret store'
              : 'name the key of a Secret with valueFrom.secretKeyRef'
          }, and revoke this token`,
        };
    for (const pod of pods) for (const one of pod.containers) yield* secretsOf(pod.object, one);
  },
});

/** Variables whose names say that their value is secret; of a tokenizer, tokens are words. */
const SECRET_NAME =
  /(^|_)(TOKEN|API_KEY|APIKEY|PASSWORD|PASSWD|SECRET|SECRET_KEY|SECRET_ACCESS_KEY|PRIVATE_KEY)$/;
const WORD_TOKEN =
  /(^|_)(BOS|EOS|PAD|UNK|SEP|MASK|STOP|START|END|MAX|MIN|PER|NUM|NEW|SPECIAL|IMAGE|VIDEO|AUDIO)_TOKEN$/;
/** Values that are not secrets: numbers, switches, paths, addresses, and what Kubernetes fills in. */
const NO_SECRET =
  /^(\s*|\$\(.*\)|[\d.]+|true|false|none|null|yes|no|EMPTY|dummy|not-needed|\/.*|[a-z]+:\/\/.*)$/i;

/** A key for SSH or TLS that a script takes from its own text. */
const KEY_IN_SCRIPT =
  /echo\s+["']?([^"'\s$]+)["']?\s*\|\s*base64\s+(?:-d|-D|--decode)\b[^|\n;]*(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.pem|\.key)\b/;

function* secretsOf(object: ManifestObject, one: ContainerView): Generator<Violation<'error' | 'warning'>> {
  const { container, name, path } = one;
  const fix = 'name the key of a Secret with valueFrom.secretKeyRef';
  for (const entry of list(container, 'env')) {
    const key = text(entry, 'name') ?? '';
    const value = text(entry, 'value') ?? '';
    const known = TOKEN_NAMES.includes(key);
    if (!known && (!SECRET_NAME.test(key.toUpperCase()) || WORD_TOKEN.test(key.toUpperCase()))) continue;
    if (NO_SECRET.test(value) || tokenIn(value)) continue;
    yield {
      object,
      path: `${path}.env[${key}].value`,
      message: `container '${name}' takes ${key} from the manifest, for everyone who reads it`,
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
      message: `container '${name}' takes ${API_KEY_FLAGS.join()} from the manifest, for everyone who reads it`,
      fix: 'set the variable of the server, like VLLM_API_KEY, with valueFrom.secretKeyRef',
      severity: 'warning',
    };
  if (KEY_IN_SCRIPT.test(shellLineOf(one) ?? ''))
    yield {
      object,
      path: `${path}.${list(container, 'args').length > 0 ? 'args' : 'command'}`,
      message: `the script of container '${name}' holds a private key, for everyone who reads it`,
      fix: 'mount the key from a Secret',
    };
}

/** The Hugging Face token in a text; a row of one letter is a placeholder. */
function tokenIn(value: string): string | undefined {
  if (!value.includes('hf_')) return undefined;
  const [token, letters = ''] = TOKEN.exec(value) ?? [];
  return new Set(letters.toLowerCase()).size > 2 ? token : undefined;
}

/** Every text of an object that holds a token, and where it stands; the values of a Secret as they are read. */
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

/** Whether a text somewhere in a value looks like a token, written or in base64. */
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

/** What base64 that starts with `hf_` says. */
const decoded = (value: string): string =>
  value.startsWith('aGZf') ? Buffer.from(value, 'base64').toString('latin1').trim() : '';
