// Makes the JavaScript of the package from lib/: a few chunks of modules, which load on first use, and three entry points.
//
// An app that uses VllmServer loads only the modules that VllmServer needs. So an import is compiled to an expression that loads the module when a name
// of it is first used, and every export of the package to a getter. A module becomes a function that returns what it exports: no file imports
// itself through others, so nothing reads an export before the module has run.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import swc from '@swc/core';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = path.join(root, 'build', 'lib');

/** The chunks that contain more than the folder of their name. Each app that renders a server loads the first. */
const CHUNKS = [
  ['core', /^lib\/(problems|facts|tpu|pod|workload|operations|synth|servers\/[^/]+$|manifest)/],
  ['rules', /^lib\/checks\//],
  ['fields', /^imports\/fields/],
  ['command-line', /^lib\/cli$/],
  ['core', /^imports\//],
];
const chunkOf = (id) =>
  CHUNKS.find(([, files]) => files.test(id))?.[0] ??
  id
    .replace(/^lib\//, '')
    .replace(/\/[^/]+$/, '')
    .replaceAll('/', '-');

const ENTRIES = ['lib/index', 'lib/cli', 'lib/synth/plugin'];

const textOf = (id) => readFileSync(path.join(root, `${id}.ts`), 'utf8');

/** The module that an import in another one names: a file, or the index of a folder. */
function resolved(from, specifier) {
  const id = path.posix.join(path.posix.dirname(from), specifier);
  return existsSync(path.join(root, `${id}.ts`)) ? id : `${id}/index`;
}

/** Calls `found` with each node below `node` until it returns true. */
function walk(node, found) {
  ts.forEachChild(node, (child) => {
    if (!found(child)) walk(child, found);
  });
}

/** The statement that an `export` of swc is: the exported names with their values. */
function* exportsIn(statement, textOf) {
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return;
  const [target, what, how] = statement.expression.arguments;
  if (target?.getText() !== 'exports') return;
  const valueOf = (getter) => textOf(getter.body.statements[0].expression);
  if (ts.isObjectLiteralExpression(what))
    for (const one of what.properties) yield [one.name.text, valueOf(one)];
  else if (what.text !== '__esModule') yield [what.text, valueOf(how.properties[1].initializer)];
}

/** The expression that an import of swc loads, if a statement is the function for one. */
function importIn(statement) {
  if (!ts.isFunctionDeclaration(statement)) return undefined;
  const [data, remember] = statement.body.statements;
  const isImport = remember?.getText().startsWith(`${statement.name.text} = function`);
  return isImport ? data.declarationList.declarations[0].initializer.getText() : undefined;
}

/** A CommonJS module of swc as a function body that returns the exports. */
function bodyOf(id, code) {
  const source = ts.createSourceFile(`${id}.js`, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const imports = new Map(
    source.statements.map((one) => [one.name?.text, importIn(one)]).filter(([, one]) => one),
  );
  const edits = [];
  walk(source, (node) => {
    if (ts.isFunctionDeclaration(node) && imports.has(node.name.text)) return true;
    if (!ts.isIdentifier(node) || !imports.has(node.text)) return false;
    if (!ts.isCallExpression(node.parent) || node.parent.expression !== node)
      throw new Error(`${id}: ${node.parent.getText()} is not a use of an import`);
    edits.push([node.parent.getStart(), node.parent.end, `(${node.text}??=${imports.get(node.text)})`]);
    return true;
  });
  const textOf = (node) =>
    edits
      .filter(([start, end]) => start >= node.getStart() && end <= node.end)
      .sort(([one], [other]) => other - one)
      .reduce(
        (text, [start, end, to]) =>
          text.slice(0, start - node.getStart()) + to + text.slice(end - node.getStart()),
        node.getText(),
      );
  const exported = source.statements.flatMap((one) => [...exportsIn(one, textOf)]);
  const kept = source.statements.filter(
    (one) =>
      !imports.has(one.name?.text) &&
      one.name?.text !== '_export' &&
      one.expression?.text !== 'use strict' &&
      one.expression?.arguments?.[0]?.getText() !== 'exports',
  );
  const result = exported.map(([name, value]) => (name === value ? name : `${name}: ${value}`));
  return [
    ...(imports.size > 0 ? [`var ${[...imports.keys()].join(', ')};`] : []),
    ...kept.map(textOf),
    `return { ${result.join(', ')} };`,
  ].join('\n');
}

/** The code of a module: a function body that returns its exports. */
async function compiled(id) {
  const source = textOf(id);
  const lazy = [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
  const { code } = await swc.transform(source, {
    configFile: false,
    swcrc: false,
    filename: `${id}.ts`,
    sourceMaps: false,
    module: { type: 'commonjs', lazy },
    // Node reads ASCII faster, and V8 stores it in half the memory.
    jsc: {
      parser: { syntax: 'typescript' },
      target: 'es2022',
      output: { charset: 'ascii' },
      minify: { compress: false, mangle: false, format: { comments: false } },
    },
  });
  if (/\b__load\b/.test(code)) throw new Error(`${id}: __load is the name of the loader`);
  // Node loads other packages. The loader loads the modules of this package, under a name that no package has.
  return bodyOf(
    id,
    code
      .replace(/^#!.*\n/, '')
      .replace(/require\("(\.[^"]+)"\)/g, (_, from) => `__load("${resolved(id, from)}")`),
  );
}

/** The method of a chunk that runs a module. */
async function methodOf(id, body) {
  // For an uncaught error, Node prints the line that throws it.
  if (/\bthrow\b/.test(body)) return `"${id}"(__load) {\n${body}\n}`;
  const { code } = await swc.minify(`x={"${id}"(__load){${body}}}`, {
    compress: false,
    mangle: { keep_fnames: true, keep_classnames: true },
    module: false,
    format: { comments: false, asciiOnly: true },
  });
  return code
    .trim()
    .replace(/^x ?= ?\{\s*/, '')
    .replace(/\s*\};?$/, '');
}

/** Every module that the entry points reach. */
async function modules() {
  const found = new Map();
  const waiting = [...ENTRIES];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    const code = await compiled(id);
    found.set(id, code);
    waiting.push(...[...code.matchAll(/__load\("([^"]+)"\)/g)].map(([, one]) => one));
  }
  return found;
}

/** The values that lib/index.ts exports, with their modules. */
function* exportsOfIndex() {
  const source = ts.createSourceFile('index.ts', textOf('lib/index'), ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) continue;
    if (!statement.exportClause || !ts.isNamedExports(statement.exportClause))
      throw new Error(`lib/index.ts: export names, not ${statement.getText(source)}`);
    const id = path.posix.join('lib', statement.moduleSpecifier.text);
    for (const { name, propertyName, isTypeOnly } of statement.exportClause.elements)
      if (!isTypeOnly) yield { id, name: name.text, from: (propertyName ?? name).text };
  }
}

/** Keeps V8's code of what is loaded from here on, on Node 22.8 and later, unless the environment forbids it. */
const COMPILE_CACHE =
  // Node 20 has no such function, and loads the module for the question only.
  'if(!process.env.NODE_V8_COVERAGE&&!process.version.startsWith("v20."))try{require("node:module").enableCompileCache?.()}catch{}\n';

const LOADER = (names, hashes) => `'use strict';
const codeCache=(function(){
const module={exports:{}};
${readFileSync(path.join(root, 'scripts', 'code-cache.js'), 'utf8').replace(/^ *(?:\/\/|\/?\*).*\n/gm, '')}
return module.exports;
})();
let cache;
const chunks=[${names.map((name) => `()=>cache.load("${name}")??require("./${name}.js")`).join(',')}];
const loaded=[];
function load(id){
const known=loaded[id];
if(known)return known;
const chunk=chunks[id>>9];
if(typeof chunk==='function')chunks[id>>9]=Object.values(chunk());
cache.use(id);
return loaded[id]=chunks[id>>9][id&511](load);
}
module.exports=(entry)=>{
cache??=codeCache(__dirname,${JSON.stringify(hashes)},require,entry);
return load;
};
`;

const found = await modules();
mkdirSync(path.join(output, 'synth'), { recursive: true });
const write = (name, text) => writeFileSync(path.join(output, name), text);

const ids = [...found.keys()].filter((id) => id !== 'lib/index');
const names = [...new Set(ids.map(chunkOf))];
const members = names.map((name) => ids.filter((id) => chunkOf(id) === name));
/** The number of a module for the loader: of its chunk, and in it. */
const numberOf = (id) => names.indexOf(chunkOf(id)) * 512 + members[names.indexOf(chunkOf(id))].indexOf(id);
const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);
const hashes = {};
for (const [index, name] of names.entries()) {
  const methods = await Promise.all(
    members[index].map((id) =>
      methodOf(
        id,
        found.get(id).replace(/__load\("([^"]+)"\)/g, (_, one) => `__load(${numberOf(one)})`),
      ),
    ),
  );
  const text = `'use strict';\nmodule.exports={\n${methods.join(',\n')}\n};\n`;
  // The loader reads the chunks as ASCII.
  if (/[^\0-\x7f]/.test(text)) throw new Error(`${name}: has a character that is not ASCII`);
  if (methods.length > 512) throw new Error(`${name}: has more modules than the loader can number`);
  hashes[name] = hashOf(text);
  write(`${name}.js`, text);
}
hashes.all = hashOf(JSON.stringify(hashes));
write('load.js', LOADER(names, hashes));

const own = [...exportsOfIndex()];
write(
  'index.js',
  `'use strict';
${COMPILE_CACHE}const load=require('./load.js')('index');
Object.defineProperty(exports,'__esModule',{value:true});
for(const [name,from,id] of [${own.map(({ id, name, from }) => `["${name}","${from}",${numberOf(id)}]`).join(',')}])
Object.defineProperty(exports,name,{enumerable:true,get:()=>load(id)[from]});
// The names, for imports into an ECMAScript module.
0&&(module.exports={${own.map(({ name }) => name).join(',')}});
`,
);
write(
  'cli.js',
  `#!/usr/bin/env node\n${COMPILE_CACHE}process.exitCode=require('./load.js')('cli')(${numberOf('lib/cli')}).run(process.argv.slice(2));\n`,
);
write(
  'synth/plugin.js',
  `'use strict';\n${COMPILE_CACHE}exports.TpuServingValidation=require('../load.js')('plugin')(${numberOf('lib/synth/plugin')}).TpuServingValidation;\n`,
);
