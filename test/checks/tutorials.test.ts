import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Finding, findingsIn } from '../../lib/checks/check';
import { readPaths } from '../../lib/manifest/read';

// Manifests with the structure and the defects of the tutorials, and every finding in them.

const folder = path.join(__dirname, 'tutorials');

/** The cells of each row of the Markdown tables, without headers. */
const rowsOf = (markdown: string): readonly string[] =>
  markdown
    .split('\n')
    .filter((line) => /^\| +\[?`?TPU\d/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replace(/^`|`$/g, ''))
        .join(' '),
    );

function findingsOf(...files: readonly string[]): readonly Finding[] {
  const { objects, unreadable } = readPaths(
    files.map((file) => path.join(folder, file)),
    () => new Uint8Array(),
  );
  expect(unreadable).toEqual([]);
  return findingsIn(objects);
}

const rows = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ code, severity, object, path: place }) => `${code} ${severity} ${object} ${place}`);

/** Every set of files in the table, and the findings that it lists. */
const TABLE = readFileSync(path.join(__dirname, 'tutorials.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section): [files: string, rows: readonly string[]] => [
    section.split('\n')[0] ?? '',
    rowsOf(section),
  ]);

describe('the table of tutorials lists every finding', () => {
  test.each(TABLE)('in %s', (files, listed) => {
    expect(rows(findingsOf(...files.split(' + ')))).toEqual(listed);
  });

  test('for every file', () => {
    const listed = TABLE.flatMap(([files]) => files.split(' + '));
    expect([...new Set(listed)].sort()).toEqual(readdirSync(folder).sort());
  });

  test.each(TABLE.filter(([files]) => files.includes(' + ')))(
    'finds the mistakes of each file of %s also without the other files',
    (files) => {
      const together = new Set(rows(findingsOf(...files.split(' + '))));
      // a note can be about an object that is not in the file
      const alone = files
        .split(' + ')
        .flatMap((file) => findingsOf(file))
        .filter(({ severity }) => severity !== 'note');
      expect(rows(alone).filter((row) => !together.has(row))).toEqual([]);
    },
  );
});

describe('the rules find the known defects of the tutorials', () => {
  test.each([
    ['a cache in memory without limit', 'vllm-server', 'TPU406', 'warning'],
    ['an image that moves', 'vllm-server', 'TPU701', 'warning'],
    ['an image that moves', 'flex-start-single-host', 'TPU701', 'warning'],
    ['an image that moves', 'flex-start-multi-host', 'TPU701', 'warning'],
    ['a rollout that waits for a slice', 'vllm-server', 'TPU305', 'warning'],
    ['a rollout that waits for a slice', 'jetstream-checkpoint', 'TPU305', 'warning'],
    ['a rollout that waits for a slice', 'jetstream-hugging-face', 'TPU305', 'warning'],
    ['an upgrade that waits for slices', 'ray', 'TPU306', 'warning'],
    ["probes of another container's port", 'jetstream-hugging-face', 'TPU303', 'note'],
    ['a second apply that is refused', 'saxml-model-servers', 'TPU801', 'warning'],
    ['a second apply that conflicts', 'ray', 'TPU802', 'warning'],
    ['chips as a number', 'saxml-model-servers', 'TPU803', 'warning'],
    ['servers that end after some evictions', 'saxml-model-servers', 'TPU334', 'warning'],
    ['an empty value', 'saxml-model-servers', 'TPU804', 'warning'],
    ['hosts without names until they are ready', 'flex-start-multi-host', 'TPU211', 'note'],
    ['a server on the internet', 'vllm-server', 'TPU513', 'warning'],
    ['a server on the internet', 'saxml-http', 'TPU513', 'warning'],
    ['a privileged container', 'saxml-admin', 'TPU704', 'warning'],
    ['a privileged container', 'saxml-model-servers', 'TPU704', 'warning'],
    ['a privileged container', 'flex-start-multi-host', 'TPU704', 'warning'],
    ["the node's network", 'saxml-model-servers', 'TPU705', 'note'],
  ])('%s in %s: %s', (_, file, code, severity) => {
    const found = findingsOf(`${file}.yaml`).filter((finding) => finding.code === code);
    expect(found.length).toBeGreaterThan(0);
    for (const finding of found) expect(finding.severity).toBe(severity);
  });

  test('fixed replicas with an autoscaler, which only the files together show', () => {
    const codes = (...files: readonly string[]): readonly string[] =>
      findingsOf(...files).map(({ code }) => code);
    expect(codes('vllm-server.yaml')).not.toContain('TPU512');
    expect(codes('vllm-server.yaml', 'vllm-autoscaler.yaml')).toContain('TPU512');
  });

  test('except a token', () => {
    expect(findingsOf(...readdirSync(folder)).map(({ code }) => code)).not.toContain('TPU702');
  });
});

describe('dist/', () => {
  test('has no errors, and only warnings that are accepted with a reason', () => {
    const { objects, unreadable } = readPaths(
      [path.join(__dirname, '..', '..', 'dist')],
      () => new Uint8Array(),
    );
    expect(unreadable).toEqual([]);
    const findings = findingsIn(objects).filter(({ severity }) => severity !== 'note');
    expect(findings.filter(({ accepted }) => accepted === undefined)).toEqual([]);
    expect(findings.map(({ code, object }) => `${code} ${object}`).sort()).toEqual([
      'TPU405 Deployment/qwen3-32b',
      'TPU405 Deployment/qwen3-32b-autoscaled',
      'TPU405 Deployment/qwen3-32b-tpu7x',
      'TPU405 Deployment/vllm-qwen3-32b-tpu7x',
      'TPU405 Deployment/vllm-qwen3-32b-v6e',
      'TPU405 LeaderWorkerSet/decode',
      'TPU405 LeaderWorkerSet/vllm-llama3-70b-v5e',
      'TPU609 RayJob/ray-job-v6e',
      'TPU609 RayService/ray-stable-diffusion',
      'TPU704 JobSet/saxml-175b',
    ]);
  });
});
