import { type ApiObject } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { acceptAnnotation, type Finding, findingsIn } from '../checks/check';
import { type Severity } from '../checks/rule';
import { Problems } from '../problems/problems';
import { oneOf, optional, read, type Schema } from '../problems/schema';
import { withoutChecks } from './at-synth';
import { inOnePass } from './one-pass';
import { expectObject } from './override';
import { renderedBy } from './rendered';

/** From the least severe to the most severe. */
const SEVERITIES = ['note', 'warning', 'error'] as const;

/** Options of `findings`. */
export interface FindingsOptions {
  /** Lowest severity to return: `note` returns all findings, `error` only those that stop a synth. @default 'warning' */
  readonly severity?: Severity;
}

const OPTIONS: Schema<FindingsOptions> = { properties: { severity: optional(oneOf(...SEVERITIES)) } };

/**
 * Runs the checks on everything that an app renders, for example in your own test. Leaves out accepted findings.
 *
 * @param scope - an app, for all findings; or a chart or any other construct, for the findings in what it renders
 * @param options - which findings to return
 * @returns the findings in the order of the objects; empty if there are none
 * @throws InvalidInputError if `scope` is not a construct or the severity does not exist
 * @example expect(findings(chart)).toEqual([]);
 */
export function findings(scope: IConstruct, options: FindingsOptions = {}): readonly Finding[] {
  const problems = new Problems();
  problems.check(Construct.isConstruct(scope), {
    path: 'scope',
    problem: 'is not a construct',
    use: 'an app, a chart or another construct',
  });
  const { severity: least = 'warning' } = read(OPTIONS, options, problems) ?? {};
  problems.throwIfAny();
  const { root, path } = scope.node;
  const isInside = (constructPath = ''): boolean =>
    path === '' || constructPath === path || constructPath.startsWith(`${path}/`);
  const isWanted = (severity: Severity): boolean => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
  // The whole app is checked, because objects refer to objects of other charts.
  const objects = inOnePass(() => withoutChecks(root, () => renderedBy(root)));
  return findingsIn(objects).filter(
    ({ accepted, severity, constructPath }) =>
      accepted === undefined && isWanted(severity) && isInside(constructPath),
  );
}

/**
 * Accepts the findings of one rule on an object, with a reason that is rendered as an annotation.
 *
 * @param object - the object, like `server.workload`
 * @param code - code of the rule, like `TPU503`
 * @param reason - why the finding does not matter here
 * @throws InvalidInputError if the rule does not exist or the reason is empty
 */
export function acceptFinding(object: ApiObject, code: string, reason: string): void {
  expectObject(object);
  object.metadata.addAnnotation(...acceptAnnotation(code, reason));
}
