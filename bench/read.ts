// How the time and memory of `check` grow with the objects, against parsing alone: whole processes, in turn, as ratios of CPU time and
// peak memory in one run. `npm run bench:check` for 21,000 objects; `npm run bench:check -- OBJECTS` for another number,
// and `NODE=FILE npm run bench:check` for another Node.js.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LineCounter, parseAllDocuments } from 'yaml';
import { findingsIn } from '../lib/checks/check';
import { textReport } from '../lib/checks/report';
import { readPaths } from '../lib/manifest/read';

const [, , wanted = '21000', ...work] = process.argv;

/** A server with as many mistakes as a server of 20 lines can have: the worst case. */
const BARE = `apiVersion: apps/v1
kind: Deployment
metadata: {name: llama}
spec:
  selector: {matchLabels: {app: llama}}
  template:
    metadata: {labels: {app: llama}}
    spec:
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 2x4
      containers:
        - name: server
          image: vllm/vllm-tpu:v0.12.0
          command: [vllm, serve, my/model]
          ports: [{containerPort: 8000}]
          livenessProbe: {httpGet: {path: /health, port: 8000}}
          resources: {limits: {google.com/tpu: '8'}}
`;
const FIVE = ['ray-stable-diffusion', 'vllm-llama3-70b', 'jetstream-gemma-7b-it', 'saxml-175b', 'flex-start'];
const charts = readdirSync('dist')
  .filter((name) => name.endsWith('.yaml') && FIVE.some((one) => name.startsWith(one)))
  .map((name) => readFileSync(path.join('dist', name), 'utf8'));
/** Adds a number to the names of a chart's objects and pods, so that each copy is a separate chart. */
const renamed = (yaml: string, index: number): string =>
  yaml.replace(
    /^( *(?:name|app|serviceAccountName): (?!http$|grpc$))([a-z][a-z0-9-]*)$/gm,
    `$1$2-${String(index)}`,
  );

/** Documents by their number. */
const KINDS: Readonly<Record<string, (index: number) => string>> = {
  'small ConfigMaps': (index) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c-${String(index)}\ndata:\n  a: b\n`,
  'the five systems': (index) => renamed(charts[index % charts.length] ?? '', index),
  'servers with 12 findings each': (index) => BARE.replaceAll('llama', `llama-${String(index)}`),
};

/** One file with a number of objects of a kind, or with as many as a file size in bytes allows. */
function write(file: string, kind: string, objects: number, bytes = Infinity): void {
  const parts: string[] = [];
  const documentOf = KINDS[kind];
  for (let [count, size, index] = [0, 0, 0]; count < objects && size < bytes; index++) {
    const yaml = documentOf?.(index) ?? '';
    parts.push(yaml);
    count += yaml.match(/^kind: /gm)?.length ?? 1;
    size += yaml.length;
  }
  writeFileSync(file, parts.join('---\n'));
}

/** The work of one process: to check, or to parse each document separately, like a reader with bounded memory. */
function measure(what: string, file: string): void {
  let objects = 0;
  if (what === 'parse')
    for (const part of readFileSync(file, 'utf8').split(/^---\n/m))
      for (const one of parseAllDocuments(part, { version: '1.1', lineCounter: new LineCounter() })) {
        one.toJS();
        objects++;
      }
  else {
    const read = readPaths([file]);
    objects = read.objects.length;
    const report = { findings: findingsIn(read.objects), unreadable: read.unreadable, objects };
    textReport(report, { verbose: false, color: false });
  }
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  console.log(JSON.stringify({ objects, seconds: (userCPUTime + systemCPUTime) / 1e6, MiB: maxRSS / 1024 }));
}

interface Measured {
  readonly objects: number;
  readonly seconds: number;
  readonly MiB: number;
}

function start(what: string, file: string): Measured {
  const { stdout, stderr, status } = spawnSync(
    process.env['NODE'] ?? process.execPath,
    ['--import', 'tsx', __filename, '0', what, file],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}

function row(name: string, file: string): void {
  const none = path.join(path.dirname(file), 'none.yaml');
  writeFileSync(none, '');
  // The time does not include loading the program.
  const [emptyParse, emptyCheck] = [start('parse', none), start('check', none)];
  const [parse, check] = [start('parse', file), start('check', file)];
  const ratio = (check.seconds - emptyCheck.seconds) / (parse.seconds - emptyParse.seconds);
  const each = ((check.seconds - emptyCheck.seconds) / check.objects) * 1e6;
  const cells = [name, check.objects, ratio.toFixed(2), each.toFixed(0), check.MiB.toFixed(0)];
  console.log(`| ${cells.join(' | ')} |`);
}

if (work.length > 0) measure(work[0] ?? '', work[1] ?? '');
else {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const file = path.join(folder, 'objects.yaml');
  try {
    console.log('| | objects | × parsing alone | µs each | peak MiB |\n|---|---|---|---|---|');
    for (const kind of Object.keys(KINDS))
      for (const part of [4, 1]) {
        write(file, kind, Math.round(Number(wanted) / part));
        row(kind, file);
      }
    write(file, 'the five systems', Infinity, 50e6);
    row('one file of 50 MB', file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
