import {
  ACCELERATOR_LABEL,
  COMPUTE_CLASS_LABEL,
  GKE_LABEL_PREFIX,
  NODE_POOL_LABEL,
  QUEUE_LABEL,
  SLICE_TOPOLOGY_ANNOTATION,
  TOPOLOGY_LABEL,
  TPU_RESOURCE,
  SKIP_TPU_WEBHOOK_ANNOTATION,
} from '../../../facts/labels';
import { accelerators } from './common';
import { at, isRecord, text } from '../../../manifest/manifest';
import { count, machineFacts, topologiesOf } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import {
  either,
  isProvisioned,
  machinesOf,
  onlyByAffinity,
  selected,
  sliceOf,
  specPath,
  topologyOfHosts,
  tpuContainers,
} from '../../../manifest/slices';
import { rulesOfClass } from '../../../manifest/capacity';
import { runsRay } from '../../../manifest/selection';
import { type ManifestSet } from '../../../manifest/set';
import { type PodView } from '../../../manifest/pods';

export const TPU106 = defineRule({
  code: 'TPU106',
  title: 'a pod that requests TPU chips selects their accelerator and topology',
  severities: ['error', 'warning'],
  kinds: ['pods'],
  check: eachPod(function* (pod, set) {
    const missing = missingSelectors(set, pod);
    if (missing.length === 0) return;
    const several = pod.statedHosts.some(({ hosts }) => hosts > 1);
    const [container] = tpuContainers(pod);
    // the webhook requires the topology; a topology without an accelerator is enough for pods of an existing node pool
    const refused =
      missing.includes(TOPOLOGY_LABEL) &&
      ((missing.includes(ACCELERATOR_LABEL) && !selectsOtherwise(pod)) || runsRay(pod) || several);
    const risk = missing.includes(TOPOLOGY_LABEL)
      ? 'the scheduler may place it on a host of a larger slice'
      : 'the scheduler may place it on TPUs of another generation';
    yield {
      object: pod.object,
      path: `${specPath(pod)}.nodeSelector`,
      message: `container '${container?.name ?? ''}' requests '${container?.chips ?? ''}' ${TPU_RESOURCE}, but the pod does not select ${missing.join(' and ')}${refused ? '' : `, so ${risk}`}`,
      fix: `set nodeSelector ${missingInWords(pod, missing)}`,
      severity: refused ? 'error' : 'warning',
    };
  }),
});

/** Whether a pod selects nodes by labels that GKE does not set, so that only the cluster knows its nodes. */
const selectsOtherwise = (pod: PodView): boolean =>
  Object.keys(pod.nodeSelector).some((label) => !label.startsWith(GKE_LABEL_PREFIX)) ||
  isRecord(at(pod.spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'));

/** The TPU selectors that a pod needs and has neither as node selector nor as affinity. */
function missingSelectors(set: ManifestSet, pod: PodView): readonly string[] {
  if (tpuContainers(pod).length === 0) return [];
  const missing = [ACCELERATOR_LABEL, TOPOLOGY_LABEL].filter(
    (label) => selected(pod, label) === undefined && !onlyByAffinity(pod, label),
  );
  const rules = rulesOfClass(set, selected(pod, COMPUTE_CLASS_LABEL));
  const withoutTpus = rules?.every((one) => TPU_RULE.every((key) => at(one, key) === undefined)) === true;
  // a ComputeClass, a named node pool and a Kueue queue decide the nodes, but Ray's TPU webhook reads the topology
  const decided =
    (selected(pod, COMPUTE_CLASS_LABEL) !== undefined && !withoutTpus) ||
    selected(pod, NODE_POOL_LABEL) !== undefined ||
    // a dynamic slice is formed when the workload is scheduled, so the pod has no topology to select
    text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION) !== undefined ||
    text(pod.annotations, SKIP_TPU_WEBHOOK_ANNOTATION) === 'true' ||
    text(pod.spec, 'nodeName') !== undefined ||
    isProvisioned(pod) ||
    [pod.object.manifest, pod.template].some(
      (one) => text(one, 'metadata', 'labels', QUEUE_LABEL) !== undefined,
    );
  const sliced = text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION) !== undefined;
  return decided
    ? missing.filter((label) => label === TOPOLOGY_LABEL && pod.runs === 'RayWorkers' && !sliced)
    : missing;
}

/** The missing selectors, with the values that follow from the rest of the pod. */
function missingInWords(pod: PodView, missing: readonly string[]): string {
  const { accelerator, topology, machines, chips } = sliceOf(pod);
  const hosts = Math.max(1, ...pod.statedHosts.map((stated) => stated.hosts));
  if (!missing.includes(ACCELERATOR_LABEL)) {
    const shape = topologyOfHosts(machines, chips, hosts);
    return `${TOPOLOGY_LABEL} to ${shape === undefined ? `the topology of the node pool of ${accelerator ?? 'the TPU'}` : `'${shape}' (${count(hosts, 'host')}), or to the topology of the node pool`}`;
  }
  const possible = accelerators.filter((one) => {
    const shapes = machinesOf(one).filter((type) => machineFacts(type).chips === chips);
    return shapes.some((type) => topology === undefined || topologiesOf(type).includes(topology));
  });
  const named = `${ACCELERATOR_LABEL} to the accelerator of the node pool${possible.length > 0 ? `, ${either(possible)}` : ''}`;
  return missing.includes(TOPOLOGY_LABEL) ? `${named}, and ${TOPOLOGY_LABEL} to its topology` : named;
}

/** Fields by which a rule of a ComputeClass can create TPU nodes. */
const TPU_RULE = ['tpu', 'nodepools', 'machineType'];
