import path from 'node:path';
import { type Layout } from './kustomize';
import { groupOf, type ManifestObject, text } from './manifest';

// Which files of a folder are applied together. Many folders hold alternatives: samples, tests, one variant per file.

/** The objects that were read from one file of a folder. */
export interface FileObjects {
  readonly file: string;
  readonly objects: readonly ManifestObject[];
}

/**
 * Returns what each file below a folder is applied with: the kustomizations that build it. Without one, the largest folder around it
 * in which no two files have an object of one name, and if there is none, the file alone.
 */
export function scopesIn(
  root: string,
  files: readonly FileObjects[],
  { buildersOf }: Pick<Layout, 'buildersOf'>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const scopes = new Map<string, ReadonlySet<string>>();
  const plain: FileObjects[] = [];
  for (const one of files) {
    const builders = buildersOf(one.file);
    if (builders.length > 0) scopes.set(one.file, new Set(builders));
    else plain.push(one);
  }
  const ambiguous = foldersOfAlternatives(root, plain);
  const shared = new Map<string, ReadonlySet<string>>();
  for (const { file } of plain) {
    const scope = foldersAround(root, file).find((folder) => !ambiguous.has(folder)) ?? file;
    const known = shared.get(scope) ?? new Set([scope]);
    shared.set(scope, known);
    scopes.set(file, known);
  }
  return scopes;
}

/** The folders from the root down to that of a file. */
function foldersAround(root: string, file: string): readonly string[] {
  const steps = path.relative(root, path.dirname(file)).split(path.sep);
  return [root, ...steps.map((_, index) => path.join(root, ...steps.slice(0, index + 1)))];
}

/** The folders below which two files have an object of one name. */
function foldersOfAlternatives(root: string, files: readonly FileObjects[]): ReadonlySet<string> {
  const named = new Map<string, Map<string, string>>();
  const ambiguous = new Set<string>();
  for (const { file, objects } of files)
    for (const folder of foldersAround(root, file)) {
      const names = named.get(folder) ?? new Map<string, string>();
      named.set(folder, names);
      for (const object of objects) {
        const name = nameOf(object);
        if (name === undefined) continue;
        if ((names.get(name) ?? file) !== file) ambiguous.add(folder);
        names.set(name, file);
      }
    }
  return ambiguous;
}

/** The key by which the API server identifies an object; undefined if the object has no name yet. */
function nameOf({ manifest, kind, namespace }: ManifestObject): string | undefined {
  const name = text(manifest, 'metadata', 'name') ?? '';
  return kind === '' || name === ''
    ? undefined
    : [groupOf(text(manifest, 'apiVersion')), kind, namespace, name].join('\n');
}
