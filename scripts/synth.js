// Starts main.ts as cdk8s.yaml does, with a folder beside dist/ as output, and moves the files to dist/ only if the app succeeds.
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const { constants } = require('node:os');
const path = require('node:path');

const dist = 'dist';
const rendered = fs.mkdtempSync('.synth-');

/** Everything below a folder, in order; the name of a folder ends with a slash. */
const below = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .map((name) =>
      fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.isDirectory() ? `${name}/` : name,
    )
    .sort();

/** Moves the files one by one, so that synths can run at the same time. */
function replace() {
  fs.mkdirSync(dist, { recursive: true });
  const names = below(rendered);
  for (const old of below(dist))
    if (!names.includes(old)) fs.rmSync(path.join(dist, old), { recursive: true, force: true });
  for (const name of names)
    if (name.endsWith('/')) fs.mkdirSync(path.join(dist, name), { recursive: true });
    else fs.renameSync(path.join(rendered, name), path.join(dist, name));
  for (const file of fs.readdirSync(dist).sort()) console.log(path.join(dist, file));
}

const app = spawn(process.execPath, ['--import', 'tsx', 'main.ts'], {
  stdio: 'inherit',
  env: { ...process.env, CDK8S_OUTDIR: rendered },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => app.kill(signal));
app.on('exit', (status, signal) => {
  try {
    if (status === 0) replace();
  } finally {
    fs.rmSync(rendered, { recursive: true });
  }
  process.exitCode = status ?? 128 + constants.signals[signal];
});
