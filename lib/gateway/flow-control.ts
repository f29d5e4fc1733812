import { room } from '../problems/grammar';
import { integer, object, optional, string, type Type } from '../problems/schema';

/**
 * Flow control: the picker holds requests back in its memory while no server has room for them.
 *
 * @see https://llm-d.ai/docs/architecture/core/router/epp/flow-control
 */
export interface FlowControlOptions {
  /**
   * Longest time that the picker holds a request back, in seconds. After that, it rejects the request.
   *
   * @default - the picker's default; with `minReplicas: 0` in `autoscaling`, the `requestTimeoutSeconds` of the pool
   */
  readonly requestTtlSeconds?: number;
  /** Largest number of requests that the picker holds back. @default - the picker's default */
  readonly maxRequests?: number;
  /** Largest total size of the requests that the picker holds back, as a quantity like `1Gi`. @default - the picker's default */
  readonly maxBytes?: string;
}

/** The type of the prop `flowControl`. */
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
 * Returns flow control in the format of the picker's configuration.
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
