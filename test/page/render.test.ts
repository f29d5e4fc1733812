import { fieldOf, choiceOf, START } from '../../site/page/choice';
import { render, typescriptOf } from '../../site/page/render';
import { run } from '../pages';
import { CHOICES } from './choices';

test.each(CHOICES)('the TypeScript of %p renders the same YAML in Node', async (fragment) => {
  const choice = choiceOf(fragment);
  const { problems, yaml, typescript, commands } = render(choice);
  expect(problems).toEqual([]);
  expect(typescriptOf(choice)).toBe(typescript);
  const { yaml: inNode } = await run(typescript);
  expect(yaml).toBe(inNode);
  expect(yaml).toContain('google.com/tpu');
  // a ComputeClass makes its own node pools
  expect(commands.includes('gcloud container node-pools create')).toBe(choice.capacity !== 'compute-class');
  expect(commands).toContain('kubectl apply -f');
});

test.each([
  ['name', 'name=Not_A_Name'],
  ['namespace', 'namespace=UPPER%20CASE'],
  ['capacityName', 'capacity=reservation'],
  ['bucket', 'loading=cache&bucket=Not%20A%20Bucket'],
  ['maxReplicas', 'scaling=adapter&maxReplicas=0'],
  ['averageValue', 'scaling=adapter&averageValue=-1'],
  ['replicas', 'replicas=many'],
  ['location', 'location=the%20moon'],
  ['maxModelLen', 'maxModelLen=1e99'],
  ['slice', 'slice=ct6e-standard-1t%2F1x1'],
])('a problem belongs to the field %p: %p', (field, fragment) => {
  const { problems, yaml } = render(choiceOf(fragment));
  expect(problems.map(fieldOf)).toContain(field);
  expect(yaml).toBe('');
});

test('a model that no slice holds has the problems of the library', () => {
  const { problems, typescript } = render(choiceOf('model=by-hand&parameters=900e12&generation='));
  expect(problems.length).toBe(5);
  expect(typescript).toBe('');
});

test('the server has the name of the model', () => {
  expect(render(START).name).toBe('qwen3-32b');
});
