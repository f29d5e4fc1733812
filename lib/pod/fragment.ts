import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';

/** Amounts of resources by name, as Kubernetes writes them: `{ cpu: '500m', memory: '20Gi', 'google.com/tpu': '4' }`. */
export type ResourceAmounts = Readonly<Record<string, string>>;

/** Resources of a container, as strings. */
export interface ResourceRequirements {
  /** What the scheduler sets aside. */
  readonly requests?: ResourceAmounts;
  /** What the container may use at most. */
  readonly limits?: ResourceAmounts;
}

/** The container that fragments add to. */
export interface MainContainer extends Omit<k8s.Container, 'resources'> {
  /** Its resources, as quantities. @default - none */
  readonly resources?: ResourceRequirements;
}

/** A container beside the main one, or before it; fragments add nothing to it. */
export type SidecarContainer = MainContainer;

/** Some fields of a type, and none of those that stand elsewhere. */
type Other<T, Elsewhere extends string> = Partial<Omit<T, Elsewhere>> &
  Readonly<Partial<Record<Elsewhere, never>>>;

/**
 * What one concern adds to a pod and to its main container. Values like `GcsFuseVolume` are fragments, and so is an object literal:
 * what no prop covers is written as one.
 *
 * Fragments are folded together; two of them that set one thing to two values are an error that names it.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
export interface PodFragment {
  /** Annotations of the pod. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels of the pod. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Node labels that the pod asks for. @default - none */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Taints that the pod tolerates. @default - none */
  readonly tolerations?: readonly k8s.Toleration[];
  /** Volumes of the pod. @default - none */
  readonly volumes?: readonly k8s.Volume[];
  /** Mounts of the main container. @default - none */
  readonly volumeMounts?: readonly k8s.VolumeMount[];
  /** Environment of the main container. @default - none */
  readonly env?: readonly k8s.EnvVar[];
  /** Resources of the main container. @default - none */
  readonly resources?: ResourceRequirements;
  /** Any other field of the main container. @default - none */
  readonly container?: Other<k8s.Container, 'name' | 'env' | 'volumeMounts' | 'resources'>;
  /** Any other field of the pod's spec. @default - none */
  readonly pod?: Other<
    Omit<k8s.PodSpec, 'initContainers'>,
    'containers' | 'nodeSelector' | 'tolerations' | 'volumes'
  > & {
    /** Containers that run before the main one. @default - none */
    readonly initContainers?: readonly SidecarContainer[];
  };
}
