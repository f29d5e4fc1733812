import path from 'node:path';
import { App } from 'cdk8s';
import { addExamples } from './examples';
import { addPlatform } from './examples/platform';

const app = new App();
addExamples(app);
app.synth();

// A folder below: neither `kubectl apply -f dist/` nor a directory source of Argo CD reads it unless told to.
const platform = new App({ outdir: path.join(app.outdir, 'platform'), recordConstructMetadata: false });
addPlatform(platform);
platform.synth();
