import {
  COMPUTE_CLASS_LABEL,
  FLEX_START_LABEL,
  PREEMPTIBLE_LABEL,
  PROVISIONING_LABEL,
  QUEUED_LABEL,
  QUEUED_RUN_DURATION_ANNOTATION,
  QUEUE_LABEL,
  RESERVATION_NAME_LABEL,
  RUN_DURATION_LABEL,
  SLICE_TOPOLOGY_ANNOTATION,
  SPOT_LABEL,
} from '../facts/labels';
import { type CapacityType } from '../pod/capacity';
import { type Json, record, text } from './manifest';
import { type PodView, records } from './pods';
import { type ManifestSet, perSet } from './set';
import { grouped, ofGroup } from './selection';
import { selected } from './slices';
export const SPOT: readonly string[] = [SPOT_LABEL, PREEMPTIBLE_LABEL];

/** How the nodes of a pod are bought. */
export interface CapacityView {
  readonly type: CapacityType;
  /** Name of the ComputeClass or of the reservation. */
  readonly name: string | undefined;
  /** Name of Kueue's LocalQueue that the pods wait in. */
  readonly queue: string | undefined;
  /** How long the nodes can run, in seconds. */
  readonly maxRunDurationSeconds: number | undefined;
}

export const wantsFlexStart = (pod: PodView): boolean =>
  selected(pod, FLEX_START_LABEL) === 'true' || selected(pod, PROVISIONING_LABEL) === 'flex-start';

/** Whether GKE defines the class. These classes do not select TPUs. */
export const isBuiltIn = (computeClass: string): boolean =>
  /^([A-Z].*|autopilot|autopilot-spot)$/.test(computeClass);

const classesByName = perSet((set) =>
  grouped(ofGroup(set, 'ComputeClass', 'cloud.google.com').map((one) => [one.name, one])),
);

/** Returns the rules of a ComputeClass; undefined if the set does not contain it. */
export function rulesOfClass(set: ManifestSet, name: string | undefined): readonly Json[] | undefined {
  const found = classesByName(set).get(name ?? '')?.[0];
  return found && records(found.manifest, 'spec', 'priorities');
}

/** Returns the Kueue queue of the object that runs a pod. */
const queueOf = (pod: PodView): string | undefined =>
  [pod.object.manifest, pod.template]
    .map((one) => text(one, 'metadata', 'labels', QUEUE_LABEL))
    .find((queue) => queue !== undefined);

/** How the nodes of a pod are bought. */
export function capacityOf(pod: PodView): CapacityView {
  const computeClass = selected(pod, COMPUTE_CLASS_LABEL);
  const reservation = selected(pod, RESERVATION_NAME_LABEL);
  const provisioning = selected(pod, PROVISIONING_LABEL);
  const isSpot =
    SPOT.some((label) => selected(pod, label) === 'true') ||
    provisioning === 'spot' ||
    provisioning === 'preemptible';
  const isClass = computeClass !== undefined && !isBuiltIn(computeClass);
  const isDynamic = text(pod.annotations, SLICE_TOPOLOGY_ANNOTATION) !== undefined;
  const type: CapacityType = isDynamic
    ? 'dynamic-slice'
    : isClass
      ? 'compute-class'
      : selected(pod, QUEUED_LABEL) === 'true'
        ? 'flex-start-queued'
        : wantsFlexStart(pod)
          ? 'flex-start'
          : isSpot || computeClass === 'autopilot-spot'
            ? 'spot'
            : reservation === undefined
              ? 'on-demand'
              : 'reservation';
  const seconds =
    selected(pod, RUN_DURATION_LABEL) ??
    text(record(pod.object.manifest, 'metadata', 'annotations'), QUEUED_RUN_DURATION_ANNOTATION);
  return {
    type,
    name: isClass ? computeClass : type === 'reservation' ? reservation : undefined,
    queue: queueOf(pod),
    maxRunDurationSeconds: seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) : undefined,
  };
}
