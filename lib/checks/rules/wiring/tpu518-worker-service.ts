import { INFERENCE_GROUPS, LWS_WORKER_INDEX_LABEL } from '../../../facts/labels';
import { groupOf, type Json, type ManifestObject, record } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { podsOfObject, selecting, servicesOf } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { sliceOf } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { isHeadless } from './common';

export const TPU518 = defineRule({
  code: 'TPU518',
  title: 'a Service of a LeaderWorkerSet selects only leaders',
  severities: ['warning'],
  kinds: ['Service', 'LeaderWorkerSet', 'InferencePool'],
  check: function* (set) {
    for (const { object, path, labels, pods } of [...clientServices(set), ...pools(set)]) {
      if (LWS_WORKER_INDEX_LABEL in labels) continue;
      const worker = pods.find(
        (pod) => pod.runs === 'LeaderWorkerSet' && pod.role !== 'leader' && (sliceOf(pod).hosts ?? 1) > 1,
      );
      if (!worker) continue;
      const hasLeader = worker.role === 'worker';
      if (hasLeader && !podsOfObject(set, worker.object).every((pod) => pods.includes(pod))) continue;
      yield {
        object,
        path,
        message: `the selector also selects the workers of ${worker.object.id}, which do not answer requests`,
        fix: `add ${LWS_WORKER_INDEX_LABEL}: '0' to the selector${hasLeader ? ', or a label that only leaders have' : ''}`,
      };
    }
  },
});

/** An object that sends requests to the pods that it selects. */
interface Client {
  readonly object: ManifestObject;
  readonly path: string;
  readonly labels: Json;
  readonly pods: readonly PodView[];
}

const clientServices = (set: ManifestSet): readonly Client[] =>
  servicesOf(set)
    .filter(({ object }) => !isHeadless(object))
    .map(({ object, selector, pods }) => ({
      object,
      path: 'spec.selector',
      labels: record(selector, 'matchLabels'),
      pods,
    }));

/** Pools of inference gateways: https://github.com/kubernetes-sigs/gateway-api-inference-extension/tree/v1.5.0/api */
const pools = (set: ManifestSet): readonly Client[] =>
  set
    .ofKind('InferencePool')
    .filter(({ manifest }) => INFERENCE_GROUPS.includes(groupOf(String(manifest['apiVersion'])) ?? ''))
    .map((object) => {
      const selector = record(object.manifest, 'spec', 'selector');
      // before v1, the labels were not under matchLabels
      const labels = 'matchLabels' in selector ? record(selector, 'matchLabels') : selector;
      const isEmpty = Object.keys(labels).length === 0;
      const pods = isEmpty ? [] : selecting(set, object, { matchLabels: labels }).pods;
      return { object, path: 'spec.selector', labels, pods };
    });
