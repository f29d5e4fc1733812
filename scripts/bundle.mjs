// Makes the JavaScript of the package from lib/: a few chunks of modules, which load on first use, and three entry points.
//
// An app that uses VllmServer loads only the modules that VllmServer needs. So every import is compiled to a function that loads the module when a name
// of it is first used, and every export of the package to a getter.
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

/** The code of a module, whose imports load on first use. */
async function compiled(id) {
  const source = textOf(id);
  const lazy = [...source.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
  // For an uncaught error, Node prints the line that throws it.
  const minify = !/\bthrow\b/.test(source);
  const { code } = await swc.transform(source, {
    configFile: false,
    swcrc: false,
    filename: `${id}.ts`,
    sourceMaps: false,
    minify,
    module: { type: 'commonjs', lazy },
    jsc: {
      parser: { syntax: 'typescript' },
      target: 'es2022',
      // Node reads ASCII faster, and V8 stores it in half the memory.
      output: { charset: 'ascii' },
      minify: {
        compress: false,
        mangle: minify && { keep_fnames: true, keep_classnames: true },
        format: { comments: false, asciiOnly: true },
      },
    },
  });
  // Modules name each other by their paths in the repository.
  return code.replace(/require\("(\.[^"]+)"\)/g, (_, from) => `require("${resolved(id, from)}")`);
}

/** Every module that the entry points reach. */
async function modules() {
  const found = new Map();
  const waiting = [...ENTRIES];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    const code = await compiled(id);
    found.set(id, code);
    waiting.push(...[...code.matchAll(/require\("((?:lib|imports)\/[^"]+)"\)/g)].map(([, one]) => one));
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
  'if(!process.env.NODE_V8_COVERAGE)try{require("node:module").enableCompileCache?.()}catch{}\n';

const LOADER = (names, hashes) => `'use strict';
const codeCache=(function(){
const module={exports:{}};
${readFileSync(path.join(root, 'scripts', 'code-cache.js'), 'utf8').replace(/^ *(?:\/\/|\/?\*).*\n/gm, '')}
return module.exports;
})();
let cache;
const chunks=[${names.map((name) => `()=>cache.load("${name}")??require("./${name}.js")`).join(',')}];
const read=chunks.map(()=>undefined);
const loaded=new Map();
function load(chunk,id){
const known=loaded.get(id);
if(known)return known.exports;
const module={exports:{}};
loaded.set(id,module);
const code=(read[chunk]??=chunks[chunk]())[id];
cache.use(id);
code(module,module.exports,load);
return module.exports;
}
module.exports=(entry)=>{
cache??=codeCache(__dirname,${JSON.stringify(hashes)},require,entry);
return load;
};
`;

const found = await modules();
mkdirSync(path.join(output, 'synth'), { recursive: true });
const write = (name, text) => writeFileSync(path.join(output, name), text);

const names = [...new Set([...found.keys()].filter((id) => id !== 'lib/index').map(chunkOf))];
const address = (id) => `${names.indexOf(chunkOf(id))},"${id}"`;
const chunks = new Map();
for (const [id, code] of found) {
  if (id === 'lib/index') continue;
  const chunk = chunkOf(id);
  // Node loads other packages. The loader loads the modules of this package, under a name that no package has.
  const own = code.replace(/require\("((?:lib|imports)\/[^"]+)"\)/g, (_, one) => `__load(${address(one)})`);
  if (/\b__load\b/.test(code)) throw new Error(`${id}: __load is the name of the loader`);
  chunks.set(chunk, [...(chunks.get(chunk) ?? []), [id, own]]);
}
const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);
const hashes = {};
for (const name of names) {
  const text = `module.exports={\n${chunks
    .get(name)
    .map(([id, code]) => `"${id}"(module,exports,__load){${code.replace(/^#!.*\n/, '')}}`)
    .join(',\n')}\n};\n`;
  // The loader reads the chunks as ASCII.
  if (/[^\0-\x7f]/.test(text)) throw new Error(`${name}: has a character that is not ASCII`);
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
for(const [name,from,chunk,id] of [${own.map(({ id, name, from }) => `["${name}","${from}",${address(id)}]`).join(',')}])
Object.defineProperty(exports,name,{enumerable:true,get:()=>load(chunk,id)[from]});
// The names, for imports into an ECMAScript module.
0&&(module.exports={${own.map(({ name }) => name).join(',')}});
`,
);
write(
  'cli.js',
  `#!/usr/bin/env node\n${COMPILE_CACHE}process.exitCode=require('./load.js')('cli')(${address('lib/cli')}).run(process.argv.slice(2));\n`,
);
write(
  'synth/plugin.js',
  `'use strict';\n${COMPILE_CACHE}exports.TpuServingValidation=require('../load.js')('plugin')(${address('lib/synth/plugin')}).TpuServingValidation;\n`,
);
