import { at, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { nameOf, volumePath } from './common';
import { shown } from '../../../problems/shown';

export const TPU407 = defineRule({
  code: 'TPU407',
  title: 'the medium of an emptyDir is one that Kubernetes knows',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    for (const volume of pod.volumes) {
      const medium = at(volume, 'emptyDir', 'medium');
      if (medium === undefined || medium === null || (typeof medium === 'string' && MEDIUM.test(medium)))
        continue;
      const huge = /^huge-?pages-?(.*)$/i.exec(text(volume, 'emptyDir', 'medium') ?? '')?.[1];
      const near = huge === undefined ? 'Memory' : huge === '' ? 'HugePages' : `HugePages-${huge}`;
      yield {
        object: pod.object,
        path: `${volumePath(pod, volume)}.emptyDir.medium`,
        message: `medium ${shown(medium)} of volume '${nameOf(volume) ?? ''}' is not one that Kubernetes knows, so the volume is on the disk of the node`,
        fix: `set medium to '${near}', or remove it to use the disk`,
      };
    }
  }),
});

const MEDIUM = /^(Memory|HugePages(-\S+)?)?$/;
