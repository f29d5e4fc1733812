// Manifests as they are written, by anyone: every field may be missing or of the wrong type, so everything is asked for, never assumed.

/** A JSON object of unknown content. */
export type Json = Readonly<Record<string, unknown>>;

/** One object of a manifest, and where it came from. */
export interface ManifestObject {
  readonly manifest: Json;
  /** `Deployment/llama`. */
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** Namespace; empty if it is the default one, named or not. */
  readonly namespace: string;
  /** The file or folder of Kustomize where its name is there once; undefined if it belongs to everything that the user names. */
  readonly scope?: string | undefined;
  /** What it is applied with: a folder, or the kustomizations that build it; undefined if it is applied with everything. */
  readonly scopes?: ReadonlySet<string> | undefined;
  /** File that it was read from. */
  readonly file?: string | undefined;
  /** Line of the file where a path of the manifest stands, or the nearest above it that does. */
  readonly lineOf?: ((path: string) => number) | undefined;
  /** Path of the construct that renders it. */
  readonly constructPath?: string | undefined;
  /** Facts about the object that only a synth knows. */
  readonly synth?: SynthView | undefined;
  /** What it is a part of, like `Deployment/llama`, if it lies beside a kustomization that does not name it; its manifest is empty. */
  readonly partOf?: string | undefined;
  /** What a kustomization beside it does to it. */
  readonly kustomized?: Kustomized | undefined;
}

/** What Kustomize does to an object. */
interface Kustomized {
  /** Paths that patches change; the steps of a list are names or numbers. */
  readonly patched: readonly (readonly string[])[];
  /** Images whose tag or digest is replaced, by their names. */
  readonly images: ReadonlyMap<string, Json>;
  /** Keys of labels that are added. */
  readonly labels: ReadonlySet<string>;
  /** ConfigMaps and Secrets that are generated, as `ConfigMap/NAME`. */
  readonly generated: ReadonlySet<string>;
}

/** Facts about an object that a synth knows in addition to its manifest. */
interface SynthView {
  /** What its construct holds, JSON patches included. */
  readonly held: Json;
  /** What its type renders of that. */
  readonly rendered: Json;
  /** What was merged over that. */
  readonly overrides: readonly Json[];
}

export const isRecord = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** What stands at a path of keys; undefined if nothing does. */
export const at = (value: unknown, ...keys: readonly string[]): unknown => atPath(value, keys);

function atPath(value: unknown, keys: readonly string[]): unknown {
  let current = value;
  for (const key of keys) current = isRecord(current) ? current[key] : undefined;
  return current;
}

export const record = (value: unknown, ...keys: readonly string[]): Json => {
  const found = atPath(value, keys);
  return isRecord(found) ? found : {};
};

export const list = (value: unknown, ...keys: readonly string[]): readonly unknown[] => {
  const found = atPath(value, keys);
  return Array.isArray(found) ? found : [];
};

export const text = (value: unknown, ...keys: readonly string[]): string | undefined => {
  const found = atPath(value, keys);
  return typeof found === 'string' ? found : undefined;
};

export const number = (value: unknown, ...keys: readonly string[]): number | undefined => {
  const found = atPath(value, keys);
  return typeof found === 'number' ? found : undefined;
};

/** A quantity's text, however it is written: `4`, `"4"`, `20Gi`. */
export const amount = (value: unknown, ...keys: readonly string[]): string | undefined => {
  const found = atPath(value, keys);
  return typeof found === 'number' || typeof found === 'string' ? String(found) : undefined;
};

/** Group of an `apiVersion`; empty for the core. */
export const groupOf = (apiVersion: string | undefined): string | undefined =>
  apiVersion?.includes('/') === true ? apiVersion.split('/')[0] : apiVersion === undefined ? undefined : '';

/** Whether two objects are applied together. The files of a folder can be alternatives. */
export const together = ({ scopes: one }: ManifestObject, { scopes: other }: ManifestObject): boolean =>
  one === undefined || other === undefined || one === other || [...one].some((scope) => other.has(scope));

/** The namespace of objects without one, unless kubectl has another default. */
const DEFAULT_NAMESPACE = 'default';

export function manifestObject(
  manifest: Json,
  from: Partial<Pick<ManifestObject, 'file' | 'scope' | 'lineOf' | 'constructPath' | 'synth'>> = {},
): ManifestObject {
  const kind = text(manifest, 'kind') ?? '';
  const name = text(manifest, 'metadata', 'name') ?? text(manifest, 'metadata', 'generateName') ?? '';
  const namespace = text(manifest, 'metadata', 'namespace') ?? '';
  return {
    manifest,
    kind,
    name,
    id: `${kind}/${name}`,
    namespace: namespace === DEFAULT_NAMESPACE ? '' : namespace,
    ...from,
  };
}
