// The field names of every kind that the checks read, as one small text.

/** Groups of Kubernetes' own kinds, and versions that are not experiments. */
const GROUPS =
  /^(|apps|batch|autoscaling|policy|networking\.k8s\.io|rbac\.authorization\.k8s\.io|resource\.k8s\.io|scheduling\.k8s\.io|storage\.k8s\.io)$/;
const STABLE = /^v\d+$/;
/** Kinds that are written by controllers only, or that are requests and not objects. */
const NOT_APPLIED =
  /(List|Options|Status|Eviction|Scale|Binding|Event|Slice|Node|Attachment|Capacity|IPAddress)$/;
const isApplied = (kind) => !NOT_APPLIED.test(kind) || /^(Cluster)?RoleBinding$/.test(kind);

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const POD_TEMPLATE = 'io.k8s.api.core.v1.PodTemplateSpec';

const isPodTemplate = ({ properties }) => properties?.metadata && properties.spec?.properties?.containers;

/** Types by what they have: two types with the same fields are one. */
class Types {
  lines = [];
  #ids = new Map();
  #refs = new Map();

  constructor(definitions) {
    this.definitions = definitions;
  }

  /** The number of the type of a schema; undefined if anything can be below it. */
  of(schema, isCustom) {
    if (schema.$ref) return this.named(schema.$ref.replace('#/definitions/', ''));
    if (schema.items) return this.of(schema.items, isCustom);
    if (isCustom && isPodTemplate(schema)) return this.named(POD_TEMPLATE);
    if (typeof schema.additionalProperties === 'object') {
      const values = this.of(schema.additionalProperties, isCustom);
      return values === undefined ? undefined : this.#add(`*:${values.toString(36)}`);
    }
    return this.map(schema, isCustom);
  }

  /** The number of the type of a map. */
  map(schema, isCustom) {
    const properties = Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    if (properties.length === 0) return undefined;
    const fields = properties.map(([name, child]) => {
      // A custom resource leaves its metadata open; another field of that name says what it has.
      const isMeta = isCustom && name === 'metadata' && !child.additionalProperties;
      const type = isMeta ? this.named(META) : this.of(child, isCustom);
      return type === undefined ? name : `${name}:${type.toString(36)}`;
    });
    return this.#add(
      [...fields, ...(schema['x-kubernetes-preserve-unknown-fields'] ? ['...'] : [])].join(' '),
    );
  }

  /** The type of a definition. A definition that contains itself is left open. */
  named(name) {
    if (!this.#refs.has(name)) {
      this.#refs.set(name, undefined);
      this.#refs.set(name, this.of(this.definitions[name], false));
    }
    return this.#refs.get(name);
  }

  #add(line) {
    if (!this.#ids.has(line)) this.#ids.set(line, this.lines.push(line) - 1);
    return this.#ids.get(line);
  }
}

/** Each kind of a schema of Kubernetes: its apiVersion, its name and its schema. */
function* kubernetesKinds({ definitions }) {
  for (const schema of Object.values(definitions))
    for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? [])
      if (GROUPS.test(group) && STABLE.test(version) && isApplied(kind) && schema.properties?.metadata)
        yield [group === '' ? version : `${group}/${version}`, kind, schema];
}

/** Each served version of a custom resource definition. */
function* customKinds({ spec }) {
  for (const { name, served, schema } of spec.versions)
    if (served && schema?.openAPIV3Schema)
      yield [`${spec.group}/${name}`, spec.names.kind, schema.openAPIV3Schema];
}

/**
 * The text of imports/fields.ts.
 *
 * @param openapi - the OpenAPI schema of Kubernetes
 * @param sources - each a name with its release, and either the OpenAPI schema or a custom resource definition
 */
export function fieldTable(openapi, sources) {
  const types = new Types(openapi.definitions);
  const releases = [];
  const kinds = [];
  for (const { release, crd } of sources) {
    if (!releases.includes(release)) releases.push(release);
    for (const [apiVersion, kind, schema] of crd ? customKinds(crd) : kubernetesKinds(openapi)) {
      const top = { apiVersion: {}, kind: {}, metadata: {}, ...schema.properties, status: {} };
      const type = types.map({ ...schema, properties: top }, true);
      kinds.push(`${apiVersion} ${kind} ${type.toString(36)} ${releases.indexOf(release)}`);
    }
  }
  const text = (lines) => `\`\n${lines.join('\n')}\n\``;
  return `/** The releases that the kinds below are taken from. */
export const RELEASES = ${text(releases)};

/** Each kind: its apiVersion, its name, the line of its type below, and the line of its release above, counted from 0. */
export const KINDS = ${text(kinds.sort())};

/**
 * Each type: its fields, with the number of the type below them to the base of 36. \`*\` is any key, and \`...\` says that there
 * are more fields. Below a field without a number, anything can be.
 */
export const TYPES = ${text(types.lines)};
`;
}
