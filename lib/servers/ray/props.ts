import { type NetworkPolicyPeer } from 'cdk8s-plus-29/lib/imports/k8s';
import { type ResourceRequirements } from '../../pod/fragment';
import { type HuggingFaceToken } from '../../pod/hugging-face-token';
import { type ModelCacheOptions } from '../../pod/model-cache';
import { type NamedResource } from '../../problems/schema';
import { type MonitoringOptions } from '../../workload/monitoring';
import {
  type ImageProps,
  type LifecycleProps,
  type PodProps,
  type SliceProps,
} from '../../workload/vocabulary';
import { type RayRuntimeEnv, type RayServeConfig } from './serve-config';

/** Properties of the pods of a group. */
export interface RayPodProps
  extends PodProps, Pick<ImageProps, 'env' | 'imagePullSecrets'>, Pick<LifecycleProps, 'preStopSeconds'> {
  /** Labels of the group's pods, in addition to the cluster's labels. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the group's pods, in addition to the cluster's annotations. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** ServiceAccount of the group's pods. @default - the cluster's ServiceAccount */
  readonly serviceAccountName?: string | NamedResource;
  /** Secrets with the credentials of a private registry. @default - the cluster's Secrets */
  readonly imagePullSecrets?: readonly (string | NamedResource)[];
  /**
   * Time for the shutdown of Ray and its replicas after `preStopSeconds`, in seconds; at most 5 on spot.
   *
   * @default - 10 seconds more than the longest `gracefulShutdownTimeoutS` of any deployment, which counts as at least 20; 5 on spot
   */
  readonly shutdownSeconds?: number;
  /** Flags of `ray start` without leading dashes, like `{ 'num-cpus': '0' }`. @default - KubeRay's flags */
  readonly rayStartParams?: Readonly<Record<string, string>>;
}

/** The head of a Ray cluster: one pod without TPUs that schedules the work. */
export interface RayHeadGroup extends RayPodProps {
  /** CPU, memory and ephemeral storage of the head. @default - requests and limits of 2 CPUs and 8G of memory */
  readonly resources?: ResourceRequirements;
}

/** Workers of a Ray cluster: each replica is a TPU slice, with one pod for each host. */
export interface TpuRayWorkerGroup
  extends RayPodProps, SliceProps, ModelCacheOptions, Pick<LifecycleProps, 'startupSeconds'> {
  /** Name of the group: a DNS label of at most about 57 characters, unique in the cluster. Host names contain it. */
  readonly groupName: string;
  /** Number of slices; not allowed with `enableInTreeAutoscaling`. @default - `minReplicas` */
  readonly replicas?: number;
  /** Smallest number of slices. @default - `replicas`, or 1 */
  readonly minReplicas?: number;
  /** Largest number of slices, at least 1; required with `enableInTreeAutoscaling`. @default - `replicas` */
  readonly maxReplicas?: number;
  /**
   * Size of the model weights on each slice of the group, as a quantity like `141G`. The weights must fit in the memory of all hosts
   * together. vLLM's timeout is derived from the size.
   *
   * @default - not known, so not compared with the slice
   */
  readonly modelSize?: string;
  /** Token for models that require one. @default - none */
  readonly huggingFaceToken?: HuggingFaceToken;
  /**
   * Longest time for vLLM's engine to load and compile, in seconds. Ray itself waits for replicas without a limit.
   *
   * @default - twice the `startupEstimate` of a cold start with `modelSize`; without `modelSize` vLLM's default, 600
   */
  readonly startupSeconds?: number;
  /**
   * Whether the slices of the group compute together. `MEGASCALE_NUM_SLICES` is set to their number, and Ray's TPU webhook adds the other
   * variables that libtpu needs for communication between slices. Requires multi-host slices, and a fixed number of at least two
   * `replicas`.
   *
   * @default false
   * @see https://github.com/ai-on-gke/kuberay-tpu-webhook/blob/main/main.go
   */
  readonly multislice?: boolean;
}

/** Workers of a Ray cluster without TPUs, for work like reading data; each replica is one pod on a node without TPUs. */
export interface RayCpuWorkerGroup extends RayPodProps {
  /** Name of the group: a DNS label of at most about 57 characters, unique in the cluster. */
  readonly groupName: string;
  /** Number of pods; not allowed with `enableInTreeAutoscaling`. @default - `minReplicas` */
  readonly replicas?: number;
  /** Smallest number of pods. @default - `replicas`, or 1 */
  readonly minReplicas?: number;
  /** Largest number of pods, at least 1; required with `enableInTreeAutoscaling`. @default - `replicas` */
  readonly maxReplicas?: number;
  /** CPU, memory and ephemeral storage of each pod. @default - requests and limits of 2 CPUs and 8G of memory */
  readonly resources?: ResourceRequirements;
}

/** Properties that all constructs with a Ray cluster share. */
export interface TpuRayClusterOptions {
  /** Name of the Ray object, at most 47 characters. @default - the construct's id */
  readonly name?: string;
  /** Labels of all objects and of the pods, in addition to those that the construct sets. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of all objects and of the pods. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** ServiceAccount of all pods. @default - the namespace's default; with `enableInTreeAutoscaling` KubeRay creates one for the head */
  readonly serviceAccountName?: string | NamedResource;
  /** Image of the head and of all workers, with a tag or digest. @default 'rayproject/ray-ml:2.9.0-py310' */
  readonly image?: string;
  /**
   * Version of Ray in the image, like `2.46.0`. The field names of the Serve configuration depend on it.
   *
   * @default - the version in the tag of a `ray`, `ray-ml` or `ray-llm` image. If the tag contains no version, as for nightly images,
   * `rayVersion` is not rendered, and the fields have the names of Ray 2.10 and later
   */
  readonly rayVersion?: string;
  /** Secrets with the credentials of a private registry, for all pods. @default - none */
  readonly imagePullSecrets?: readonly (string | NamedResource)[];
  /** The head of the cluster. @default - 2 CPUs and 8G of memory */
  readonly head?: RayHeadGroup;
  /** The TPU worker groups of the cluster; at least one. */
  readonly workerGroups: readonly TpuRayWorkerGroup[];
  /** The worker groups without TPUs, rendered after the TPU worker groups. @default - none */
  readonly cpuWorkerGroups?: readonly RayCpuWorkerGroup[];
  /** Whether Ray's autoscaler changes the number of slices between `minReplicas` and `maxReplicas` of each group. @default false */
  readonly enableInTreeAutoscaling?: boolean;
  /**
   * Time after which the autoscaler removes an idle slice, in seconds; only with `enableInTreeAutoscaling`.
   *
   * @default - Ray's default, 60
   */
  readonly idleTimeoutSeconds?: number;
  /**
   * Release of the KubeRay operator, like `1.7.0`. For 1.7.0 and later, each worker group has `priority: 0`. The operator stores this
   * default, so if client-side apply created the object without the field, server-side apply conflicts with it. Older operators do not know
   * the field.
   *
   * @default - a release before 1.7.0
   */
  readonly kubeRayVersion?: string;
  /** Collection of metrics from all pods; `false` turns it off. @default - every 15 seconds */
  readonly monitoring?: MonitoringOptions | false;
  /**
   * Peers that can send requests to the applications. A NetworkPolicy rejects all other clients, also for the dashboard, except pods of the
   * cluster, the KubeRay operator, probes and the metrics collector.
   *
   * @default - no NetworkPolicy: everyone who can reach the pods
   */
  readonly allowedClients?: readonly NetworkPolicyPeer[];
  /**
   * Peers that can reach the dashboard, like the KubeRay operator; only with `allowedClients`. The dashboard runs the code that it
   * receives, so include the operator's namespace if others can create pods with the operator's label.
   *
   * @default - pods of any namespace with the label `app.kubernetes.io/component: kuberay-operator`, which its installers set
   * @see https://github.com/ray-project/kuberay/blob/master/ray-operator/controllers/ray/networkpolicy_controller.go
   */
  readonly operatorPeers?: readonly NetworkPolicyPeer[];
}

/** Properties of a Ray service. */
export interface TpuRayServiceProps extends TpuRayClusterOptions {
  /** The applications that Ray Serve runs. */
  readonly serveConfig: RayServeConfig;
  /**
   * How KubeRay applies changes of the cluster. `None`: not until you delete the RayService and apply it again. `NewCluster`: KubeRay
   * starts a second cluster, moves the requests to it and deletes the first one; this requires as many free slices as all groups have.
   * KubeRay always applies changes of `serveConfig` in place.
   *
   * @default 'None'
   */
  readonly upgradeStrategy?: 'None' | 'NewCluster';
}

/** Properties of a stand-alone Ray cluster. */
export interface TpuRayClusterProps extends Omit<TpuRayClusterOptions, 'operatorPeers'> {
  /**
   * Peers that can reach the dashboard (port 8265) and the Ray client server (port 10001), which run the code that they receive. A
   * NetworkPolicy rejects all other clients, except pods of the cluster, probes and the metrics collector.
   *
   * @default - no NetworkPolicy: everyone who can reach the pods
   */
  readonly allowedClients?: readonly NetworkPolicyPeer[];
}

/** Properties of a Ray job. */
export interface TpuRayJobProps extends Omit<TpuRayClusterOptions, 'allowedClients' | 'operatorPeers'> {
  /** Shell command that runs on the cluster, like `python train.py`. */
  readonly entrypoint: string;
  /** Code, packages and environment variables of the job. @default - only those of the image */
  readonly runtimeEnv?: RayRuntimeEnv;
  /** Whether KubeRay deletes the cluster when the job ends, which frees its slices. @default true */
  readonly shutdownAfterJobFinishes?: boolean;
  /** Time between the end of the job and the deletion of its cluster, in seconds. @default - 0 */
  readonly ttlSecondsAfterFinished?: number;
  /** How often KubeRay retries a failed job, each time on a new cluster. @default 0 */
  readonly backoffLimit?: number;
  /** Longest duration of the job, in seconds. @default - no limit */
  readonly activeDeadlineSeconds?: number;
}
