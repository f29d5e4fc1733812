/** The error of a construct: each of its problems is a line after its path. */
export const refusal = (path: string, ...problems: readonly string[]): Error =>
  new Error(problems.map((problem) => `${path} ${problem}`).join('\n'));
