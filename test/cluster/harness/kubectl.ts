import { spawn } from 'node:child_process';

export interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl and returns what it says, also if it fails. */
export function kubectl(
  program: string,
  kubeconfig: string,
  args: readonly string[],
  input = '',
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (status) => {
      resolve({ status, stdout: out.join(''), stderr: err.join('') });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
