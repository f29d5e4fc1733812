// The door by which `cdk8s synth` finds the validation plugin in a checkout, where build/ may not exist: see cdk8s.yaml.
require('tsx/cjs');
module.exports = require('../lib/checks/plugin.ts');
