import { LWS_WORKER_INDEX_LABEL } from '../../../facts/labels';
import { isRecord, record } from '../../../manifest/manifest';
import { podsOfObject, servicesOf } from '../../../manifest/selection';
import { sliceOf } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { isHeadless } from './common';

export const TPU518 = defineRule({
  code: 'TPU518',
  title: 'a Service of a LeaderWorkerSet selects its leaders alone',
  severities: ['warning'],
  kinds: ['Service', 'LeaderWorkerSet'],
  check: function* (set) {
    for (const { object, selector, pods } of servicesOf(set)) {
      if (isHeadless(object) || LWS_WORKER_INDEX_LABEL in record(selector, 'matchLabels')) continue;
      const worker = pods.find(
        (pod) =>
          pod.runs === 'LeaderWorkerSet' &&
          pod.path.endsWith('.workerTemplate') &&
          (sliceOf(pod).hosts ?? 1) > 1,
      );
      if (!worker) continue;
      const hasLeader = isRecord(worker.owner['leaderTemplate']);
      if (hasLeader && !podsOfObject(set, worker.object).every((pod) => pods.includes(pod))) continue;
      yield {
        object,
        path: 'spec.selector',
        message: `the selector also selects the workers of ${worker.object.id}, which answer no requests`,
        fix: `add ${LWS_WORKER_INDEX_LABEL}: '0' to the selector${hasLeader ? ', or a label that only the leaders have' : ''}`,
      };
    }
  },
});
