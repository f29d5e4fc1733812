import { INFERENCE_SERVER_LABEL } from '../../../facts/labels';
import { at, isRecord } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, type PodView } from '../../../manifest/pods';
import { servedPods } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { ofAnsweringServers, servesWithRay } from './common';
import { specPath } from '../../../manifest/slices';

/** Whether a pod gets requests. Not every pod that keeps running does: a notebook does not. */
const getsRequests = (set: ManifestSet, pod: PodView, main: ContainerView): boolean =>
  modelServerOf(main) !== undefined ||
  servesWithRay(pod) ||
  INFERENCE_SERVER_LABEL in pod.labels ||
  servedPods(set).has(pod);

export const TPU320 = defineRule({
  code: 'TPU320',
  title: 'a TPU server keeps serving until its Service stops sending requests',
  severities: ['note'],
  kinds: ['pods', 'Service'],
  check: ofAnsweringServers((pod, main, set) =>
    isRecord(at(main.container, 'lifecycle', 'preStop')) || !getsRequests(set, pod, main)
      ? undefined
      : {
          path: `${main.path}.lifecycle.preStop`,
          message: `container '${main.name}' has no preStop hook, so it can lose requests that arrive while it stops`,
          fix: `add preStop.exec.command: ['sleep', '30'] and terminationGracePeriodSeconds: 60 to '${specPath(pod)}'`,
        },
  ),
});
