/** A controller that a stack's objects need, and from which release on. */
export interface ControllerRequirement {
  /** Name of the controller. */
  readonly name: string;
  /** Oldest release that knows every field that is rendered; an older one would drop some and fail or drift at the second apply. */
  readonly minimumVersion: string;
  /** The field that asks for that release. */
  readonly field: string;
}

/**
 * The controllers behind the custom resources that are rendered. Releases are those in which each field first appeared in the
 * projects' own CRDs.
 *
 * @see https://github.com/kubernetes-sigs/jobset/releases
 * @see https://github.com/ray-project/kuberay/releases
 * @see https://github.com/kubernetes-sigs/kueue/releases
 */
export const CONTROLLERS = {
  jobSet: { name: 'JobSet', minimumVersion: 'v0.9.0', field: 'spec.replicatedJobs[].groupName' },
  kubeRay: { name: 'KubeRay operator', minimumVersion: 'v1.3.0', field: 'spec.upgradeStrategy' },
  kueue: { name: 'Kueue', minimumVersion: 'v0.15.0', field: 'apiVersion: kueue.x-k8s.io/v1beta2' },
} as const satisfies Record<string, ControllerRequirement>;
