import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { cluster } from './harness/context';
import { eventually } from './harness/wait';

// No process outlives the run, whatever ends it.

/** Whether a process group has members. */
const lives = (pid: number): boolean => {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('each process of this cluster leads its own group', () => {
  expect(cluster.processes.length).toBeGreaterThan(1);
  expect(cluster.processes.filter((pid) => !lives(pid))).toEqual([]);
});

describe.each(['SIGKILL', 'SIGINT', 'SIGTERM', 'SIGSEGV'] as const)('after %s', (signal) => {
  test('every process of the run ends', async () => {
    const runner = spawn(
      process.execPath,
      ['--import', 'tsx', path.join(__dirname, 'harness', 'holder.ts'), cluster.programs['etcd'] ?? ''],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pids = await new Promise<readonly number[]>((resolve) => {
      runner.stdout.once('data', (line: Buffer) => {
        resolve(JSON.parse(line.toString('utf8')) as number[]);
      });
    });
    expect(pids.filter(lives)).toEqual(pids);
    const ended = new Promise((resolve) => runner.once('exit', resolve));
    runner.kill(signal);
    await ended;
    await eventually(
      () => Promise.resolve(pids.filter(lives)),
      (left) => {
        expect(left).toEqual([]);
      },
    );
  });
});

test('without Go and assets, one sentence says what to install', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', path.join(__dirname, 'run.ts')],
    { env: { PATH: '' }, encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'Install Go 1.26, or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl, to run the cluster tests.\n',
  });
});
