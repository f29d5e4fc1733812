/** A controller that rendered objects need, and its oldest supported release. */
export interface ControllerRequirement {
  /** Name of the controller. */
  readonly name: string;
  /** Oldest release that knows every rendered field. An older one drops fields, so that a second apply fails or changes objects. */
  readonly minimumVersion: string;
  /** The field or variable that requires this release. */
  readonly field: string;
  /** The resource with the field, as kubectl names it, if only the cluster can tell the release of an add-on. @default - none */
  readonly resource?: string;
  /** How to install a release; undefined if an add-on of GKE installs the controller. */
  readonly install?: {
    /** The release of the CRDs that the types in imports/ are generated from. */
    readonly release: string;
    /** URL of the manifests of a release. */
    readonly manifests: string;
    /** Namespace and name of the Deployment that must run before objects are applied. */
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
    // the first release that gives each host the addresses of the others: https://github.com/kubernetes-sigs/lws/releases
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
  /** RayJobs with retries. */
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
