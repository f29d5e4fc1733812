import { InvalidInputError } from '../problems/problems';
import { isRecord, list, text } from '../manifest/manifest';
import { type Finding } from './check';

// Findings that a team knows already, in a file of their own or in the JSON report of an earlier check.

/** What a finding is recognized by: lines move, and messages get better words. */
const KEYS = ['code', 'namespace', 'object', 'path'] as const;
const keyOf = (finding: unknown): string => KEYS.map((key) => text(finding, key) ?? '').join('\n');

/** The text of a baseline with all findings that are not accepted. It changes only if they do, so that it can be committed. */
export function baselineOf(findings: readonly Finding[]): string {
  const open = findings.filter(({ accepted }) => accepted === undefined);
  const sorted = [...open].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const known = sorted.map((finding) => Object.fromEntries(KEYS.map((key) => [key, finding[key]])));
  return `${JSON.stringify({ findings: known }, null, 2)}\n`;
}

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
    { path: '', problem: 'the file is not a baseline', use: 'a file that check --update-baseline wrote' },
  ]);
}
