import { type ContainerFields } from './fragment';
import { intOrString } from './wrapped';

/** Timeout of a probe. A server that compiles answers late, and liveness probes that time out restart it. */
const PROBE_TIMEOUT_SECONDS = 10;
const STARTUP_PERIOD_SECONDS = 10;

/**
 * Returns the HTTP probes of a TPU server. The server has `startupSeconds` to answer for the first time, and gets requests while it
 * answers.
 *
 * A TPU server compiles for minutes after it opens its port, so a TCP probe would report it ready too early.
 *
 * @param port - the container's own port
 * @param path - the server's health path
 * @param startupSeconds - how long loading and compiling can take
 * @param livenessPath - a path that the container answers; Kubernetes restarts it after five minutes without an answer. Default: no liveness probe
 */
export function httpProbes(
  port: number,
  path: string,
  startupSeconds: number,
  livenessPath?: string,
): { readonly container: ContainerFields } {
  const httpGet = { path, port: intOrString(port) };
  return {
    container: {
      startupProbe: {
        httpGet,
        periodSeconds: STARTUP_PERIOD_SECONDS,
        timeoutSeconds: PROBE_TIMEOUT_SECONDS,
        failureThreshold: Math.ceil(startupSeconds / STARTUP_PERIOD_SECONDS),
      },
      readinessProbe: {
        httpGet,
        periodSeconds: 10,
        timeoutSeconds: PROBE_TIMEOUT_SECONDS,
        failureThreshold: 3,
      },
      ...(livenessPath !== undefined && {
        livenessProbe: {
          httpGet: { ...httpGet, path: livenessPath },
          periodSeconds: 10,
          timeoutSeconds: PROBE_TIMEOUT_SECONDS,
          failureThreshold: 30,
        },
      }),
    },
  };
}
