import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { hasErrors, MUTATIONS, mistaken, OBJECTS, placesOf } from '../checks/mutations';
import { isSuccess, type KubernetesObject, messageOf } from './harness/api';
import { api, isServed } from './harness/context';
import { inParallel } from './harness/each';

// Each mistake that the checks find is sent to the API server too. Where the two disagree, disagreements.yaml says why.
// UPDATE_DISAGREEMENTS=1 writes the lists; a reason has to be written by hand.

const FILE = path.join(__dirname, 'disagreements.yaml');

/** A reason, and the mistakes that it holds for. */
interface Group {
  readonly reason: string;
  readonly mistakes: readonly string[];
}

interface Disagreements {
  /** The checks find a mistake, and the API server accepts it. */
  readonly accepted: readonly Group[];
  /** The same for some ways of making the mistake; the others it refuses. */
  readonly partly: readonly Group[];
  /** The API server refuses what the checks find no error in. */
  readonly missed: readonly Group[];
}

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
    const object = place && set?.[place.index];
    return set && object
      ? [{ object: JSON.parse(JSON.stringify(object)) as KubernetesObject, hasErrors: hasErrors(set) }]
      : [];
  })
    .flat()
    .filter(({ object }) => !('kind' in object) || isServed(object));
}

/** What the server says to an object: undefined if it accepts it. */
async function refusal(object: KubernetesObject): Promise<string | undefined> {
  const answer = await api.create(object, 'default', 'dryRun=All&fieldValidation=Strict');
  return isSuccess(answer) ? undefined : messageOf(answer);
}

interface Verdict {
  readonly mistake: string;
  readonly answers: readonly { readonly refused: string | undefined; readonly hasErrors: boolean }[];
}

let verdicts: readonly Verdict[];

beforeAll(async () => {
  const sent = MUTATIONS.flatMap((mutation) =>
    variants(mutation).map((variant) => ({ mistake: `${mutation[1]} ${mutation[0]}`, ...variant })),
  );
  const answers = await inParallel(sent, async ({ object, ...rest }) => ({
    ...rest,
    refused: await refusal(object),
  }));
  verdicts = MUTATIONS.map(([name, code]) => {
    const mistake = `${code} ${name}`;
    return { mistake, answers: answers.filter((one) => one.mistake === mistake) };
  });
});

const accepts = ({ answers }: Verdict): boolean => answers.every(({ refused }) => refused === undefined);
const refuses = ({ answers }: Verdict): boolean => answers.every(({ refused }) => refused !== undefined);
const misses = ({ answers }: Verdict): boolean =>
  answers.some((one) => one.refused !== undefined && !one.hasErrors);

/** The mistakes of each list of disagreements.yaml. */
const disagreements = (): Readonly<Record<keyof Disagreements, readonly string[]>> => {
  const named = (list: readonly Verdict[]): readonly string[] => list.map(({ mistake }) => mistake);
  return {
    accepted: named(verdicts.filter(accepts)),
    partly: named(verdicts.filter((one) => !accepts(one) && !refuses(one))),
    missed: named(verdicts.filter(misses)),
  };
};

test('every example is accepted before a mistake is made in it', async () => {
  const refused = await inParallel(OBJECTS, ({ example, index }) => {
    const object = example[index] as KubernetesObject | undefined;
    return object && isServed(object) ? refusal(object) : Promise.resolve(undefined);
  });
  expect(refused.filter((one) => one !== undefined)).toEqual([]);
});

test('the API server refuses some mistakes as a whole', () => {
  expect(verdicts.filter((one) => one.answers.length > 0 && refuses(one)).length).toBeGreaterThan(10);
});

test('disagreements.yaml lists every disagreement with its reason', () => {
  const listed = parse(readFileSync(FILE, 'utf8')) as Disagreements;
  const now = disagreements();
  if (process.env['UPDATE_DISAGREEMENTS'] !== undefined) {
    for (const { mistake, answers } of verdicts)
      for (const { refused, hasErrors: found } of answers)
        if (refused !== undefined) console.log(`${mistake}${found ? '' : ' (no error found)'}: ${refused}`);
    writeFileSync(FILE, updated(listed, now));
    return;
  }
  for (const list of LISTS) {
    expect(listed[list].flatMap(({ mistakes }) => mistakes).sort()).toEqual([...now[list]].sort());
    for (const { reason } of listed[list]) expect(reason).not.toBe('');
  }
});

const LISTS = ['accepted', 'partly', 'missed'] as const;

/** The file with new disagreements in a group without a reason, and without those that are gone. */
function updated(listed: Disagreements, now: ReturnType<typeof disagreements>): string {
  const merge = (groups: readonly Group[], mistakes: readonly string[]): readonly Group[] => {
    const kept = groups.map((group) => ({
      ...group,
      mistakes: group.mistakes.filter((mistake) => mistakes.includes(mistake)),
    }));
    const known = kept.flatMap((group) => group.mistakes);
    const fresh = mistakes.filter((mistake) => !known.includes(mistake));
    return [
      ...kept.filter((group) => group.mistakes.length > 0),
      ...(fresh.length > 0 ? [{ reason: '', mistakes: fresh }] : []),
    ];
  };
  const head = readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .join('\n');
  const lists = Object.fromEntries(LISTS.map((list) => [list, merge(listed[list], now[list])]));
  return `${head}\n${stringify(lists, { lineWidth: 138 })}`;
}
