import { distance } from 'fastest-levenshtein';

/** Number of letters of a word that are compared; names are not longer. */
const MAX_LENGTH = 63;

/** Number of letters at the start that two words share. */
function sharedStart(left: string, right: string): number {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  return same;
}

/**
 * Returns the words that resemble a misspelled one most; none if at least half of the letters would change. Of words that are equally
 * close, the one that starts like the misspelled one is the first.
 */
export function nearestWords(misspelt: string, words: readonly string[]): readonly string[] {
  const value = misspelt.toLowerCase().slice(0, MAX_LENGTH);
  const near = words
    .map((word) => {
      const lower = word.toLowerCase();
      return { word, edits: distance(value, lower), shared: sharedStart(value, lower) };
    })
    .filter(({ word, edits }) => edits <= word.length / 2)
    .sort((a, b) => a.edits - b.edits || b.shared - a.shared);
  return near.filter(({ edits }) => edits === near[0]?.edits).map(({ word }) => word);
}
