import { TOKEN_NAMES } from '../../facts/variables';
import { type PodSecurity, podSecurityLevel } from '../pod-security';
import { isRecord, list, type ManifestObject, record, text } from '../../manifest/manifest';
import { type PodView } from '../../manifest/pods';
import { remark, rule, type Rule } from '../rule';
import { groupOf } from '../../manifest/selection';
import { isTpuPod, specPath } from '../../manifest/slices';
import { ADMISSION_RULES } from './admission';

/** Tags that move, whatever else the tag says, and those that do unless it names a date, a commit or a release. */
const ALWAYS_MOVES = /^latest$/;
const USUALLY_MOVES =
  /^(main|master|head|trunk|nightly|stable|edge|dev|develop|devel|canary|rolling|unstable|current|snapshot)$/;
const TOKEN = /(?<![A-Za-z0-9_])hf_([A-Za-z0-9]{10,})(?![A-Za-z0-9_])/;

/** What anyone should know of a manifest before it runs. */
export const HYGIENE_RULES: readonly Rule[] = [
  remark('TPU701', 'warning', 'an image is pinned to a release', function* ({ pods }) {
    for (const { object, containers } of pods)
      for (const { container, name, path } of containers) {
        const image = text(container, 'image');
        if (image === undefined) continue;
        const tag = movingTag(image);
        if (tag === undefined) continue;
        yield {
          object,
          path: `${path}.image`,
          message:
            tag === ''
              ? `image '${image}' of container '${name}' has no tag, which means latest: another pod may run another release`
              : `tag '${tag}' of image '${image}' of container '${name}' moves: another pod may run another release`,
          fix: 'write the tag of a release, or a digest as in @sha256:…',
        };
      }
  }),
  rule('TPU702', 'error', 'no manifest holds a token', function* ({ objects, pods }) {
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
    for (const { object, containers } of pods)
      for (const { container, name, path } of containers)
        for (const entry of list(container, 'env')) {
          const key = text(entry, 'name') ?? '';
          const value = text(entry, 'value') ?? '';
          // $(OTHER) is the value of another variable
          if (!TOKEN_NAMES.includes(key) || /^(\s*|\$\(.*\))$/.test(value) || tokenIn(value)) continue;
          yield {
            object,
            path: `${path}.env[${key}].value`,
            message: `container '${name}' takes ${key} from the manifest, for everyone who reads it`,
            fix: 'name the key of a Secret with valueFrom.secretKeyRef',
          };
        }
  }),
  rule('TPU703', 'error', 'an object is there once', function* ({ objects }) {
    const first = new Map<string, ManifestObject>();
    for (const object of objects) {
      const { manifest, kind, namespace, id } = object;
      const name = text(manifest, 'metadata', 'name') ?? '';
      if (kind === '' || name === '') continue;
      const key = JSON.stringify([groupOf(text(manifest, 'apiVersion')), kind, namespace, name]);
      const other = first.get(key);
      if (!other) first.set(key, object);
      else
        yield {
          object,
          path: 'metadata.name',
          message: `there are two objects ${id}, ${whereBoth(other, object)}: what is applied last replaces the other`,
          fix: 'rename one of the two, or remove it',
        };
    }
  }),
  remark('TPU704', 'warning', 'a container is not privileged', function* ({ pods }) {
    for (const pod of pods.filter(isOrdinary))
      for (const { container, name, path, chips } of pod.containers)
        if (record(container, 'securityContext')['privileged'] === true)
          yield {
            object: pod.object,
            path: `${path}.securityContext.privileged`,
            message: `container '${name}' is privileged, with all devices of its node; Autopilot refuses it`,
            fix: `remove securityContext.privileged${chips === undefined ? '' : '; the device plugin gives a container its chips'}`,
          };
  }),
  remark('TPU705', 'warning', 'a pod has a network of its own', function* ({ pods }) {
    for (const pod of pods.filter(isOrdinary))
      if (pod.spec['hostNetwork'] === true)
        yield {
          object: pod.object,
          path: `${specPath(pod)}.hostNetwork`,
          message: `the pods use the network of their node, so each of their ports is one of the node's`,
          fix: `remove hostNetwork${isTpuPod(pod) ? ' where the image runs without; the hosts of a slice can find each other by a headless Service' : ''}`,
        };
  }),
  remark(
    'TPU706',
    'note',
    'the pods of a TPU workload are admitted at every level of Pod Security',
    function* ({ pods }) {
      const byObject = new Map<ManifestObject, PodView[]>();
      for (const pod of pods) byObject.set(pod.object, [...(byObject.get(pod.object) ?? []), pod]);
      for (const [object, own] of byObject) {
        if (!own.some(isTpuPod)) continue;
        const views = own.map((pod) => ({ pod, security: podSecurityLevel(pod.template) }));
        const level = LEVELS.find((one) => views.some(({ security }) => security.level === one));
        const lowest = views.filter(({ security }) => security.level === level);
        const [first] = lowest.flatMap(({ pod, security }) =>
          security.obstacles.map(({ path }) => (pod.path === '' ? path : `${pod.path}.${path}`)),
        );
        if (first === undefined) continue;
        const next = level === 'privileged' ? 'baseline' : 'restricted';
        yield {
          object,
          path: first,
          message: `the pods are admitted at level '${level ?? ''}', not at '${next}' (${obstacles(lowest.map(({ security }) => security))})`,
          fix: `where the namespace is to enforce '${next}', ${fixes(lowest.map(({ security }) => security))}`,
        };
      }
    },
  ),
  ...ADMISSION_RULES,
];

const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

/** The agent of a node is there to reach the node. */
const isOrdinary = (pod: PodView): boolean => pod.runs !== 'DaemonSet' || isTpuPod(pod);

/** `containers 'a', 'b': allows privilege escalation, may run as root`. */
const obstacles = (securities: readonly PodSecurity[]): string => {
  const whats = new Map<string, Set<string>>();
  for (const { what, containers } of securities.flatMap(({ obstacles: all }) => all)) {
    const names = containers.map((name) => `'${name}'`).join(', ');
    const who = containers.length === 0 ? 'pod' : `container${containers.length > 1 ? 's' : ''} ${names}`;
    whats.set(who, (whats.get(who) ?? new Set()).add(what));
  }
  return [...whats].map(([who, what]) => `${who}: ${[...what].join(', ')}`).join('; ');
};

const fixes = (securities: readonly PodSecurity[]): string =>
  [...new Set(securities.flatMap(({ obstacles: all }) => all.map(({ fix }) => fix)))].join(', ');

/** Both places of two objects with one name. */
function whereBoth(one: ManifestObject, other: ManifestObject): string {
  const [first, second] = [one, other].map(
    ({ file, lineOf, constructPath }) =>
      constructPath ??
      (file === undefined ? undefined : `${file}${lineOf ? `:${String(lineOf('kind'))}` : ''}`),
  );
  return first === undefined || second === undefined ? 'in one set' : `in ${first} and in ${second}`;
}

/** The tag of an image, where it is one that moves; empty where there is none. */
function movingTag(image: string): string | undefined {
  // `auto` is what a sidecar injector fills in
  if (image.includes('@') || image.trim() === '' || image === 'auto') return undefined;
  const [, tag = ''] = (image.split('/').at(-1) ?? '').split(':');
  const words = tag.toLowerCase().split(/[-_.]/);
  const moves =
    tag === '' ||
    words.some((word) => ALWAYS_MOVES.test(word)) ||
    (words.some((word) => USUALLY_MOVES.test(word)) && !words.some((word) => /\d/.test(word)));
  return moves ? tag : undefined;
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
