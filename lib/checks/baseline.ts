import { isRecord, text } from '../manifest/manifest';
import { InvalidInputError, type Problem } from '../problems/problems';
import { misfit } from '../problems/schema';
import { type Finding } from './check';

// Known findings, in a baseline file or in the JSON report of an earlier check.

/** Fields that identify a finding. Lines and messages change too often. */
const KEYS = ['code', 'namespace', 'object', 'path'] as const;
const keyOf = (finding: unknown): string => KEYS.map((key) => text(finding, key) ?? '').join('\n');

/** A baseline, and how many findings it has. */
interface Baseline {
  readonly text: string;
  readonly count: number;
}

/** Makes a baseline of all findings that are not accepted. Its text changes only if they do, so it can be committed. */
export function baselineOf(findings: readonly Finding[]): Baseline {
  const open = findings.filter(({ accepted }) => accepted === undefined);
  const sorted = [...open].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const known = sorted.map((finding) => Object.fromEntries(KEYS.map((key) => [key, finding[key]])));
  return { text: `${JSON.stringify({ findings: known }, null, 2)}\n`, count: known.length };
}

/**
 * Returns the findings that are not in a baseline. A baseline accepts as many findings with the same fields as it lists.
 *
 * @param baseline - the text of a JSON report
 * @throws InvalidInputError if the text is not a report, or an entry has a value of the wrong type
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
  const findings = findingsOf(source);
  if (findings === undefined)
    throw new InvalidInputError([
      { path: '', problem: 'the file is not a baseline', use: 'a file that check --update-baseline wrote' },
    ]);
  const problems = findings.flatMap(entryProblems);
  if (problems.length > 0) throw new InvalidInputError(problems);
  return findings;
}

function findingsOf(source: string): readonly unknown[] | undefined {
  try {
    const report: unknown = JSON.parse(source);
    return isRecord(report) && Array.isArray(report['findings']) ? report['findings'] : undefined;
  } catch {
    // not JSON
    return undefined;
  }
}

function entryProblems(entry: unknown, index: number): readonly Problem[] {
  const path = `findings[${String(index)}]`;
  if (!isRecord(entry)) return [misfit(path, entry, 'an object')];
  return KEYS.filter((key) => typeof entry[key] !== 'string').map((key) =>
    misfit(`${path}.${key}`, entry[key], 'a string'),
  );
}
