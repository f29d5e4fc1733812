import { InvalidInputError, Problems } from '../problems/problems';
import { nonEmpty } from '../problems/schema';
import { isPatched } from '../manifest/kustomize';
import { type ManifestObject, text } from '../manifest/manifest';
import { isNearTpus } from '../manifest/nearby';
import { grouped } from '../manifest/selection';
import { type ManifestSet, manifestSet } from '../manifest/set';
import { isFilledIn, valueAt } from '../manifest/placeholders';
import { type Found, type Rule, type Severity, severityOf, type Violation } from './rule';
import { TPU904 } from './rules/document/tpu904-placeholders';
import { RULES, SYNTH_RULES } from './rules';
import { CODES, ERROR_RULES } from './rules/errors';
import { ACCEPT } from './acceptance';
import { alikeIn } from './alike';

/** One finding of the checks. */
export interface Finding {
  /** Stable code of the rule, like `TPU101`. */
  readonly code: string;
  /** Severity of the finding. */
  readonly severity: Severity;
  /** The object, like `Deployment/llama`. */
  readonly object: string;
  /** Namespace of the object; empty for the default namespace. */
  readonly namespace: string;
  /** Path in the manifest. */
  readonly path: string;
  /** What is wrong. */
  readonly message: string;
  /** What to write instead. */
  readonly fix: string;
  /** File that the object was read from. */
  readonly file?: string | undefined;
  /** Line of the file. */
  readonly line?: number | undefined;
  /** Path of the construct that renders the object. */
  readonly constructPath?: string | undefined;
  /** Why the finding is accepted on purpose; undefined if it is not. */
  readonly accepted?: string | undefined;
}

/** All findings in a set of objects, in the order of the objects. */
export const findingsIn = (objects: readonly ManifestObject[]): readonly Finding[] =>
  find(objects, (set) => [...SYNTH_RULES, ...RULES].filter((rule) => canReport(rule, set)));

/** Errors in `objects` that have not been accepted. */
export const errorsIn = (objects: readonly ManifestObject[]): readonly Finding[] =>
  find(objects, (set) =>
    ERROR_RULES.filter((rule) => canReport(rule, set)).map((rule) => rule.load()),
  ).filter(({ severity, accepted }) => severity === 'error' && accepted === undefined);

function find(
  objects: readonly ManifestObject[],
  rulesFor: (set: ManifestSet) => readonly Rule[],
): readonly Finding[] {
  const set = manifestSet(objects);
  const { firsts, like } = alikeIn(set);
  const findings: Found[] = [];
  const check = (rule: Rule, part: ManifestSet): readonly Violation[] => [
    ...worthSaying(rule, rule.check(part, { found: findings, codes: CODES })),
  ];
  for (const rule of rulesFor(set)) {
    let violations = check(rule, rule.local === true ? firsts : set);
    if (rule.local === true && violations.length > 0 && firsts.objects.length < set.objects.length)
      violations = check(rule, like(new Set(violations.map(({ object }) => object))));
    for (const violation of violations)
      if (concerns(set, { rule, violation })) findings.push({ rule, violation });
  }
  const byObject = grouped(findings.map((found) => [found.violation.object, found]));
  return objects
    .flatMap((one) => byObject.get(one) ?? [])
    .map((found) => {
      const { object, path, message, fix } = found.violation;
      return {
        code: found.rule.code,
        severity: severityOf(found),
        object: object.id,
        namespace: object.namespace,
        path,
        message,
        fix,
        file: object.file,
        line: object.lineOf?.(path),
        constructPath: object.constructPath,
        accepted: reasonFor(object, found.rule.code),
      };
    });
}

/** Whether a finding is relevant: a repository also has objects that have nothing to do with TPUs. */
const concerns = (set: ManifestSet, found: Found): boolean =>
  found.rule.nearTpus !== true || severityOf(found) === 'error' || isNearTpus(set, found.violation.object);

/** Whether a set has an object that a rule can report on. */
const canReport = ({ kinds }: Pick<Rule, 'kinds'>, set: ManifestSet): boolean =>
  kinds.some((kind) =>
    kind === 'pods' ? set.pods.length > 0 : kind === 'any' || set.ofKind(kind).length > 0,
  );

/** Removes findings about placeholders and patched fields, and repeated messages of an object. */
function* worthSaying(rule: Rule, violations: Iterable<Violation>): Generator<Violation> {
  const said = new Map<ManifestObject, Set<string>>();
  for (const violation of violations) {
    const { object, path, message, about } = violation;
    const messages = said.get(object);
    if (messages?.has(message) === true || isPatched(object, path)) continue;
    if (rule !== TPU904 && isFilledIn(about ?? valueAt(object.manifest, path))) continue;
    if (messages) messages.add(message);
    else said.set(object, new Set([message]));
    yield violation;
  }
}

/** The reason why an object accepts the findings of a rule; undefined if it does not, or gives no reason. */
export function reasonFor({ manifest }: ManifestObject, code: string): string | undefined {
  const reason = text(manifest, 'metadata', 'annotations', ACCEPT + code);
  return reason?.trim() === '' ? undefined : reason;
}

/** The annotation that accepts the findings of a rule. */
export function acceptAnnotation(code: string, reason: string): readonly [string, string] {
  if (!CODES.has(code))
    throw new InvalidInputError([
      {
        path: 'code',
        value: code,
        problem: 'is not a rule',
        use: `the code of a rule, like '${RULES[0]?.code ?? ''}'`,
      },
    ]);
  const problems = new Problems();
  nonEmpty(`the reason why ${code} is acceptable here`).read(reason, 'reason', problems);
  problems.throwIfAny();
  return [ACCEPT + code, reason];
}
