// hardware
export { TpuSlice } from './tpu/slice';
export {
  GENERATIONS,
  MACHINE_TYPES,
  type TpuGeneration,
  type TpuGenerationFacts,
  type TpuMachineFacts,
  type TpuMachineType,
} from './tpu/generations';
export type { NotATopology, SuggestedTopology, TopologyOn } from './tpu/topology-types';
export type * as TopologyTypes from './tpu/topology-types';
export { modelFit, type ModelFit, type ModelFitOptions, type SizedSlice } from './tpu/for-model';
export { type KvCacheDtype } from './tpu/memory';
export { type ModelCacheFacts, type ModelFacts, type SizedModel } from './tpu/model-facts';
export { modelByName, type ModelByName } from './tpu/model-names';
export {
  knownModels,
  type ExpertsConfiguration,
  type FullAttentionConfiguration,
  type LatentAttentionConfiguration,
  type LayerAttention,
  type LinearAttentionConfiguration,
  type ModelConfiguration,
  type ReusingConfiguration,
  type VisionConfiguration,
  type WeightFormat,
} from './tpu/models';

// parts of pods
export {
  Capacity,
  type CapacityOptions,
  type DynamicSliceOptions,
  type CapacityType,
  type FlexStartOptions,
  type FlexStartQueuedOptions,
} from './pod/capacity';
export {
  type MainContainer,
  type PodFragment,
  type ResourceAmounts,
  type ResourceRequirements,
  type SidecarContainer,
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
export { startupEstimate, type StartupConditions, type StartupEstimate } from './pod/startup-budget';
export { sharedMemory } from './pod/shared-memory';
export { podTemplate, type PodTemplate, type PodTemplateParts } from './pod/template';
export { tpuResources } from './pod/tpu';

// shared options
export { type AutoscalingOptions, type PoolOfSlices, type Scaler } from './workload/autoscaling';
export { type AutoscalingBehavior, type ScalingPolicy, type ScalingRules } from './workload/behavior';
export { type KedaOptions } from './workload/keda';
export {
  GcsFusePersistentVolume,
  type BucketContents,
  type GcsFusePersistentVolumeProps,
} from './platform/gcs-fuse-persistent-volume';
export { WorkloadIdentity, type WorkloadIdentityProps } from './platform/workload-identity';
export { type MonitoringOptions, type ServerMetric } from './workload/monitoring';
export {
  type AccessProps,
  type DisruptionBudgetProps,
  type ExtraPort,
  type ImageProps,
  type LifecycleProps,
  type PodProps,
  type ProbeProps,
  type ProbesProps,
  type ReplicaProps,
  type ReplicaCount,
  type RollingUpdate,
  type ServiceType,
  type SliceProps,
} from './workload/vocabulary';
export { type NamedResource } from './problems/schema';
export { type TpuServerOptions } from './servers/server';

// servers and jobs
export {
  type TpuServerMonitoringOptions,
  type TpuServerProps,
  type TpuServerRequest,
  type TpuServerWorker,
} from './servers/any/props';
export { TpuServer } from './servers/any/server';
export { FlexStartJob } from './jobs/flex-start-job';
export { type FlexStartJobProps, type JobOptions, type TpuJobProps } from './jobs/props';
export { TpuJob } from './jobs/tpu-job';
export { SaxCell } from './servers/saxml/cell';
export { type SaxCellProps, type SaxImages } from './servers/saxml/props';
export {
  JetStreamCheckpoint,
  type JetStreamCheckpointProps,
  JetStreamVolumeCheckpoint,
  type JetStreamVolumeCheckpointProps,
} from './servers/jetstream/checkpoint';
export { JetStreamCheckpointConverter } from './servers/jetstream/converter';
export { type JetStreamCheckpointConverterProps } from './servers/jetstream/converter-props';
export { JetStreamMetric } from './servers/jetstream/metrics';
export {
  type JetStreamCheckpointWeights,
  type JetStreamHuggingFaceWeights,
  type JetStreamImages,
  type JetStreamMonitoringOptions,
  type JetStreamServerOptions,
  type JetStreamServerProps,
} from './servers/jetstream/props';
export { JetStreamServer } from './servers/jetstream/server';
export { VllmMetric } from './servers/vllm/metrics';
export {
  type VllmApiKey,
  type VllmDtype,
  type VllmKvOffload,
  type VllmOptions,
  type VllmQuantization,
} from './servers/vllm/options';
export { type VllmServerProps } from './servers/vllm/props';
export { VllmServer } from './servers/vllm/server';
export {
  type RayCpuWorkerGroup,
  type RayHeadGroup,
  type RayPodProps,
  type TpuRayClusterOptions,
  type TpuRayClusterProps,
  type TpuRayJobProps,
  type TpuRayServiceProps,
  type TpuRayWorkerGroup,
} from './servers/ray/props';
export { TpuRayCluster } from './servers/ray/ray-cluster';
export { TpuRayJob } from './servers/ray/ray-job';
export { TpuRayService } from './servers/ray/service';
export {
  type RayActorOptions,
  type RayRuntimeEnv,
  type RayServeApplication,
  type RayServeAutoscalingConfig,
  type RayServeConfig,
  type RayServeDeployment,
  type RayServeHttpOptions,
} from './servers/ray/serve-config';

// gateways
export { InferenceGateway } from './gateway/inference-gateway';
export { type AllowedRoutes, type InferenceGatewayProps, type InferenceRoute } from './gateway/gateway-props';
export { InferencePool } from './gateway/inference-pool';
export { type PoolServer } from './gateway/members';
export { PickerMetric, type PoolMetric } from './gateway/metrics';
export { type FlowControlOptions } from './gateway/flow-control';
export { type PoolAutoscalingOptions, type PoolMetricTarget, type PoolScaler } from './gateway/autoscaling';
export {
  type EndpointFilter,
  type EndpointPickerPlugin,
  type EndpointPickerProps,
  type EndpointScorer,
  type HealthCheckOptions,
  type InferencePoolProps,
  type ModelRewrite,
} from './gateway/props';

// capacity
export { TpuComputeClass, type TpuComputeClassProps } from './platform/compute-class';
export { TpuQueue, type TpuQueueProps } from './platform/queue';

// clusters and cloud resources
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
export { ShellCommand } from './operations/shell-command';

// Argo CD
export {
  ArgoApplication,
  type ArgoApplicationProps,
  type ArgoAutomatedSync,
  type ArgoRetry,
} from './argocd/application';
export { ARGO_HEALTH_CHECKS, ArgoHealthChecks } from './argocd/health';
export { type ArgoIgnoredDifference } from './argocd/sync';

// runbooks
export { type ImageBuild, type RunbookOptions } from './runbook/options';
export { type RunbookPrerequisite } from './runbook/prerequisites';
export { type RunbookPlaceholder } from './runbook/placeholders';
export { Runbook } from './runbook/runbook';
export { type RunbookSection } from './runbook/sections';
export { writeRunbooks } from './runbook/write';
export { type RunbookStep } from './operations/operations';

// synthesis
export { App } from './synth/app';
export { acceptFinding, findings, type FindingsOptions } from './synth/findings';
export { type Finding } from './checks/check';
export { type Severity } from './checks/rule';
export { override, type ManifestPatch, type ManifestValue } from './synth/override';

export { InvalidInputError, type Problem } from './problems/problems';
