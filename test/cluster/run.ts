import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startCluster } from './harness/cluster';
import { removeAtEnd } from './harness/process';
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

/** Runs Jest; the exit code of the run. */
const jest = (args: readonly string[], clusterFile: string): Promise<number> =>
  new Promise((resolve) => {
    const program = path.join(__dirname, '..', '..', 'node_modules', 'jest', 'bin', 'jest.js');
    const child = spawn(
      process.execPath,
      [program, '--config', path.join(__dirname, 'jest.config.js'), '--runInBand', ...args],
      { stdio: 'inherit', env: { ...process.env, CLUSTER_FILE: clusterFile } },
    );
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });

const interrupted = (): Promise<number> =>
  new Promise((resolve) => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const)
      process.once(signal, () => {
        resolve(code);
      });
  });

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const interruption = interrupted();
  const found = await findPrograms();
  if (typeof found === 'string') {
    console.error(found);
    return 1;
  }
  const cluster = await startCluster(found.programs, found.controllers);
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-test-'));
  const janitor = removeAtEnd(folder);
  try {
    const file = path.join(folder, 'cluster.json');
    writeFileSync(file, JSON.stringify(cluster.file), { mode: 0o600 });
    if (args[0] === '--up') {
      console.log(
        `KUBECONFIG=${cluster.file.kubeconfig}\nCLUSTER_FILE=${file}\nlogs: ${cluster.file.folder}`,
      );
      return await interruption;
    }
    const selection = found.controllers ? [] : ['--testPathPatterns', WITHOUT_CONTROLLERS.join('|')];
    if (!found.controllers)
      console.log(`no Go: only ${WITHOUT_CONTROLLERS.join(' and ')} run, without controllers`);
    const code = await Promise.race([jest([...selection, ...args], file), interruption]);
    cluster.assertAlive();
    return code;
  } finally {
    await cluster.stop();
    janitor.stop();
  }
}

void main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
