import { room } from '../problems/grammar';
import { integer, object, optional, string, type Type } from '../problems/schema';

/**
 * Flow control: the picker holds requests back while no server has room for them, in its memory.
 *
 * @see https://llm-d.ai/docs/architecture/core/router/epp/flow-control
 */
export interface FlowControlOptions {
  /**
   * Longest time that the picker holds a request back, in seconds; it then refuses the request.
   *
   * @default - the picker's own; with `minReplicas: 0` of `autoscaling`, `requestTimeoutSeconds` of the pool
   */
  readonly requestTtlSeconds?: number;
  /** Largest number of requests that it holds back. @default - the picker's own */
  readonly maxRequests?: number;
  /** Largest size of the requests that it holds back, as a quantity like `1Gi`. @default - the picker's own */
  readonly maxBytes?: string;
}

/** A prop `flowControl`. */
export const flowControlType: Type<FlowControlOptions> = object<FlowControlOptions>(
  {
    properties: {
      requestTtlSeconds: optional(integer(1)),
      maxRequests: optional(integer(1)),
      maxBytes: optional(string(room)),
    },
  },
  'an object, like {}',
);

/**
 * Flow control in the picker's configuration.
 *
 * @see https://github.com/llm-d/llm-d-router/tree/v0.10.0/pkg/epp/config/loader
 */
export function flowControlConfig(options: FlowControlOptions | undefined): Record<string, unknown> {
  if (!options) return {};
  const { requestTtlSeconds, maxRequests, maxBytes } = options;
  const limits = {
    ...(maxBytes !== undefined && { maxBytes }),
    ...(maxRequests !== undefined && { maxRequests: String(maxRequests) }),
    ...(requestTtlSeconds !== undefined && { defaultRequestTTL: `${String(requestTtlSeconds)}s` }),
  };
  return {
    featureGates: ['flowControl'],
    ...(Object.keys(limits).length > 0 && { flowControl: limits }),
  };
}
