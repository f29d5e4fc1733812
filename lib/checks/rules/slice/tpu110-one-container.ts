import { TPU_RESOURCE } from '../../../facts/labels';
import { containersInWords, mainContainers, sharesHost } from './common';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { sliceOf, specPath } from '../../../manifest/slices';

export const TPU110 = defineRule({
  code: 'TPU110',
  title: 'one container requests all TPU chips of a pod',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const main = mainContainers(pod);
    const { accelerator, chips } = sliceOf(pod);
    if (main.length < 2 || sharesHost(accelerator)) return;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.containers`,
      message: `${containersInWords(main)} request ${TPU_RESOURCE}, but a host gives all of its chips to one container`,
      fix: `request ${chips === undefined ? 'all chips' : `all '${String(chips)}'`} in one container, and remove ${TPU_RESOURCE} from the others`,
    };
  }),
});
