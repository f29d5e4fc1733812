import { PATHWAYS_IMAGE } from '../../../facts/servers';
import { text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { at, number } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { isOneHost, ofWorkloads } from './common';

/** How many pods of a Job may fail, unless it says otherwise. */
const BACKOFF_LIMIT = 6;

export const TPU332 = defineRule({
  code: 'TPU332',
  title: 'a host that fails ends the Job of its slice',
  severities: ['note'],
  kinds: ['pods'],
  check: ofWorkloads((pod) => {
    const limit = number(pod.owner, 'backoffLimit') ?? BACKOFF_LIMIT;
    return pod.runs !== 'Job' || isOneHost(pod) || limit <= 0 || runsPathways(pod)
      ? undefined
      : {
          path: `${pod.ownerPath}.backoffLimit`,
          message: `backoffLimit is ${String(limit)}${at(pod.owner, 'backoffLimit') === undefined ? ', the default' : ''}, so a host that failed starts again beside others that have gone on without it, on a slice that is paid for meanwhile`,
          fix: 'set backoffLimit: 0, and start all hosts again: by a JobSet, or by applying the Job anew',
        };
  }),
});

/** The head of Pathways starts failed workers again and restores their work. */
const runsPathways = (pod: PodView): boolean =>
  pod.containers.some(({ container }) => PATHWAYS_IMAGE.test(text(container, 'image') ?? ''));
