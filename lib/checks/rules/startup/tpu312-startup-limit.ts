import { at, isRecord, number } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachServer } from './common';

/** The longest startup budget that a construct sets by default. */
const LIMIT_SECONDS = 4 * 3600;

export const TPU312 = defineRule({
  code: 'TPU312',
  title: 'a TPU server that hangs at startup is restarted within four hours',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachServer(function* (pod) {
    for (const { container, name, path, init } of pod.containers) {
      const probe = at(container, 'startupProbe');
      if (init || !isRecord(probe)) continue;
      const seconds = (number(probe, 'periodSeconds') ?? 10) * (number(probe, 'failureThreshold') ?? 3);
      if (seconds <= LIMIT_SECONDS) continue;
      yield {
        object: pod.object,
        path: `${path}.startupProbe`,
        message: `the startupProbe of container '${name}' fails after ${(seconds / 3600).toFixed(1)} hours, and until then Kubernetes does not restart a server that hangs at startup`,
        fix: 'set failureThreshold so that periodSeconds times failureThreshold is at most 14400 (four hours), and load the weights faster: with a file cache, or by streaming',
      };
    }
  }),
});
