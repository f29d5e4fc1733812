import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';

/** Amounts of resources by name, as Kubernetes writes them: `{ cpu: '500m', memory: '20Gi', 'google.com/tpu': '4' }`. */
export type ResourceAmounts = Readonly<Record<string, string>>;

/** Resources of a container, as strings. */
export interface ResourceRequirements {
  /** What the scheduler reserves. @default - the limits */
  readonly requests?: ResourceAmounts;
  /** The most that the container can use. @default - none */
  readonly limits?: ResourceAmounts;
}

/** The container that fragments add to. */
export interface MainContainer extends Omit<k8s.Container, 'resources'> {
  /** Resources of the container, as quantities. @default - none */
  readonly resources?: ResourceRequirements;
}

/** A container that runs next to the main one, or before it. */
export type SidecarContainer = MainContainer;

/** A type whose fields can be `null`, including the fields of its objects, but not items of lists. */
type Removable<T> = T extends k8s.Quantity | k8s.IntOrString | readonly unknown[] | Date
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Removable<T[K]> | null }
    : T;

/** Fields of a type, without those that a fragment has as fields. */
type Other<T, Elsewhere extends string> = Removable<Partial<Omit<T, Elsewhere>>> &
  Readonly<Partial<Record<Elsewhere, never>>>;

/** Fields of a container that are not fields of a fragment. */
export type ContainerFields = Partial<Omit<k8s.Container, 'name' | 'env' | 'volumeMounts' | 'resources'>>;

/** Strings by name; `null` removes a default. */
type Texts = Readonly<Record<string, string | null>>;

/**
 * Fields to add to a pod and to its main container. A `GcsFuseVolume` is a fragment, and so is an object literal with fields that no prop
 * covers.
 *
 * A field of a fragment replaces a default of the construct, and `null` removes the default. If two props or fragments set a field to
 * different values, the error names the field. Only `override()` can change fields that follow from the slice.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
export interface PodFragment {
  /** Annotations of the pod. @default - none */
  readonly annotations?: Texts | null;
  /** Labels of the pod. @default - none */
  readonly labels?: Texts | null;
  /** Labels that a node must have. @default - none */
  readonly nodeSelector?: Texts | null;
  /** Taints that the pod tolerates. @default - none */
  readonly tolerations?: readonly k8s.Toleration[];
  /** Volumes of the pod. @default - none */
  readonly volumes?: readonly k8s.Volume[] | null;
  /** Mounts of the main container. @default - none */
  readonly volumeMounts?: readonly k8s.VolumeMount[] | null;
  /** Environment variables of the main container; `value: null` removes a default. @default - none */
  readonly env?: readonly (k8s.EnvVar | { readonly name: string; readonly value: null })[] | null;
  /** Resources of the main container. @default - none */
  readonly resources?: {
    /** What the scheduler reserves. @default - the limits */
    readonly requests?: Texts | null;
    /** The most that the container can use. @default - none */
    readonly limits?: Texts | null;
    /** Resources of the pod's `resourceClaims` that the container uses. @default - none */
    readonly claims?: readonly k8s.ResourceClaim[] | null;
  } | null;
  /** Any other field of the main container. @default - none */
  readonly container?: Other<k8s.Container, 'name' | 'env' | 'volumeMounts' | 'resources'> | null;
  /** Any other field of the pod's spec. @default - none */
  readonly pod?:
    | (Other<
        Omit<k8s.PodSpec, 'initContainers'>,
        'containers' | 'nodeSelector' | 'tolerations' | 'volumes'
      > & {
        /** Containers that run before the main one. @default - none */
        readonly initContainers?: readonly SidecarContainer[] | null;
      })
    | null;
}
