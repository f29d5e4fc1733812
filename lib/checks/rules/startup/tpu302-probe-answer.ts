import { amount, at, isRecord, record } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachServer, probed } from './common';

export const TPU302 = defineRule({
  code: 'TPU302',
  title: 'the probes of a TPU server ask for an answer, not for an open port',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  check: eachServer(function* (pod) {
    for (const { container, name, path } of probed(pod)) {
      const start = record(container, 'startupProbe');
      const guarded = Object.keys(start).length > 0 && !isRecord(at(start, 'tcpSocket'));
      for (const probe of ['startupProbe', 'readinessProbe'] as const) {
        const port = amount(container, probe, 'tcpSocket', 'port');
        if (port === undefined) continue;
        yield {
          object: pod.object,
          path: `${path}.${probe}.tcpSocket`,
          message: guarded
            ? `the ${probe} of container '${name}' only asks whether port '${port}' is open, which it also is while the server hangs`
            : `the ${probe} of container '${name}' only asks whether port '${port}' is open, which it is minutes before the server has loaded and compiled`,
          fix: `replace tcpSocket by httpGet with the server's health path, like /health on port ${port}`,
          // behind a startupProbe that asks for an answer, requests come late enough
          ...(guarded && { severity: 'warning' as const }),
        };
      }
    }
  }),
});
