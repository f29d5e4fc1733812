import { GRACE_SECONDS, sleepSeconds } from './common';
import { RAY_DRAIN_TIMEOUT } from '../../../facts/variables';
import { SPOT_LABEL } from '../../../facts/labels';
import { at, number, record, text } from '../../../manifest/manifest';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { gracefulShutdownSeconds } from '../../../manifest/serve-config';
import { records } from '../../../manifest/pods';
import { runsRay } from '../../../manifest/selection';
import { specPath } from '../../../manifest/slices';

export const TPU311 = defineRule({
  code: 'TPU311',
  title: 'the grace period of a Ray pod covers the shutdown of its replicas',
  severities: ['warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    if (!runsRay(pod) || pod.nodeSelector[SPOT_LABEL] === 'true') return;
    const grace = number(pod.spec, 'terminationGracePeriodSeconds') ?? GRACE_SECONDS;
    const config = gracefulShutdownSeconds(at(pod.object.manifest, 'spec', 'serveConfigV2'));
    for (const { container, name } of pod.containers) {
      const own = records(container, 'env').find((one) => text(one, 'name') === RAY_DRAIN_TIMEOUT);
      const seconds = Math.max(config, Number(text(own, 'value') ?? 0) || 0);
      const left = grace - sleepSeconds(record(container, 'lifecycle', 'preStop'));
      if (seconds === 0 || seconds < left) continue;
      yield {
        object: pod.object,
        path: `${specPath(pod)}.terminationGracePeriodSeconds`,
        message: `replicas can need ${count(seconds, 'second')} to shut down, but Kubernetes kills container '${name}' ${count(Math.max(0, left), 'second')} after it sends SIGTERM`,
        fix: `set terminationGracePeriodSeconds: ${String(Math.ceil(grace - left + seconds) + 10)}`,
      };
      break;
    }
  }),
});
