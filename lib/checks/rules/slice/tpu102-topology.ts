import { TOPOLOGY_LABEL } from '../../../facts/labels';
import { chipsOf, count, machineFacts, topologiesOf } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { shown } from '../../../problems/shown';
import { selectorPath, sliceOf, isAccelerator } from '../../../manifest/slices';
import { type TpuMachineType } from '../../../tpu/generations';

export const TPU102 = defineRule({
  code: 'TPU102',
  title: 'a pod selects a topology of its accelerator',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    const { accelerator = '', topology, machines, fitting } = sliceOf(pod);
    if (topology === undefined || machines.length === 0 || fitting.length > 0) return;
    yield {
      object: pod.object,
      path: selectorPath(pod, TOPOLOGY_LABEL),
      message: `${shown(topology)} is not a topology of ${isAccelerator(accelerator) ? accelerator : 'any TPU'}`,
      fix: `select ${nearestTopologies(machines, topology).join(' or ')}`,
      severity: isPermutationOfV4(topology, machines) ? 'warning' : 'error',
    };
  }),
});

/** The numbers of a topology in ascending order, as GKE writes them. */
const rising = (topology: string): string =>
  topology
    .split('x')
    .sort((a, b) => Number(a) - Number(b))
    .join('x');

/** Sources differ on whether v4 accepts its three numbers in any order. */
const isPermutationOfV4 = (topology: string, machines: readonly TpuMachineType[]): boolean =>
  machines.some(
    (type) => machineFacts(type).generation === 'v4' && topologiesOf(type).includes(rising(topology)),
  );

/** The topologies that the author most likely meant, with their hosts: the same numbers in order, as many chips, or the next sizes. */
function nearestTopologies(machines: readonly TpuMachineType[], wrong: string): readonly string[] {
  const hostsOf = new Map<string, number>();
  for (const type of machines)
    for (const shape of topologiesOf(type)) {
      const hosts = chipsOf(shape) / machineFacts(type).chips;
      hostsOf.set(shape, Math.min(hosts, hostsOf.get(shape) ?? hosts));
    }
  const meant = rising(wrong.match(/\d+/g)?.join('x') ?? '');
  const shapes = [...hostsOf.keys()].sort((a, b) => chipsOf(a) - chipsOf(b));
  const chips = chipsOf(meant);
  const equal = shapes.filter((shape) => chipsOf(shape) === chips).slice(0, 2);
  const around = [
    ...shapes.filter((shape) => chipsOf(shape) < chips).slice(-1),
    ...shapes.filter((shape) => chipsOf(shape) > chips).slice(0, 1),
  ];
  const near = hostsOf.has(meant) ? [meant] : equal.length > 0 ? equal : around;
  return near.map((shape) => `'${shape}' (${count(hostsOf.get(shape) ?? 1, 'host')})`);
}
