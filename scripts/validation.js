// The door by which `cdk8s synth` finds the validation plugin in a checkout, where build/ may not exist: see cdk8s.yaml.
const path = require('node:path');
const { compiled, run } = require('./compile');

const plugin = path.join(__dirname, '..', 'lib', 'synth', 'plugin.ts');
const script = compiled(plugin);
if (!script) require('tsx/cjs');
module.exports = script ? run(script) : require(plugin);
