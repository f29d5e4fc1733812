import { isSuccess, messageOf } from './harness/api';
import { CONSTRUCT_NAMES, randomCharts } from './harness/charts';
import { api, isServed } from './harness/context';
import { inParallel } from './harness/each';

// Random legal charts: the API server accepts what no example shows. SEED=random looks for new ones, and
// another SEED repeats a run; CHARTS is the number per construct.

const { SEED: given = '20261122' } = process.env;
const SEED = given === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(given);
const CHARTS = Number(process.env['CHARTS'] ?? 50);

beforeAll(() => {
  console.log(`${String(CHARTS)} charts per construct, SEED=${String(SEED)}`);
});

test.each(CONSTRUCT_NAMES)('%s', async (construct) => {
  const charts = randomCharts(construct, CHARTS, SEED);
  const objects = charts.flatMap((chart) =>
    chart.objects.filter(isServed).map((object) => ({ what: chart.what, object })),
  );
  expect(charts).toHaveLength(CHARTS);
  expect(objects.length).toBeGreaterThanOrEqual(CHARTS);
  const refusals = await inParallel(objects, async ({ what, object }) => {
    const answer = await api.create(object, 'default', 'dryRun=All&fieldValidation=Strict');
    const complaints = [...(isSuccess(answer) ? [] : [messageOf(answer)]), ...answer.warnings];
    return complaints.map((complaint) => `${complaint}\n${what}\n${JSON.stringify(object)}`);
  });
  expect(refusals.flat()).toEqual([]);
});
