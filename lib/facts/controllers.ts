/** A controller that a stack's objects need, and from which release on. */
export interface ControllerRequirement {
  /** Name of the controller. */
  readonly name: string;
  /** Oldest release that knows every field that is rendered; an older one would drop some and fail or drift at the second apply. */
  readonly minimumVersion: string;
  /** The field or variable that needs that release. */
  readonly field: string;
  /** The resource that has the field, as kubectl names it, where nobody but the cluster says which release an add-on brings. @default - none */
  readonly resource?: string;
  /** How a release is installed; undefined if an add-on of GKE brings the controller. */
  readonly install?: {
    /** The release whose CRDs the types in imports/ are made from. */
    readonly release: string;
    /** Manifests of a release, by its name. */
    readonly manifests: string;
    /** Namespace and name of the Deployment that must be there before objects are applied. */
    readonly namespace: string;
    readonly deployment: string;
  };
}

const KUBERAY = 'KubeRay operator';

/**
 * The controllers behind the custom resources that are rendered. Releases are those in which each field first appeared in the
 * projects' own CRDs.
 *
 * @see https://github.com/kubernetes-sigs/jobset/releases
 * @see https://github.com/ray-project/kuberay/releases
 * @see https://github.com/kubernetes-sigs/kueue/releases
 */
export const CONTROLLERS = {
  jobSet: {
    name: 'JobSet',
    minimumVersion: 'v0.9.0',
    field: 'spec.replicatedJobs[].groupName',
    // https://jobset.sigs.k8s.io/docs/installation/
    install: {
      release: 'v0.12.0',
      manifests: 'https://github.com/kubernetes-sigs/jobset/releases/download/{release}/manifests.yaml',
      namespace: 'jobset-system',
      deployment: 'jobset-controller-manager',
    },
  },
  leaderWorkerSet: {
    name: 'LeaderWorkerSet',
    // the first release that tells each host the addresses of the others: https://github.com/kubernetes-sigs/lws/releases
    minimumVersion: 'v0.8.0',
    field: 'TPU_PROCESS_ADDRESSES',
    // https://lws.sigs.k8s.io/docs/installation/
    install: {
      release: 'v0.10.0',
      manifests: 'https://github.com/kubernetes-sigs/lws/releases/download/{release}/manifests.yaml',
      namespace: 'lws-system',
      deployment: 'lws-controller-manager',
    },
  },
  rayService: {
    name: KUBERAY,
    minimumVersion: 'v1.3.0',
    field: 'spec.upgradeStrategy',
    resource: 'rayservices',
  },
  rayCluster: {
    name: KUBERAY,
    minimumVersion: 'v1.1.0',
    field: 'spec.workerGroupSpecs.numOfHosts',
    resource: 'rayclusters',
  },
  rayJob: {
    name: KUBERAY,
    minimumVersion: 'v1.1.0',
    field: 'spec.rayClusterSpec.workerGroupSpecs.numOfHosts',
    resource: 'rayjobs',
  },
  /** A RayJob that is retried. */
  retriedRayJob: {
    name: KUBERAY,
    minimumVersion: 'v1.2.0',
    field: 'spec.backoffLimit',
    resource: 'rayjobs',
  },
  kueue: {
    name: 'Kueue',
    minimumVersion: 'v0.15.0',
    field: 'apiVersion: kueue.x-k8s.io/v1beta2',
    // https://kueue.sigs.k8s.io/docs/installation/
    install: {
      release: 'v0.19.2',
      manifests: 'https://github.com/kubernetes-sigs/kueue/releases/download/{release}/manifests.yaml',
      namespace: 'kueue-system',
      deployment: 'kueue-controller-manager',
    },
  },
} as const satisfies Record<string, ControllerRequirement>;
