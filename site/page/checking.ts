import { type Finding, findingsIn } from '../../lib/checks/check';
import { readManifests, type Unreadable } from '../../lib/manifest/read';
import { type Plan, planOf } from '../../lib/plan/plan';

/** What the checks say about some YAML. Plain data, so that a worker can send it. */
export interface Checked {
  readonly findings: readonly Finding[];
  readonly unreadable: readonly Unreadable[];
  /** Kubernetes objects that were read. */
  readonly objects: number;
  readonly plan: Plan;
}

/** Longest text that is checked, in characters: the command line has no limit. */
export const LONGEST_TEXT = 20_000_000;

/** Checks and plans YAML as `check` and `plan` do with one file. */
export function checkText(yaml: string): Checked {
  const { objects, unreadable } = readManifests(yaml, 'pasted.yaml');
  const known = objects.filter(({ kind }) => kind !== '');
  return { findings: findingsIn(objects), unreadable, objects: known.length, plan: planOf(known) };
}
