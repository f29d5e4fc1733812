import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findingsIn } from '../lib/checks/check';
import { servedModelOf } from '../lib/manifest/model-memory';
import { podsOf } from '../lib/manifest/pods';
import { readManifests } from '../lib/manifest/read';
import { blocksIn, pages, root, run } from './pages';

const dist = path.join(root, 'dist');
const manifests = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.k8s.yaml'))
  .map((file) => ({ file, ...readManifests(readFileSync(path.join(dist, file)), file) }));

describe('the models of the examples', () => {
  test('are known: several manifests serve one', () => {
    const served = manifests.flatMap(({ objects }) =>
      objects
        .flatMap(podsOf)
        .flatMap((pod) => pod.containers.flatMap((one) => servedModelOf(one, pod) ?? [])),
    );
    expect(new Set(served.map(({ name }) => name))).toEqual(
      new Set([
        'meta-llama/Llama-3.1-70B',
        'meta-llama/Llama-3.1-8B',
        'meta-llama/Meta-Llama-3-8B',
        'meta-llama/Llama-3.3-70B-Instruct',
        'Qwen/Qwen3-8B',
        'Qwen/Qwen3-32B',
        'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8',
        'gs://my-models/Qwen3-Coder-480B-A35B-Instruct-FP8',
        'google/gemma-7b-it',
        'gemma-7b',
        'llama-3-8b',
        // workers of Ray, of which a Serve application says what they run
        undefined,
      ]),
    );
  });

  test.each(manifests)('fit: $file', ({ objects }) => {
    expect(findingsIn(objects).filter(({ code }) => code === 'TPU119')).toEqual([]);
  });
});

/** Pages with programs that serve a model. */
const served = pages().flatMap((page) =>
  blocksIn(page, 'ts')
    .filter((code) => code.includes('app.synth()') && /\bmodel(Size|Name)?:/.test(code))
    .map((code, index) => ({ page, index, code })),
);

describe('the models of README.md and docs/', () => {
  test('are found', () => {
    expect(served.length).toBeGreaterThan(5);
  });

  test.each(served)('fit: $page, program $index', async ({ page, code }) => {
    const { yaml } = await run(code);
    const { objects } = readManifests(yaml, page);
    expect(objects.length).toBeGreaterThan(0);
    expect(findingsIn(objects).filter(({ code: rule }) => rule === 'TPU119')).toEqual([]);
  });
});
