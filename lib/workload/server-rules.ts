import { integer, looksLikeToken, quoted } from '../pod/rules';
import { type Problems } from '../problems';
import { type AutoscalingOptions, checkAutoscaling } from './autoscaling';
import { intervalProblem, type MonitoringOptions } from './monitoring';

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

/** Records what is wrong with further flags; `writers` names the prop that writes a flag already. */
export function checkArgs(
  args: readonly string[] = [],
  writers: Readonly<Record<string, string>>,
  problems: Problems,
): void {
  for (const arg of args) {
    const writer = writers[arg.split(/[=\s]/)[0] ?? ''];
    problems.check(
      writer === undefined,
      `args ${quoted(arg)} is already written by ${writer ?? ''}, expected that prop instead`,
    );
    problems.check(
      /^--?[a-z]\S*$/.test(arg),
      `args ${quoted(arg)} is not a flag, expected '--flag=value' in one string without spaces`,
    );
  }
}

/** Records what is wrong with further environment variables. */
export function checkEnv(env: Readonly<Record<string, string>> = {}, problems: Problems): void {
  for (const [key, value] of Object.entries(env)) {
    problems.check(
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(key),
      `env ${quoted(key)} is not a variable name, expected letters, digits and '_', first no digit`,
    );
    problems.check(
      !looksLikeToken(value),
      `env ${quoted(key)} holds a Hugging Face token, expected huggingFaceToken: HuggingFaceToken.fromSecret(…), which names a Secret`,
    );
  }
}
