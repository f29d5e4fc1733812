// How the time and memory of a check grow with the documents of a file, against parsing alone. Medians of CPU time in one process.
import { readFileSync } from 'node:fs';
import { LineCounter, parseAllDocuments } from 'yaml';
import { findingsIn } from '../lib/checks/check';
import { textReport } from '../lib/checks/report';
import { readManifests } from '../lib/manifest/read';

const RUNS = 3;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const time = (run: () => unknown): number =>
  median(
    Array.from({ length: RUNS }, () => {
      const start = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    }),
  );

/** One document by its number. */
const KINDS: Readonly<Record<string, (index: number) => string>> = {
  'small ConfigMaps': (index) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c-${String(index)}\ndata:\n  a: b\n`,
  'servers of dist/': (index) => SERVER.replaceAll('qwen3', `qwen3-${String(index)}`),
  'servers with many findings': (index) => BARE.replaceAll('llama', `llama-${String(index)}`),
};
const SERVER = readFileSync('dist/vllm-qwen3-32b-v6e.k8s.yaml', 'utf8');
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

for (const [kind, document] of Object.entries(KINDS))
  for (const count of [250, 500, 1000]) {
    const yaml = Array.from({ length: count }, (_, index) => document(index)).join('---\n');
    const parse = time(() => {
      // each document alone, as a reader that bounds its memory does
      for (const part of yaml.split(/^---\n/m))
        for (const one of parseAllDocuments(part, { version: '1.1', lineCounter: new LineCounter() }))
          one.toJS();
    });
    const read = time(() => readManifests(yaml, 'x.yaml').objects);
    let kept = 0;
    const check = time(() => {
      const before = process.memoryUsage().heapUsed;
      const { objects, unreadable } = readManifests(yaml, 'x.yaml');
      const findings = findingsIn(objects);
      textReport({ findings, unreadable, objects: objects.length }, { verbose: false, color: false });
      kept = process.memoryUsage().heapUsed - before;
      return objects;
    });
    console.log(
      `${String(count)} × ${kind}: ${(check / count).toFixed(2)} ms each; reading ${(read / parse).toFixed(2)}, checking ${(check / parse).toFixed(2)} times parsing alone; ${(kept / count / 1024).toFixed(0)} KiB each`,
    );
  }
