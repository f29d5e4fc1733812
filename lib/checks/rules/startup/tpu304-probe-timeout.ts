import { at, isRecord, number } from '../../../manifest/manifest';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachServer, probed } from './common';

export const TPU304 = defineRule({
  code: 'TPU304',
  title: 'probes that restart a TPU server wait longer than one second',
  severities: ['warning', 'note'],
  kinds: ['pods'],
  check: eachServer(function* (pod) {
    for (const { container, name, path } of probed(pod))
      for (const probe of ['startupProbe', 'livenessProbe'] as const) {
        const asks = (['httpGet', 'grpc', 'exec'] as const).some((action) =>
          isRecord(at(container, probe, action)),
        );
        const timeout = at(container, probe, 'timeoutSeconds') ?? 1;
        if (!asks || typeof timeout !== 'number' || timeout > 1) continue;
        const given = number(container, probe, 'timeoutSeconds') === undefined ? ' (the default)' : '';
        yield {
          object: pod.object,
          path: `${path}.${probe}.timeoutSeconds`,
          message: `the ${probe} of container '${name}' waits ${count(timeout, 'second')} for an answer${given}, but a server can need longer while it compiles`,
          fix: `set timeoutSeconds: 10 in the ${probe}`,
          // the startup probe tries again until its budget ends
          ...(probe === 'startupProbe' && { severity: 'note' as const }),
        };
      }
  }),
});
