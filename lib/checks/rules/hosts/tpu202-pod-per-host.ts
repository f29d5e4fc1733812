import { TOPOLOGY_LABEL } from '../../../facts/labels';
import { chipsOf, machineFacts } from '../../../tpu/topology';
import { wordsOf } from '../../../manifest/command-line';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { isTogether } from './common';
import {
  selectorPath,
  sliceInWords,
  sliceOf,
  topologyOfHosts,
  tpuContainers,
} from '../../../manifest/slices';
import { type ContainerView, type PodView, records } from '../../../manifest/pods';

export const TPU202 = defineRule({
  code: 'TPU202',
  title: 'a multi-host slice has one pod for each host',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const slice = sliceOf(pod);
    const { hosts = 1, topology = '', chips, machines, fitting } = slice;
    const reason = runsOnePod(pod, hosts);
    if (hosts < 2 || reason === undefined) return;
    const oneHost = fitting
      .map((type) => machineFacts(type).chips)
      .find((size) => size === chipsOf(topology));
    const smaller = topologyOfHosts(machines, chips, 1);
    const alone =
      oneHost !== undefined
        ? `, or request all '${String(oneHost)}' chips of one host`
        : smaller !== undefined
          ? `, or select topology '${smaller}' (1 host)`
          : '';
    yield {
      object: pod.object,
      path: pod.runs === 'StatefulSet' ? `${pod.ownerPath}.replicas` : selectorPath(pod, TOPOLOGY_LABEL),
      message: `${reason}, but ${sliceInWords(slice)}`,
      fix: `${
        pod.runs === 'StatefulSet'
          ? `set replicas to ${String(hosts)}`
          : `run it as a LeaderWorkerSet of size ${String(hosts)}, or as a JobSet or Indexed Job of ${String(hosts)} completions`
      }${alone}`,
      ...(isMeant(pod, hosts) && { severity: 'warning' as const }),
    };
  }),
});

/**
 * Variables by which a container divides a slice itself.
 *
 * @see https://github.com/jax-ml/jax/blob/main/docs/multi_process.md
 */
const BOUNDS: readonly unknown[] = ['TPU_PROCESS_BOUNDS', 'TPU_HOST_BOUNDS', 'TPU_WORKER_HOSTNAMES'];

/** Whether the replicas fill whole slices, variables give each pod its place in the slice, or no pod uses its chips: that may work. */
const isMeant = (pod: PodView, hosts: number): boolean =>
  (pod.runs !== 'StatefulSet' && (pod.slices ?? 1) >= hosts && (pod.slices ?? 1) % hosts === 0) ||
  tpuContainers(pod).every(isIdle) ||
  tpuContainers(pod).some(({ container }) =>
    records(container, 'env').some((variable) => BOUNDS.includes(variable['name'])),
  );

/** Whether a container only waits, for example for `kubectl exec`. */
const isIdle = (container: ContainerView): boolean =>
  /^((\S*\/)?(ba|da)?sh -\w*c )?(exec )?(\S*\/)?(sleep [\dinfty]+[smhd]?|tail -f \/dev\/null)( & wait)?$/.test(
    wordsOf(container).join(' ').trim(),
  );

/** Why the hosts of a slice do not get one pod each; undefined if they do. */
function runsOnePod(pod: PodView, hosts: number): string | undefined {
  switch (pod.runs) {
    case 'Deployment':
    case 'ReplicaSet':
      return `each replica of a ${pod.runs} runs on one host`;
    case 'DaemonSet':
      return 'a DaemonSet gives its pods no place in a slice';
    case 'Pod':
      // one of several handwritten Pods
      return isTogether(pod) ? undefined : 'a Pod runs on one host';
    case 'StatefulSet':
      return pod.slices === hosts ? undefined : `replicas is ${String(pod.slices ?? 1)}`;
    default:
      return undefined;
  }
}
