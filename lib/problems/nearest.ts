import { distance } from 'fastest-levenshtein';

/** Number of letters of a word that are compared; names are not longer. */
const MAX_LENGTH = 63;

/** Returns the words that resemble a misspelled one most; none if at least half of the letters would change. */
export function nearestWords(misspelt: string, words: readonly string[]): readonly string[] {
  const value = misspelt.toLowerCase().slice(0, MAX_LENGTH);
  const near = words
    .map((word) => ({ word, edits: distance(value, word.toLowerCase()) }))
    .filter(({ word, edits }) => edits <= word.length / 2)
    .sort((a, b) => a.edits - b.edits);
  return near.filter(({ edits }) => edits === near[0]?.edits).map(({ word }) => word);
}
