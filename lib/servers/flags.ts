import { type PodFragment } from '../pod/fragment';
import { integer, quoted } from '../problems/validators';
import { type Problems } from '../problems/problems';
import { type AutoscalingOptions, checkAutoscaling } from '../workload/autoscaling';
import { intervalProblem, type MonitoringOptions } from '../workload/monitoring';

/** Records what is wrong with how many replicas run, and with the metrics that decide it. */
export function checkScaling(
  options: {
    readonly replicas: number | undefined;
    readonly autoscaling: AutoscalingOptions | undefined;
    readonly monitoring: MonitoringOptions | undefined;
  },
  problems: Problems,
): void {
  const { replicas, autoscaling, monitoring } = options;
  if (replicas !== undefined) problems.add(integer('replicas', replicas, 0));
  if (monitoring?.interval !== undefined) problems.add(intervalProblem(monitoring.interval));
  if (!autoscaling) return;
  checkAutoscaling(autoscaling, problems);
  problems.check(
    replicas === undefined,
    `replicas '${String(replicas)}' is set beside autoscaling, expected one of them: each apply would undo what the autoscaler did`,
  );
  problems.check(
    monitoring !== undefined,
    `monitoring is off beside autoscaling, expected it on: the autoscaler reads metric '${autoscaling.metric.name}' from it`,
  );
}

/** The flags of a server. */
export interface ServerFlags {
  /** Flags that are written already; the prop behind each, or `the … itself`. */
  readonly writers: Readonly<Record<string, string>>;
  /** One spelling for all that the server's parser takes for the same flag. */
  readonly spelling: (flag: string) => string;
  /** Whether a flag may be given more than once; of others the parser would take the last. */
  readonly mayRepeat: (flag: string) => boolean;
}

/** Flags as Abseil reads them in Python: one dash or two, and `--noflag` for false. Some may be given several times; no list says which. */
export const abseilFlags = (writers: Readonly<Record<string, string>>): ServerFlags => ({
  writers,
  spelling: (flag) => {
    const long = flag.replace(/^--?/, '--');
    const affirmed = long.replace(/^--no/, '--');
    return Object.hasOwn(writers, affirmed) ? affirmed : long;
  },
  mayRepeat: () => true,
});

/** Records what is wrong with further flags, those of fragments among them. */
export function checkArgs(
  {
    args = [],
    fragments = [],
  }: { readonly args?: readonly string[]; readonly fragments?: readonly PodFragment[] },
  { writers, spelling, mayRepeat }: ServerFlags,
  problems: Problems,
): void {
  const seen = new Set<string>();
  const refusal = (arg: string, form: RegExp): string | undefined => {
    const flag = spelling(arg.split(/[=\s]/)[0] ?? '');
    const writer = Object.hasOwn(writers, flag) ? writers[flag] : undefined;
    if (writer !== undefined)
      return `args ${quoted(arg)} is already written by ${writer}, expected ${writer.endsWith(' itself') ? 'none' : 'that prop instead'}`;
    if (!form.test(arg)) return `args ${quoted(arg)} is not a flag, expected '--flag=value' in one string`;
    if (seen.has(flag) && !mayRepeat(flag))
      return `args ${quoted(arg)} sets ${flag} a second time, expected it once`;
    seen.add(flag);
    return undefined;
  };
  for (const arg of args) problems.add(refusal(arg, /^--?[A-Za-z][^\s=]*(=[^]*)?$/));
  // Fragments may give a flag and its value as two.
  for (const arg of fragments.flatMap(({ container }) => container?.args ?? []))
    if (/^--?[A-Za-z]/.test(arg)) problems.add(refusal(arg, /^/));
}
