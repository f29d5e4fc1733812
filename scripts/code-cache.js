'use strict';
// Part of the loader of the package, which scripts/bundle.mjs writes: keeps V8's code of the chunks between starts. V8 compiles a function
// when it first runs, which is half of what a small app spends in the package. module.enableCompileCache() keeps only the code that V8
// compiles when it loads a file.
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

/** Where the code of the chunks in a folder is kept; undefined if it is not. */
function cacheOf(folder) {
  const { env, version, versions, arch } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE || versions.bun || versions.deno)
    return undefined;
  // Jest and other tools run modules in their own context, whose globals the code would not have.
  if (vm.runInThisContext('Array') !== Array) return undefined;
  const modules = `${path.sep}node_modules${path.sep}`;
  const end = folder.lastIndexOf(modules);
  // Beside the package, so that only those who can change the package can change its code.
  const root =
    env.NODE_COMPILE_CACHE || (end >= 0 && path.join(folder.slice(0, end + modules.length), '.cache'));
  return root ? path.join(root, 'cdk8s-tpu-serving', `${version}-${arch}`) : undefined;
}

/** Writes a file of the cache, and removes its other versions. */
function keep(cache, file, data) {
  fs.mkdirSync(cache, { recursive: true });
  const temporary = path.join(cache, `${file}.${process.pid}`);
  fs.writeFileSync(temporary, data);
  fs.renameSync(temporary, path.join(cache, file));
  const nameOf = (one) => /^(.+)-[0-9a-f]{12}$/.exec(one)?.[1];
  for (const other of fs.readdirSync(cache))
    if (other !== file && nameOf(other) === nameOf(file)) fs.unlinkSync(path.join(cache, other));
}

/**
 * Returns the functions that load a chunk, or return undefined if Node.js has to load it, and that record the use of a module.
 *
 * @param folder - folder of the chunks
 * @param hashes - hash of each chunk's text, by its name, and of all as `all`
 * @param load - `require` of a file in that folder
 * @param entry - name of the entry point of the package, because each uses other parts of the chunks
 */
module.exports = function codeCache(folder, hashes, load, entry) {
  const cache = cacheOf(folder);
  if (cache === undefined) return { load: () => undefined, use: () => undefined };
  const fileOf = (name) => `${entry}-${name}-${hashes[name]}`;
  const read = (name) => {
    const file = path.join(cache, fileOf(name));
    return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  };
  let known;
  /** The modules whose code the cache contains, as far as it ran. */
  const used = () => (known ??= new Set(read('all')?.toString().split('\n').map(Number)));
  const scripts = new Map();
  const keepAll = () => {
    try {
      for (const [name, script] of scripts) keep(cache, fileOf(name), script.createCachedData());
      keep(cache, fileOf('all'), [...used()].join('\n'));
    } catch {
      // without a cache, the next start is as slow as this one
    }
  };
  let isOld = false;
  const renew = () => {
    if (!isOld) process.once('exit', keepAll);
    isOld = true;
  };
  return {
    load: (name) => {
      const filename = path.join(folder, `${name}.js`);
      let script;
      try {
        const cachedData = read(name);
        const text = `(function(exports,require,module,__filename,__dirname){${fs.readFileSync(filename, 'latin1')}\n})`;
        script = new vm.Script(text, { filename, cachedData });
        scripts.set(name, script);
        if (cachedData === undefined || script.cachedDataRejected) renew();
      } catch {
        return undefined;
      }
      const module = { exports: {} };
      script.runInThisContext()(module.exports, load, module, filename, folder);
      return module.exports;
    },
    use: (id) => {
      if (used().has(id)) return;
      used().add(id);
      renew();
    },
  };
};
