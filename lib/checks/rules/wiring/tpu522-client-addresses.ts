import { at, list, record, text } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { ingressPoliciesFor, servicesFor } from '../../../manifest/selection';
import { isTpuPod } from '../../../manifest/slices';
import { defineRule } from '../../rule';
import { firsts } from './common';

/** Blocks of all addresses. */
const EVERYONE: readonly unknown[] = ['0.0.0.0/0', '::/0'];

export const TPU522 = defineRule({
  code: 'TPU522',
  title: 'a load balancer preserves the client addresses that a NetworkPolicy admits',
  severities: ['warning'],
  kinds: ['pods', 'Service', 'NetworkPolicy'],
  check: function* (set) {
    const isFirst = firsts();
    for (const pod of set.pods) {
      if (!isTpuPod(pod)) continue;
      const blocks = ingressPoliciesFor(set, pod).flatMap(({ manifest }) =>
        records(record(manifest, 'spec'), 'ingress').flatMap((rule) =>
          list(rule, 'from').flatMap((peer) => text(peer, 'ipBlock', 'cidr') ?? []),
        ),
      );
      const [block] = blocks;
      if (block === undefined || blocks.some((one) => EVERYONE.includes(one))) continue;
      for (const { object } of servicesFor(set, pod)) {
        const spec = record(object.manifest, 'spec');
        if (text(spec, 'type') !== 'LoadBalancer' || at(spec, 'externalTrafficPolicy') === 'Local') continue;
        if (!isFirst(object, 'Local')) continue;
        yield {
          object,
          path: 'spec.externalTrafficPolicy',
          message: `a NetworkPolicy admits '${block}' to the pods of ${pod.object.id}, but requests through this load balancer arrive with the address of a node, so clients in that block are refused`,
          fix: 'set externalTrafficPolicy: Local',
        };
      }
    }
  },
});
