import { kedaStep } from '../operations/keda';
import { type RunbookStep } from '../operations/operations';
import { type PoolAutoscalingOptions } from './autoscaling';

/** What the autoscaler of a pool needs. */
export const kedaSteps = (name: string, { scaler }: PoolAutoscalingOptions): readonly RunbookStep[] =>
  typeof scaler === 'object' ? [kedaStep(name)] : [];

/** How the replicas of a pool change. */
export function scalingSteps(
  name: string,
  { scaler, minReplicas = 1, maxReplicas }: PoolAutoscalingOptions,
): readonly RunbookStep[] {
  const who = typeof scaler === 'object' ? 'KEDA' : 'A HorizontalPodAutoscaler';
  return [
    {
      text: `${who} keeps ${String(minReplicas)} to ${String(maxReplicas)} replicas of pool \`${name}\`. Change \`autoscaling\` of the pool in the chart to change the limits.`,
      commands: [],
    },
    ...(minReplicas === 0
      ? [
          {
            text: `Pool \`${name}\` can have no server. The picker then holds requests in its memory until the first server has started: a client that does not wait that long, or a picker that restarts, loses them.`,
            commands: [],
          },
        ]
      : []),
  ];
}
