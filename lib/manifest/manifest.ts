// Reads manifests from any author. Each field can be missing or have the wrong type, so nothing is assumed.

/** A JSON object of unknown content. */
export type Json = Readonly<Record<string, unknown>>;

/** One object of a manifest, and where it came from. */
export interface ManifestObject {
  readonly manifest: Json;
  /** `Deployment/llama`. */
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** Namespace; empty for the default one. */
  readonly namespace: string;
  /** The file or Kustomize folder in which its name is unique; undefined if it is unique in all input. */
  readonly scope?: string | undefined;
  /** The folder or the kustomizations that it is applied with; undefined if it is applied with all input. */
  readonly scopes?: ReadonlySet<string> | undefined;
  /** File of the object. */
  readonly file?: string | undefined;
  /** The folder that was read, if it was read as a part of one. */
  readonly folder?: string | undefined;
  /** Returns the line of a path, or of the closest existing value above it. */
  readonly lineOf?: ((path: string) => number) | undefined;
  /** Path of the construct that renders the object. */
  readonly constructPath?: string | undefined;
  /** Facts about the object that only a synth knows. */
  readonly synth?: SynthView | undefined;
  /** The object that it patches, like `Deployment/llama`, if no kustomization lists it. Its manifest is empty. */
  readonly partOf?: string | undefined;
  /** Changes by a kustomization. */
  readonly kustomized?: Kustomized | undefined;
}

/** The changes that Kustomize makes to an object. */
interface Kustomized {
  /** Paths that patches change; the steps of a list are names or numbers. */
  readonly patched: readonly (readonly string[])[];
  /** Images whose tag or digest is replaced, by their names. */
  readonly images: ReadonlyMap<string, Json>;
  /** Keys of added labels. */
  readonly labels: ReadonlySet<string>;
  /** Generated ConfigMaps and Secrets, as `ConfigMap/NAME`. */
  readonly generated: ReadonlySet<string>;
}

/** Facts about an object that its manifest does not contain. */
interface SynthView {
  /** Input of its construct, JSON patches included. */
  readonly held: Json;
  /** The part of the input that its type renders. */
  readonly rendered: Json;
  /** The patches that were merged over it. */
  readonly overrides: readonly Json[];
}

export const isRecord = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Returns the value at a path of keys; undefined if there is none. */
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

/** Returns a quantity as text, from a number or a string: `4`, `"4"`, `20Gi`. */
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
