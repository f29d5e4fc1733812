import { amount, at, list, number, text } from '../../../manifest/manifest';
import { objectNamed } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';
import { nameOf, volumePath } from './common';

/** Modes by which only one node mounts a volume: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes */
const ONE_NODE: readonly unknown[] = ['ReadWriteOnce', 'ReadWriteOncePod'];

export const TPU417 = defineRule({
  code: 'TPU417',
  title: 'a volume of one node is used by one replica at a time',
  severities: ['warning', 'error'],
  kinds: ['Deployment'],
  check: eachTpuPod(function* (pod, set) {
    if (pod.runs !== 'Deployment') return;
    const replicas = number(pod.owner, 'replicas') ?? 1;
    const surge = amount(pod.owner, 'strategy', 'rollingUpdate', 'maxSurge') ?? '25%';
    const surges = text(pod.owner, 'strategy', 'type') !== 'Recreate' && surge !== '0' && surge !== '0%';
    for (const volume of pod.volumes) {
      const name = text(volume, 'persistentVolumeClaim', 'claimName') ?? '';
      const claim = objectNamed(set, pod.object.namespace, 'PersistentVolumeClaim', name);
      const modes = list(claim?.manifest, 'spec', 'accessModes');
      if (modes.length === 0 || !modes.every((mode) => ONE_NODE.includes(mode)) || (replicas < 2 && !surges))
        continue;
      // TPU pods that share a node would have to share its chips
      yield {
        object: pod.object,
        path: `${volumePath(pod, volume)}.persistentVolumeClaim`,
        message: `claim '${name}' of volume '${nameOf(volume) ?? ''}' is ${String(modes[0])}, so only one node mounts it, and ${replicas > 1 ? `${String(replicas)} replicas need as many nodes` : 'a rolling update starts the new pod on another node'}`,
        fix:
          replicas > 1
            ? 'use a volume with ReadOnlyMany or ReadWriteMany'
            : 'set strategy.type: Recreate, or maxSurge: 0 and maxUnavailable: 1',
        severity: replicas > 1 && at(pod.owner, 'replicas') !== undefined ? 'error' : 'warning',
      };
    }
  }),
});
