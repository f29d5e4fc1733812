import { type Operations, type RunbookStep } from '../operations/operations';
import { kedaNeeds } from '../workload/keda';
import { type PoolAutoscalingOptions } from './autoscaling';

/** Returns the requirements of a pool that KEDA scales; undefined for other pools. */
export const kedaOf = (name: string, options: PoolAutoscalingOptions | undefined): Operations['keda'] =>
  typeof options?.scaler === 'object' ? kedaNeeds(name, options.scaler.keda) : undefined;

/** Returns the steps that explain the scaling of a pool. */
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
            text: `Pool \`${name}\` can scale to 0 replicas. The picker then holds requests in its memory until the first server has started. A request is lost if its client stops waiting, or if the picker restarts.`,
            commands: [],
          },
        ]
      : []),
  ];
}
