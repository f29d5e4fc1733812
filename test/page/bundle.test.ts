import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import vm from 'node:vm';
import { buildSync } from 'esbuild';
import { checkText } from '../../site/page/checking';
import { EXAMPLE } from '../../site/page/example';
import { choiceOf } from '../../site/page/choice';
import { render } from '../../site/page/render';
import fc, { character } from '../fast-check';
import { root } from '../pages';

const shims = path.join(root, 'site', 'page', 'shims');
const shim = (name: string): string => path.join(shims, `${name}.ts`);
const modules = JSON.parse(readFileSync(path.join(shims, 'modules.json'), 'utf8')) as Record<string, string>;

/** Bundles a module as the page is bundled, and runs it with nothing of Node. */
function inBrowser(code: string): Record<string, (...args: unknown[]) => unknown> {
  const { outputFiles } = buildSync({
    stdin: { contents: code, resolveDir: path.join(root, 'site', 'page'), loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    globalName: 'bundled',
    target: 'es2022',
    alias: Object.fromEntries(
      Object.entries(modules).flatMap(([name, file]) => [
        [name, shim(file)],
        [`node:${name}`, shim(file)],
      ]),
    ),
    inject: [shim('globals')],
    define: { __dirname: '""' },
  });
  const context = { URL, URLSearchParams, TextEncoder, TextDecoder, atob, btoa, console };
  vm.runInNewContext(`${outputFiles[0]?.text ?? ''};this.bundled = bundled`, context);
  return (context as unknown as { readonly bundled: ReturnType<typeof inBrowser> }).bundled;
}

describe('without Node', () => {
  const page = inBrowser(`
    export { render } from './render';
    export { checkText } from './checking';
    export { createHash } from './shims/crypto';
    export { basename, dirname, join, normalize } from './shims/path';
    export { isIP } from './shims/net';
    export { isDeepStrictEqual } from './shims/util';
    export { Buffer } from './shims/globals';
  `);

  test('names, hashes and manifests are the same as in Node', () => {
    for (const fragment of [
      '',
      'scaling=keda&gateway=gke-l7-rilb&loading=cache',
      'server=saxml&generation=v5e',
    ]) {
      const choice = choiceOf(fragment);
      const { yaml, typescript, commands } = render(choice);
      expect(page['render']?.(choice)).toMatchObject({ yaml, typescript, commands });
    }
  });

  test('findings are the same as in Node, also in charts that differ only in their names', () => {
    const yaml = Array.from({ length: 5 }, (_, index) =>
      EXAMPLE.replaceAll('llama\n', `llama-${String(index)}\n`),
    ).join('---\n');
    const expected: unknown = JSON.parse(JSON.stringify(checkText(yaml)));
    expect(JSON.parse(JSON.stringify(page['checkText']?.(yaml)))).toEqual(expected);
  });

  test('the hash is the same', () => {
    const hash = page['createHash'] as unknown as typeof createHash;
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 300 }), (text) => {
        for (const algorithm of ['sha1', 'sha256'])
          for (const encoding of ['hex', 'base64'] as const) {
            const own = hash(algorithm).update(text).digest(encoding);
            expect(own).toBe(createHash(algorithm).update(text).digest(encoding));
          }
      }),
    );
    expect(() => hash('md5')).toThrow('md5');
  });

  test('paths are the same', () => {
    const words = fc.array(fc.constantFrom('a', 'b.yaml', '..', '.', '', 'c d'), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(words, words, (left, right) => {
        const [a, b] = [left.join('/'), right.join('/')];
        for (const name of ['basename', 'dirname', 'normalize'] as const)
          expect([name, a, page[name]?.(a)]).toEqual([name, a, path.posix[name](a)]);
        expect(page['join']?.(a, b)).toBe(path.posix.join(a, b));
      }),
    );
  });

  test.each([
    '10.0.0.1',
    '256.0.0.1',
    '1.2.3',
    '::1',
    'fe80::1',
    '2001:db8::g',
    '::ffff:10.0.0.1',
    '',
    'host',
  ])('the kind of address %p is the same', (text) => {
    expect(page['isIP']?.(text)).toBe(net.isIP(text));
  });

  test('plain values are equal or not as in Node', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(page['isDeepStrictEqual']?.(a, structuredClone(a))).toBe(true);
        expect(page['isDeepStrictEqual']?.(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  test('values of Secrets are decoded as in Node', () => {
    const own = page['Buffer'] as unknown as typeof Buffer;
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.base64String(), (text, encoded) => {
        for (const one of [text, encoded, `aGZf${text}`])
          expect(own.from(one, 'base64').toString('latin1')).toBe(
            Buffer.from(one, 'base64').toString('latin1'),
          );
      }),
    );
  });
});
