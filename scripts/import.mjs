// Makes imports/: one TypeScript file per API group, from the custom resource definitions of scripts/crds.tsv, and fields.ts, the
// names of all fields, from those and the schemas of scripts/schemas.tsv. pod.ts has the fields of pods, from cdk8s-plus-29.
//
//   node scripts/import.mjs             downloads them
//   node scripts/import.mjs FOLDER      reads FOLDER/<first column of the table> instead
//   --check                             writes nothing, exits 1 when imports/ differs
//   --compact-to FOLDER                 stops at what `cdk8s import` would read: one YAML file per API group
//   --table FILE, --output FOLDER       instead of scripts/crds.tsv and imports/
//   --schemas FILE                      instead of scripts/schemas.tsv; with --table alone, no fields.ts is made
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Yaml } from 'cdk8s';
import { fieldTable } from './fields.mjs';
import { podFields } from './pod-fields.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Lines of: file (GROUP_PLURAL.yaml), repository, tag, commit, path in the repository. Where that is a JSON schema alone, of a
 * definition that is not published, also `KIND SCOPE`.
 */
function readTable(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => {
    const [name, repository, tag, commit, path, definition] = line.split('\t');
    if (!path) throw new Error(`${file}: expected 5 columns, got "${line}"`);
    return { name, repository, tag, commit, path, definition };
  });
}

/** Whether a file is a schema of Kubernetes' own kinds. */
const isOpenapi = ({ name }) => name.startsWith('kubernetes.');

const groupOf = ({ name }) => name.slice(0, name.lastIndexOf('_'));

/** A definition around a JSON schema named SINGULAR_VERSION.json. */
function define(row, openAPIV3Schema) {
  const [, singular, version] = /([a-z]+)_(v[a-z0-9]+)\.json$/.exec(row.path);
  const [kind, scope] = row.definition.split(' ');
  const [group, plural] = [groupOf(row), row.name.slice(groupOf(row).length + 1).replace('.yaml', '')];
  const names = { kind, plural, singular, listKind: `${kind}List` };
  const versions = [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }];
  return Yaml.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names, scope, versions },
  });
}

async function download(row) {
  const { repository, commit, path, definition } = row;
  const url = `https://raw.githubusercontent.com/${repository}/${commit}/${path}`;
  const response = await globalThis.fetch(url).catch((error) => {
    throw new Error(`${url}: ${error.cause?.message ?? error.message}`);
  });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  if (isOpenapi(row)) return response.text();
  return definition ? define(row, await response.json()) : response.text();
}

const isPodTemplate = ({ properties }) => properties?.metadata && properties.spec?.properties?.containers;

/** Pod templates are open: what goes in there is the library's business, and their types would be most of the file. */
const compactEmbedded = (schema) =>
  isPodTemplate(schema)
    ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    : compactSchema(schema);

/** Without descriptions. Only keywords that hold schemas are entered, so a property named `description` stays. */
function compactSchema(schema) {
  const mapValues = (object, f) => Object.fromEntries(Object.entries(object).map(([k, v]) => [k, f(v, k)]));
  const compacted = mapValues(schema, (value, keyword) => {
    switch (keyword) {
      case 'properties':
        return mapValues(value, compactEmbedded);
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return value.map(compactEmbedded);
      case 'additionalProperties':
      case 'items':
      case 'not':
        return typeof value === 'object' ? compactEmbedded(value) : value;
      default:
        return value;
    }
  });
  delete compacted.description;
  return compacted;
}

/** A definition with its stored version only, and without status, or the `operation` that Argo CD has beside it. */
function compact({ apiVersion, kind, metadata, spec }) {
  const { group, names, scope } = spec;
  const { name, served, storage, schema } = spec.versions.find((version) => version.storage);
  const openAPIV3Schema = compactSchema(schema.openAPIV3Schema);
  for (const written of ['status', 'operation']) delete openAPIV3Schema.properties?.[written];
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name },
    spec: {
      group,
      names: { kind: names.kind, plural: names.plural, singular: names.singular, listKind: names.listKind },
      scope,
      versions: [{ name, served, storage, schema: { openAPIV3Schema } }],
    },
  };
}

/** The definition that FILE is named after: GROUP_PLURAL.yaml, or GROUP_PLURAL.CHANNEL.yaml for a second one. */
function load(folder, file) {
  const crds = Yaml.load(join(folder, file)).filter(({ kind }) => kind === 'CustomResourceDefinition');
  const crd = crds.find(({ spec }) => file.startsWith(`${spec.group}_${spec.names.plural}.`));
  if (!crd) {
    const found = crds.map(({ metadata }) => metadata.name).join(', ');
    throw new Error(`${file} defines ${found || 'no custom resource'}`);
  }
  return crd;
}

/** What `cdk8s import` makes of one API group; two runs for one group would overwrite each other. */
async function generate(source, folder) {
  const cdk8s = fileURLToPath(new URL('bin/cdk8s', import.meta.resolve('cdk8s-cli/package.json')));
  const options = ['--no-check-upgrade', '--no-save', '--language', 'typescript', '--output', folder];
  await promisify(execFile)(process.execPath, [cdk8s, 'import', source, ...options], { cwd: folder });
  const code = readFileSync(source.replace(/yaml$/, 'ts'), 'utf8');
  if (code.includes('__stripped_by_cdk8s__'))
    throw new Error(`${source}: an enum value got lost in cdk8s import`);
  return `${code.trimEnd()}\n`;
}

/** The text of fields.ts, from all schemas of both tables. */
function fields(folder, rows) {
  const releaseOf = ({ repository, tag, commit }) =>
    `${repository.replace(/^.*\//, '')} ${tag === 'HEAD' ? commit.slice(0, 7) : tag}`;
  const sources = rows.map((row) => ({
    release: releaseOf(row),
    ...(isOpenapi(row)
      ? { openapi: JSON.parse(readFileSync(join(folder, row.name), 'utf8')) }
      : { crd: load(folder, row.name) }),
  }));
  const origins = rows.map((row) => `// ${row.name}: ${row.repository} ${row.tag} ${row.commit}\n`);
  return `// Written by \`npm run import\`.\n${origins.join('')}\n${fieldTable(sources)}`;
}

/** The first line that differs, or nothing. */
function difference(actual, expected) {
  const [a, e] = [actual, expected].map((text) => text.split('\n'));
  const line = e.findIndex((text, i) => text !== a[i]);
  if (line === -1) return a.length > e.length ? `${a.length - e.length} lines too many` : undefined;
  return `line ${line + 1}\n- ${a[line] ?? ''}\n+ ${e[line]}`;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean' },
    'compact-to': { type: 'string' },
    table: { type: 'string' },
    schemas: { type: 'string' },
    output: { type: 'string', default: here('../imports') },
  },
});
const output = options['compact-to'] ?? options.output;
const temp = mkdtempSync(join(tmpdir(), 'import-'));
try {
  const rows = readTable(options.table ?? here('crds.tsv'));
  const schemas = options.schemas ?? (options.table ? undefined : here('schemas.tsv'));
  const others = schemas && !options['compact-to'] ? readTable(schemas) : [];
  let [folder] = positionals;
  if (folder === undefined) {
    folder = mkdtempSync(join(temp, 'crds-'));
    const save = async (row) => writeFileSync(join(folder, row.name), await download(row));
    await Promise.all([...rows, ...others].map(save));
  }

  const files = await Promise.all(
    [...new Set(rows.map(groupOf))].map(async (group) => {
      const members = rows.filter((row) => groupOf(row) === group);
      const source = join(temp, `${group}.yaml`);
      const crds = members.map(({ name }) => compact(load(folder, name)));
      Yaml.save(source, crds);
      if (options['compact-to']) return { name: `${group}.yaml`, text: readFileSync(source, 'utf8') };
      const origins = members.map((row) => `// ${row.name}: ${row.repository} ${row.tag} ${row.commit}\n`);
      return { name: `${group}.ts`, text: origins.join('') + (await generate(source, temp)) };
    }),
  );

  if (others.length > 0)
    files.push(
      { name: 'fields.ts', text: fields(folder, [...rows, ...others]) },
      { name: 'pod.ts', text: podFields() },
    );

  if (options.check) {
    const stored = existsSync(output) ? readdirSync(output) : [];
    const problems = stored
      .filter((name) => !files.some((file) => file.name === name))
      .map((name) => `${name}: not in the table`);
    for (const { name, text } of files) {
      const path = join(output, name);
      const found = existsSync(path) ? difference(readFileSync(path, 'utf8'), text) : 'missing';
      if (found) problems.push(`${name}: ${found}`);
    }
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
  } else {
    mkdirSync(output, { recursive: true });
    for (const { name, text } of files) writeFileSync(join(output, name), text);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 3 });
}
