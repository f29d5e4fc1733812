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

/** Writes the code of a chunk, and removes that of its other versions. */
function keep(cache, name, file, script) {
  fs.mkdirSync(cache, { recursive: true });
  const temporary = path.join(cache, `${file}.${process.pid}`);
  fs.writeFileSync(temporary, script.createCachedData());
  fs.renameSync(temporary, path.join(cache, file));
  for (const other of fs.readdirSync(cache))
    if (other !== file && /^(.+)-[0-9a-f]{12}$/.exec(other)?.[1] === name)
      fs.unlinkSync(path.join(cache, other));
}

/**
 * Returns a function that loads a chunk by its name, or returns undefined if Node.js has to load it.
 *
 * @param folder - folder of the chunks
 * @param hashes - hash of each chunk's text, by its name
 * @param load - `require` of a file in that folder
 */
module.exports = function codeCache(folder, hashes, load) {
  const cache = cacheOf(folder);
  if (cache === undefined) return () => undefined;
  const waiting = [];
  const keepAll = () => {
    try {
      for (const one of waiting) keep(cache, ...one);
    } catch {
      // without a cache, the next start is as slow as this one
    }
  };
  return (name) => {
    const file = `${name}-${hashes[name]}`;
    const filename = path.join(folder, `${name}.js`);
    let script;
    try {
      const known = path.join(cache, file);
      const cachedData = fs.existsSync(known) ? fs.readFileSync(known) : undefined;
      const text = `(function(exports,require,module,__filename,__dirname){${fs.readFileSync(filename, 'utf8')}\n})`;
      script = new vm.Script(text, { filename, cachedData });
      if (cachedData === undefined || script.cachedDataRejected) {
        if (waiting.length === 0) process.once('exit', keepAll);
        waiting.push([name, file, script]);
      }
    } catch {
      return undefined;
    }
    const module = { exports: {} };
    script.runInThisContext()(module.exports, load, module, filename, folder);
    return module.exports;
  };
};
