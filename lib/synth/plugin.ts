import { type Finding, findingsIn } from '../checks/check';
import { type ManifestObject } from '../manifest/manifest';
import { readPaths, type Unreadable } from '../manifest/read';
import { RULES } from '../checks/rules';

/** The fields of the context of a cdk8s-cli plugin that this plugin uses. */
export interface ValidationContext {
  /** Files that the app rendered. */
  readonly manifests: readonly string[];
  readonly report: {
    addViolation(violation: {
      readonly ruleName: string;
      readonly recommendation: string;
      readonly fix: string;
      readonly violatingResources: readonly {
        readonly resourceName: string;
        readonly locations: readonly string[];
        readonly manifestPath: string;
      }[];
    }): void;
    submit(status: 'success' | 'failure', metadata?: Readonly<Record<string, string>>): void;
  };
}

/**
 * The checks as a validation plugin of cdk8s-cli: `cdk8s synth` prints all findings in the manifests of an app, warnings and notes too.
 * cdk8s.yaml refers to the plugin by its path, because cdk8s-cli would install a plugin that is given as a package:
 *
 * ```yaml
 * validations:
 *   - package: ./node_modules/cdk8s-tpu-serving/plugin
 *     version: 0.1.0
 *     class: TpuServingValidation
 * ```
 */
export class TpuServingValidation {
  /** Reports every finding that is not accepted, by rule; fails if one of them is an error. */
  validate(context: ValidationContext): Promise<void> {
    const { objects, unreadable } = readPaths(context.manifests);
    const findings = findingsIn(objects);
    const open = findings.filter(({ accepted }) => accepted === undefined);
    for (const problem of unreadable) context.report.addViolation(unreadableViolation(problem));
    const names = namesOf(objects);
    for (const same of byRuleAndFix(open)) context.report.addViolation(violation(same, names));
    const failed = unreadable.length > 0 || open.some(({ severity }) => severity === 'error');
    context.report.submit(failed ? 'failure' : 'success', {
      Objects: String(objects.length),
      Accepted: String(findings.length - open.length),
    });
    return Promise.resolve();
  }
}

type Violation = Parameters<ValidationContext['report']['addViolation']>[0];

const unreadableViolation = ({ file, line = 1, message }: Unreadable): Violation => ({
  ruleName: 'unreadable (error)',
  recommendation: 'every rendered manifest is valid YAML',
  fix: 'correct the code that wrote it',
  violatingResources: [
    { resourceName: file, locations: [`line ${String(line)}: ${message}`], manifestPath: file },
  ],
});

/** Groups findings that have the same rule and fix. */
function byRuleAndFix(findings: readonly Finding[]): readonly (readonly [Finding, ...Finding[]])[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = `${finding.code} ${finding.severity} ${finding.fix}`;
    const same = groups.get(key);
    if (same) same.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()].sort(([a], [b]) => orderOf(a) - orderOf(b));
}

/** Sorts errors first, then by code. */
const orderOf = ({ severity, code }: Finding): number =>
  ['error', 'warning', 'note'].indexOf(severity) * RULES.length +
  RULES.findIndex((rule) => rule.code === code);

/** Returns the objects with unique names, which cdk8s-cli uses to find their constructs. */
function namesOf(objects: readonly ManifestObject[]): ReadonlyMap<string, string> {
  const bearers = new Map<string, number>();
  for (const { name } of objects) bearers.set(name, (bearers.get(name) ?? 0) + 1);
  return new Map(objects.filter(({ name }) => bearers.get(name) === 1).map(({ id, name }) => [id, name]));
}

const violation = (
  findings: readonly [Finding, ...Finding[]],
  names: ReadonlyMap<string, string>,
): Violation => {
  const [{ code, severity, fix }] = findings;
  return {
    ruleName: `${code} (${severity})`,
    recommendation: RULES.find((rule) => rule.code === code)?.title ?? code,
    fix,
    violatingResources: findings.map(({ object, path, message, file = '' }) => ({
      resourceName: names.get(object) ?? object,
      locations: [`${object} ${path}: ${message}`],
      manifestPath: file,
    })),
  };
};
