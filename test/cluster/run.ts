import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startCluster } from './harness/cluster';
import { run } from './harness/process';
import { buildPrograms, hasGo, type Programs } from './harness/tools';

// Starts a cluster on loopback, runs the tests against it and ends it. Arguments go to Jest; with `--up` as the only argument, the
// cluster stays until it is interrupted and no test runs.

/** Tests that need no controllers. */
const WITHOUT_CONTROLLERS = ['accepted', 'apply-again'];

/** What runs, or a sentence that says what to install. */
async function findPrograms(): Promise<
  { readonly programs: Programs; readonly controllers: boolean } | string
> {
  if (hasGo()) {
    const { programs, missing } = await buildPrograms();
    if (missing.length > 0) return `Could not build ${missing.join(', ')}.`;
    return { programs, controllers: true };
  }
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets === undefined || assets === '')
    return 'Install Go 1.26, or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl, to run the cluster tests.';
  const names = ['etcd', 'kube-apiserver', 'kubectl'];
  return {
    programs: Object.fromEntries(names.map((name) => [name, path.join(assets, name)])),
    controllers: false,
  };
}

/** Runs Jest; returns its exit code. */
const jest = (args: readonly string[], clusterFile: string): Promise<number> => {
  const program = path.join(__dirname, '..', '..', 'node_modules', 'jest', 'bin', 'jest.js');
  const config = path.join(__dirname, 'jest.config.js');
  return run(process.execPath, [program, '--config', config, '--runInBand', ...args], {
    CLUSTER_FILE: clusterFile,
  });
};

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const found = await findPrograms();
  if (typeof found === 'string') {
    console.error(found);
    return 1;
  }
  const cluster = await startCluster(found.programs, found.controllers);
  try {
    const file = path.join(cluster.file.folder, 'cluster.json');
    writeFileSync(file, JSON.stringify(cluster.file), { mode: 0o600 });
    if (args[0] === '--up') {
      console.log(`export KUBECONFIG=${cluster.file.kubeconfig} CLUSTER_FILE=${file}`);
      // until a signal ends this process
      return await new Promise(() => setInterval(cluster.assertAlive, 1000));
    }
    const selection = found.controllers ? [] : ['--testPathPatterns', WITHOUT_CONTROLLERS.join('|')];
    if (!found.controllers)
      console.log(`no Go: only ${WITHOUT_CONTROLLERS.join(' and ')} run, without controllers`);
    const code = await jest([...selection, ...args], file);
    cluster.assertAlive();
    return code;
  } finally {
    await cluster.stop();
  }
}

// All processes of the cluster end with this one, so that a signal needs no more than this.
for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code));

void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
