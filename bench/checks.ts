// Measures the cost of the checks: their time as a share of the synth of all examples, checks included. Medians of 21 runs in one process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiObject, App } from 'cdk8s';
import { addExamples } from '../examples';
import { errorsIn } from '../lib/checks/check';
import { type Json, manifestObject } from '../lib/manifest/manifest';

const RUNS = 21;
const outdir = mkdtempSync(path.join(tmpdir(), 'bench-'));
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const time = (run: () => void): number => {
  const start = performance.now();
  run();
  return performance.now() - start;
};

const synths: number[] = [];
const checks: number[] = [];
let count = 0;
for (let run = 0; run <= RUNS; run++) {
  const app = new App({ outdir });
  addExamples(app);
  const synth = time(() => {
    app.synth();
  });
  const objects = app.node
    .findAll()
    .filter((one): one is ApiObject => ApiObject.isApiObject(one))
    .map((object) => manifestObject(object.toJson() as Json));
  count = objects.length;
  const check = time(() => {
    errorsIn(objects);
  });
  if (run === 0) continue; // warm-up
  synths.push(synth);
  checks.push(check);
}
rmSync(outdir, { recursive: true });

const ratio = median(checks) / median(synths);
console.log(`${String(count)} objects: checks take ${(ratio * 100).toFixed(0)} % of synth`);
