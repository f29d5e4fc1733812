import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

// The upstream programs that the cluster consists of: where each is pinned, where its binaries are kept, and how they are built.

const FOLDER = path.join(__dirname, '..', 'tools');

/** A pinned module and the programs that are built from it. */
interface Tool {
  /** Folder of its go.mod under `test/cluster/tools/`. */
  readonly name: string;
  readonly module: string;
  /** Binary name → package. */
  readonly programs: Readonly<Record<string, string>>;
}

// The programs without which nothing runs come first: a build that is cut short leaves the most useful ones.
const TOOLS: readonly Tool[] = [
  {
    name: 'etcd',
    module: 'go.etcd.io/etcd/server/v3',
    programs: { etcd: 'go.etcd.io/etcd/server/v3' },
  },
  {
    name: 'kubernetes',
    module: 'k8s.io/kubernetes',
    programs: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      kubectl: 'k8s.io/kubernetes/cmd/kubectl',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    },
  },
  { name: 'kwok', module: 'sigs.k8s.io/kwok', programs: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' } },
  { name: 'jobset', module: 'sigs.k8s.io/jobset', programs: { jobset: 'sigs.k8s.io/jobset' } },
  { name: 'lws', module: 'sigs.k8s.io/lws', programs: { lws: 'sigs.k8s.io/lws/cmd' } },
  {
    name: 'kuberay',
    module: 'github.com/ray-project/kuberay/ray-operator',
    programs: { kuberay: 'github.com/ray-project/kuberay/ray-operator' },
  },
  { name: 'kueue', module: 'sigs.k8s.io/kueue', programs: { kueue: 'sigs.k8s.io/kueue/cmd/kueue' } },
];

/** Modules that are read and not built: older releases whose CRDs the manifests must satisfy too. */
export type ModuleName =
  | 'etcd'
  | 'jobset'
  | 'kuberay'
  | 'kubernetes'
  | 'kueue'
  | 'kwok'
  | 'lws'
  | 'oldest-jobset'
  | 'oldest-raycluster'
  | 'oldest-rayjob'
  | 'oldest-rayservice';

const GO_ENVIRONMENT = { GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '' };

/** The standard output of a `go` command in the folder of a tool. */
const go = (name: string, ...args: readonly string[]): string =>
  execFileSync('go', args, {
    cwd: path.join(FOLDER, name),
    env: { ...process.env, ...GO_ENVIRONMENT },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** Whether `go` is on the PATH. */
export function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The version in the go.mod of a tool. */
export function pinnedVersion(name: ModuleName): string {
  const text = readFileSync(path.join(FOLDER, name, 'go.mod'), 'utf8');
  const module = /^tool \(?\s*(\S+)/m.exec(text)?.[1] ?? /^require (\S+)/m.exec(text)?.[1] ?? '';
  const required = [...text.matchAll(/^(?:require|\t)\s*(\S+) (v\S+)/gm)];
  const found = required.find(([, one = '']) => module === one || module.startsWith(`${one}/`))?.[2];
  if (found === undefined) throw new Error(`${name}/go.mod pins no version`);
  return found;
}

/** The folder of the module that a tool pins, or of one that it depends on: CRDs, webhook configurations, RBAC and stages. */
export function moduleFolder(name: ModuleName, dependency?: string): string {
  const module =
    dependency ??
    TOOLS.find((one) => one.name === name)?.module ??
    /^require (\S+)/m.exec(readFileSync(path.join(FOLDER, name, 'go.mod'), 'utf8'))?.[1] ??
    '';
  // downloads the module if the module cache has lost it; the binaries can outlive that cache
  go(name, 'mod', 'download', module);
  return go(name, 'list', '-m', '-f', '{{.Dir}}', module);
}

const ldflags = (tool: Tool): string => {
  const version = pinnedVersion(tool.name as ModuleName);
  const [major = '', minor = ''] = version.slice(1).split('.');
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return [
    '-s -w',
    ...(tool.name === 'kubernetes'
      ? Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
      : []),
  ].join(' ');
};

/** The folder of a tool's binaries: another go.mod, go.sum, Go version or flag is another folder. */
function cacheFolder(tool: Tool, goVersion: string): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(path.join(FOLDER, tool.name, file)));
  hash.update(`${goVersion} ${process.platform} ${process.arch} ${ldflags(tool)}`);
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
  const key = `${tool.name}-${hash.digest('hex').slice(0, 16)}`;
  return path.join(cache, 'cdk8s-tpu-serving', 'cluster-tools', key);
}

const hasPrograms = (tool: Tool, folder: string): boolean =>
  Object.keys(tool.programs).every((program) => existsSync(path.join(folder, program)));

/** Builds a tool; `false` if the time is over before it is done. Go's build cache keeps the compiled packages. */
async function build(tool: Tool, folder: string, deadline: number): Promise<boolean> {
  const temporary = `${folder}.${String(process.pid)}`;
  mkdirSync(temporary, { recursive: true });
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', ldflags(tool), '-o', `${temporary}/`];
  const child = spawn('go', [...args, ...Object.values(tool.programs)], {
    cwd: path.join(FOLDER, tool.name),
    env: { ...process.env, ...GO_ENVIRONMENT },
    stdio: 'inherit',
    detached: true,
  });
  const stop = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(stop, Math.min(deadline - Date.now(), 2 ** 31 - 1));
  process.once('exit', stop);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  clearTimeout(timer);
  process.removeListener('exit', stop);
  if (status !== 0) {
    rmSync(temporary, { recursive: true, force: true });
    if (status === null && Date.now() >= deadline) return false;
    throw new Error(`go build of ${tool.name} failed`);
  }
  // `go build` names a binary after the last element of its package's path
  for (const [program, file] of Object.entries(tool.programs)) {
    const parts = file.split('/');
    const last = parts.at(-1) ?? '';
    const built = /^v\d+$/.test(last) ? (parts.at(-2) ?? '') : last;
    if (built !== program) renameSync(path.join(temporary, built), path.join(temporary, program));
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(temporary, folder);
  return true;
}

/** The path of each program. */
export type Programs = Readonly<Record<string, string>>;

/**
 * Builds the programs that the cache lacks.
 *
 * @returns the programs, and the tools that the time did not suffice for
 */
export async function buildPrograms(
  budgetMinutes = Infinity,
): Promise<{ readonly programs: Programs; readonly missing: readonly string[] }> {
  const deadline = Date.now() + budgetMinutes * 60_000;
  const goVersion = go('etcd', 'env', 'GOVERSION');
  const programs: Record<string, string> = {};
  const missing: string[] = [];
  for (const tool of TOOLS) {
    const folder = cacheFolder(tool, goVersion);
    if (!hasPrograms(tool, folder)) {
      console.log(`building ${tool.name} ${pinnedVersion(tool.name as ModuleName)}`);
      if (Date.now() >= deadline || !(await build(tool, folder, deadline))) {
        missing.push(tool.name);
        continue;
      }
    }
    for (const program of Object.keys(tool.programs)) programs[program] = path.join(folder, program);
  }
  return { programs, missing };
}
