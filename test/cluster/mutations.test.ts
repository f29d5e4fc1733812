import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { hasErrors, MUTATIONS, mistaken, OBJECTS, placesOf } from '../checks/mutations';
import { isSuccess, type KubernetesObject, messageOf } from './harness/api';
import { api, isServed } from './harness/context';
import { inParallel } from './harness/each';
import { createNamespacesOf, deleteNamedNamespaces } from './harness/namespaces';

// Each mistake that the checks find is sent to the API server too. Where the two disagree, disagreements.yaml says why, by rule.
// UPDATE_DISAGREEMENTS=1 writes the lists and prints what the server says; a reason has to be written by hand.

const FILE = path.join(__dirname, 'disagreements.yaml');

const LISTS = ['accepted', 'partly', 'missed', 'unsent'] as const;

/** By list, the rules and the reasons. The lists are explained in the file. */
type Disagreements = Readonly<
  Record<(typeof LISTS)[number], readonly { readonly reason: string; readonly rules: readonly string[] }[]>
>;

type Mutation = (typeof MUTATIONS)[number];

interface Variant {
  readonly object: KubernetesObject;
  /** Whether the checks find an error in the set of the object. */
  readonly hasErrors: boolean;
}

/** Each object a mistake is made in, and each way of making it: as test/checks/mutations.test.ts does. */
function variants(mutation: Mutation): readonly Variant[] {
  const places = placesOf(mutation);
  return Array.from({ length: Math.max(places.length, 8) }, (_, n) => {
    const place = places[n % places.length];
    const set = place && mistaken(place, mutation, n);
    // a mistake that leaves an object out leaves nothing to send
    const object = place && set && set.length >= place.example.length ? set[place.index] : undefined;
    return set && object
      ? [{ object: JSON.parse(JSON.stringify(object)) as KubernetesObject, hasErrors: hasErrors(set) }]
      : [];
  })
    .flat()
    .filter(({ object }) => isServed(object));
}

/** What the server says to an object: undefined if it accepts it. */
async function refusal(object: KubernetesObject): Promise<string | undefined> {
  const answer = await api.create(object, 'default', 'dryRun=All&fieldValidation=Strict');
  return isSuccess(answer) ? undefined : messageOf(answer);
}

/** What the server says to the mistakes of a rule. */
interface Verdict {
  readonly rule: string;
  readonly answers: readonly { readonly refused: string | undefined; readonly hasErrors: boolean }[];
}

let verdicts: readonly Verdict[];
let further: readonly string[];

beforeAll(async () => {
  further = await createNamespacesOf(
    OBJECTS.flatMap(({ example, index }) => (example[index] as KubernetesObject | undefined) ?? []),
  );
  const sent = MUTATIONS.flatMap((mutation) =>
    variants(mutation).map((variant) => ({ rule: mutation[1], ...variant })),
  );
  const answers = await inParallel(sent, async ({ object, ...rest }) => ({
    ...rest,
    refused: await refusal(object),
  }));
  verdicts = [...new Set(MUTATIONS.map(([, code]) => code))].sort().map((rule) => ({
    rule,
    answers: answers.filter((one) => one.rule === rule),
  }));
});

afterAll(() => deleteNamedNamespaces(...further));

const isUnsent = ({ answers }: Verdict): boolean => answers.length === 0;
const accepts = ({ answers }: Verdict): boolean => answers.every(({ refused }) => refused === undefined);
const refuses = ({ answers }: Verdict): boolean => answers.every(({ refused }) => refused !== undefined);
const misses = ({ answers }: Verdict): boolean =>
  answers.some((one) => one.refused !== undefined && !one.hasErrors);

/** The rules of each list of disagreements.yaml. */
const disagreements = (): Readonly<Record<(typeof LISTS)[number], readonly string[]>> => {
  const rules = (holds: (verdict: Verdict) => boolean): readonly string[] =>
    verdicts.filter(holds).map(({ rule }) => rule);
  return {
    accepted: rules((one) => !isUnsent(one) && accepts(one)),
    partly: rules((one) => !accepts(one) && !refuses(one)),
    missed: rules(misses),
    unsent: rules(isUnsent),
  };
};

test('every example is accepted before a mistake is made in it', async () => {
  const refused = await inParallel(OBJECTS, ({ example, index }) => {
    const object = example[index] as KubernetesObject | undefined;
    return object && isServed(object) ? refusal(object) : Promise.resolve(undefined);
  });
  expect(refused.filter((one) => one !== undefined)).toEqual([]);
});

test('the API server refuses every mistake of some rules', () => {
  expect(verdicts.filter((one) => !isUnsent(one) && refuses(one)).length).toBeGreaterThan(5);
});

test('disagreements.yaml lists every disagreement with its reason', () => {
  const listed = parse(readFileSync(FILE, 'utf8')) as Disagreements;
  const now = disagreements();
  if (process.env['UPDATE_DISAGREEMENTS'] !== undefined) {
    for (const { rule, answers } of verdicts)
      for (const { refused, hasErrors: found } of answers)
        if (refused !== undefined) console.log(`${rule}${found ? '' : ' (no error found)'}: ${refused}`);
    writeFileSync(FILE, updated(listed, now));
  }
  // without all CRDs, some mistakes have no object that the server knows
  const all = process.env['CRD_DIR'] !== undefined;
  const compared = (rules: readonly string[]): readonly string[] =>
    rules.filter((rule) => all || !now.unsent.includes(rule)).sort();
  for (const list of LISTS)
    expect([list, ...compared(listed[list].flatMap(({ rules }) => rules))]).toEqual([
      list,
      ...compared(now[list]),
    ]);
  expect(LISTS.flatMap((list) => listed[list]).filter(({ reason }) => reason === '')).toEqual([]);
});

/** The file with new disagreements in a group without a reason, and without those that are gone. */
function updated(listed: Disagreements, now: ReturnType<typeof disagreements>): string {
  const merge = (list: (typeof LISTS)[number]): Disagreements[typeof list] => {
    const kept = listed[list].map(({ reason, rules }) => ({
      reason,
      rules: rules.filter((rule) => now[list].includes(rule)),
    }));
    const known = kept.flatMap(({ rules }) => rules);
    const fresh = now[list].filter((rule) => !known.includes(rule));
    return [
      ...kept.filter(({ rules }) => rules.length > 0),
      ...(fresh.length > 0 ? [{ reason: '', rules: fresh }] : []),
    ];
  };
  const head = readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .join('\n');
  const lists = Object.fromEntries(LISTS.map((list) => [list, merge(list)]));
  return `${head}\n${stringify(lists, { lineWidth: 138 })}`;
}
