import { COMPUTE_CLASS_LABEL, QUEUE_LABEL } from '../../pod/capacity';
import { NODE_POOL_LABEL } from '../../pod/tpu';
import { weightsProblem } from '../../pod/model-fit';
import { nearestWords } from '../../problems/nearest';
import { type Problem } from '../../problems/problems';
import { quoted } from '../../problems/validators';
import { BYTES_PER_PARAMETER, type ModelDtype } from '../../tpu/sizing';
import { GENERATIONS, MACHINE_TYPES, type TpuMachineType } from '../../tpu/generations';
import {
  chipsOf,
  count,
  machineFacts,
  machineTypes,
  topologiesOf,
  topologyProblem,
} from '../../tpu/topology';
import {
  FLEX_START,
  isBuiltIn,
  PROVISIONING,
  rulesOfClass,
  RUN_DURATION,
  SPOT,
  wantsFlexStart,
} from '../../manifest/capacity';
import { amount, at, isRecord, type Json, list, number, text } from '../../manifest/manifest';
import { modelServerOf, namedModelOf } from '../../manifest/model-servers';
import { ACCELERATOR, type ContainerView, type PodView, records, TOPOLOGY, TPU } from '../../manifest/pods';
import { rule, type Rule, type Severity, type Violation } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import { runsRay } from '../../manifest/selection';
import {
  chipsOfContainer,
  either,
  isTpuPod,
  machinesOf,
  onlyByAffinity,
  possibleSlices,
  selected,
  selectorPath,
  sliceOf,
  specPath,
  tolerates,
  topologyOfHosts,
  tpuContainers,
} from '../../manifest/slices';

const ACCELERATOR_COUNT = 'cloud.google.com/gke-accelerator-count';
const RUN_DURATION_UNKNOWN = 'cloud.google.com/gke-max-run-duration';
const RESERVATION_AFFINITY = 'cloud.google.com/reservation-affinity';
const RESERVATION = ['name', 'project', 'zone', 'blocks', 'subblocks'].map(
  (part) => `cloud.google.com/reservation-${part}`,
);

/** Accelerators of GKE that are not in the table, as they are older; flex-start offers none of them. */
const OLDER = /^(tpu-v3-.+|tpu-v4-lite-device|tpu-v5-lite-device)$/;
/** One that GKE's autoscaler knows already. */
const NEWER = 'tpu7';

const generations = Object.values(GENERATIONS);
const accelerators = generations.map(({ accelerator }) => accelerator);

/** What a slice must agree with itself in, and with how its nodes are bought. */
export const SLICE_RULES: readonly Rule[] = [
  rule('TPU101', 'error', 'the accelerator that a pod selects is one that GKE has', function* ({ pods }) {
    for (const pod of pods) {
      const accelerator = selected(pod, ACCELERATOR);
      if (accelerator === undefined || isAccelerator(accelerator)) continue;
      yield {
        object: pod.object,
        path: selectorPath(pod, ACCELERATOR),
        message: `no node has ${ACCELERATOR} ${quoted(accelerator)}`,
        fix: `select ${either(nearestAccelerators(accelerator))}`,
      };
    }
  }),

  rule('TPU102', 'error', 'the topology that a pod selects is one of its accelerator', function* ({ pods }) {
    for (const pod of pods) {
      const { topology, machines, fitting } = sliceOf(pod);
      // the machine type with the most topologies has the most to say of what is near
      const [widest] = [...machines].sort((a, b) => topologiesOf(b).length - topologiesOf(a).length);
      if (topology === undefined || widest === undefined || fitting.length > 0) continue;
      const wrong = topologyProblem(widest, topology.slice(0, 80));
      yield {
        object: pod.object,
        path: selectorPath(pod, TOPOLOGY),
        message: `topology ${quoted(topology)} ${wrong?.problem ?? ''}`,
        fix: `select ${wrong?.use ?? ''}`,
        severity: isPermutationOfV4(topology, widest) ? 'warning' : 'error',
      };
    }
  }),

  rule('TPU103', 'error', 'the TPU request and limit of a container are equal', function* ({ pods }) {
    for (const { object, tpu } of pods)
      for (const { container, name, path } of tpu) {
        const { requested, limit } = resourcesOf(container);
        if (isUneven(container))
          yield {
            object,
            path: `${path}.resources`,
            message: `container '${name}' requests '${requested ?? ''}' ${TPU} with limit '${limit ?? 'none'}', which the API server refuses`,
            fix: `set both to '${limit ?? requested ?? ''}', the chips of the host`,
          };
      }
  }),

  rule('TPU104', 'error', 'a container that uses TPUs requests all chips of its host', function* (set) {
    for (const pod of set.pods) {
      yield* unlikeItsClass(set, pod);
      const { accelerator = '', topology, machines, fitting, chips } = sliceOf(pod);
      if (fitting.length === 0 || isAmbiguous(topology, fitting)) continue;
      const sizes = sizesOf(fitting);
      const host = topology === undefined ? accelerator : `${accelerator} ${topology}`;
      const wrong = (
        who: string,
        got: number,
        path: string,
      ): { message: string; fix: string; path: string } => {
        const other = topology === undefined ? undefined : topologyOfHosts(machines, got, 1);
        return {
          path,
          message: `${who} '${String(got)}' ${TPU}, but a host of ${host} has ${sizes.join(' or ')}, which must be requested together`,
          fix: `set ${TPU} to ${either(sizes.map(String))}${other === undefined ? '' : `, or select topology '${other}'`}`,
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
    }
  }),

  rule('TPU105', 'error', 'a container requests whole TPU chips', function* ({ pods }) {
    for (const { object, tpu } of pods)
      for (const one of tpu)
        if (chipsOfContainer(one) === undefined)
          yield {
            object,
            path: `${one.path}.resources`,
            message: `container '${one.name}' requests ${quoted(one.chips)} ${TPU}, which is no whole number of chips`,
            fix: `set ${TPU} to the chips of one host, like '1', '4' or '8'`,
          };
  }),

  rule(
    'TPU106',
    'error',
    'a pod that requests TPU chips selects their accelerator and topology',
    function* (set) {
      for (const pod of set.pods) {
        const missing = missingSelectors(set, pod);
        if (missing.length === 0) continue;
        const several = pod.statedHosts.some(({ hosts }) => hosts > 1);
        const [container] = tpuContainers(pod);
        const refused = missing.includes(ACCELERATOR) || runsRay(pod) || several;
        yield {
          object: pod.object,
          path: `${specPath(pod)}.nodeSelector`,
          message: `container '${container?.name ?? ''}' requests '${container?.chips ?? ''}' ${TPU}, but the pod does not select ${missing.join(' and ')}${refused ? '' : ', so it may land on one host of a larger slice'}`,
          fix: `set nodeSelector ${missingInWords(pod, missing)}`,
          severity: refused ? 'error' : 'warning',
        };
      }
    },
  ),

  rule('TPU107', 'warning', 'the selectors of a TPU are node selectors, not affinity', function* ({ pods }) {
    for (const pod of pods) {
      const labels = [ACCELERATOR, TOPOLOGY].filter((label) => onlyByAffinity(pod, label));
      if (labels.length === 0 || tpuContainers(pod).length === 0) continue;
      const inRay = pod.runs === 'RayWorkers' && labels.includes(TOPOLOGY);
      yield {
        object: pod.object,
        path: `${specPath(pod)}.affinity.nodeAffinity`,
        message: `${labels.join(' and ')} ${labels.length > 1 ? 'are' : 'is'} selected by affinity alone, which ${inRay ? "Ray's TPU webhook does not read, so that it refuses the cluster" : "not everyone reads: GKE's autoscaler takes the topology from node selectors"}`,
        fix: `set nodeSelector ${labels.map((label) => `${label}: ${selected(pod, label) ?? 'VALUE'}`).join(' and ')}`,
        severity: inRay ? 'error' : 'warning',
      };
    }
  }),

  rule(
    'TPU108',
    'error',
    'a topology of one host or of several is decided by the chips',
    function* ({ pods }) {
      for (const pod of pods) {
        const { accelerator = '', topology, fitting } = sliceOf(pod);
        if (topology === undefined || !isAmbiguous(topology, fitting)) continue;
        const shapes = fitting
          .map((type) => ({
            chips: machineFacts(type).chips,
            hosts: chipsOf(topology) / machineFacts(type).chips,
          }))
          .sort((a, b) => a.hosts - b.hosts);
        for (const one of tpuContainers(pod)) {
          const chips = chipsOfContainer(one);
          if (chips === undefined || isUneven(one.container) || shapes.some((shape) => shape.chips === chips))
            continue;
          if (mainContainers(pod).length > 1 && !one.init) continue;
          yield {
            object: pod.object,
            path: `${one.path}.resources`,
            message: `topology '${topology}' of ${accelerator} is ${shapes.map((shape) => `${count(shape.hosts, 'host')} of ${String(shape.chips)} chips`).join(' or ')}, and the '${String(chips)}' ${TPU} of container '${one.name}' decide for neither`,
            fix: `set ${TPU} to ${shapes.map((shape) => `'${String(shape.chips)}' for ${count(shape.hosts, 'host')}`).join(', or to ')}`,
          };
        }
      }
    },
  ),

  rule('TPU109', 'error', 'a pod that selects TPU nodes requests their chips', function* ({ pods }) {
    for (const pod of pods) {
      const labels = [ACCELERATOR, TOPOLOGY].filter((label) => text(pod.nodeSelector, label) !== undefined);
      if (labels.length === 0 || tpuContainers(pod).length > 0 || pod.containers.length === 0) continue;
      if (list(pod.spec, 'resourceClaims').length > 0 || tolerates(pod, { key: TPU, value: 'present' }))
        continue;
      const { fitting } = sliceOf(pod);
      const sizes = fitting.length > 0 ? sizesOf(fitting) : [1, 4, 8];
      yield {
        object: pod.object,
        path: `${specPath(pod)}.nodeSelector`,
        message: `the pod selects ${labels.join(' and ')}, but no container requests ${TPU}, so that the taint of TPU nodes keeps it away`,
        fix: `set ${TPU} to ${either(sizes.map(String))} in the container that uses them, or remove the selectors`,
      };
    }
  }),

  rule('TPU110', 'error', 'one container has all TPU chips of a pod', function* ({ pods }) {
    for (const pod of pods) {
      const main = mainContainers(pod);
      const { accelerator, chips } = sliceOf(pod);
      if (main.length < 2 || sharesHost(accelerator)) continue;
      yield {
        object: pod.object,
        path: `${specPath(pod)}.containers`,
        message: `${containersInWords(main)} request ${TPU}, but a host gives all of its chips to one container`,
        fix: `request ${chips === undefined ? 'them' : `all '${String(chips)}'`} in one container and remove ${TPU} from the others`,
      };
    }
  }),

  rule('TPU111', 'error', 'a selected number of accelerators is the chips of a host', function* ({ pods }) {
    for (const pod of pods) {
      const wanted = selected(pod, ACCELERATOR_COUNT);
      const { chips } = sliceOf(pod);
      if (wanted === undefined || chips === undefined || wanted === String(chips)) continue;
      yield {
        object: pod.object,
        path: selectorPath(pod, ACCELERATOR_COUNT),
        message: `${ACCELERATOR_COUNT} is ${quoted(wanted)}, but the pod requests '${String(chips)}' ${TPU}, all chips of a host`,
        fix: `set ${ACCELERATOR_COUNT} to '${String(chips)}', or remove it`,
      };
    }
  }),

  rule('TPU112', 'error', 'flex-start is not asked for together with other capacity', function* ({ pods }) {
    for (const pod of pods) {
      if (!isTpuPod(pod) || !wantsFlexStart(pod)) continue;
      const others = otherCapacity(pod);
      if (others.length > 0)
        yield {
          object: pod.object,
          path: `${specPath(pod)}.nodeSelector`,
          message: `the pod asks for flex-start nodes and also selects ${others.join(' and ')}, which none of them has`,
          fix: `remove ${others.map((other) => other.split(':')[0] ?? '').join(' and ')}, or ${FLEX_START}`,
        };
      else if (SPOT.some((key) => tolerationsOf(pod, key).length > 0))
        yield {
          object: pod.object,
          path: `${specPath(pod)}.tolerations`,
          message: 'the pod tolerates the taint of spot nodes, but flex-start nodes are never spot',
          fix: 'remove the toleration',
          severity: 'note',
        };
    }
  }),

  rule('TPU113', 'error', 'flex-start is asked for on a generation that it offers', function* ({ pods }) {
    for (const pod of pods) {
      const { accelerator } = sliceOf(pod);
      if (accelerator === undefined || !wantsFlexStart(pod)) continue;
      const offered = generations.filter(({ flexStart }) => flexStart).map((facts) => facts.accelerator);
      const known = accelerators.some((one) => one === accelerator) || OLDER.test(accelerator);
      if (!known || offered.some((one) => one === accelerator)) continue;
      yield {
        object: pod.object,
        path: selectorPath(pod, ACCELERATOR),
        message: `flex-start does not offer '${accelerator}'`,
        fix: `select ${either(offered)}, or remove the selectors of flex-start`,
      };
    }
  }),

  rule('TPU114', 'error', "the selector of flex-start is 'true'", function* ({ pods }) {
    for (const pod of pods) {
      // what is no text is another finding
      const value = selected(pod, FLEX_START);
      if (value === undefined || value === 'true' || !isTpuPod(pod)) continue;
      yield {
        object: pod.object,
        path: selectorPath(pod, FLEX_START),
        message: `${FLEX_START} is ${quoted(value)}, which no node has`,
        fix: `set ${FLEX_START} to 'true', or remove it`,
      };
    }
  }),

  rule('TPU115', 'error', 'a pod that tolerates flex-start nodes selects them', function* ({ pods }) {
    for (const pod of pods) {
      const [toleration] = tolerationsOf(pod, FLEX_START);
      if (!isTpuPod(pod) || toleration === undefined) continue;
      if (
        [FLEX_START, PROVISIONING, COMPUTE_CLASS_LABEL, NODE_POOL_LABEL].some(
          (label) => selected(pod, label) !== undefined,
        )
      )
        continue;
      const refused = text(toleration, 'value') === 'true';
      yield {
        object: pod.object,
        path: `${specPath(pod)}.tolerations`,
        message: `the pod tolerates ${FLEX_START} without selecting it, ${refused ? "which GKE's autoscaler refuses" : 'so that it gets other nodes'}`,
        fix: `set nodeSelector ${FLEX_START}: 'true', or remove the toleration`,
        severity: refused ? 'error' : 'warning',
      };
    }
  }),

  rule('TPU116', 'error', 'a run duration is whole seconds that GKE allows', function* ({ pods }) {
    for (const pod of pods) {
      if (!isTpuPod(pod)) continue;
      const flexStart = wantsFlexStart(pod);
      const [min, max] = flexStart ? [600, 604_800] : [30, 10_368_000];
      if (selected(pod, RUN_DURATION_UNKNOWN) !== undefined)
        yield {
          object: pod.object,
          path: selectorPath(pod, RUN_DURATION_UNKNOWN),
          message: `no node has the label ${RUN_DURATION_UNKNOWN}`,
          fix: `select ${RUN_DURATION}, a number of seconds`,
        };
      const value = selected(pod, RUN_DURATION);
      if (value === undefined) continue;
      const seconds = /^\d+$/.test(value) ? Number(value) : undefined;
      if (seconds !== undefined && seconds >= min && seconds <= max) continue;
      const nearest = Math.min(max, Math.max(min, seconds ?? max));
      yield {
        object: pod.object,
        path: selectorPath(pod, RUN_DURATION),
        message: `${RUN_DURATION} is ${quoted(value)}, but ${flexStart ? 'flex-start nodes run' : 'nodes run'} from ${String(min)} to ${String(max)} seconds`,
        fix: `set ${RUN_DURATION} to '${String(nearest)}' or another number of that range`,
      };
    }
  }),

  rule('TPU117', 'error', 'a ComputeClass with TPUs is selected without TPU selectors', function* (set) {
    for (const pod of set.pods) {
      const name = selected(pod, COMPUTE_CLASS_LABEL);
      const labels = [ACCELERATOR, TOPOLOGY].filter((label) => selected(pod, label) !== undefined);
      // Ray's TPU webhook needs the topology.
      if (name === undefined || labels.length === 0 || runsRay(pod) || isBuiltIn(name)) continue;
      const severity = computeClassWithTpu(set, name);
      if (severity === undefined) continue;
      yield {
        object: pod.object,
        path: `${specPath(pod)}.nodeSelector`,
        message: `the pod selects ComputeClass ${quoted(name)} and also ${labels.join(' and ')}, but ${severity === 'error' ? 'the class decides the TPU' : 'a class with TPUs decides them'}`,
        fix: `remove ${labels.join(' and ')}, or ${COMPUTE_CLASS_LABEL}`,
        severity,
      };
    }
  }),

  rule('TPU118', 'error', 'a reservation is selected by name', function* ({ pods }) {
    for (const pod of pods) {
      const value = selected(pod, RESERVATION_AFFINITY);
      if (value !== 'any' || !isTpuPod(pod) || wantsFlexStart(pod)) continue;
      yield {
        object: pod.object,
        path: selectorPath(pod, RESERVATION_AFFINITY),
        message: `${RESERVATION_AFFINITY} is 'any', which GKE does not support with TPUs`,
        fix: `set ${RESERVATION_AFFINITY} to 'specific' and cloud.google.com/reservation-name to its name, or to 'none'`,
      };
    }
  }),

  rule('TPU119', 'error', 'the model that a server names fits its slice', function* ({ pods }) {
    for (const pod of pods)
      for (const one of tpuContainers(pod)) {
        const server = modelServerOf(one);
        const model = server && namedModelOf(server);
        // a pipeline may go through several slices
        if (!server || !model || Number(server.flag('--pipeline-parallel-size', '-pp') ?? 1) > 1) continue;
        const [slice, ...others] = possibleSlices(pod);
        if (slice === undefined || others.length > 0) continue;
        const certain = model.stated && model.dtype !== 'int8';
        const hosts = pod.runs === 'Deployment' ? 'one' : 'any';
        const wrongAt = (dtype: ModelDtype): Problem | undefined =>
          weightsProblem(slice, model.parameters * BYTES_PER_PARAMETER[dtype], { hosts });
        const surely = wrongAt(certain ? model.dtype : 'int4');
        const wrong = surely ?? wrongAt(model.dtype);
        if (wrong === undefined) continue;
        const bits = surely === undefined ? BYTES_PER_PARAMETER[model.dtype] * 8 : 4;
        yield {
          object: pod.object,
          path: `${one.path}.args`,
          message: `model '${model.name}' of container '${one.name}' does not fit${certain ? '' : `${surely === undefined ? '' : ' even'} at ${String(bits)} bits a parameter`}: slice ${quoted(wrong.value)} ${wrong.problem}`,
          fix: wrong.use === undefined ? 'serve a smaller model' : `run it on ${wrong.use}`,
          // a name is a guess, and so is what its weights are quantized to
          ...(surely === undefined
            ? { severity: 'note' as const }
            : !model.stated && { severity: 'warning' as const }),
        };
      }
  }),
];

const isAccelerator = (accelerator: string): boolean =>
  accelerators.some((known) => known === accelerator) || OLDER.test(accelerator) || accelerator === NEWER;

/** What a wrong accelerator was most likely meant to be: by machine type, by generation, by spelling; all of them otherwise. */
function nearestAccelerators(wrong: string): readonly string[] {
  const value = wrong.toLowerCase().slice(0, 63);
  const machine = machineTypes().find((type) => value.includes(type));
  if (machine) return [GENERATIONS[MACHINE_TYPES[machine].generation].accelerator];
  const generation = generations.find(({ names }) => names.some((name) => value.includes(name)));
  if (generation) return [generation.accelerator];
  const [nearest] = nearestWords(value, accelerators);
  return nearest === undefined ? accelerators : [nearest];
}

/** Sources differ on whether v4 takes its three numbers in any order. */
const isPermutationOfV4 = (topology: string, machine: TpuMachineType): boolean =>
  machineFacts(machine).generation === 'v4' &&
  topologiesOf(machine).includes(
    topology
      .split('x')
      .sort((a, b) => Number(a) - Number(b))
      .join('x'),
  );

const resourcesOf = (
  container: Json,
): { readonly requested: string | undefined; readonly limit: string | undefined } => ({
  requested: amount(container, 'resources', 'requests', TPU),
  limit: amount(container, 'resources', 'limits', TPU),
});

const isUneven = (container: Json): boolean => {
  const { requested, limit } = resourcesOf(container);
  return requested !== undefined && requested !== limit;
};

/** Chips of the machine types, each number once. */
const sizesOf = (machines: readonly TpuMachineType[]): readonly number[] =>
  [...new Set(machines.map((type) => machineFacts(type).chips))].sort((a, b) => a - b);

/** Whether a topology is one host of a machine type and several of another. */
const isAmbiguous = (topology: string | undefined, fitting: readonly TpuMachineType[]): boolean =>
  topology !== undefined && sizesOf(fitting).length > 1;

/** The containers with chips that run side by side. */
const mainContainers = (pod: PodView): readonly ContainerView[] =>
  tpuContainers(pod).filter(({ init }) => !init);

const containersInWords = (containers: readonly ContainerView[]): string =>
  `containers ${containers.map(({ name }) => `'${name}'`).join(' and ')}`;

/** Only on tpu7x may the containers of a pod share the chips of a host; of what is not in the table, nothing is known. */
const sharesHost = (accelerator: string | undefined): boolean =>
  machinesOf(accelerator).every((type) => machineFacts(type).generation === 'tpu7x');

/** Chips that differ from those of every host that the pod's ComputeClass makes. */
function* unlikeItsClass(set: ManifestSet, pod: PodView): Iterable<Violation> {
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
      message: `container '${one.name}' requests '${String(own)}' ${TPU}, but a host of ComputeClass ${quoted(name)} has ${sizes.join(' or ')}, which must be requested together`,
      fix: `set ${TPU} to ${either(sizes.map(String))}, or select another class`,
    };
  }
}

/** The TPU selectors that a pod needs and has in no form. */
function missingSelectors(set: ManifestSet, pod: PodView): readonly string[] {
  if (tpuContainers(pod).length === 0) return [];
  const missing = [ACCELERATOR, TOPOLOGY].filter(
    (label) => selected(pod, label) === undefined && !onlyByAffinity(pod, label),
  );
  const rules = rulesOfClass(set, selected(pod, COMPUTE_CLASS_LABEL));
  const withoutTpus = rules?.every((one) => TPU_RULE.every((key) => at(one, key) === undefined)) === true;
  // A class, a named pool and a queue of Kueue decide the nodes by themselves, but Ray's TPU webhook reads the topology.
  const decided =
    (selected(pod, COMPUTE_CLASS_LABEL) !== undefined && !withoutTpus) ||
    selected(pod, NODE_POOL_LABEL) !== undefined ||
    [pod.object.manifest, pod.template].some(
      (one) => text(one, 'metadata', 'labels', QUEUE_LABEL) !== undefined,
    );
  return decided ? missing.filter((label) => label === TOPOLOGY && pod.runs === 'RayWorkers') : missing;
}

/** What to set for selectors that are missing, with the values that follow from the rest. */
function missingInWords(pod: PodView, missing: readonly string[]): string {
  const { accelerator, topology, machines, chips } = sliceOf(pod);
  const hosts = Math.max(1, ...pod.statedHosts.map((stated) => stated.hosts));
  if (!missing.includes(ACCELERATOR)) {
    const shape = topologyOfHosts(machines, chips, hosts);
    return `${TOPOLOGY} to ${shape === undefined ? `that of the node pool of ${accelerator ?? 'the TPU'}` : `'${shape}' (${count(hosts, 'host')}), or to that of the node pool`}`;
  }
  const possible = accelerators.filter((one) => {
    const shapes = machinesOf(one).filter((type) => machineFacts(type).chips === chips);
    return shapes.some((type) => topology === undefined || topologiesOf(type).includes(topology));
  });
  const named = `${ACCELERATOR} to that of the node pool${possible.length > 0 ? `, ${either(possible)}` : ''}`;
  return missing.includes(TOPOLOGY) ? `${named}, and ${TOPOLOGY} to its shape` : named;
}

/** Selectors of capacity that is not flex-start. */
function otherCapacity(pod: PodView): readonly string[] {
  const provisioning = selected(pod, PROVISIONING) ?? 'flex-start';
  const affinity = selected(pod, RESERVATION_AFFINITY) ?? 'none';
  return [
    ...[...SPOT, ...RESERVATION].filter((label) => selected(pod, label) !== undefined),
    ...(provisioning === 'flex-start' ? [] : [`${PROVISIONING}: ${provisioning}`]),
    ...(affinity === 'none' ? [] : [`${RESERVATION_AFFINITY}: ${affinity}`]),
  ];
}

/** The tolerations of one taint; one of all taints is not meant for it. */
const tolerationsOf = (pod: PodView, key: string): readonly Json[] =>
  records(pod.spec, 'tolerations').filter((toleration) => text(toleration, 'key') === key);

/** What a rule of a ComputeClass may make TPU nodes by. */
const TPU_RULE = ['tpu', 'nodepools', 'machineType'];

/** `error` where a class of the set has TPUs, `warning` where it is not in the set; undefined where it has none. */
function computeClassWithTpu(set: ManifestSet, name: string): Severity | undefined {
  const rules = rulesOfClass(set, name);
  if (!rules) return 'warning';
  return rules.some((priority) => isRecord(at(priority, 'tpu'))) ? 'error' : undefined;
}
