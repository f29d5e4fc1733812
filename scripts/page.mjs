// Bundles site/page into build/page: one script, which is the page and the worker that checks long texts. A page that is opened as a file
// cannot load a worker from another file, so the script is a function that the worker gets as text.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = path.join(root, 'site', 'page');
const target = path.join(root, 'build', 'page');
const shim = (name) => path.join(source, 'shims', `${name}.ts`);

/** Modules of Node that cdk8s and lib/ require, and their replacements in the page. */
const modules = JSON.parse(readFileSync(path.join(source, 'shims', 'modules.json'), 'utf8'));

const { outputFiles, metafile } = await build({
  entryPoints: [path.join(source, 'main.tsx')],
  bundle: true,
  write: false,
  metafile: true,
  absWorkingDir: root,
  minify: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  alias: Object.fromEntries(
    Object.entries(modules).flatMap(([name, file]) => [
      [name, shim(file)],
      [`node:${name}`, shim(file)],
    ]),
  ),
  inject: [shim('globals')],
  define: { __dirname: '""' },
});
const [{ text }] = outputFiles;

/** The licenses of the packages that the script contains. */
function licenses() {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  );
  return [...folders].sort().map((folder) => {
    const names = readdirSync(path.join(root, folder)).filter((name) => /^(licen[cs]e|notice)/i.test(name));
    const { name, version, license } = JSON.parse(
      readFileSync(path.join(root, folder, 'package.json'), 'utf8'),
    );
    const texts = names.map((file) => readFileSync(path.join(root, folder, file), 'utf8').trim());
    return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
  });
}

mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'page.js'), `const page=(PAGE_SOURCE)=>{${text}};page("("+page+")()");\n`);
writeFileSync(path.join(target, 'licenses.txt'), `${licenses().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
for (const name of ['index.html', 'page.css']) copyFileSync(path.join(source, name), path.join(target, name));
