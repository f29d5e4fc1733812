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

  /** The number of the type that has the fields of two types; undefined if anything can be below one of them. */
  union(a, b) {
    if (a === b || a === undefined || b === undefined) return a === b ? a : undefined;
    const fields = new Map(this.#words(a));
    for (const [name, below] of this.#words(b))
      fields.set(name, fields.has(name) ? this.union(fields.get(name), below) : below);
    const order = ([x], [y]) => (x === '...') - (y === '...') || (x < y ? -1 : 1);
    return this.#add(this.#line([...fields].sort(order)));
  }

  /** The numbers of some types and of all types below them. */
  below(ids) {
    const used = new Set();
    const visit = (id) => {
      if (id === undefined || used.has(id)) return;
      used.add(id);
      for (const [, below] of this.#words(id)) visit(below);
    };
    ids.forEach(visit);
    return [...used].sort((a, b) => a - b);
  }

  /** The lines of some types, which are numbered by their position among them. */
  linesOf(used) {
    const numbers = new Map(used.map((id, index) => [id, index]));
    return used.map((id) => this.#line(this.#words(id).map(([name, below]) => [name, numbers.get(below)])));
  }

  /** The fields of a type: the name and the number of the type below it. */
  #words(id) {
    return this.lines[id].split(' ').map((word) => {
      const [name, below] = word.split(':');
      return [name, below === undefined ? undefined : Number.parseInt(below, 36)];
    });
  }

  #line(words) {
    return words
      .map(([name, below]) => (below === undefined ? name : `${name}:${below.toString(36)}`))
      .join(' ');
  }

  #add(line) {
    if (!this.#ids.has(line)) this.#ids.set(line, this.lines.push(line) - 1);
    return this.#ids.get(line);
  }
}

/** Each kind of a schema of Kubernetes: its apiVersion, its name and its schema. */
function* kubernetesKinds({ definitions }) {
  for (const [definition, schema] of Object.entries(definitions))
    for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? [])
      if (GROUPS.test(group) && STABLE.test(version) && isApplied(kind) && schema.properties?.metadata)
        yield [group === '' ? version : `${group}/${version}`, kind, { ...schema, definition }];
}

/** Each served version of a custom resource definition. */
function* customKinds({ spec }) {
  for (const { name, served, schema } of spec.versions)
    if (served && schema?.openAPIV3Schema)
      yield [`${spec.group}/${name}`, spec.names.kind, schema.openAPIV3Schema];
}

/** The definitions of all schemas of Kubernetes, each with the properties of all releases. */
function definitionsOf(openapis) {
  const definitions = {};
  for (const [name, schema] of openapis.flatMap((one) => Object.entries(one.definitions)))
    definitions[name] = {
      ...schema,
      properties: { ...definitions[name]?.properties, ...schema.properties },
    };
  return definitions;
}

/**
 * The text of imports/fields.ts. A kind of several sources has the fields of all of them, and the release of the last one.
 *
 * @param sources - each a release, and either an OpenAPI schema of Kubernetes or a custom resource definition
 */
export function fieldTable(sources) {
  const types = new Types(definitionsOf(sources.flatMap(({ openapi }) => openapi ?? [])));
  const kinds = new Map();
  for (const { release, crd, openapi } of sources)
    for (const [apiVersion, kind, schema] of crd ? customKinds(crd) : kubernetesKinds(openapi)) {
      const id = `${apiVersion} ${kind}`;
      const { properties } = openapi ? types.definitions[schema.definition] : schema;
      const top = { apiVersion: {}, kind: {}, metadata: {}, ...properties, status: {} };
      const type = types.map({ ...schema, properties: top }, true);
      const known = kinds.get(id);
      kinds.set(id, { type: known ? types.union(known.type, type) : type, release });
    }
  const releases = [...new Set([...kinds.values()].map(({ release }) => release))];
  const used = types.below([...kinds.values()].map(({ type }) => type));
  const lines = [...kinds].map(
    ([id, { type, release }]) => `${id} ${used.indexOf(type).toString(36)} ${releases.indexOf(release)}`,
  );
  const text = (lines) => `\`\n${lines.join('\n')}\n\``;
  return `/** The releases that the kinds below are taken from. */
export const RELEASES = ${text(releases)};

/** Each kind: its apiVersion, its name, the line of its type below, and the line of its release above, counted from 0. */
export const KINDS = ${text(lines.sort())};

/**
 * Each type: its fields, with the number of the type below them to the base of 36. \`*\` is any key, and \`...\` says that there
 * are more fields. Below a field without a number, anything can be.
 */
export const TYPES = ${text(types.linesOf(used))};
`;
}
