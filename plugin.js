// The validation plugin for cdk8s-cli, which loads plugins by path: ./node_modules/cdk8s-tpu-serving/plugin
module.exports = require('./build/lib/synth/plugin.js');
