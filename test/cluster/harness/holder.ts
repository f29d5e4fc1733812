import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, removeAtEnd, start } from './process';

// A runner that holds two processes and says which, for the test that they end with it.

const main = async (): Promise<void> => {
  const [client = 0, peer = 0] = await freePorts(2);
  const folder = mkdtempSync(path.join(tmpdir(), 'cluster-test-'));
  const janitor = removeAtEnd(folder);
  const etcd = start(folder, 'etcd', process.argv[2] ?? '', [
    `--data-dir=${path.join(folder, 'etcd')}`,
    `--listen-client-urls=http://127.0.0.1:${String(client)}`,
    `--advertise-client-urls=http://127.0.0.1:${String(client)}`,
    `--listen-peer-urls=http://127.0.0.1:${String(peer)}`,
    '--log-level=error',
  ]);
  console.log(JSON.stringify([etcd.pid, janitor.pid]));
  setInterval(() => {
    etcd.assertAlive();
  }, 1000);
};

void main();
