/** Letters of a word that are compared; names are no longer. */
const MAX_LENGTH = 63;

/** The words that a misspelt one is nearest to; none where half of the letters or more would change. */
export function nearestWords(misspelt: string, words: readonly string[]): readonly string[] {
  const value = misspelt.toLowerCase().slice(0, MAX_LENGTH);
  const near = words
    .map((word) => ({ word, edits: editsBetween(value, word.toLowerCase()) }))
    .filter(({ word, edits }) => edits <= word.length / 2)
    .sort((a, b) => a.edits - b.edits);
  return near.filter(({ edits }) => edits === near[0]?.edits).map(({ word }) => word);
}

/** Letters to put in, take out or change until two words are equal. */
function editsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of Array.from(from).entries()) {
    const line = [row + 1];
    for (const [column, other] of Array.from(to).entries())
      line.push(
        Math.min(
          (above[column] ?? 0) + (letter === other ? 0 : 1),
          (above[column + 1] ?? 0) + 1,
          (line[column] ?? 0) + 1,
        ),
      );
    above = line;
  }
  return above.at(-1) ?? 0;
}
