import { defineRule } from '../../rule';
import { monitoringsOf } from '../../../manifest/selection';
import { shown } from '../../../problems/shown';
import { records } from '../../../manifest/pods';
import { text } from '../../../manifest/manifest';

/** A Prometheus duration: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#configuration-file */
const DURATION = /^(?=\d)(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/;

export const TPU505 = defineRule({
  code: 'TPU505',
  title: 'the interval of a PodMonitoring is a duration',
  severities: ['error'],
  kinds: ['ClusterPodMonitoring', 'PodMonitoring'],
  local: true,
  check: function* (set) {
    for (const { object } of monitoringsOf(set))
      for (const [index, endpoint] of records(object.manifest, 'spec', 'endpoints').entries()) {
        const interval = endpoint['interval'];
        if (typeof interval === 'string' && DURATION.test(interval)) continue;
        const near = /^\s*(\d+)\s*(ms|[smhd])?/i.exec(
          typeof interval === 'number' ? String(interval) : (text(interval) ?? ''),
        );
        yield {
          object,
          path: `spec.endpoints[${String(index)}].interval`,
          message:
            interval === undefined
              ? 'interval is missing, and the API server requires it'
              : `interval ${shown(interval)} is not a duration, so no metrics are collected`,
          fix: `set interval: ${near?.[1] ?? '15'}${near?.[2]?.toLowerCase() ?? 's'}`,
        };
      }
  },
});
