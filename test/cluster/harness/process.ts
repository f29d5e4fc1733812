import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';

// Processes that cannot outlive the one that started them, however it ends.

// A shell between this process and the program reads a pipe that only this process holds. The pipe closes when this process ends, even
// on SIGKILL, and the shell then ends the program. Nothing in the cluster is worth a graceful shutdown. The shell leads its own
// process group, so Ctrl+C reaches the program only through the pipe.
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ read -r _ <&3; kill -KILL $program; } 2>/dev/null &
guard=$!
exec 3<&-
wait $program
status=$?
kill $guard 2>/dev/null
exit $status
`;

/** Removes folders when this process ends, however it ends. */
export function removeAtEnd(...folders: readonly string[]): {
  readonly pid: number;
  readonly stop: () => void;
} {
  const script = 'read -r _; sleep 1; rm -rf "$@"';
  const child = spawn('sh', ['-c', script, 'janitor', ...folders], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  return {
    pid: child.pid ?? 0,
    stop: () => {
      child.kill('SIGKILL');
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A program that runs until it is stopped. */
export interface Running {
  readonly name: string;
  readonly log: string;
  /** The process of the guard, which leads its own group. */
  readonly pid: number;
  /** Throws, with the end of the log, if the program has ended. */
  readonly assertAlive: () => void;
  /** Ends the program and waits until it has. */
  readonly stop: () => Promise<void>;
}

const guarded = (program: string, args: readonly string[]): readonly string[] => [
  '-c',
  GUARD,
  'guard',
  program,
  ...args,
];

/** Starts a program whose output goes into `FOLDER/NAME.log`. */
export function start(
  folder: string,
  name: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const log = path.join(folder, `${name}.log`);
  const output = createWriteStream(log);
  const child = spawn('sh', guarded(program, args), {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdin.on('error', () => undefined);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      output.end();
      resolve();
    });
  });
  return {
    name,
    log,
    pid: child.pid ?? 0,
    assertAlive: () => {
      assertAlive(child, name, log);
    },
    stop: () => {
      child.stdin.destroy();
      return ended;
    },
  };
}

/** Runs a program to its end, with the output of this process; returns its exit code. */
export const run = (
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn('sh', guarded(program, args), {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
      detached: true,
    });
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });

function assertAlive(child: ChildProcess, name: string, log: string): void {
  if (child.exitCode === null && child.signalCode === null) return;
  const end = readFileSync(log, 'utf8').split('\n').slice(-30).join('\n');
  throw new Error(`${name} ended with ${String(child.exitCode ?? child.signalCode)}:\n${end}`);
}

const taken = new Set<number>();

/** Free ports of the loopback interface, none of them twice. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const fresh = ports.filter((port) => !taken.has(port));
  for (const port of fresh) taken.add(port);
  return fresh.length === count ? fresh : [...fresh, ...(await freePorts(count - fresh.length))];
}

const listen = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      resolve(server);
    });
  });
