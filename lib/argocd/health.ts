import { type ApiObject, Chart } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { INFERENCE_POOL_GROUP } from '../facts/gateway';
import {
  APP_NAME_LABEL,
  APP_PART_OF_LABEL,
  ARGO_APP_PART_OF,
  ARGO_HEALTH_KEY_PREFIX,
  JOBSET_GROUP,
  LWS_GROUP,
  RAY_GROUP,
} from '../facts/labels';
import { checkAtSynth } from '../synth/at-synth';
import { object } from '../workload/objects';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** https://github.com/ray-project/kuberay/blob/v1.7.0/ray-operator/apis/ray/v1/rayservice_types.go */
const RAY_SERVICE = `local hs = { status = "Progressing", message = "waiting for KubeRay" }
local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end
local ready, upgrade = conditions["Ready"], conditions["UpgradeInProgress"]
if ready ~= nil then
  hs.message = ready.message
  if ready.status == "True" then
    hs.status = "Healthy"
    if upgrade ~= nil and upgrade.status == "True" then
      hs.status = "Progressing"
      hs.message = upgrade.message
    end
  elseif ready.reason == "ZeroServeEndpoints" or ready.reason == "InitializingTimeout" then
    hs.status = "Degraded"
  end
end
return hs
`;

/** https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go */
const JOB_SET = `local hs = { status = "Progressing", message = "waiting for the JobSet controller" }
if obj.status == nil then
  return hs
end
local health = { Failed = "Degraded", Completed = "Healthy", Suspended = "Suspended" }
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.status == "True" and health[condition.type] ~= nil then
    hs.status = health[condition.type]
    hs.message = condition.message
    return hs
  end
end
if obj.status.replicatedJobsStatus == nil then
  return hs
end
local ready, wanted = 0, 0
for _, job in ipairs(obj.spec.replicatedJobs) do
  wanted = wanted + (job.replicas or 1)
end
for _, job in ipairs(obj.status.replicatedJobsStatus) do
  ready = ready + (job.ready or 0)
end
hs.message = ready .. " of " .. wanted .. " jobs ready"
if ready >= wanted then
  hs.status = "Healthy"
end
return hs
`;

/** https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/controllers/leaderworkerset_controller.go */
const LEADER_WORKER_SET = `local hs = { status = "Progressing", message = "waiting for the LeaderWorkerSet controller" }
if obj.status == nil then
  return hs
end
hs.message = (obj.status.readyReplicas or 0) .. " of " .. (obj.spec.replicas or 1) .. " groups ready"
for _, condition in ipairs(obj.status.conditions or {}) do
  local seen = condition.observedGeneration or obj.metadata.generation
  if condition.type == "Available" and condition.status == "True" and seen == obj.metadata.generation then
    hs.status = "Healthy"
  end
end
return hs
`;

/** https://github.com/ray-project/kuberay/blob/v1.6.2/ray-operator/apis/ray/v1/raycluster_types.go */
const RAY_CLUSTER = `local hs = { status = "Progressing", message = "waiting for KubeRay" }
if obj.status == nil then
  return hs
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "ReplicaFailure" and condition.status == "True" then
    hs.status = "Degraded"
    hs.message = condition.message
    return hs
  end
end
if obj.status.state == "suspended" then
  hs.status = "Suspended"
  hs.message = "suspended"
  return hs
end
local seen = obj.status.observedGeneration or obj.metadata.generation
local ready, wanted = obj.status.readyWorkerReplicas or obj.status.availableWorkerReplicas or 0, obj.status.desiredWorkerReplicas or 0
hs.message = ready .. " of " .. wanted .. " workers ready"
if obj.status.state == "ready" and ready >= wanted and seen == obj.metadata.generation then
  hs.status = "Healthy"
end
return hs
`;

/** https://github.com/ray-project/kuberay/blob/v1.6.2/ray-operator/apis/ray/v1/rayjob_types.go */
const RAY_JOB = `local hs = { status = "Progressing", message = "waiting for KubeRay" }
if obj.status == nil or obj.status.jobDeploymentStatus == nil then
  return hs
end
local health = { Complete = "Healthy", Failed = "Degraded", ValidationFailed = "Degraded", Suspended = "Suspended" }
hs.status = health[obj.status.jobDeploymentStatus] or "Progressing"
hs.message = obj.status.message or obj.status.jobDeploymentStatus
if hs.status == "Healthy" and obj.status.jobStatus == "FAILED" then
  hs.status = "Degraded"
end
return hs
`;

/** https://gateway-api-inference-extension.sigs.k8s.io/reference/spec/ */
const INFERENCE_POOL = `local hs = { status = "Progressing", message = "waiting for a Gateway" }
if obj.status == nil or obj.status.parents == nil then
  return hs
end
local accepted = 0
for _, parent in ipairs(obj.status.parents) do
  for _, condition in ipairs(parent.conditions or {}) do
    local seen = condition.observedGeneration or obj.metadata.generation
    if seen == obj.metadata.generation and condition.status == "False" then
      if condition.type == "Accepted" or condition.type == "ResolvedRefs" then
        hs.status = "Degraded"
        hs.message = condition.message
        return hs
      end
    elseif seen == obj.metadata.generation and condition.type == "Accepted" and condition.status == "True" then
      accepted = accepted + 1
    end
  end
end
if accepted > 0 then
  hs.status = "Healthy"
  hs.message = "accepted"
end
return hs
`;

/**
 * Health checks in Lua for RayService, RayCluster, RayJob, InferencePool, JobSet and LeaderWorkerSet, by their keys in the ConfigMap
 * `argocd-cm`. Without these checks, Argo CD considers the objects healthy as soon as they are created.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/
 */
export const ARGO_HEALTH_CHECKS = {
  [`${ARGO_HEALTH_KEY_PREFIX}${INFERENCE_POOL_GROUP}_InferencePool`]: INFERENCE_POOL,
  [`${ARGO_HEALTH_KEY_PREFIX}${JOBSET_GROUP}_JobSet`]: JOB_SET,
  [`${ARGO_HEALTH_KEY_PREFIX}${LWS_GROUP}_LeaderWorkerSet`]: LEADER_WORKER_SET,
  [`${ARGO_HEALTH_KEY_PREFIX}${RAY_GROUP}_RayCluster`]: RAY_CLUSTER,
  [`${ARGO_HEALTH_KEY_PREFIX}${RAY_GROUP}_RayJob`]: RAY_JOB,
  [`${ARGO_HEALTH_KEY_PREFIX}${RAY_GROUP}_RayService`]: RAY_SERVICE,
} as const;

/**
 * The ConfigMap `argocd-cm` with `ARGO_HEALTH_CHECKS`. Argo CD already has a ConfigMap of this name, so add the keys to it with `kubectl
 * patch configmap argocd-cm --patch-file FILE`.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/health/
 */
export class ArgoHealthChecks extends Construct {
  /** The ConfigMap. */
  readonly configMap: ApiObject;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    checkAtSynth(this);
    this.configMap = object(
      this,
      'Resource',
      manifest<k8s.KubeConfigMapProps>(KINDS.ConfigMap, {
        metadata: {
          name: 'argocd-cm',
          namespace: Chart.of(this).namespace ?? 'argocd',
          // Argo CD ignores ConfigMaps without these labels.
          labels: { [APP_NAME_LABEL]: 'argocd-cm', [APP_PART_OF_LABEL]: ARGO_APP_PART_OF },
        },
        data: ARGO_HEALTH_CHECKS,
      }),
    );
  }
}
