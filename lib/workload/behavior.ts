import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { PROVISIONING_SECONDS } from '../facts/durations';
import { integer, list, object, oneOf, optional, required, type Schema, type Type } from '../problems/schema';

/** A limit for the change of the number of replicas. */
export interface ScalingPolicy {
  /** Whether `value` counts replicas or is a percentage of them. */
  readonly type: 'Pods' | 'Percent';
  /** Largest change within the period, in replicas or percent. */
  readonly value: number;
  /** The period, in seconds, 1 to 1800. */
  readonly periodSeconds: number;
}

/** How fast the number of replicas changes in one direction. */
export interface ScalingRules {
  /**
   * Period of recommendations to consider, in seconds, 0 to 3600. Scaling up uses the smallest one, scaling down the largest one.
   *
   * @default - 60 to scale up; to scale down, two startup times, from 1800 to 3600
   */
  readonly stabilizationWindowSeconds?: number;
  /** Policy to use if there are several: `Max` uses the one that allows the largest change, `Min` the smallest. @default 'Max' */
  readonly selectPolicy?: 'Max' | 'Min' | 'Disabled';
  /** Limits of the change. @default - one more replica per startup time; one replica less every 1800 seconds */
  readonly policies?: readonly ScalingPolicy[];
}

/**
 * How fast the number of replicas changes.
 *
 * @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#configurable-scaling-behavior
 */
export interface AutoscalingBehavior {
  /** Rules for scaling up. @default - the defaults of `ScalingRules` */
  readonly scaleUp?: ScalingRules;
  /** Rules for scaling down. @default - the defaults of `ScalingRules` */
  readonly scaleDown?: ScalingRules;
}

/**
 * Limits of the API server for periods and windows, in seconds.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
 */
const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;

const POLICY: Schema<ScalingPolicy> = {
  properties: {
    type: { type: oneOf('Pods', 'Percent'), required: true, example: "'Pods'", standIn: 'Pods' },
    value: required(integer(1), 1),
    periodSeconds: required(integer(1, MAX_PERIOD_SECONDS), MAX_PERIOD_SECONDS),
  },
};

const RULES: Schema<ScalingRules> = {
  properties: {
    stabilizationWindowSeconds: optional(integer(0, MAX_WINDOW_SECONDS)),
    selectPolicy: optional(oneOf('Max', 'Min', 'Disabled')),
    policies: optional(
      list(object(POLICY, "an object like { type: 'Pods', value: 1, periodSeconds: 1800 }"), {
        min: 1,
        what: 'a list of policies',
      }),
    ),
  },
};

/** A prop `behavior`. */
export const behaviorType: Type<AutoscalingBehavior> = object<AutoscalingBehavior>({
  properties: { scaleUp: optional(object(RULES)), scaleDown: optional(object(RULES)) },
});

/** A shorter burst ends before a new replica starts. */
const UP_WINDOW_SECONDS = 60;

/** Rounds seconds to whole minutes, at most `max`. */
const minutes = (seconds: number, max: number): number => Math.min(max, Math.ceil(seconds / 60) * 60);

/**
 * Returns the behavior of an autoscaler for a server that starts slowly. Until a new replica is ready, the metric still requires more, so
 * the autoscaler adds one per startup time. Replacing a removed replica takes as long, so it removes one only after two startup times.
 *
 * @param startSeconds - estimated time from the start of the container to the first answer
 */
export function behaviorFor(
  startSeconds: number,
  { scaleUp = {}, scaleDown = {} }: AutoscalingBehavior = {},
): k8s.HorizontalPodAutoscalerBehaviorV2 {
  const start = startSeconds + PROVISIONING_SECONDS;
  const rules = (given: ScalingRules, defaults: Required<ScalingRules>): k8s.HpaScalingRulesV2 => {
    const { stabilizationWindowSeconds, selectPolicy, policies } = { ...defaults, ...given };
    return { stabilizationWindowSeconds, selectPolicy, policies: [...policies] };
  };
  return {
    scaleUp: rules(scaleUp, {
      stabilizationWindowSeconds: UP_WINDOW_SECONDS,
      selectPolicy: 'Max',
      policies: [{ type: 'Pods', value: 1, periodSeconds: minutes(start, MAX_PERIOD_SECONDS) }],
    }),
    scaleDown: rules(scaleDown, {
      stabilizationWindowSeconds: Math.max(MAX_PERIOD_SECONDS, minutes(2 * start, MAX_WINDOW_SECONDS)),
      selectPolicy: 'Max',
      policies: [{ type: 'Pods', value: 1, periodSeconds: MAX_PERIOD_SECONDS }],
    }),
  };
}
