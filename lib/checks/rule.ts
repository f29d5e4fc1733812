import { type ManifestObject } from '../manifest/manifest';
import { type ManifestSet } from '../manifest/set';

/** `error`: it cannot work. `warning`: it works, but not well or not always. `note`: something to know. */
export type Severity = 'error' | 'warning' | 'note';

/** One place where a rule is broken. */
export interface Violation<S extends Severity = Severity> {
  readonly object: ManifestObject;
  /** Path in the manifest, like `spec.template.spec.containers[vllm].readinessProbe`. */
  readonly path: string;
  /** What is wrong, with the value: one sentence without a capital letter and a period. */
  readonly message: string;
  /** What to write instead. */
  readonly fix: string;
  /** The part of the value that is wrong. If it is a placeholder, the finding is dropped. @default - all of it */
  readonly about?: string;
  /** Severity of this finding. @default - the first severity of the rule */
  readonly severity?: S;
}

/** What a rule knows besides the objects. */
export interface RuleContext {
  /** Findings of earlier rules. */
  readonly found: readonly Found[];
  /** The codes of all rules. */
  readonly codes: ReadonlySet<string>;
}

/** A check that no schema can express. */
export interface Rule {
  /** Stable code, like `TPU101`. */
  readonly code: string;
  /** The rule in one sentence. */
  readonly title: string;
  /** The severities that it can report; the first one is the usual one. */
  readonly severities: readonly [Severity, ...Severity[]];
  /** The kinds of objects that it reports on: `pods` means every kind with a pod template, `any` means every object. */
  readonly kinds: readonly string[];
  /** Whether it reports only errors on objects that have nothing to do with TPUs. @default - reports all findings */
  readonly nearTpus?: true;
  /**
   * Whether it judges each object by its own manifest, and would judge it the same if the object and the labels and identities named
   * after it had other names. Then it checks one of all objects that are equal. @default false
   */
  readonly local?: boolean;
  /** Returns the places where the rule is broken. */
  readonly check: (set: ManifestSet, context: RuleContext) => Iterable<Violation>;
}

/** A place where a rule is broken, and the rule. */
export interface Found {
  readonly rule: Rule;
  readonly violation: Violation;
}

/** Defines a rule. The types allow only findings of the declared severities. */
export const defineRule = <const S extends readonly [Severity, ...Severity[]]>(
  rule: Omit<Rule, 'severities' | 'check'> & {
    readonly severities: S;
    readonly check: (set: ManifestSet, context: RuleContext) => Iterable<Violation<NoInfer<S>[number]>>;
  },
): Rule => rule;

/** The severity of a finding. */
export const severityOf = ({ rule, violation }: Found): Severity => violation.severity ?? rule.severities[0];
