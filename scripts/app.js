// Runs main.ts of the current folder, compiled. `cdk8s synth` starts it by cdk8s.yaml, `npm run synth` by scripts/synth.js.
const { existsSync } = require('node:fs');
const path = require('node:path');
const { compile, compiled, run } = require('./compile');

const entry = path.resolve('main.ts');
// what `cdk8s synth` loads next: see scripts/validation.js
const plugin = path.resolve('lib', 'synth', 'plugin.ts');

async function runAnew() {
  const scripts = await Promise.all([entry, plugin].filter(existsSync).map(compile));
  run(scripts[0]);
}

const script = compiled(entry);
if (script) run(script);
else void runAnew();
