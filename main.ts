import path from 'node:path';
import { addExamples } from './examples';
import { addArgoCd } from './examples/argocd';
import { addEnvironments } from './examples/environments';
import { addGateway } from './examples/gateway';
import { addLeaderWorkerSets } from './examples/lws';
import { addPlatform } from './examples/platform';
import { App, writeRunbooks } from './lib';

// By default, cdk8s writes construct-metadata.json for cdk8s-cli, which `kubectl apply -f dist/` would try to apply.
const app = new App({ recordConstructMetadata: false });
addExamples(app);

// Subfolders, which `kubectl apply -f dist/` and a directory source of Argo CD do not read by default.
const below = (folder: string): App =>
  new App({ outdir: path.join(app.outdir, folder), recordConstructMetadata: false });
const platform = below('platform');
addPlatform(platform);
const gateway = below('gateway');
addGateway(gateway);
const lws = below('lws');
addLeaderWorkerSets(lws);
const environments = addEnvironments(below);
const apps = { '.': app, platform, gateway, lws, ...environments };
const argo = below('argocd');
addArgoCd(argo, apps);

for (const one of [...Object.values(apps), argo]) {
  one.synth();
  writeRunbooks(one);
}
