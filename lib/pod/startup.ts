import { type ContainerFields } from './fragment';
import { intOrString } from './wrapped';

/** Timeout of a probe: a server that compiles answers late, and a probe that times out would restart it. */
const PROBE_TIMEOUT_SECONDS = 10;
const STARTUP_PERIOD_SECONDS = 10;

/**
 * HTTP probes of a TPU server: it has `startupSeconds` to answer for the first time, and gets requests while it answers.
 *
 * A TPU server compiles for minutes after its port is open, so a TCP probe would report it ready too early.
 *
 * @param port - the container's own port
 * @param path - the server's health path
 * @param startupSeconds - how long loading and compiling may take
 * @param livenessPath - a path that the container answers by itself; five minutes without an answer restart it. Default: no liveness probe
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
