// Renders the app into a folder beside dist/ and puts it in place only when everything rendered: a failure leaves dist/ as it was.
const fs = require('node:fs');
const path = require('node:path');

const dist = 'dist';
const rendered = fs.mkdtempSync('.synth-');
process.env.CDK8S_OUTDIR = rendered;
process.on('exit', (status) => {
  try {
    if (status !== 0) return;
    fs.mkdirSync(dist, { recursive: true });
    for (const old of fs.readdirSync(dist)) fs.rmSync(path.join(dist, old), { recursive: true });
    fs.cpSync(rendered, dist, { recursive: true });
    for (const file of fs.readdirSync(dist).sort()) console.log(path.join(dist, file));
  } finally {
    fs.rmSync(rendered, { recursive: true });
  }
});
require('./app');
