import { InvalidInputError } from '../problems/problems';
import { isRecord, list, text } from '../manifest/manifest';
import { type Finding } from './check';

// Findings that a team knows already: a baseline is the JSON report of an earlier check.

/** What a finding is recognized by: lines move, and messages get better words. */
const keyOf = (finding: unknown): string =>
  ['code', 'namespace', 'object', 'path'].map((key) => text(finding, key) ?? '').join('\n');

/**
 * Returns the findings that are not in a baseline. A baseline accepts as many findings of one kind as it has.
 *
 * @param baseline - the text of a JSON report
 * @throws InvalidInputError if the text is not a report
 */
export function sinceBaseline(findings: readonly Finding[], baseline: string): readonly Finding[] {
  const known = new Map<string, number>();
  for (const finding of readReport(baseline)) known.set(keyOf(finding), (known.get(keyOf(finding)) ?? 0) + 1);
  return findings.filter((finding) => {
    const left = known.get(keyOf(finding)) ?? 0;
    known.set(keyOf(finding), left - 1);
    return left <= 0;
  });
}

function readReport(source: string): readonly unknown[] {
  try {
    const report: unknown = JSON.parse(source);
    if (isRecord(report) && Array.isArray(report['findings'])) return list(report, 'findings');
  } catch {
    // not JSON
  }
  throw new InvalidInputError([
    { path: '', problem: 'the baseline is not a report', use: 'the output of check --format json' },
  ]);
}
