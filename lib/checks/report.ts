import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { count } from '../tpu/topology';
import { type Finding } from './check';
import { type Unreadable } from '../manifest/read';
import { type Rule, type Severity } from './rule';

/** What a check of some files says. */
export interface Report {
  readonly findings: readonly Finding[];
  readonly unreadable: readonly Unreadable[];
  /** How many Kubernetes objects were checked. */
  readonly objects: number;
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

const isOpen = ({ accepted }: Finding): boolean => accepted === undefined;
const ofSeverity = ({ findings }: Report, severity: Severity): number =>
  findings.filter((finding) => isOpen(finding) && finding.severity === severity).length;

/** Whether something cannot work that nobody accepted. */
export const hasErrors = (report: Report): boolean => ofSeverity(report, 'error') > 0;

/** `2 errors, 0 warnings, 1 note in 5 objects`. */
function summary(report: Report): string {
  const counts = SEVERITIES.map((severity) => count(ofSeverity(report, severity), severity)).join(', ');
  const accepted = report.findings.length - report.findings.filter(isOpen).length;
  return `${counts} in ${count(report.objects, 'object')}${accepted > 0 ? `; ${String(accepted)} accepted` : ''}`;
}

/** A line for a terminal: what a manifest holds neither ends it nor steers the terminal. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}/gu, '\u{fffd}');

/** `FILE:LINE:COLUMN: what is wrong`. */
export const unreadableInWords = ({ file, line, column, message }: Unreadable): string =>
  oneLine(`${[file, ...(line === undefined ? [] : [line, column ?? 1])].join(':')}: ${message}`);

/** The findings by file and object, and the summary; accepted ones only where they are asked for. */
export function textReport(report: Report, verbose: boolean): string {
  const lines: string[] = [];
  let file: string | undefined;
  let object: string | undefined;
  for (const finding of report.findings) {
    if (!verbose && !isOpen(finding)) continue;
    if (finding.file !== file) {
      if (file !== undefined) lines.push('');
      lines.push(finding.file ?? '');
      object = undefined;
    }
    const name = `${finding.object}${finding.namespace === '' ? '' : ` in namespace ${finding.namespace}`}`;
    if (name !== object) lines.push(`  ${name}`);
    ({ file } = finding);
    object = name;
    lines.push(
      `    ${finding.severity} ${finding.code} ${finding.path}${finding.line === undefined ? '' : ` (line ${String(finding.line)})`}`,
      `      ${finding.message}`,
      isOpen(finding) ? `      fix: ${finding.fix}` : `      accepted: ${finding.accepted ?? ''}`,
    );
  }
  return [...lines.map(oneLine), ...(lines.length > 0 ? [''] : []), summary(report), ''].join('\n');
}

/** Everything, for other programs. */
export function jsonReport(report: Report): string {
  const [errors, warnings, notes] = SEVERITIES.map((severity) => ofSeverity(report, severity));
  const accepted = report.findings.length - report.findings.filter(isOpen).length;
  const { findings, unreadable, objects } = report;
  return `${JSON.stringify({ findings, unreadable, summary: { errors, warnings, notes, accepted, objects } }, null, 2)}\n`;
}

/**
 * The report as SARIF, which code hosts show beside the lines of a change.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function sarifReport(report: Report, rules: readonly Rule[], version: string): string {
  const indexes = new Map(rules.map(({ code }, index) => [code, index]));
  const run = {
    tool: {
      driver: {
        name: 'cdk8s-tpu-serving',
        semanticVersion: version,
        rules: rules.map(({ code, title, severities: [severity] }) => ({
          id: code,
          shortDescription: { text: title },
          help: { text: `${title}: see docs/rules/${code}.md` },
          defaultConfiguration: { level: severity },
        })),
      },
    },
    invocations: [
      {
        executionSuccessful: report.unreadable.length === 0,
        toolExecutionNotifications: report.unreadable.map(({ file, line, column, message }) => ({
          level: 'error',
          message: { text: message },
          locations: [{ physicalLocation: physicalLocation(file, line, column) }],
        })),
      },
    ],
    columnKind: 'utf16CodeUnits',
    results: report.findings.map((finding) => ({
      ruleId: finding.code,
      ruleIndex: indexes.get(finding.code),
      level: finding.severity,
      message: { text: `${finding.message}; ${finding.fix}` },
      locations: [
        {
          physicalLocation:
            finding.file === undefined ? undefined : physicalLocation(finding.file, finding.line),
          logicalLocations: [
            {
              name: finding.object,
              fullyQualifiedName: `${finding.namespace === '' ? '' : `${finding.namespace}/`}${finding.object}/${finding.path}`,
              kind: 'resource',
            },
          ],
        },
      ],
      suppressions: isOpen(finding) ? [] : [{ kind: 'inSource', justification: finding.accepted }],
    })),
  };
  return `${JSON.stringify(
    { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] },
    null,
    2,
  )}\n`;
}

function physicalLocation(file: string, startLine: number | undefined, startColumn?: number): unknown {
  const relative = file.split(path.sep).map(encodeURIComponent).join('/');
  return {
    artifactLocation: { uri: path.isAbsolute(file) ? pathToFileURL(file).href : relative },
    region: startLine === undefined ? undefined : { startLine, startColumn },
  };
}
