// Builds the site into build/site: the pages of docs/, the API reference and, if it is there, the page that sizes, renders and checks.
// SITE_BASE is the path under which it is published, / by default; SITE_REPOSITORY is the address of its source, if it has one.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vitepress';
import { deadLinks } from '../site/links.ts';
import { attachments, isPage, placeOf, sitePage } from '../site/source.ts';

const SOURCE = path.join('temp', 'site');
const API = path.join('temp', 'reference');
const OUT = path.join('build', 'site');
const base = process.env.SITE_BASE ?? '/';

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));

/** Writes the Markdown that the generator reads. */
function writeSource() {
  rmSync(SOURCE, { recursive: true, force: true });
  const files = ['README.md', 'CHANGELOG.md', ...filesIn('docs').map((file) => `docs/${file}`)];
  const write = (place, text) => {
    mkdirSync(path.dirname(path.join(SOURCE, place)), { recursive: true });
    writeFileSync(path.join(SOURCE, place), text);
  };
  for (const file of files.filter(isPage)) {
    const text = readFileSync(file, 'utf8');
    write(placeOf(file), sitePage(file, text));
    for (const other of attachments(file, text)) write(`public/${placeOf(other)}`, readFileSync(other));
  }
}

/** Starts a script of package.json; resolves when it has ended well. */
const npm = (script, env = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', script], {
      stdio: 'inherit',
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`npm run ${script} failed`))));
  });

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const hasPage = 'site:page' in scripts;
if (hasPage) await npm('site:page');
if (hasPage) process.env.SITE_PAGE = 'yes';

writeSource();
const reference = npm('docs:api', { SITE_BASE: base });
await build('site');
await reference;
cpSync(API, path.join(OUT, 'api'), { recursive: true });
if (hasPage) cpSync(path.join('build', 'page'), path.join(OUT, 'page'), { recursive: true });

const site = new Map(
  filesIn(OUT).map((file) => [
    file,
    file.endsWith('.html') ? readFileSync(path.join(OUT, file), 'utf8') : '',
  ]),
);
const dead = deadLinks(site, base);
for (const link of dead) console.error(`dead link in ${link}`);
console.log(`${String(site.size)} files in ${OUT}, ${String(dead.length)} dead links`);
process.exitCode = dead.length > 0 ? 1 : 0;
