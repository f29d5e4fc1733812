import { Capacity, InvalidInputError, podTemplate, TpuSlice } from '../../lib';
import { capacityProblem } from '../../lib/pod/capacity';

test.each<[Capacity, string, Readonly<Record<string, string>> | undefined]>([
  [Capacity.onDemand(), 'on-demand', undefined],
  [Capacity.spot(), 'spot', { 'cloud.google.com/gke-spot': 'true' }],
  [Capacity.flexStart(), 'flex-start', { 'cloud.google.com/gke-flex-start': 'true' }],
  ...[600, 604_800].map((seconds): [Capacity, string, Readonly<Record<string, string>>] => [
    Capacity.flexStart({ maxRunDurationSeconds: seconds }),
    'flex-start',
    {
      'cloud.google.com/gke-flex-start': 'true',
      'cloud.google.com/gke-max-run-duration-seconds': String(seconds),
    },
  ]),
  [
    Capacity.reservation('my-tpus'),
    'reservation',
    {
      'cloud.google.com/reservation-name': 'my-tpus',
      'cloud.google.com/reservation-affinity': 'specific',
    },
  ],
])('%j is %s and selects its nodes', (capacity, type, nodeSelector) => {
  const { spec } = podTemplate({ container: { name: 'server', image: 'server:v1' }, given: [capacity] });
  expect(capacity.type).toBe(type);
  expect(spec['nodeSelector'] ?? {}).toEqual(nodeSelector ?? {});
  expect(Object.isFrozen(capacity)).toBe(true);
});

test.each<[string, () => Capacity, string]>([
  [
    'nine minutes',
    () => Capacity.flexStart({ maxRunDurationSeconds: 540 }),
    "maxRunDurationSeconds '540' is not a whole number from 600 to 604800; nearest: 600",
  ],
  [
    'eight days',
    () => Capacity.flexStart({ maxRunDurationSeconds: 691_200 }),
    "maxRunDurationSeconds '691200' is not a whole number from 600 to 604800; nearest: 604800",
  ],
  [
    'a fraction of a second',
    () => Capacity.flexStart({ maxRunDurationSeconds: 3600.5 }),
    "maxRunDurationSeconds '3600.5' is not a whole number from 600 to 604800; nearest: 3601",
  ],
  [
    'a reservation with a capital',
    () => Capacity.reservation('My_TPUs'),
    "reservation 'My_TPUs' is not a DNS label, expected lower-case letters, digits and '-', first a letter; nearest: 'my-tpus'",
  ],
  [
    'a reservation of 64 characters',
    () => Capacity.reservation('r'.repeat(64)),
    `reservation '${'r'.repeat(64)}' has 64 characters, expected at most 63; nearest: '${'r'.repeat(63)}'`,
  ],
])('%s is refused', (_, make, problem) => {
  expect(make).toThrow(new InvalidInputError([problem]));
});

test('a text is no capacity', () => {
  expect(capacityProblem(JSON.parse('"spot"') as Capacity, TpuSlice.of('ct6e-standard-8t'))).toBe(
    "capacity 'spot' is a string, expected one of Capacity, like Capacity.onDemand() or Capacity.spot()",
  );
});

test('only flex-start on v4 does not exist', () => {
  const others = ['ct5lp-hightpu-4t', 'ct5p-hightpu-4t', 'ct6e-standard-8t', 'tpu7x-standard-4t'];
  const kinds = [Capacity.onDemand(), Capacity.spot(), Capacity.flexStart(), Capacity.reservation('my-tpus')];
  const problems = (type: string): readonly (string | undefined)[] =>
    kinds.map((capacity) => capacityProblem(capacity, TpuSlice.parse(type)));
  expect(others.flatMap(problems)).toEqual(Array(16).fill(undefined));
  expect(problems('ct4p-hightpu-4t')).toEqual([
    undefined,
    undefined,
    "capacity flex-start is not offered for machine type 'ct4p-hightpu-4t', expected a slice of v5e, v5p, v6e or tpu7x, or Capacity.onDemand()",
    undefined,
  ]);
});
