import { TPU_RESOURCE } from '../../../facts/labels';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { number } from '../../../manifest/manifest';
import { podsOfObject } from '../../../manifest/selection';
import { isOnSliceOfWorkers, sliceInWords, sliceOf, topologyOfHosts } from '../../../manifest/slices';
import { type PodView, type StatedHosts } from '../../../manifest/pods';

export const TPU201 = defineRule({
  code: 'TPU201',
  title: 'a workload states as many hosts as its slice has',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod, set) {
    if (isOnSliceOfWorkers(pod, podsOfObject(set, pod.object))) return;
    const slice = sliceOf(pod);
    const { hosts, chips, machines } = slice;
    const stated = statedBy(pod);
    const wrong = stated.filter((one) => one.hosts !== hosts);
    const [first] = wrong;
    if (hosts === undefined || first === undefined) return;
    // any number of single-host pods is legal: prefill and decode servers, or workers that split the data
    if (hosts === 1 && pod.runs === 'Job') return;
    const keys = stated.map(keyOf).join(' and ');
    const other = wrong.every((one) => one.hosts === first.hosts)
      ? topologyOfHosts(machines, chips, first.hosts)
      : undefined;
    const others = withoutChips(pod);
    yield {
      object: pod.object,
      path: first.path,
      message: `${wrong.map((one) => `${keyOf(one)} is ${keyOf(one) in pod.owner || keyOf(one) === 'subGroupSize' ? '' : 'not set, which means '}${String(one.hosts + others)}`).join(' and ')}, but ${sliceInWords(slice)}${others > 0 ? ` besides the ${pod.role === 'leader' ? 'workers' : 'leader'}, which ${pod.role === 'leader' ? 'request' : 'requests'} no chips` : ''}`,
      fix: `set ${keys} to ${String(hosts + others)}${other === undefined ? '' : `, or select topology '${other}' (${count(first.hosts, 'host')})`}${others > 0 && first.hosts + others === hosts ? `, or request ${TPU_RESOURCE} in the ${pod.role === 'leader' ? 'workers' : 'leader'} too` : ''}`,
      severity: isCertain(pod, hosts, first.hosts) ? 'error' : 'warning',
    };
  }),
});

/** Whether the number is an error. Single-host pods and several whole slices may be intended, but Ray's TPU webhook refuses them. */
const isCertain = (pod: PodView, hosts: number, stated: number): boolean =>
  pod.runs === 'RayWorkers' || (hosts > 1 && stated % hosts !== 0);

/** The fields that state the hosts of a slice; a Job without parallelism runs one pod. */
function statedBy(pod: PodView): readonly StatedHosts[] {
  const path = `${pod.ownerPath}.parallelism`;
  return pod.runs === 'Job' && !pod.statedHosts.some((stated) => stated.path === path)
    ? [{ path, hosts: 1 }, ...pod.statedHosts]
    : pod.statedHosts;
}

const keyOf = ({ path }: StatedHosts): string => path.split('.').at(-1) ?? '';

/** Number of pods without chips in the size of a LeaderWorkerSet. */
function withoutChips(pod: PodView): number {
  const [stated] = pod.statedHosts;
  return pod.runs === 'LeaderWorkerSet' && stated && keyOf(stated) === 'size'
    ? (number(pod.owner, 'size') ?? 1) - stated.hosts
    : 0;
}
