import { type ManifestObject } from '../manifest/manifest';
import { type ManifestSet } from '../manifest/set';

/** `error`: it cannot work. `warning`: it works worse than it should, or not always. `note`: something to know. */
export type Severity = 'error' | 'warning' | 'note';

/** One place where a rule is broken. */
export interface Violation {
  readonly object: ManifestObject;
  /** Path in the manifest, like `spec.template.spec.containers[vllm].readinessProbe`. */
  readonly path: string;
  /** What is wrong, in one lowercase sentence with the value. */
  readonly message: string;
  /** What to write instead. */
  readonly fix: string;
  /** Severity of this place, where it differs from the rule's. */
  readonly severity?: Severity;
}

/** Something that no schema sees. */
export interface Rule {
  /** Stable code, like `TPU101`. */
  readonly code: string;
  readonly severity: Severity;
  /** The rule in one sentence. */
  readonly title: string;
  /** Whether it finds no errors: a synth, which stops at errors alone, does without. */
  readonly isRemark?: boolean;
  /** Each place where it is broken; `found` is what the rules before it found. */
  readonly check: (set: ManifestSet, found?: readonly Found[]) => Iterable<Violation>;
}

/** A place where a rule is broken, and the rule. */
export interface Found {
  readonly rule: Rule;
  readonly violation: Violation;
}

/** A rule; `check` is usually a generator that yields each place where it is broken. */
export const rule = (code: string, severity: Severity, title: string, check: Rule['check']): Rule => ({
  code,
  severity,
  title,
  check,
});

/** A rule that finds nothing worse than warnings. */
export const remark = <Worst extends 'note' | 'warning'>(
  code: string,
  severity: Worst,
  title: string,
  check: (
    ...given: Parameters<Rule['check']>
  ) => Iterable<Violation & { readonly severity?: 'note' | Worst }>,
): Rule => ({ ...rule(code, severity, title, check), isRemark: true });
