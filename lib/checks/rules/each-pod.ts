import { type PodView } from '../../manifest/pods';
import { type ManifestSet } from '../../manifest/set';
import { tpuContainers } from '../../manifest/slices';
import { type Severity, type Violation } from '../rule';

type PodCheck<S extends Severity> = (pod: PodView, set: ManifestSet) => Iterable<Violation<S>>;
type SetCheck<S extends Severity> = (set: ManifestSet) => Iterable<Violation<S>>;

/** Checks each pod template for which `which` holds. */
export const eachPodThat = <S extends Severity>(
  which: (pod: PodView) => boolean,
  check: PodCheck<S>,
): SetCheck<S> =>
  function* (set) {
    for (const pod of set.pods) if (which(pod)) yield* check(pod, set);
  };

/** Checks every pod template of the set. */
export const eachPod = <S extends Severity>(check: PodCheck<S>): SetCheck<S> =>
  eachPodThat(() => true, check);

/** Checks each pod template with a container that requests TPU chips. */
export const eachTpuPod = <S extends Severity>(check: PodCheck<S>): SetCheck<S> =>
  eachPodThat((pod) => tpuContainers(pod).length > 0, check);
