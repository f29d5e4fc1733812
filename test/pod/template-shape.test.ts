import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Capacity } from '../../lib/pod/capacity';
import type * as template from '../../lib/pod/template';
import { podTemplate, type PodTemplate, type PodTemplateParts } from '../../lib/pod/template';
import { tpuResources } from '../../lib/pod/tpu';
import { TpuSlice } from '../../lib/tpu/slice';
import { oncePerShape, shapeOf } from '../../lib/pod/template-shape';
import fc from '../fast-check';

const slice = TpuSlice.of('ct6e-standard-4t');
const parts = (name: string, more: Partial<PodTemplateParts> = {}): PodTemplateParts => ({
  container: { name: 'server', image: 'server:v1' },
  facts: [tpuResources(slice), { labels: { app: name } }],
  defaults: [{ labels: { instance: name }, pod: { serviceAccountName: name } }],
  ...more,
});

/** Parts that differ in a name, or in what looks like one. */
const VARIANTS: Readonly<Record<string, PodTemplateParts>> = {
  one: parts('one'),
  two: parts('two'),
  'another account': parts('one', { given: [{ pod: { serviceAccountName: 'two' } }] }),
  'an upper-case name': parts('One'),
  'a name that is a number': parts('1'),
  'a container of that name': parts('one', { container: { name: 'one', image: 'server:v1' } }),
  'a string': parts('one', { given: [{ resources: { limits: { cpu: '4' } } }] }),
  'a quantity': parts('one', {
    given: [{ resources: { limits: { cpu: k8s.Quantity.fromString('4') as unknown as string } } }],
  }),
  'a value of a class': parts('one', { given: [Capacity.spot()] }),
  'an empty variable': parts('one', { given: [{ env: [{ name: 'A', value: '' }] }] }),
  'a variable': parts('one', { given: [{ env: [{ name: 'A', value: 'one' }] }] }),
  'a removed default': parts('one', { given: [{ labels: { instance: null as unknown as string } }] }),
};

/** What a process that has rendered nothing yet makes of parts. */
function fresh(from: PodTemplateParts): PodTemplate {
  let made: PodTemplate | undefined;
  jest.isolateModules(() => {
    const { podTemplate: own } = jest.requireActual<typeof template>('../../lib/pod/template');
    made = own(from);
  });
  if (made === undefined) throw new Error('unreachable');
  return made;
}

describe('a template', () => {
  const expected = Object.fromEntries(Object.entries(VARIANTS).map(([what, made]) => [what, fresh(made)]));

  test('does not depend on what was rendered before', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.keys(VARIANTS)), { minLength: 2 }), (order) => {
        for (const what of order)
          expect(podTemplate(VARIANTS[what] ?? parts(''))).toStrictEqual(expected[what]);
      }),
      { numRuns: 30 },
    );
  });

  test('does not change if another one is changed', () => {
    const { metadata, spec } = podTemplate(parts('one')) as unknown as {
      metadata: { labels: Record<string, string> };
      spec: { containers: { image?: string; resources?: unknown }[] };
    };
    metadata.labels['app'] = 'changed';
    spec.containers[0] = { image: 'changed' };
    expect(podTemplate(parts('one'))).toStrictEqual(expected['one']);
  });

  test('is rejected for wrong parts each time, independent of earlier templates', () => {
    const wrong = parts('one', { given: [{ labels: { app: 'two' } }] });
    const unknown = parts('one', { given: [{ label: {} } as object] });
    for (const made of [wrong, unknown, parts('-'), wrong, unknown, parts('-')]) {
      podTemplate(parts('two'));
      expect(() => podTemplate(made)).toThrow();
    }
  });
});

describe('a shape', () => {
  const text = (value: unknown): string | undefined => shapeOf(value)?.text;

  test('is the value itself, except for names', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(text({ one }) === text({ one: other })).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  test.each([
    ['a number and its text', 1, '1'],
    ['zero and minus zero', 0, -0],
    ['nothing and null', { a: { b: undefined } }, { a: { b: null } }],
    ['a place of a name and its number', { labels: { a: 'one' } }, { labels: { a: '#0' } }],
    ['equal and different names', { labels: { a: 'one', b: 'one' } }, { labels: { a: 'one', b: 'two' } }],
    ['a quantity and its text', k8s.Quantity.fromString('4'), '4'],
    ['a quantity and another value', k8s.Quantity.fromString('4'), k8s.IntOrString.fromString('4')],
    ['names and other fields', { labels: { a: 'one' } }, { env: { a: 'one' } }],
  ])('distinguishes %s', (_, one, other) => {
    expect(text(one)).not.toBe(text(other));
  });

  test('leaves out names in labels, selectors and identities', () => {
    const value = (name: string): object => ({
      labels: { app: name },
      pod: { serviceAccountName: name, affinity: { matchLabels: { app: name } } },
    });
    expect(text(value('one'))).toBe(text(value('two')));
  });

  test.each([[new Date(0)], [() => 1], [new Map()], [{ a: Symbol('a') }], [[{ a: 1n }]]])(
    'is unknown for %p',
    (value) => {
      expect(shapeOf(value)).toBeUndefined();
    },
  );

  test('is cached in limited memory, also for many kinds of values', () => {
    const once = oncePerShape<{ readonly labels: { readonly app: string } }>();
    let made = 0;
    const make = (kind: number, app: string): unknown =>
      once({ kind, labels: { app } }, () => {
        made++;
        return { labels: { app } };
      });
    for (let kind = 0; kind < 500; kind++) make(kind, 'one');
    expect(make(499, 'two')).toEqual({ labels: { app: 'two' } });
    expect(made).toBe(500);
    expect(make(0, 'two')).toEqual({ labels: { app: 'two' } });
    expect(made).toBe(501);
  });
});
