// How the time of a check grows with the documents of a file, and against parsing alone. Medians of 3 runs in one process.
import { parseAllDocuments } from 'yaml';
import { findingsIn } from '../lib/checks/check';
import { readManifests } from '../lib/manifest/read';

const RUNS = 3;
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const time = (run: () => void): number =>
  median(
    Array.from({ length: RUNS }, () => {
      const start = performance.now();
      run();
      return performance.now() - start;
    }),
  );
const documents = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c-${String(index)}\ndata:\n  a: b\n`,
  ).join('---\n');

for (const count of [1000, 2000, 4000, 8000]) {
  const yaml = documents(count);
  const parse = time(() => {
    parseAllDocuments(yaml).forEach((document) => document.toJS() as unknown);
  });
  const check = time(() => findingsIn(readManifests(yaml, 'x.yaml').objects));
  console.log(
    `${String(count)} documents: ${(check / count).toFixed(3)} ms each, ${(check / parse).toFixed(1)} times parsing alone`,
  );
}
