// Loads the validation plugin from source, because `cdk8s synth` in a checkout needs it before anything is built: see cdk8s.yaml.
const tsx = require('tsx/cjs/api');

module.exports = tsx.require('../lib/synth/plugin.ts', __filename);
