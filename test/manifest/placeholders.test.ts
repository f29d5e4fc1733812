import { isFilledIn, isPlaceholder, placeholderIn, textsIn, valueAt } from '../../lib/manifest/placeholders';

test.each([
  '$IMAGE',
  'gcr.io/${PROJECT}/x',
  '{{ .Values.name }}',
  '<your-bucket>',
  'REPLACE_ME',
  'replaced-by-kustomize',
  'YOUR_BUCKET',
  'gcr.io/PROJECT_ID/x:v1',
  '{CAPACITY}',
  'gcr.io/{project}/vllm:{tag}',
  'gcr.io/%(project)s/vllm',
  '__TOPOLOGY__',
  'tpu-test-[your team]',
  'YOUR-BUCKET',
  'gcr.io/PROJECT/x:TAG',
  'ko://example.com/cmd/server',
])('%s is a placeholder', (value) => {
  expect(isPlaceholder(value)).toBe(true);
});

test.each([
  'vllm/vllm-tpu:v0.12.0',
  '$(NODE_IP):8353',
  'a < b > c',
  'GET',
  'us-east5-b',
  'NET_ADMIN',
  'CLIENT_IP',
  'USE_SERVING_PORT',
  'SPECIFIC_RESERVATION',
  '{"a": 1}',
  'sum(rate(requests[5m]))',
  "metadata.annotations['name']",
  'registry.example/ko:v1',
  'PROJECTION',
  4,
  null,
])('%s is not a placeholder', (value) => {
  expect(isPlaceholder(value)).toBe(false);
});

test('a placeholder in braces is a text, and a field with an empty value is not', () => {
  const yaml = 'a: {NAME}\nb:\n  rollingUpdate:\nc:\n- {size}\nd: {{e}}\n';
  const value = { a: { NAME: null }, b: { rollingUpdate: null }, c: [{ size: null }], d: { e: null } };
  expect(textsIn(yaml, value)).toEqual({ ...value, a: '{NAME}', c: ['{size}'] });
});

test('a placeholder in a script is a variable of the script', () => {
  expect(
    placeholderIn({ spec: { args: ['$HOME'], command: ['${A}'] }, data: { 'a.sh': '$X' } }),
  ).toBeUndefined();
  expect(placeholderIn({ spec: { containers: [{ name: 'a', image: '$IMAGE' }] } })).toEqual({
    path: 'spec.containers[a].image',
    value: '$IMAGE',
  });
});

test('a value is found by its path', () => {
  const manifest = { spec: { list: [{ name: 'a', 'x/y.z': { b: 1 } }, { port: 80 }] } };
  expect(valueAt(manifest, 'spec.list[a][x/y.z].b')).toBe(1);
  expect(valueAt(manifest, 'spec.list[80].port')).toBe(80);
  expect(valueAt(manifest, 'spec.list[1].port')).toBe(80);
  expect(valueAt(manifest, 'spec.nothing.here')).toBeUndefined();
});

test('names of variables and keys are not placeholders', () => {
  expect(isFilledIn({ name: 'HF_TOKEN', value: 'x' })).toBe(false);
  expect(isFilledIn({ name: 'HF_TOKEN', value: '$TOKEN' })).toBe(true);
});
