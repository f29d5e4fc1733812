import { ACCELERATOR_LABEL, COMPUTE_CLASS_LABEL, TPU_RESOURCE } from '../../../facts/labels';
import {
  chipsOfContainer,
  either,
  selected,
  sliceOf,
  specPath,
  topologyOfHosts,
  tpuContainers,
  isAccelerator,
} from '../../../manifest/slices';
import { containersInWords, isAmbiguous, isUneven, mainContainers, sharesHost, sizesOf } from './common';
import { defineRule, type Violation } from '../../rule';
import { eachPod } from '../each-pod';
import { number } from '../../../manifest/manifest';
import { shown } from '../../../problems/shown';
import { rulesOfClass } from '../../../manifest/capacity';
import { type ManifestSet } from '../../../manifest/set';
import { machineFacts, machineTypes } from '../../../tpu/topology';
import { type PodView } from '../../../manifest/pods';

export const TPU104 = defineRule({
  code: 'TPU104',
  title: 'a container that uses TPUs requests all chips of its host',
  severities: ['error'],
  kinds: ['pods'],
  check: eachPod(function* (pod, set) {
    yield* unlikeItsClass(set, pod);
    yield* unlikeAnyHost(pod);
    const { accelerator = '', topology, machines, fitting, chips } = sliceOf(pod);
    if (fitting.length === 0 || isAmbiguous(topology, fitting)) return;
    const sizes = sizesOf(fitting);
    const kind = isAccelerator(accelerator) ? accelerator : 'a TPU';
    const host = topology === undefined ? kind : `${kind} ${topology}`;
    const wrong = (
      who: string,
      got: number,
      path: string,
    ): { message: string; fix: string; path: string } => {
      const other = topology === undefined ? undefined : topologyOfHosts(machines, got, 1);
      return {
        path,
        message: `${who} '${String(got)}' ${TPU_RESOURCE}, but a host of ${host} has ${sizes.join(' or ')}, and a pod must request all chips of its host`,
        fix: `set ${TPU_RESOURCE} to ${either(sizes.map(String))}${other === undefined ? '' : `, or select topology '${other}'`}`,
      };
    };
    const main = mainContainers(pod);
    const shared = main.length > 1;
    if (shared && sharesHost(accelerator) && chips !== undefined && !sizes.includes(chips))
      yield {
        object: pod.object,
        ...wrong(`${containersInWords(main)} request`, chips, `${specPath(pod)}.containers`),
      };
    for (const one of tpuContainers(pod)) {
      const own = chipsOfContainer(one);
      if (own === undefined || isUneven(one.container) || sizes.includes(own)) continue;
      if (shared && !one.init) continue;
      yield {
        object: pod.object,
        ...wrong(`container '${one.name}' requests`, own, `${one.path}.resources`),
      };
    }
  }),
});

/** Containers of a pod without an accelerator that request more chips than any host has. */
function* unlikeAnyHost(pod: PodView): Iterable<Violation<'error'>> {
  if (selected(pod, ACCELERATOR_LABEL) !== undefined) return;
  const most = Math.max(...machineTypes().map((type) => machineFacts(type).chips));
  for (const one of tpuContainers(pod)) {
    const own = chipsOfContainer(one);
    if (own === undefined || own <= most) continue;
    yield {
      object: pod.object,
      path: `${one.path}.resources`,
      message: `container '${one.name}' requests '${String(own)}' ${TPU_RESOURCE}, but a host of a TPU has at most ${String(most)}`,
      fix: `set ${TPU_RESOURCE} to the chips of one host, and run one pod for each host`,
    };
  }
}

/** Containers that request another number of chips than any host that the pod's ComputeClass creates. */
function* unlikeItsClass(set: ManifestSet, pod: PodView): Iterable<Violation<'error'>> {
  const name = selected(pod, COMPUTE_CLASS_LABEL);
  const counts = rulesOfClass(set, name)?.map((priority) => number(priority, 'tpu', 'count')) ?? [];
  const sizes = [...new Set(counts.filter((size) => size !== undefined))];
  if (sizes.length === 0) return;
  for (const one of tpuContainers(pod)) {
    const own = chipsOfContainer(one);
    if (own === undefined || isUneven(one.container) || sizes.includes(own)) continue;
    yield {
      object: pod.object,
      path: `${one.path}.resources`,
      message: `container '${one.name}' requests '${String(own)}' ${TPU_RESOURCE}, but a host of ComputeClass ${shown(name)} has ${sizes.join(' or ')}, and a pod must request all chips of its host`,
      fix: `set ${TPU_RESOURCE} to ${either(sizes.map(String))}, or select another class`,
    };
  }
}
