import { type ApiObject } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { acceptAnnotation, type Finding, findingsIn } from '../checks/check';
import { withoutChecks } from './at-synth';
import { inOnePass } from './one-pass';
import { renderedBy } from './rendered';

/**
 * Runs the checks on everything that an app renders, for a test of your own. Warnings and notes are included; accepted findings are not.
 *
 * @param scope - an app, for all findings; or a chart or any other construct, for the findings in what it renders
 * @returns the findings in the order of the objects; empty if there are none
 * @example expect(findings(chart)).toEqual([]);
 */
export function findings(scope: IConstruct): readonly Finding[] {
  const { root, path } = scope.node;
  const isInside = (constructPath = ''): boolean =>
    path === '' || constructPath === path || constructPath.startsWith(`${path}/`);
  // The whole app is checked, because objects refer to objects of other charts.
  const objects = inOnePass(() => withoutChecks(root, () => renderedBy(root)));
  return findingsIn(objects).filter(
    ({ accepted, constructPath }) => accepted === undefined && isInside(constructPath),
  );
}

/**
 * Accepts the findings of one rule on an object, with a reason that is rendered as an annotation.
 *
 * @param object - the object, like `server.deployment`
 * @param code - code of the rule, like `TPU503`
 * @param reason - why the finding does not matter here
 * @throws InvalidInputError if the rule does not exist or the reason is empty
 */
export function acceptFinding(object: ApiObject, code: string, reason: string): void {
  object.metadata.addAnnotation(...acceptAnnotation(code, reason));
}
