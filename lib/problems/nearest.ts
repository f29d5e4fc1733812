import { distance } from 'fastest-levenshtein';

/** Number of letters of a word that are compared; every name fits. */
const MAX_LENGTH = 63;

/** The words that a misspelt one is nearest to; none if half of the letters or more would change. */
export function nearestWords(misspelt: string, words: readonly string[]): readonly string[] {
  const value = misspelt.toLowerCase().slice(0, MAX_LENGTH);
  const near = words
    .map((word) => ({ word, edits: distance(value, word.toLowerCase()) }))
    .filter(({ word, edits }) => edits <= word.length / 2)
    .sort((a, b) => a.edits - b.edits);
  return near.filter(({ edits }) => edits === near[0]?.edits).map(({ word }) => word);
}
