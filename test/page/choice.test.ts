import {
  type Choice,
  choiceOf,
  FIELDS,
  fieldOf,
  fragmentOf,
  numberIn,
  START,
  WORDS,
} from '../../site/page/choice';
import { knownModels } from '../../lib/tpu/models';
import fc from '../fast-check';

/** Any choice that the page can make: words of lists, and any short text elsewhere. */
const choices: fc.Arbitrary<Choice> = fc.record(
  Object.fromEntries(
    FIELDS.map((field) => [
      field,
      field === 'model'
        ? fc.constantFrom(...knownModels(), 'by-hand')
        : Object.hasOwn(WORDS, field)
          ? fc.constantFrom(...WORDS[field as keyof typeof WORDS])
          : fc.string({ maxLength: 40, unit: 'grapheme' }),
    ]),
  ) as { [K in keyof Choice]: fc.Arbitrary<string> },
);

test('a link restores every choice', () => {
  fc.assert(
    fc.property(choices, (choice) => {
      expect(choiceOf(`#tab=render&${fragmentOf(choice)}`)).toEqual(choice);
    }),
  );
});

test('the start needs no fragment', () => {
  expect(fragmentOf(START)).toBe('');
  expect(choiceOf('')).toEqual(START);
});

test.each([
  ['an unknown field', 'colour=red'],
  [
    'a word that the list does not have',
    'server=triton&capacity=free&loading=usb&scaling=magic&gateway=door',
  ],
  ['a model that the table does not have', 'model=nobody/nothing'],
  ['a name of a prototype', '__proto__=x&constructor=y&toString=z'],
])('a link with %s restores the start', (_, fragment) => {
  expect(choiceOf(fragment)).toEqual(START);
});

test.each([
  ['70e9', 70e9],
  ['70B', 70e9],
  ['8.03b', 8.03e9],
  ['128k', 128e3],
  ['8 192', 8192],
  ['8,192', 8192],
  ['1_000', 1000],
  ['', undefined],
  ['  ', undefined],
  ['many', 'many'],
  ['-4', '-4'],
  ['1e', '1e'],
  ['0x10', '0x10'],
])('reads %p as the number %p', (text, number) => {
  expect(numberIn(text)).toBe(number);
});

test.each([
  ['maxModelLen', 'maxModelLen'],
  ['autoscaling.maxReplicas', 'maxReplicas'],
  ['workerGroups[0].capacity', 'capacity'],
  ['modelConfiguration.layers', 'parameters'],
  ['somethingElse', undefined],
])('a problem with %p belongs to the field %p', (path, field) => {
  expect(fieldOf({ path, problem: 'is wrong' })).toBe(field);
});
