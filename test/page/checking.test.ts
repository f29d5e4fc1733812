import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findingsIn } from '../../lib/checks/check';
import { readPaths } from '../../lib/manifest/read';
import { planOf } from '../../lib/plan/plan';
import { checkText } from '../../site/page/checking';
import { EXAMPLE } from '../../site/page/example';
import { root } from '../pages';

const withoutFile = (findings: ReturnType<typeof findingsIn>): readonly object[] =>
  findings.map((finding) => ({ ...finding, file: undefined }));

test.each([
  'ray-stable-diffusion',
  'vllm-llama3-70b',
  'jetstream-gemma-7b-it',
  'saxml-175b',
  'flex-start-multi-host',
  'gateway/vllm-qwen3-32b-gateway',
])('has the same findings and plan for %s as the command line', (name) => {
  const file = path.join(root, 'dist', `${name}.k8s.yaml`);
  const { objects } = readPaths([file]);
  const checked = checkText(readFileSync(file, 'utf8'));
  expect(withoutFile(checked.findings)).toEqual(withoutFile(findingsIn(objects)));
  expect(checked.objects).toBe(objects.length);
  expect(JSON.stringify(checked.plan.totals)).toBe(JSON.stringify(planOf(objects).totals));
});

test('the example has an error, a warning and a note', () => {
  const severities = checkText(EXAMPLE).findings.map(({ severity }) => severity);
  expect(new Set(severities)).toEqual(new Set(['error', 'warning', 'note']));
});

test('broken YAML is a message with its line, and the rest is checked', () => {
  const { unreadable, findings } = checkText(`${EXAMPLE}---\nkind: [\n`);
  expect(unreadable).toMatchObject([{ file: 'pasted.yaml' }]);
  expect(unreadable[0]?.line).toBeGreaterThan(EXAMPLE.split('\n').length - 1);
  expect(findings.length).toBeGreaterThan(0);
});

test('a text that is not YAML has no findings and causes no error', () => {
  expect(checkText('hello')).toMatchObject({ findings: [{ code: 'TPU901' }], objects: 0 });
});

test('the worker sends plain data', () => {
  const checked = checkText(EXAMPLE);
  expect(structuredClone(checked)).toEqual(checked);
});
