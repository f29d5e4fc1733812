// Compiles a source with all that it imports into one script and runs it, with the machine code of its last run: a folder of temp/ keeps
// both for as long as no source changes.
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { Script } = require('node:vm');

/** Where the script of a source is kept. */
const folderOf = (entry) => path.resolve('temp', path.basename(entry, '.ts'));

/** What changes whenever a file or folder does; nothing where there is none. */
function stampOf(source) {
  const stat = fs.statSync(source, { throwIfNoEntry: false });
  return stat ? `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : '';
}

/** Writes a file as a whole or not at all, as another start may be reading it. */
function write(file, content) {
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, content);
  fs.renameSync(temporary, file);
}

/** Keeps something for later starts; where nothing can be written, or another start clears the folder, they do without. */
function keep(write) {
  try {
    write();
  } catch (error) {
    if (error.syscall === undefined) throw error;
  }
}

/** The script, where it was compiled from the sources as they are. */
function compiled(entry) {
  try {
    const { node, file, stamps } = JSON.parse(
      fs.readFileSync(path.join(folderOf(entry), 'script.json'), 'utf8'),
    );
    if (node !== process.version || stamps.some(([source, stamp]) => stampOf(source) !== stamp))
      return undefined;
    // it holds ASCII alone, which is read faster as such
    return { entry, file, code: fs.readFileSync(file, 'latin1') };
  } catch {
    return undefined;
  }
}

/** Compiles a source with all that it imports into one script. */
async function compile(entry) {
  const cache = folderOf(entry);
  const { build } = require('esbuild');
  const { transformSync } = require('@swc/core');
  const options = {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  };
  const stamps = new Map();
  const load = ({ path: source }) => {
    stamps.set(source, stampOf(source));
    const text = fs.readFileSync(source, 'utf8');
    // a module has a folder of its own, also where it is one script with others
    const folder = /\b__dirname\b/.test(text)
      ? `const __dirname = ${JSON.stringify(path.dirname(source))};`
      : '';
    // CommonJS first: esbuild alone would copy every name of Kubernetes into each module that imports them
    const code = source.endsWith('.ts') ? transformSync(text, { ...options, filename: source }).code : text;
    return { contents: folder + code };
  };
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    target: `node${process.versions.node}`,
    format: 'cjs',
    write: false,
    plugins: [{ name: 'load', setup: ({ onLoad }) => onLoad({ filter: /\.[cm]?[jt]s$/ }, load) }],
  });
  const isPackaged = (source) => source.includes('node_modules');
  // what else may change what is loaded: a file beside the others, another version of a package, another compiler
  const folders = [...stamps.keys()]
    .filter((source) => source !== entry && !isPackaged(source))
    .map(path.dirname);
  const locks = [...stamps.keys()]
    .filter(isPackaged)
    .map((source) => source.replace(/(node_modules).*/, '$1/.package-lock.json'));
  for (const source of new Set([__filename, ...folders, ...locks])) stamps.set(source, stampOf(source));
  const file = path.join(cache, `${Date.now()}-${process.pid}.js`);
  const code = `(function (exports, require, module) {${outputFiles[0].text}\n})`;
  keep(() => {
    fs.rmSync(cache, { recursive: true, force: true });
    fs.mkdirSync(cache, { recursive: true });
    write(file, code);
    write(
      path.join(cache, 'script.json'),
      JSON.stringify({ node: process.version, file, stamps: [...stamps] }),
    );
  });
  return { entry, file, code };
}

/** Runs a script, and keeps its machine code when all went well. */
function run({ entry, file, code }) {
  const cachedData = fs.existsSync(`${file}.code`) ? fs.readFileSync(`${file}.code`) : undefined;
  const script = new Script(code, { filename: file, cachedData });
  if (cachedData === undefined || script.cachedDataRejected)
    process.on('exit', (status) => {
      if (status === 0) keep(() => write(`${file}.code`, script.createCachedData()));
    });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(entry), module);
  return module.exports;
}

module.exports = { compile, compiled, run };
