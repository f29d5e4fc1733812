import { defineRule } from '../../rule';
import { list } from '../../../manifest/manifest';
import { monitoredPods } from '../../../manifest/selection';
import { ofAnsweringServers, runsVllm, servesWithRay } from './common';
import { type ContainerView, type PodView } from '../../../manifest/pods';

/** Whether a container is known to export metrics: vLLM always, JetStream with a flag, Ray on every pod. */
const exportsMetrics = (pod: PodView, main: ContainerView): boolean =>
  runsVllm(main) ||
  servesWithRay(pod) ||
  list(main.container, 'args').some(
    (word) => typeof word === 'string' && /^--?prometheus_port=[1-9]/.test(word),
  );

export const TPU327 = defineRule({
  code: 'TPU327',
  title: 'the metrics of a TPU server are collected',
  severities: ['note'],
  kinds: ['pods'],
  check: ofAnsweringServers((pod, main, set) =>
    !exportsMetrics(pod, main) || monitoredPods(set).has(pod)
      ? undefined
      : {
          path: `${main.path}.ports`,
          message: `no PodMonitoring selects the pods of ${pod.object.id}, so their metrics are not collected`,
          fix: 'add a PodMonitoring for the labels of the pods, with path: /metrics',
        },
  ),
});
