import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Unreadable } from '../manifest/read';
import { oneLine } from '../problems/shown';
import { count } from '../tpu/topology';
import { type Finding } from './check';
import { type Rule, type Severity } from './rule';

/** The result of checking some files. */
export interface Report {
  readonly findings: readonly Finding[];
  readonly unreadable: readonly Unreadable[];
  /** How many Kubernetes objects were checked. */
  readonly objects: number;
  /** How many findings are left out, because a baseline has them. @default - no baseline */
  readonly known?: number;
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

const isOpen = ({ accepted }: Finding): boolean => accepted === undefined;
const ofSeverity = ({ findings }: Report, severity: Severity): number =>
  findings.filter((finding) => isOpen(finding) && finding.severity === severity).length;

/** Whether a report has errors that are not accepted; with `strict`, errors or warnings. */
export const fails = (report: Report, strict: boolean): boolean =>
  ofSeverity(report, 'error') > 0 || (strict && ofSeverity(report, 'warning') > 0);

/** The findings of a severity or a higher one. */
export const atLeast = (findings: readonly Finding[], severity: Severity): readonly Finding[] =>
  findings.filter((finding) => SEVERITIES.indexOf(finding.severity) <= SEVERITIES.indexOf(severity));

/** `2 errors, 0 warnings, 1 note in 5 objects`; with a baseline, `2 new errors, …; 7 findings in the baseline`. */
function summary(report: Report): string {
  const { known } = report;
  const noun = (severity: Severity): string => (known === undefined ? severity : `new ${severity}`);
  const counts = SEVERITIES.map((one) => count(ofSeverity(report, one), noun(one))).join(', ');
  const others = known === undefined ? '' : `; ${count(known, 'finding')} in the baseline`;
  const accepted = report.findings.length - report.findings.filter(isOpen).length;
  return `${counts} in ${count(report.objects, 'object')}${accepted > 0 ? `; ${String(accepted)} accepted` : ''}${others}`;
}

const CODES: Readonly<Record<Severity, number>> = { error: 31, warning: 33, note: 36 };
/** A severity in the color of terminals. */
const colored = (severity: Severity): string => `\u{1b}[${String(CODES[severity])}m${severity}\u{1b}[0m`;

/** `FILE:LINE:COLUMN: what is wrong`. */
export const unreadableInWords = ({ file, line, column, message }: Unreadable): string =>
  oneLine(`${[file, ...(line === undefined ? [] : [line, column ?? 1])].join(':')}: ${message}`);

/** Options of the text report. */
export interface TextOptions {
  /** Whether accepted findings are listed too. */
  readonly verbose: boolean;
  /** Whether severities are colored. */
  readonly color: boolean;
}

/** The findings by file and object, and the summary. */
export function textReport(report: Report, { verbose, color }: TextOptions): string {
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
  const plain = lines.map(oneLine);
  const shown = color
    ? plain.map((line) =>
        line.replace(/^ {4}(error|warning|note)(?= TPU)/, (_, word: Severity) => `    ${colored(word)}`),
      )
    : plain;
  const repeated = repeats(report);
  return [
    ...shown,
    ...(lines.length > 0 ? [''] : []),
    ...repeated,
    ...(repeated.length > 0 ? [''] : []),
    summary(report),
    '',
  ].join('\n');
}

/** The number of findings of a rule from which the report states a total. */
const OFTEN = 3;

/** The rules with many findings, for example `warning TPU701 12 times in 5 objects`. */
function repeats({ findings }: Report): readonly string[] {
  const byCode = new Map<string, Finding[]>();
  for (const finding of findings.filter(isOpen)) {
    const own = byCode.get(finding.code);
    if (own) own.push(finding);
    else byCode.set(finding.code, [finding]);
  }
  return [...byCode]
    .filter(([, own]) => own.length >= OFTEN)
    .map(([code, own]) => {
      const objects = new Set(own.map(({ file, namespace, object }) => [file, namespace, object].join('\n')));
      return `${own[0]?.severity ?? ''} ${code} ${String(own.length)} times in ${count(objects.size, 'object')}`;
    });
}

const GITHUB: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/**
 * The report as workflow commands, which GitHub Actions shows next to the changed lines.
 *
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function githubReport(report: Report): string {
  const data = (value: string): string =>
    value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (value: string): string => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const command = (kind: string, properties: Readonly<Record<string, unknown>>, message: string): string => {
    const given = Object.entries(properties)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${property(String(value))}`);
    return `::${kind} ${given.join(',')}::${data(message)}`;
  };
  return [
    ...report.findings
      .filter(isOpen)
      .map(({ severity, file, line, code, object, message, fix }) =>
        command(
          GITHUB[severity],
          { file, line, title: oneLine(`${code} ${object}`) },
          oneLine(`${message}; ${fix}`),
        ),
      ),
    ...report.unreadable.map(({ file, line, column: col, message }) =>
      command('error', { file, line, col }, oneLine(message)),
    ),
    summary(report),
    '',
  ].join('\n');
}

/** The complete report as JSON. */
export function jsonReport(report: Report): string {
  const [errors, warnings, notes] = SEVERITIES.map((severity) => ofSeverity(report, severity));
  const accepted = report.findings.length - report.findings.filter(isOpen).length;
  const { findings, unreadable, objects } = report;
  return `${JSON.stringify({ findings, unreadable, summary: { errors, warnings, notes, accepted, objects } }, null, 2)}\n`;
}

/**
 * The report as SARIF, which code hosts show next to the changed lines.
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
          // no helpUri, because the pages have no public address
          help: { text: `Run npx cdk8s-tpu-serving explain ${code}: why the rule exists, and examples.` },
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
