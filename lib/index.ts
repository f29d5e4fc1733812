// the hardware
export { TpuSlice } from './tpu/slice';
export {
  GENERATIONS,
  MACHINE_TYPES,
  type TpuGeneration,
  type TpuGenerationFacts,
  type TpuMachineFacts,
  type TpuMachineType,
} from './tpu/generations';
export { type TopologyOn } from './tpu/topology';
export {
  BYTES_PER_PARAMETER,
  fitProblem,
  modelByName,
  modelFit,
  type ModelDtype,
  type ModelFacts,
  type ModelFit,
  type ModelFitOptions,
  type ModelMemory,
  type ModelSize,
} from './tpu/sizing';

// what goes into a pod
export {
  Capacity,
  type CapacityType,
  type ComputeClassOfSlice,
  type FlexStartOptions,
  type FlexStartQueuedOptions,
  type QueueOfSlice,
} from './pod/capacity';
export {
  type MainContainer,
  type PodFragment,
  type ResourceAmounts,
  type Resources,
  type Sidecar,
} from './pod/fragment';
export {
  GcsFuseVolume,
  type GcsFuseCache,
  type GcsFuseFileCache,
  type GcsFuseMountOptions,
  type GcsFuseSidecar,
  type GcsFuseVolumeProps,
} from './pod/gcs-fuse-volume';
export { HuggingFaceToken } from './pod/hugging-face-token';
export { type ModelCacheOptions, type MountedVolume } from './pod/model-cache';
export { PvcVolume, type PvcVolumeProps } from './pod/pvc-volume';
export { type PodSecurityLevel } from './pod/security';
export {
  startupEstimate,
  STARTUP_FACTS,
  type StartupConditions,
  type StartupEstimate,
} from './pod/startup-budget';
export { sharedMemory } from './pod/shared-memory';
export { podTemplate, type PodTemplate } from './pod/template';
export { tpuResources } from './pod/tpu';

// what the stacks share
export { type AutoscalingOptions } from './workload/autoscaling';
export { WorkloadIdentity, type WorkloadIdentityProps } from './workload/identity';
export { type MonitoringOptions, type ServerMetric } from './workload/monitoring';
export { type ServiceType } from './workload/server';
export { type TpuServerOptions } from './workload/tpu-server';

// the systems
export { FlexStartJob, type FlexStartJobProps } from './stacks/flex-start-job';
export { SaxCell, type SaxCellProps, type SaxImages } from './stacks/sax-cell';
export {
  CheckpointConverter,
  ConvertedCheckpoint,
  type CheckpointConverterProps,
  type ConvertedCheckpointProps,
} from './stacks/checkpoint-converter';
export { JetStreamMetric } from './stacks/jetstream-metrics';
export {
  JetStreamServer,
  type CheckpointWeights,
  type HuggingFaceWeights,
  type JetStreamServerOptions,
  type JetStreamServerProps,
} from './stacks/jetstream-server';
export { VllmMetric } from './stacks/vllm-metrics';
export { VllmServer, type VllmServerProps } from './stacks/vllm-server';
export {
  TpuRayService,
  type RayHeadGroup,
  type TpuRayServiceProps,
  type TpuRayWorkerGroup,
} from './stacks/tpu-ray-service';
export {
  type JsonValue,
  type RayActorOptions,
  type RayRuntimeEnv,
  type RayServeApplication,
  type RayServeAutoscalingConfig,
  type RayServeConfig,
  type RayServeDeployment,
  type RayServeHttpOptions,
} from './stacks/ray-serve-config';

// where capacity comes from
export { TpuComputeClass, type TpuComputeClassProps } from './platform/compute-class';
export { TpuQueue, type TpuQueueProps } from './platform/queue';

// what they run on
export {
  ContainerCluster,
  ContainerNodePools,
  StorageBucket,
  type ContainerClusterProps,
  type ContainerNodePoolsProps,
  type StorageBucketProps,
} from './platform/config-connector';
export {
  IamPolicyMember,
  IamServiceAccount,
  WorkloadRoles,
  type IamPolicyMemberProps,
  type IamResource,
  type IamServiceAccountProps,
  type WorkloadRolesProps,
} from './platform/iam';
export { NodePool, type NodePoolAutoscaling, type NodePoolProps } from './platform/node-pool';
export { ShellCommand } from './workload/shell-command';

// how they get there
export {
  ArgoApplication,
  type ArgoApplicationProps,
  type ArgoAutomatedSync,
  type ArgoRetry,
} from './platform/argo-application';
export { ARGO_HEALTH_CHECKS, ArgoHealthChecks } from './platform/argo-health';
export { type ArgoIgnoredDifference } from './platform/argo-sync';

export { CONTROLLERS, type ControllerRequirement } from './workload/controllers';
export { POD_SECURITY_LEVELS, type PodSecurityRow } from './stacks/pod-security';

// what is done with them
export { type ImageBuild, type RunbookOptions } from './runbook/options';
export { type RunbookPrerequisite } from './runbook/prerequisites';
export { Runbook, type RunbookPlaceholder } from './runbook/runbook';
export { type RunbookSection } from './runbook/sections';
export { writeRunbooks } from './runbook/write';
export { type RunbookStep } from './workload/operations';

// what happens at synth
export { App } from './app';
export { acceptFinding } from './checks/at-synth';
export { override, type ManifestPatch, type ManifestValue } from './override';

export { InvalidInputError } from './problems';
