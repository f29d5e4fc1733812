import { amount, at, type Json, list, number, text } from '../../../manifest/manifest';
import { type PodView } from '../../../manifest/pods';
import { objectNamed, podsOfObject } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';
import { nameOf, volumePath } from './common';

/** Access modes with which only one node can mount a volume: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes */
const ONE_NODE: readonly unknown[] = ['ReadWriteOnce', 'ReadWriteOncePod'];

export const TPU417 = defineRule({
  code: 'TPU417',
  title: 'a volume that only one node can mount is used by one replica at a time',
  severities: ['warning', 'error'],
  kinds: ['Deployment', 'LeaderWorkerSet'],
  check: eachTpuPod(function* (pod, set) {
    if (pod.runs !== 'Deployment' && pod.runs !== 'LeaderWorkerSet') return;
    const isSurging = pod.runs === 'Deployment' && surges(pod);
    for (const volume of pod.volumes) {
      const name = claimOf(volume);
      const claim = objectNamed(set, pod.object, 'PersistentVolumeClaim', name);
      const modes = list(claim?.manifest, 'spec', 'accessModes');
      const many = podsOfObject(set, pod.object)
        .filter((other) => other.volumes.some((one) => claimOf(one) === name))
        .reduce((sum, other) => sum + podsOfTemplate(other), 0);
      if (modes.length === 0 || !modes.every((mode) => ONE_NODE.includes(mode)) || (many < 2 && !isSurging))
        continue;
      // TPU pods cannot share a node, because they would have to share its chips
      yield {
        object: pod.object,
        path: `${volumePath(pod, volume)}.persistentVolumeClaim`,
        message: `claim '${name}' of volume '${nameOf(volume) ?? ''}' is ${String(modes[0])}, so only one node can mount it, but ${many > 1 ? `${String(many)} ${pod.runs === 'Deployment' ? 'replicas' : 'pods of the groups'} need ${String(many)} nodes` : 'a rolling update starts the new pod on another node'}`,
        fix:
          many > 1
            ? 'use a volume with ReadOnlyMany or ReadWriteMany'
            : 'set strategy.type: Recreate, or maxSurge: 0 and maxUnavailable: 1',
        severity:
          many > 1 && (pod.runs === 'LeaderWorkerSet' || at(pod.owner, 'replicas') !== undefined)
            ? 'error'
            : 'warning',
      };
    }
  }),
});

const claimOf = (volume: Json): string => text(volume, 'persistentVolumeClaim', 'claimName') ?? '';

function surges({ owner }: PodView): boolean {
  const surge = amount(owner, 'strategy', 'rollingUpdate', 'maxSurge') ?? '25%';
  return text(owner, 'strategy', 'type') !== 'Recreate' && surge !== '0' && surge !== '0%';
}

/** Number of pods of a template that run at the same time. */
function podsOfTemplate({ owner, runs, role, slices = 1 }: PodView): number {
  const size = runs === 'LeaderWorkerSet' ? (number(owner, 'size') ?? 1) : 1;
  return slices * (role === 'leader' ? 1 : role === 'worker' ? size - 1 : size);
}
