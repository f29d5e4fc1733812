import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isRecord, type Json, list, type ManifestObject, record, text } from './manifest';

// Finds out which files and objects kustomizations change. Does not build them: the rules skip everything that a build changes.

/** Names of kustomization files. */
const FILE = /^(kustomization\.ya?ml|Kustomization)$/;

/** Whether a file is a kustomization. */
export const isKustomization = (file: string): boolean => FILE.test(path.basename(file));

/** A kustomization and its file. */
interface Kustomization {
  readonly file: string;
  readonly manifest: Json;
}

/** What the kustomizations among some files say of the others. */
export interface Layout {
  /** Whether a file is not a whole manifest: a patch, the values of a chart, data of a ConfigMap. */
  readonly isLeftOut: (file: string) => boolean;
  /** Returns the folder of the kustomization that lists a file as a resource. */
  readonly folderOf: (file: string) => string | undefined;
  /** Whether a folder with a kustomization contains a file that no kustomization lists. */
  readonly isBeside: (file: string) => boolean;
  /** Returns the kustomizations that build a file; none if no kustomization lists it. */
  readonly buildersOf: (file: string) => readonly string[];
  /** Returns an object with the changes that Kustomize makes to it. */
  readonly changed: (object: ManifestObject) => ManifestObject;
}

/** Lists whose items are files, folders, inline YAML, or maps with a `path`: https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/ */
const PARTS = [
  'patchesStrategicMerge',
  'patches',
  'patchesJson6902',
  'transformers',
  'generators',
  'validators',
  'configurations',
  'crds',
  'replacements',
] as const;
const GENERATORS = { configMapGenerator: 'ConfigMap', secretGenerator: 'Secret' } as const;

const isFile = (word: string): boolean => word !== '' && !word.includes('\n');

/** Returns the files of patches and other parts of objects in a kustomization. */
export const partsOf = (kustomization: Json): readonly string[] =>
  PARTS.flatMap((key) =>
    list(kustomization, key).map((one) => (typeof one === 'string' ? one : (text(one, 'path') ?? ''))),
  )
    .concat(text(kustomization, 'openapi', 'path') ?? [])
    .filter(isFile);

/** Returns the data files of a kustomization: for generated ConfigMaps and Secrets, and values of charts. */
const dataOf = (kustomization: Json): readonly string[] => [
  ...Object.keys(GENERATORS).flatMap((key) =>
    list(kustomization, key).flatMap((generator) =>
      [...list(generator, 'files'), ...list(generator, 'envs'), record(generator)['env']]
        .filter((one) => typeof one === 'string')
        // `KEY=FILE`
        .map((one) => one.slice(one.indexOf('=') + 1)),
    ),
  ),
  ...[...list(kustomization, 'helmCharts'), ...list(kustomization, 'helmChartInflationGenerator')].flatMap(
    (chart) =>
      [
        text(chart, 'valuesFile') ?? text(chart, 'values') ?? 'values.yaml',
        ...list(chart, 'additionalValuesFiles'),
      ].filter((one) => typeof one === 'string'),
  ),
];

/** Returns the files and folders that a kustomization builds. */
const resourcesOf = ({ file, manifest }: Kustomization): readonly string[] =>
  ['resources', 'bases', 'components']
    .flatMap((key) => list(manifest, key))
    .filter((one) => typeof one === 'string' && !one.includes('://'))
    .map((one) => path.join(path.dirname(file), String(one)));

/** What the kustomizations among some files say of the others. */
export function layoutOf(files: readonly string[]): Layout {
  const all = files.filter(isKustomization).flatMap((file): readonly Kustomization[] => {
    const [manifest] = documentsIn(file).filter(isRecord);
    // Flux has a kind with this name but other fields.
    return manifest && text(manifest, 'apiVersion')?.startsWith('kustomize.toolkit') !== true
      ? [{ file, manifest }]
      : [];
  });
  const left = new Set(
    all.flatMap(({ file, manifest }) =>
      [...partsOf(manifest), ...dataOf(manifest)].map((one) => path.join(path.dirname(file), one)),
    ),
  );
  const folders = new Set(all.map(({ file }) => path.dirname(file)));
  const named = new Map<string, string>();
  for (const one of all)
    for (const file of resourcesOf(one)) if (!named.has(file)) named.set(file, path.dirname(one.file));
  const changes = all.map((one) => ({ ...changesOf(one), file: one.file, reaches: reachOf(one, all) }));
  return {
    isLeftOut: (file) => left.has(file) || left.has(path.dirname(file)),
    folderOf: (file) => named.get(file) ?? (isKustomization(file) ? path.dirname(file) : undefined),
    isBeside: (file) => folders.has(path.dirname(file)) && !named.has(path.normalize(file)),
    buildersOf: (file) =>
      changes.filter(({ reaches }) => reaches.has(path.normalize(file))).map((one) => one.file),
    changed: (object) => {
      const own = changes.filter(({ reaches }) => reaches.has(path.normalize(object.file ?? '')));
      if (own.length === 0) return object;
      return {
        ...object,
        // Everything that a kustomization with a namespace builds is in that namespace.
        ...(own.some(({ namespace }) => namespace !== undefined) && { namespace: '' }),
        kustomized: {
          patched: own.flatMap(({ patches }) =>
            patches.filter((one) => one.isAbout(object)).flatMap(({ paths }) => paths),
          ),
          images: new Map(own.flatMap(({ images }) => [...images])),
          labels: new Set(own.flatMap(({ labels }) => [...labels])),
          generated: new Set(changes.flatMap(({ generated }) => generated)),
        },
      };
    },
  };
}

/** Returns the files that a kustomization changes: those that it builds. A component changes the files of the kustomizations that use it. */
function reachOf(one: Kustomization, all: readonly Kustomization[]): ReadonlySet<string> {
  const users = all.filter(({ file, manifest }) =>
    list(manifest, 'components').some(
      (component) => path.join(path.dirname(file), String(component), '.') === path.dirname(one.file),
    ),
  );
  return new Set([one, ...users].flatMap((start) => [...filesBelow(start, all)]));
}

/** Returns the files that a kustomization builds, including those of the kustomizations that it lists. */
function filesBelow(start: Kustomization, all: readonly Kustomization[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...resourcesOf(start)];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const place = one.replace(/(?<=.)\/+$/, '');
    if (found.has(place)) continue;
    found.add(place);
    const inner = all.find(({ file }) => path.dirname(file) === place);
    if (inner) waiting.push(...resourcesOf(inner));
  }
  return found;
}

/** A patch: the objects that it applies to, and the paths that it changes. */
interface Patch {
  readonly isAbout: (object: ManifestObject) => boolean;
  readonly paths: readonly (readonly string[])[];
}

interface Changes {
  readonly namespace: string | undefined;
  readonly patches: readonly Patch[];
  readonly images: readonly (readonly [string, Json])[];
  readonly labels: readonly string[];
  readonly generated: readonly string[];
}

function changesOf({ file, manifest }: Kustomization): Changes {
  const folder = path.dirname(file);
  const documents = (word: string): readonly unknown[] =>
    isFile(word) ? documentsIn(path.join(folder, word)) : documentsOf(word);
  return {
    namespace: text(manifest, 'namespace'),
    patches: [
      ...list(manifest, 'patchesStrategicMerge').flatMap((one) =>
        documents(String(one)).map((patch) => patchOf(patch)),
      ),
      ...[...list(manifest, 'patches'), ...list(manifest, 'patchesJson6902')].flatMap((one) => {
        const [place, inline] = [text(one, 'path'), text(one, 'patch')];
        return [
          ...(place === undefined ? [] : documents(place)),
          ...(inline === undefined ? [] : documentsOf(inline)),
        ].map((patch) => patchOf(patch, record(one, 'target')));
      }),
    ],
    images: list(manifest, 'images')
      .filter(isRecord)
      .map((one) => [text(one, 'name') ?? '', one]),
    labels: [
      ...Object.keys(record(manifest, 'commonLabels')),
      ...list(manifest, 'labels').flatMap((one) => Object.keys(record(one, 'pairs'))),
    ],
    generated: Object.entries(GENERATORS).flatMap(([key, kind]) =>
      list(manifest, key).map((one) => `${kind}/${text(one, 'name') ?? ''}`),
    ),
  };
}

/** Reads a patch: a part of an object, or a list of JSON 6902 operations. The names of a target are patterns. */
function patchOf(patch: unknown, target: Json = {}): Patch {
  const [kind, name] = [text(target, 'kind'), text(target, 'name')];
  return {
    isAbout: (object) =>
      Object.keys(target).length > 0
        ? isLike(kind, object.kind) && isLike(name, object.name)
        : text(patch, 'kind') === object.kind && text(patch, 'metadata', 'name') === object.name,
    paths: Array.isArray(patch)
      ? patch.map((one) => (text(one, 'path') ?? '').split('/').slice(1).map(unescaped))
      : [...leavesOf(patch, [])],
  };
}

/** https://datatracker.ietf.org/doc/html/rfc6901 */
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

function isLike(pattern: string | undefined, value: string): boolean {
  try {
    return pattern === undefined || new RegExp(`^(?:${pattern})$`).test(value);
  } catch {
    return pattern === value;
  }
}

function* leavesOf(value: unknown, steps: readonly string[]): Generator<readonly string[]> {
  if (isRecord(value))
    for (const [key, child] of Object.entries(value)) yield* leavesOf(child, [...steps, key]);
  else if (Array.isArray(value) && value.some(isRecord))
    for (const [index, item] of value.entries())
      yield* leavesOf(item, [...steps, text(item, 'name') ?? String(index)]);
  else yield steps;
}

/** Returns the documents of a file; none if it cannot be read, which is reported later. */
function documentsIn(file: string): readonly unknown[] {
  try {
    return documentsOf(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}

/** Returns the documents of a text; none if one has an alias without an anchor, or too many aliases. */
function documentsOf(yaml: string): readonly unknown[] {
  try {
    return parseAllDocuments(yaml, { logLevel: 'silent', uniqueKeys: false })
      .filter(({ errors }) => errors.length === 0)
      .map((document) => document.toJS() as unknown);
  } catch {
    return [];
  }
}

/** Fields that determine the slices of pods. Most rules depend on them. */
const DECISIVE: readonly string[] = ['nodeSelector', 'resources', 'affinity', 'resourceClaims'];

/** Whether a patch changes the value at a path of an object, or a field that the rules for this value depend on. */
export function isPatched({ kustomized }: ManifestObject, place: string): boolean {
  if (!kustomized || kustomized.patched.length === 0) return false;
  const steps = [...place.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([key, label]) => label ?? key);
  return kustomized.patched.some(
    (patched) =>
      patched.some((step) => DECISIVE.includes(step)) ||
      (patched.length > 0 &&
        patched.slice(0, steps.length).every((step, index) => isSame(step, steps[index]))),
  );
}

/** Whether a patch adds or changes ports of containers, or a whole container. */
export const changesPorts = ({ kustomized }: ManifestObject): boolean =>
  kustomized?.patched.some(
    (steps) =>
      steps.includes('ports') || steps.at(-1) === 'containers' || /^(\d+|-)$/.test(afterContainers(steps)),
  ) === true;

/** The last step of a JSON 6902 path to a container; empty for other paths. */
const afterContainers = (steps: readonly string[]): string =>
  steps.at(-2) === 'containers' ? (steps.at(-1) ?? '') : '';

const isSame = (one: string, other: string | undefined): boolean =>
  other === undefined || one === other || /^(\d+|-)$/.test(one);
