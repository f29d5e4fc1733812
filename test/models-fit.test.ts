import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findingsIn } from '../lib/checks/check';
import { servedModelOf } from '../lib/manifest/model-memory';
import { podsOf } from '../lib/manifest/pods';
import { readManifests } from '../lib/manifest/read';
import { memoryFindings } from '../lib/tpu/memory';
import { modelNamed } from '../lib/tpu/models';
import { TpuSlice } from '../lib/tpu/slice';
import { blocksIn, pages, root } from './pages';

const dist = path.join(root, 'dist');
const manifests = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.k8s.yaml'))
  .map((file) => ({ file, ...readManifests(readFileSync(path.join(dist, file)), file) }));

describe('the models of the examples', () => {
  test('are known: several manifests serve one with vLLM', () => {
    const served = manifests.flatMap(({ objects }) =>
      objects
        .flatMap(podsOf)
        .flatMap(({ containers }) => containers.flatMap((one) => servedModelOf(one) ?? [])),
    );
    expect(new Set(served.map(({ name }) => name))).toEqual(
      new Set(['meta-llama/Llama-3.1-70B', 'meta-llama/Llama-3.1-8B', 'Qwen/Qwen3-32B']),
    );
  });

  test.each(manifests)('fit: $file', ({ objects }) => {
    expect(findingsIn(objects).filter(({ code }) => code === 'TPU119')).toEqual([]);
  });
});

/** Models of the pages with the slice and the context that the same object names. */
const documented = pages().flatMap((page) =>
  blocksIn(page, 'ts').flatMap((code) => {
    const found = code.matchAll(/new VllmServer\([^]*?\n {0,8}\}\);/g);
    return [...found].flatMap(([text]) => {
      const [, model] = /model: '([^']+)'/.exec(text) ?? [];
      const [, type] = /slice: TpuSlice\.of\('([^']+)'\)/.exec(text) ?? [];
      const [, context] = /maxModelLen: (\d+)/.exec(text) ?? [];
      return model !== undefined && type !== undefined ? [{ page, model, type, context }] : [];
    });
  }),
);

describe('the models of README.md and docs/', () => {
  test('are found', () => {
    expect(documented.length).toBeGreaterThan(5);
  });

  test.each(documented.filter(({ model }) => modelNamed(model) !== undefined))(
    '$model on $type fits, of $page',
    ({ model, type, context }) => {
      const configuration = modelNamed(model);
      if (configuration === undefined) throw new Error(`${model} is not known`);
      const options = context === undefined ? {} : { maxModelLen: Number(context) };
      expect(memoryFindings(TpuSlice.parse(type), model, configuration, options)).toEqual({});
    },
  );
});
