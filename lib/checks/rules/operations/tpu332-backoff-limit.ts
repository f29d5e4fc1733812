import { PATHWAYS_IMAGE } from '../../../facts/servers';
import { text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { at, number } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { isOneHost, ofWorkloads } from './common';

/** Kubernetes' default of backoffLimit. */
const BACKOFF_LIMIT = 6;

export const TPU332 = defineRule({
  code: 'TPU332',
  title: 'a failed host ends the Job of its slice',
  severities: ['note'],
  kinds: ['pods'],
  check: ofWorkloads((pod) => {
    const limit = number(pod.owner, 'backoffLimit') ?? BACKOFF_LIMIT;
    return pod.runs !== 'Job' || isOneHost(pod) || limit <= 0 || runsPathways(pod)
      ? undefined
      : {
          path: `${pod.ownerPath}.backoffLimit`,
          message: `backoffLimit is ${String(limit)}${at(pod.owner, 'backoffLimit') === undefined ? ' (the default)' : ''}, so Kubernetes restarts a failed host alone, while the other hosts wait and the slice costs money`,
          fix: 'set backoffLimit: 0, and restart all hosts together: with a JobSet, or by applying the Job again',
        };
  }),
});

/** Whether a pod runs Pathways, whose head restarts failed workers and restores their work. */
const runsPathways = (pod: PodView): boolean =>
  pod.containers.some(({ container }) => PATHWAYS_IMAGE.test(text(container, 'image') ?? ''));
