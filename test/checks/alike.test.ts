import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { alikeIn } from '../../lib/checks/alike';
import { findingsIn } from '../../lib/checks/check';
import { RULES } from '../../lib/checks/rules';
import { isRecord, type Json, manifestObject, record } from '../../lib/manifest/manifest';
import { type Violation } from '../../lib/checks/rule';
import { type ManifestSet, manifestSet } from '../../lib/manifest/set';
import { broken, NOTHING_FOUND } from './found';

const dist = path.join(__dirname, '..', '..', 'dist');
const rendered = readdirSync(dist)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(path.join(dist, file), 'utf8')))
  .map((document) => document.toJS() as unknown)
  .filter(isRecord);
const labels = 'app|app.kubernetes.io/instance|job-name';

/** A manifest as a chart of another name renders it. */
const called = (name: string, manifest: Json): Json => {
  const text = JSON.stringify(manifest).replace(
    new RegExp(`"(${labels}|serviceAccountName|subdomain)":"[^"]*"`, 'g'),
    `"$1":"${name}"`,
  );
  const made = JSON.parse(text) as Json;
  return { ...made, metadata: { ...record(made, 'metadata'), name } };
};

/** Rendered objects of each kind, and many with a mistake, each under three names. */
const kinds = [
  ...new Map(rendered.map((one) => [`${String(one['kind'])} ${String(one['apiVersion'])}`, one])).values(),
];
const many = kinds
  .flatMap((manifest, kind) => [
    manifest,
    ...broken(manifest).filter((_, index) => (index + kind) % 37 === 0),
  ])
  .flatMap((manifest) => ['red', 'green-1', 'blue'].map((name) => called(name, manifest)))
  .map((manifest) => manifestObject(manifest));

describe('objects that differ only in their names', () => {
  const set = manifestSet(many);
  const { firsts, like } = alikeIn(set);
  const numbers = new Map(many.map((object, index) => [object, index]));

  test('are one object for rules that do not read the names', () => {
    expect(firsts.objects.length).toBeLessThan(many.length * 0.7);
  });

  test.each(RULES.filter(({ local }) => local).map((rule) => [rule.code, rule] as const))(
    'are judged the same by %s',
    (_, rule) => {
      const found = (part: ManifestSet): readonly Violation[] => [...rule.check(part, NOTHING_FOUND)];
      const told = (part: ManifestSet): readonly string[] =>
        found(part).map(
          ({ object, path: place, message }) => `${String(numbers.get(object))} ${place} ${message}`,
        );
      expect(told(like(new Set(found(firsts).map(({ object }) => object))))).toEqual(told(set));
    },
  );

  test('each have their findings', () => {
    const server = rendered.find((one) => one['kind'] === 'Deployment') ?? {};
    const wrong = { ...server, spec: { ...record(server, 'spec'), replicas: 'two', unknownField: 1 } };
    const objects = Array.from({ length: 60 }, (_, index) =>
      manifestObject(called(`server-${String(index)}`, index % 2 === 0 ? wrong : server)),
    );
    const found = findingsIn(objects).filter(({ code }) => code === 'TPU722');
    expect(found.map(({ object }) => object)).toEqual(
      objects.filter((_, index) => index % 2 === 0).map(({ id }) => id),
    );
  });
});

describe('a name', () => {
  const pod = (name: string, spec: Json): Json => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec,
  });
  const distinct = (...manifests: readonly Json[]): number => {
    const others = Array.from({ length: 50 }, (_, index) => pod(`other-${String(index)}`, {}));
    const objects = [...others, ...manifests].map((manifest) => manifestObject(manifest));
    return alikeIn(manifestSet(objects)).firsts.objects.length;
  };

  test.each([
    ['in places that are named after the object is left out', [pod('a1', {}), pod('a2', {})], 1],
    ['elsewhere counts', [pod('a1', { host: 'a1' }), pod('a2', { host: 'a1' })], 3],
    ['that is not valid everywhere counts', [pod('1a', {}), pod('A', {})], 3],
    [
      'of an object that is not there counts',
      [pod('a1', { subdomain: 'x1' }), pod('a2', { subdomain: 'x2' })],
      3,
    ],
    [
      'that two fields share stays shared',
      [pod('a1', { subdomain: 'a1' }), pod('a2', { subdomain: 'a1' })],
      3,
    ],
  ])('%s', (_, manifests, expected) => {
    expect(distinct(...manifests)).toBe(expected);
  });

  test('does not hide the rest', () => {
    const value = (amount: unknown): Json => pod('a1', { priority: amount });
    expect(distinct(value(1), value('1'), value(null), value(NaN))).toBe(5);
  });
});
