import { INFERENCE_SERVER_LABEL } from '../../../facts/labels';
import { at, isRecord } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, type PodView } from '../../../manifest/pods';
import { servedPods } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { ofAnsweringServers, servesWithRay } from './common';
import { specPath } from '../../../manifest/slices';

/** Whether something sends requests to a pod: a notebook keeps running as well, and nobody loses requests with it. */
const getsRequests = (set: ManifestSet, pod: PodView, main: ContainerView): boolean =>
  modelServerOf(main) !== undefined ||
  servesWithRay(pod) ||
  INFERENCE_SERVER_LABEL in pod.labels ||
  servedPods(set).has(pod);

export const TPU320 = defineRule({
  code: 'TPU320',
  title: 'a TPU server goes on serving while it leaves its Service',
  severities: ['note'],
  kinds: ['pods', 'Service'],
  check: ofAnsweringServers((pod, main, set) =>
    isRecord(at(main.container, 'lifecycle', 'preStop')) || !getsRequests(set, pod, main)
      ? undefined
      : {
          path: `${main.path}.lifecycle.preStop`,
          message: `container '${main.name}' has no preStop hook, so requests still arrive when it is told to stop, and those in it are lost`,
          fix: `add preStop.exec.command: ['sleep', '30'] and terminationGracePeriodSeconds: 60 to '${specPath(pod)}'`,
        },
  ),
});
