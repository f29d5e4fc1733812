// Mutation tests: npm run mutation [FOLDER …], for the folders of lib/ in stryker.config.mjs. Exits with 1 if a score is below 85 %.
// A second run tests only what has changed since: temp/mutation/ keeps the results.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { FOLDERS } from '../stryker.config.mjs';

const wanted = process.argv.slice(2);
const folders = wanted.length > 0 ? wanted : Object.keys(FOLDERS);
const unknown = folders.filter((folder) => !(folder in FOLDERS));
if (unknown.length > 0)
  throw new Error(`unknown folder ${unknown.join(', ')}; use ${Object.keys(FOLDERS).join(', ')}`);

const stryker = path.join('node_modules', '.bin', 'stryker');
const results = folders.map((folder) => {
  const env = { FAST_CHECK_TIME_LIMIT: '100', ...process.env, MUTATION_FOLDER: folder };
  const { status } = spawnSync(stryker, ['run'], { env, stdio: 'inherit' });
  return { folder, status };
});
for (const { folder, status } of results) console.log(`lib/${folder}: ${status === 0 ? 'ok' : 'below 85 %'}`);
process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1;
