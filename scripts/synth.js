// Renders the app into a folder beside dist/ and puts it in place only when everything rendered: a failure leaves dist/ as it was.
const fs = require('node:fs');
const path = require('node:path');

const dist = 'dist';
const rendered = fs.mkdtempSync('.synth-');
process.env.CDK8S_OUTDIR = rendered;

/** What is below a folder, folders first and with a slash at their end. */
const below = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .map((name) =>
      fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.isDirectory() ? `${name}/` : name,
    )
    .sort();

/** Moves one file after another, so that a synth beside this one does no harm. */
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

process.on('exit', (status) => {
  try {
    if (status === 0) replace();
  } finally {
    fs.rmSync(rendered, { recursive: true });
  }
});
// else nobody would take the folder away
for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15 }))
  process.on(signal, () => process.exit(128 + number));
require('./app');
