import fc from '../fast-check';
import { foundAfter, MUTATIONS, OBJECTS, placesOf } from './mutations';

describe('the rules', () => {
  test.each(MUTATIONS)('find %s (%s) in every example', (...mutation) => {
    const places = placesOf(mutation);
    expect(places.length).toBeGreaterThan(0);
    // each object and each variant of the mistake once
    for (let n = 0; n < Math.max(places.length, 8); n++)
      for (const place of places.slice(n % places.length).slice(0, 1))
        expect(foundAfter(place, mutation, n)).not.toEqual([]);
  });

  test('find at least 40 mistakes', () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(40);
    expect(OBJECTS.length).toBeGreaterThan(30);
  });
});

test('the rules find a random mistake in a random object of a random example', () => {
  const mistake = fc
    .constantFrom(...MUTATIONS)
    .chain((mutation) =>
      fc.tuple(fc.constant(mutation), fc.constantFrom(...placesOf(mutation)), fc.nat(1000)),
    );
  fc.assert(
    fc.property(mistake, ([mutation, place, n]) => {
      expect(foundAfter(place, mutation, n)).not.toEqual([]);
    }),
    { numRuns: 200 },
  );
});
