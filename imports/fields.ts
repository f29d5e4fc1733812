// Written by `npm run import`.
// monitoring.googleapis.com_podmonitorings.yaml: GoogleCloudPlatform/prometheus-engine HEAD 2ffde4ec7b7e4ca1da4e32f36b692945b78a60e4
// gateway.networking.k8s.io_gateways.yaml: kubernetes-sigs/gateway-api v1.6.1 8bb74df00e56ec8f944d48c25e6c1c9c2f6848e3
// gateway.networking.k8s.io_httproutes.yaml: kubernetes-sigs/gateway-api v1.6.1 8bb74df00e56ec8f944d48c25e6c1c9c2f6848e3
// inference.networking.k8s.io_inferencepools.yaml: kubernetes-sigs/gateway-api-inference-extension v1.6.0 992e5c292afb248801ce8d9234eb5b9d28eea231
// llm-d.ai_inferencemodelrewrites.yaml: llm-d/llm-d-router v0.10.0 71f4f0999f95b96c49a9d0c4afbd18dfdb943c26
// llm-d.ai_inferenceobjectives.yaml: llm-d/llm-d-router v0.10.0 71f4f0999f95b96c49a9d0c4afbd18dfdb943c26
// networking.gke.io_gcpbackendpolicies.yaml: GoogleCloudPlatform/gke-gateway-api HEAD fc40d606a5332f11a8883f85caff66b63c4e88ef
// networking.gke.io_healthcheckpolicies.yaml: GoogleCloudPlatform/gke-gateway-api HEAD fc40d606a5332f11a8883f85caff66b63c4e88ef
// ray.io_rayservices.yaml: ray-project/kuberay v1.7.0 59d663aeec13760646da3db9c1cf8cfe883e30b7
// jobset.x-k8s.io_jobsets.yaml: kubernetes-sigs/jobset v0.12.0 f22e565ac3cc3265c7c45ef67ecffdc689af5d77
// container.cnrm.cloud.google.com_containerclusters.yaml: GoogleCloudPlatform/k8s-config-connector v1.155.1 033afecec0b66d43ca04d9bfc20b43e4453c2a09
// container.cnrm.cloud.google.com_containernodepools.yaml: GoogleCloudPlatform/k8s-config-connector v1.155.1 033afecec0b66d43ca04d9bfc20b43e4453c2a09
// storage.cnrm.cloud.google.com_storagebuckets.yaml: GoogleCloudPlatform/k8s-config-connector v1.155.1 033afecec0b66d43ca04d9bfc20b43e4453c2a09
// iam.cnrm.cloud.google.com_iamserviceaccounts.yaml: GoogleCloudPlatform/k8s-config-connector v1.155.1 033afecec0b66d43ca04d9bfc20b43e4453c2a09
// iam.cnrm.cloud.google.com_iampolicymembers.yaml: GoogleCloudPlatform/k8s-config-connector v1.155.1 033afecec0b66d43ca04d9bfc20b43e4453c2a09
// cloud.google.com_computeclasses.yaml: datreeio/CRDs-catalog HEAD 7b1e26ef9deea49293714d204c1a2270aab1178f
// kueue.x-k8s.io_resourceflavors.yaml: kubernetes-sigs/kueue v0.19.2 8eab68778fc1b52affe165fdf5af29d1e9b4f3cb
// kueue.x-k8s.io_clusterqueues.yaml: kubernetes-sigs/kueue v0.19.2 8eab68778fc1b52affe165fdf5af29d1e9b4f3cb
// kueue.x-k8s.io_localqueues.yaml: kubernetes-sigs/kueue v0.19.2 8eab68778fc1b52affe165fdf5af29d1e9b4f3cb
// kueue.x-k8s.io_admissionchecks.yaml: kubernetes-sigs/kueue v0.19.2 8eab68778fc1b52affe165fdf5af29d1e9b4f3cb
// kueue.x-k8s.io_provisioningrequestconfigs.yaml: kubernetes-sigs/kueue v0.19.2 8eab68778fc1b52affe165fdf5af29d1e9b4f3cb
// argoproj.io_applications.yaml: argoproj/argo-cd v3.5.1 109ca7ca71139e514114499d294a492e7910a965
// leaderworkerset.x-k8s.io_leaderworkersets.yaml: kubernetes-sigs/lws v0.10.0 2161f38ff333f9e24d3c44adef7cd5d9787cac00
// keda.sh_scaledobjects.yaml: kedacore/keda v2.20.2 v2.20.2
// kubernetes.v1.29.json: kubernetes/kubernetes v1.29.14 v1.29.14
// kubernetes.v1.35.json: kubernetes/kubernetes v1.35.4 v1.35.4
// kubernetes.v1.37.json: kubernetes/kubernetes v1.37.2 v1.37.2
// ray.io_rayclusters.yaml: ray-project/kuberay v1.7.0 59d663aeec13760646da3db9c1cf8cfe883e30b7
// ray.io_rayjobs.v1.4.yaml: ray-project/kuberay v1.4.2 v1.4.2
// ray.io_rayjobs.yaml: ray-project/kuberay v1.7.0 59d663aeec13760646da3db9c1cf8cfe883e30b7
// kueue.x-k8s.io_topologies.yaml: kubernetes-sigs/kueue v0.19.2 8eab68778fc1b52affe165fdf5af29d1e9b4f3cb
// monitoring.coreos.com_podmonitors.yaml: prometheus-operator/prometheus-operator v0.93.0 v0.93.0
// monitoring.coreos.com_servicemonitors.yaml: prometheus-operator/prometheus-operator v0.93.0 v0.93.0
// gateway.networking.k8s.io_gateways.v1.4-experimental.yaml: kubernetes-sigs/gateway-api v1.4.1 v1.4.1
// gateway.networking.k8s.io_httproutes.v1.4-experimental.yaml: kubernetes-sigs/gateway-api v1.4.1 v1.4.1
// gateway.networking.k8s.io_gateways.v1.6-experimental.yaml: kubernetes-sigs/gateway-api v1.6.1 v1.6.1
// gateway.networking.k8s.io_httproutes.v1.6-experimental.yaml: kubernetes-sigs/gateway-api v1.6.1 v1.6.1
// gateway.networking.k8s.io_gateways.v1.7-experimental.yaml: kubernetes-sigs/gateway-api v1.7.0 v1.7.0
// gateway.networking.k8s.io_httproutes.v1.7-experimental.yaml: kubernetes-sigs/gateway-api v1.7.0 v1.7.0
// argoproj.io_applications.v3.6.yaml: argoproj/argo-cd v3.6.1 v3.6.1

/** The releases that the kinds below are taken from. */
export const RELEASES = `
prometheus-engine 2ffde4e
gateway-api v1.7.0
gateway-api-inference-extension v1.6.0
llm-d-router v0.10.0
gke-gateway-api fc40d60
kuberay v1.7.0
jobset v0.12.0
k8s-config-connector v1.155.1
CRDs-catalog 7b1e26e
kueue v0.19.2
argo-cd v3.6.1
lws v0.10.0
keda v2.20.2
kubernetes v1.37.2
prometheus-operator v0.93.0
`;

/** Each kind: its apiVersion, its name, the line of its type below, and the line of its release above, counted from 0. */
export const KINDS = `
apps/v1 ControllerRevision cu 13
apps/v1 DaemonSet cy 13
apps/v1 Deployment d0 13
apps/v1 ReplicaSet d2 13
apps/v1 StatefulSet db 13
argoproj.io/v1alpha1 Application hz 10
autoscaling/v1 HorizontalPodAutoscaler de 13
autoscaling/v2 HorizontalPodAutoscaler dn 13
batch/v1 CronJob dy 13
batch/v1 Job dz 13
cloud.google.com/v1 ComputeClass ar 8
container.cnrm.cloud.google.com/v1beta1 ContainerCluster 8x 7
container.cnrm.cloud.google.com/v1beta1 ContainerNodePool 97 7
gateway.networking.k8s.io/v1 Gateway hm 1
gateway.networking.k8s.io/v1 HTTPRoute hr 1
gateway.networking.k8s.io/v1beta1 Gateway hm 1
gateway.networking.k8s.io/v1beta1 HTTPRoute hr 1
iam.cnrm.cloud.google.com/v1beta1 IAMPolicyMember 9w 7
iam.cnrm.cloud.google.com/v1beta1 IAMServiceAccount 9p 7
inference.networking.k8s.io/v1 InferencePool 1h 2
jobset.x-k8s.io/v1alpha2 JobSet 6n 6
keda.sh/v1alpha1 ScaledObject ct 12
kueue.x-k8s.io/v1beta1 AdmissionCheck bf 9
kueue.x-k8s.io/v1beta1 ClusterQueue b6 9
kueue.x-k8s.io/v1beta1 LocalQueue bd 9
kueue.x-k8s.io/v1beta1 ProvisioningRequestConfig bm 9
kueue.x-k8s.io/v1beta1 ResourceFlavor au 9
kueue.x-k8s.io/v1beta1 Topology gt 9
kueue.x-k8s.io/v1beta2 AdmissionCheck bh 9
kueue.x-k8s.io/v1beta2 ClusterQueue bb 9
kueue.x-k8s.io/v1beta2 LocalQueue bd 9
kueue.x-k8s.io/v1beta2 ProvisioningRequestConfig bm 9
kueue.x-k8s.io/v1beta2 ResourceFlavor au 9
kueue.x-k8s.io/v1beta2 Topology gt 9
leaderworkerset.x-k8s.io/v1 LeaderWorkerSet ch 11
llm-d.ai/v1alpha2 InferenceModelRewrite 1m 3
llm-d.ai/v1alpha2 InferenceObjective 1o 3
monitoring.coreos.com/v1 PodMonitor h4 14
monitoring.coreos.com/v1 ServiceMonitor h8 14
monitoring.googleapis.com/v1 PodMonitoring h 0
monitoring.googleapis.com/v1alpha1 PodMonitoring k 0
networking.gke.io/v1 GCPBackendPolicy 1w 4
networking.gke.io/v1 HealthCheckPolicy 24 4
networking.k8s.io/v1 Ingress f8 13
networking.k8s.io/v1 IngressClass fb 13
networking.k8s.io/v1 NetworkPolicy fd 13
networking.k8s.io/v1 ServiceCIDR ft 13
policy/v1 PodDisruptionBudget ff 13
ray.io/v1 RayCluster gg 5
ray.io/v1 RayJob go 5
ray.io/v1 RayService 5t 5
ray.io/v1alpha1 RayCluster gh 5
ray.io/v1alpha1 RayJob gq 5
ray.io/v1alpha1 RayService 5z 5
rbac.authorization.k8s.io/v1 ClusterRole fi 13
rbac.authorization.k8s.io/v1 ClusterRoleBinding fj 13
rbac.authorization.k8s.io/v1 Role fk 13
rbac.authorization.k8s.io/v1 RoleBinding fj 13
resource.k8s.io/v1 DeviceClass fz 13
resource.k8s.io/v1 DeviceTaintRule gf 13
resource.k8s.io/v1 ResourceClaim g9 13
resource.k8s.io/v1 ResourceClaimTemplate gb 13
scheduling.k8s.io/v1 PriorityClass fl 13
storage.cnrm.cloud.google.com/v1beta1 StorageBucket 9n 7
storage.k8s.io/v1 CSIDriver fo 13
storage.k8s.io/v1 StorageClass fr 13
storage.k8s.io/v1 VolumeAttributesClass gc 13
v1 ConfigMap e0 13
v1 Endpoints e5 13
v1 LimitRange e8 13
v1 Namespace ea 13
v1 PersistentVolume eo 13
v1 PersistentVolumeClaim ep 13
v1 Pod eq 13
v1 PodTemplate er 13
v1 ReplicationController et 13
v1 ResourceQuota ex 13
v1 Secret ey 13
v1 Service ez 13
v1 ServiceAccount f0 13
`;

/**
 * Each type: its fields, with the number of the type below them to the base of 36. `*` is any key, and `...` says that there
 * are more fields. Below a field without a number, anything can be.
 */
export const TYPES = `
apiVersion fieldsType fieldsV1 manager operation subresource time
apiVersion blockOwnerDeletion controller kind name uid
annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName generation labels managedFields:0 name namespace ownerReferences:1 resourceVersion selfLink uid
key name namespace
secret:3
credentials:4 type
password:4 username
action modulus regex replacement separator sourceLabels targetLabel
ca:4 cert:4 insecureSkipVerify key:4 maxVersion minVersion serverName
clientID clientSecret:4 endpointParams proxyUrl scopes tlsConfig:8 tokenURL
authorization:5 basicAuth:6 interval metricRelabeling:7 oauth2:9 params path port proxyUrl scheme timeout tls:8
labelNameLength labelValueLength labels samples
key operator values
matchExpressions:c matchLabels
from to
fromPod:e metadata:2
endpoints:a filterRunning limits:b selector:d targetLabels:f
apiVersion kind metadata:2 spec:g status
interval metricRelabeling:7 params path port proxyUrl scheme timeout
endpoints:i limits:b selector:d targetLabels:f
apiVersion kind metadata:2 spec:j status
type value
from selector:d
namespaces:m
group kind name
annotations labels parametersRef:o
group kind
kinds:q namespaces:m
group kind name namespace
certificateRefs:s mode options
clientCertificateRef:s
caCertificateRefs:s mode
validation:v
port tls:w
default:w perPort:x
backend:u frontend:y
group kind name namespace port sectionName
allowCredentials allowHeaders allowMethods allowOrigins exposeHeaders maxAge
name value
add:12 remove set:12
group kind name namespace port
denominator numerator
backendRef:14 fraction:15 percent
replaceFullPath replacePrefixMatch type
hostname path:17 port scheme statusCode
hostname path:17
name type value
headers:1a method path:l queryParams:1a
backendRequest request
number
failureMode group kind name port:1d
matchLabels
appProtocol endpointPickerRef:1e selector:1f targetPorts:1d
apiVersion kind metadata:2 spec:1g status
model:l
modelRewrite weight
matches:1i targets:1j
poolRef:o rules:1k
apiVersion kind metadata:2 spec:1l status
poolRef:o priority
apiVersion kind metadata:2 spec:1n status
drainingTimeoutSec
name
clientID enabled oauth2ClientSecret:1q
enabled sampleRate
cookieTtlSec type
backendPreference connectionDraining:1p iap:1r logging:1s maxRatePerEndpoint securityPolicy sessionAffinity:1t timeoutSec
default:1u targetRef:s
apiVersion kind metadata:2 spec:1v status
grpcServiceName port portName portSpecification
host port portName portSpecification proxyHeader requestPath response
port portName portSpecification proxyHeader request response
grpcHealthCheck:1x http2HealthCheck:1y httpHealthCheck:1y httpsHealthCheck:1y tcpHealthCheck:1z type
enabled
checkIntervalSec config:20 healthyThreshold logConfig:21 timeoutSec unhealthyThreshold
default:22 targetRef:s
apiVersion kind metadata:2 spec:23 status
enableK8sTokenAuth mode secretName
key name optional
apiVersion fieldPath
key optional path volumeName
containerName divisor resource
configMapKeyRef:26 fieldRef:27 fileKeyRef:28 resourceFieldRef:29 secretKeyRef:26
name value valueFrom:2a
name optional
configMapRef:2c prefix secretRef:2c
name request
claims:2e limits requests
localhostProfile type
add drop
level role type user
gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName
allowPrivilegeEscalation appArmorProfile:2g capabilities:2h privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions:2i seccompProfile:2g windowsOptions:2j
mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr
args command env:2b envFrom:2d idleTimeoutSeconds image imagePullPolicy resources:2f securityContext:2k upscalingMode version volumeMounts:2l
value valueFrom:2a
accessModes claimName deletionPolicy size storageClassName subPath
backend externalStorageNamespace redisAddress redisPassword:2n redisUsername:2n storage:2o
appProtocol name nodePort port protocol targetPort
timeoutSeconds
clientIP:2r
allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName externalTrafficPolicy healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges ports:2q publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig:2s trafficDistribution type
lastTransitionTime message observedGeneration reason status type
error port protocol
hostname ip ipMode ports:2v
ingress:2w
conditions:2u loadBalancer:2x
apiVersion kind metadata:2 spec:2t status:2y
hosts secretName
host path pathType tls:30
matchExpressions:c matchFields:c
preference:32 weight
nodeSelectorTerms:32
preferredDuringSchedulingIgnoredDuringExecution:33 requiredDuringSchedulingIgnoredDuringExecution:34
labelSelector:d matchLabelKeys mismatchLabelKeys namespaceSelector:d namespaces topologyKey
podAffinityTerm:36 weight
preferredDuringSchedulingIgnoredDuringExecution:37 requiredDuringSchedulingIgnoredDuringExecution:36
nodeAffinity:35 podAffinity:38 podAntiAffinity:38
command
host httpHeaders:12 path port protocol scheme
seconds
host port
exec:3a httpGet:3b sleep:3c tcpSocket:3d
postStart:3e preStop:3e stopSignal
mode port service
exec:3a failureThreshold grpc:3g httpGet:3b initialDelaySeconds periodSeconds successThreshold tcpSocket:3d terminationGracePeriodSeconds timeoutSeconds
containerPort hostIP hostPort name protocol
resourceName restartPolicy
operator values
action exitCodes:3k
devicePath name
bindMountOptions mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr
args command env:2b envFrom:2d image imagePullPolicy lifecycle:3f livenessProbe:3h name ports:3i readinessProbe:3h resizePolicy:3j resources:2f restartPolicy restartPolicyRules:3l securityContext:2k startupProbe:3h stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices:3m volumeMounts:3n workingDir
nameservers options:12 searches
args command env:2b envFrom:2d image imagePullPolicy lifecycle:3f livenessProbe:3h name ports:3i readinessProbe:3h resizePolicy:3j resources:2f restartPolicy restartPolicyRules:3l securityContext:2k startupProbe:3h stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty volumeDevices:3m volumeMounts:3n workingDir
name priority
hostnames ip
conditionType
resourceClaimName resourceClaimTemplateName
name resourceClaimName resourceClaimTemplateName source:3u
podGroupName
appArmorProfile:2g fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy seLinuxOptions:2i seccompProfile:2g supplementalGroups supplementalGroupsPolicy sysctls:12 windowsOptions:2j
effect key operator tolerationSeconds value
labelSelector:d matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable
fsType partition readOnly volumeID
cachingMode diskName diskURI fsType kind readOnly
readOnly secretName shareName
monitors path readOnly secretFile secretRef:1q user
fsType readOnly secretRef:1q volumeID
key mode path user
defaultMode defaultUser items:45 name optional
driver fsType nodePublishSecretRef:1q readOnly volumeAttributes
fieldRef:27 mode path resourceFieldRef:29 user
defaultMode defaultUser items:48
medium mode sizeLimit
apiGroup kind name
apiGroup kind name namespace
limits requests
accessModes dataSource:4b dataSourceRef:4c resources:4d selector:d storageClassName volumeAttributesClassName volumeMode volumeName
metadata:2 spec:4e
volumeClaimTemplate:4f
fsType lun readOnly targetWWNs wwids
driver fsType options readOnly secretRef:1q
datasetName datasetUUID
fsType partition pdName readOnly
directory repository revision
endpoints path readOnly
path type
pullPolicy reference
chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals readOnly secretRef:1q targetPortal
path readOnly server
claimName readOnly
fsType pdID
fsType readOnly volumeID
labelSelector:d name optional path signerName user
items:45 name optional
items:48
certificateChainPath credentialBundlePath keyPath keyType maxExpirationSeconds signerName user userAnnotations
audience expirationSeconds path user
clusterTrustBundle:4u configMap:4v downwardAPI:4w podCertificate:4x secret:4v serviceAccountToken:4y
defaultMode defaultUser sources:4z
group readOnly registry tenant user volume
fsType image keyring monitors pool readOnly secretRef:1q user
fsType gateway protectionDomain readOnly secretRef:1q sslEnabled storageMode storagePool system volumeName
defaultMode defaultUser items:45 optional secretName
fsType readOnly secretRef:1q volumeName volumeNamespace
fsType storagePolicyID storagePolicyName volumePath
awsElasticBlockStore:40 azureDisk:41 azureFile:42 cephfs:43 cinder:44 configMap:46 csi:47 downwardAPI:49 emptyDir:4a ephemeral:4g fc:4h flexVolume:4i flocker:4j gcePersistentDisk:4k gitRepo:4l glusterfs:4m hostPath:4n image:4o iscsi:4p name nfs:4q persistentVolumeClaim:4r photonPersistentDisk:4s portworxVolume:4t projected:50 quobyte:51 rbd:52 scaleIO:53 secret:54 storageos:55 vsphereVolume:56
name podGroup podGroupReplicaKey
activeDeadlineSeconds affinity:39 automountServiceAccountToken containers:3o dnsConfig:3p dnsPolicy enableServiceLinks ephemeralContainers:3q evictionResponders:3r hostAliases:3s hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets:1q initContainers:3o nodeName nodeSelector os:1q overhead preemptionPolicy priority priorityClassName readinessGates:3t resourceClaims:3v resources:2f restartPolicy runtimeClassName schedulerName schedulingGates:1q schedulingGroup:3w securityContext:3x serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations:3y topologySpreadConstraints:3z volumes:57 workloadRef:58
metadata:2 spec:59
enableIngress headService:2z ingressOptions:31 labels rayStartParams resources serviceType template:5a
env:2b image imagePullPolicy resources:2f
collectorOptions:5c
endPort port protocol
cidr except
ipBlock:5f namespaceSelector:d podSelector:d
ports:5e to:5g
from:5g ports:5e
egressRules:5h ingressRules:5i
egressRules:5h groupName ingressRules:5i
head:5j mode worker:5j workerGroups:5k
type
workersToDelete
groupName idleTimeoutSeconds labels maxReplicas minReplicas numOfHosts priority rayStartParams replicas resources scaleStrategy:5n suspend template:5a
authOptions:25 autoscalerOptions:2m enableInTreeAutoscaling gcsFaultToleranceOptions:2p headGroupSpec:5b headServiceAnnotations historyServerOptions:5d managedBy networkPolicy:5l rayVersion suspend tlsOptions:21 upgradeStrategy:5m workerGroupSpecs:5o
gatewayClassName intervalSeconds maxSurgePercent stepSizePercent
clusterUpgradeOptions:5q type
deploymentUnhealthySecondThreshold excludeHeadPodFromServeSvc managedBy rayClusterConfig:5p rayClusterDeletionDelaySeconds serveConfigV2 serveService:2z serviceUnhealthySecondThreshold suspend upgradeStrategy:5r
apiVersion kind metadata:2 spec:5s status
env:2b envFrom:2d idleTimeoutSeconds image imagePullPolicy resources:2f securityContext:2k upscalingMode volumeMounts:2l
enableIngress headService:2z rayStartParams serviceType template:5a
groupName maxReplicas minReplicas rayStartParams replicas scaleStrategy:5n template:5a
autoscalerOptions:5u enableInTreeAutoscaling headGroupSpec:5v headServiceAnnotations rayVersion suspend workerGroupSpecs:5w
deploymentUnhealthySecondThreshold rayClusterConfig:5x serveConfigV2 serveService:2z serviceUnhealthySecondThreshold
apiVersion kind metadata:2 spec:5y status
jobIndex podIndex replicatedJob
action name onJobFailureMessagePatterns onJobFailureReasons targetReplicatedJobs
maxRestarts restartStrategy rules:61
enableDNSHostnames publishNotReadyAddresses subdomain
name status
containerName operator values
status type
action onExitCodes:65 onPodConditions:66
rules:67
succeededCount succeededIndexes
rules:69
activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy:68 podReplacementPolicy selector:d successPolicy:6a suspend template:5a ttlSecondsAfterFinished
metadata:2 spec:6b
dependsOn:64 groupName name replicas template:6c
startupPolicyOrder
operator targetReplicatedJobs
whenDeleted
lastProbeTime lastTransitionTime message reason status type
status targetVolumeAttributesClassName
accessModes allocatedResourceStatuses allocatedResources capacity conditions:6h currentVolumeAttributesClassName modifyVolumeStatus:6i phase
apiVersion kind metadata:2 spec:4e status:6j
retentionPolicy:6g templates:6k
coordinator:60 failurePolicy:62 managedBy network:63 replicatedJobs:6d startupPolicy:6e successPolicy:6f suspend ttlSecondsAfterFinished volumeClaimPolicies:6l
apiVersion kind metadata:2 spec:6m status
disabled loadBalancerType
disabled
auth disabled
cloudrunConfig:6o configConnectorConfig:21 dnsCacheConfig:21 gcePersistentDiskCsiDriverConfig:21 gcpFilestoreCsiDriverConfig:21 gcsFuseCsiDriverConfig:21 gkeBackupAgentConfig:21 horizontalPodAutoscaling:6p httpLoadBalancing:6p istioConfig:6q kalmConfig:21 networkPolicyConfig:6p parallelstoreCsiDriverConfig:21
securityGroup
enabled evaluationMode
external name namespace
autoUpgradeStartTime description
autoRepair autoUpgrade upgradeOptions:6v
enableIntegrityMonitoring enableSecureBoot
batchNodeCount batchPercentage batchSoakDuration
nodePoolSoakDuration standardRolloutPolicy:6y
blueGreenSettings:6z maxSurge maxUnavailable strategy
bootDiskKMSKeyRef:6u diskSize imageType management:6w minCpuPlatform oauthScopes serviceAccountRef:6u shieldedInstanceConfig:6x upgradeSettings:70
maximum minimum resourceType
autoProvisioningDefaults:71 autoscalingProfile defaultComputeClassConfig:21 enabled resourceLimits:72
confidentialInstanceType enabled
allowExternalTraffic enableK8sTokensViaDns
dnsEndpointConfig:75 ipEndpointsConfig:21
keyName state
clusterDns clusterDnsDomain clusterDnsScope
enabledApis
channel
podIpv4RangeNames status subnetworkRef:6u
podRangeNames
additionalIpRangesConfigs:7b additionalPodRangesConfig:7c clusterIpv4CidrBlock clusterSecondaryRangeName podCidrOverprovisionConfig:6p servicesIpv4CidrBlock servicesSecondaryRangeName stackType
enableComponents
duration startTime
scope
endTime exclusionName exclusionOptions:7g startTime
endTime recurrence startTime
dailyMaintenanceWindow:7f maintenanceExclusion:7h recurringWindow:7i
issueClientCertificate
key name
secretKeyRef:7l
value valueFrom:7m
clientCertificate clientCertificateConfig:7k clientKey clusterCaCertificate password:7n username
cidrBlock displayName
cidrBlocks:7p gcpPublicCidrsAccessEnabled
enableCertificates
enableMetrics relayMode
advancedDatapathObservabilityConfig:7s enableComponents managedPrometheus:21
enabled provider
enableNestedVirtualization threadsPerCore
secretRef:6u
fqdns gcpSecretManagerCertificateConfig:7w
certificateAuthorityDomainConfig:7x enabled
cert:7w key:7w
key value
ca:7w capabilities client:7z dialTimeout header:80 host overridePath
hosts:81 server
privateRegistryAccessConfig:7y registryHosts:82 writableCgroups:21
localSsdCount
dataCacheCount localSsdCount
gpuDriverVersion
gpuSharingStrategy maxSharedClientsPerGpu
count gpuDriverInstallationConfig:86 gpuPartitionSize gpuSharingConfig:87 type
maintenanceInterval
cpuCfsQuota cpuCfsQuotaPeriod cpuManagerPolicy imageGcHighThresholdPercent imageGcLowThresholdPercent imageMaximumGcAge imageMinimumGcAge podPidsLimit
cgroupMode sysctls
consumeReservationType key values
sandboxType
nodeAffinity:c
effect key value
mode nodeMetadata
advancedMachineFeatures:7v bootDiskKMSCryptoKeyRef:6u confidentialNodes:74 containerdConfig:83 diskSizeGb diskType ephemeralStorageConfig:84 ephemeralStorageLocalSsdConfig:85 fastSocket:21 gcfsConfig:21 guestAccelerator:88 gvnic:21 hostMaintenancePolicy:89 imageType kubeletConfig:8a labels linuxNodeConfig:8b localNvmeSsdBlockConfig:84 localSsdCount loggingVariant machineType metadata minCpuPlatform nodeGroupRef:6u oauthScopes preemptible reservationAffinity:8c resourceLabels resourceManagerTags sandboxConfig:8d serviceAccountRef:6u shieldedInstanceConfig:6x soleTenantConfig:8e spot tags taint:8f workloadMetadataConfig:8g
tags
networkTags:8i resourceManagerTags
gcfsConfig:21 loggingVariant
nodeConfigDefaults:8k
eventType
enabled filter:8m topicRef:6u
pubsub:8n
enablePrivateEndpoint enablePrivateNodes masterGlobalAccessConfig:21 masterIpv4CidrBlock peeringName privateEndpoint privateEndpointSubnetworkRef:6u publicEndpoint
auditMode
workloadConfig:8q workloadVulnerabilityMode
datasetId
bigqueryDestination:8s enableNetworkEgressMetering enableResourceConsumptionMetering
mode vulnerabilityMode
identityNamespace workloadPool
addonsConfig:6r allowNetAdmin authenticatorGroupsConfig:6s binaryAuthorization:6t clusterAutoscaling:73 clusterIpv4Cidr clusterTelemetry:5m confidentialNodes:74 controlPlaneEndpointsConfig:76 costManagementConfig:21 databaseEncryption:77 datapathProvider defaultMaxPodsPerNode defaultSnatStatus:6p description disableL4LbFirewallReconciliation dnsConfig:78 enableAutopilot enableBinaryAuthorization enableCiliumClusterwideNetworkPolicy enableFqdnNetworkPolicy enableIntranodeVisibility enableK8sBetaApis:79 enableKubernetesAlpha enableL4IlbSubsetting enableLegacyAbac enableMultiNetworking enableShieldedNodes enableTpu gatewayApiConfig:7a identityServiceConfig:21 inTransitEncryptionConfig initialNodeCount ipAllocationPolicy:7d location loggingConfig:7e loggingService maintenancePolicy:7j masterAuth:7o masterAuthorizedNetworksConfig:7q meshCertificates:7r minMasterVersion monitoringConfig:7t monitoringService networkPolicy:7u networkRef:6u networkingMode nodeConfig:8h nodeLocations nodePoolAutoConfig:8j nodePoolDefaults:8l nodeVersion notificationConfig:8o podSecurityPolicyConfig:21 privateClusterConfig:8p privateIpv6GoogleAccess protectConfig:8r releaseChannel:7a resourceID resourceUsageExportConfig:8t securityPostureConfig:8u serviceExternalIpsConfig:21 subnetworkRef:6u verticalPodAutoscaling:21 workloadIdentityConfig:8v
apiVersion kind metadata:2 spec:8w status
locationPolicy maxNodeCount minNodeCount totalMaxNodeCount totalMinNodeCount
autoRepair autoUpgrade
networkRef:6u subnetworkRef:6u
maxPodsPerNode secondaryPodRange subnetworkRef:6u
additionalNodeNetworkConfigs:90 additionalPodNetworkConfigs:91 createPodRange enablePrivateNodes podCidrOverprovisionConfig:6p podIpv4CidrBlock podRange subnetworkRef:6u
osVersion
advancedMachineFeatures:7v bootDiskKMSCryptoKeyRef:6u confidentialNodes:74 containerdConfig:83 diskSizeGb diskType ephemeralStorageConfig:84 ephemeralStorageLocalSsdConfig:85 fastSocket:21 gcfsConfig:21 guestAccelerator:88 gvnic:21 hostMaintenancePolicy:89 imageType kubeletConfig:8a labels linuxNodeConfig:8b localNvmeSsdBlockConfig:84 localSsdCount loggingVariant machineType metadata minCpuPlatform nodeGroupRef:6u oauthScopes preemptible reservationAffinity:8c resourceLabels resourceManagerTags sandboxConfig:8d serviceAccountRef:6u shieldedInstanceConfig:6x soleTenantConfig:8e spot tags taint:8f windowsNodeConfig:93 workloadMetadataConfig:8g
policyNameRef:6u tpuTopology type
autoscaling:8y clusterRef:6u initialNodeCount location management:8z maxPodsPerNode namePrefix networkConfig:92 nodeConfig:94 nodeCount nodeLocations placementPolicy:95 queuedProvisioning:21 resourceID upgradeSettings:70 version
apiVersion kind metadata:2 spec:96 status
enabled terminalStorageClass
maxAgeSeconds method origin responseHeader
dataLocations
kmsKeyRef:6u
allowedIpCidrRanges
allowedIpCidrRanges networkRef:6u
allowAllServiceAgentAccess allowCrossOrgVpcs mode publicNetworkSource:9c vpcNetworkSources:9d
storageClass type
age createdBefore customTimeBefore daysSinceCustomTime daysSinceNoncurrentTime matchesPrefix matchesStorageClass matchesSuffix noncurrentTimeBefore numNewerVersions withState
action:9f condition:9g
logBucket logObjectPrefix
isLocked retentionPeriod
retentionDurationSeconds
mainPageSuffix notFoundPage
autoclass:98 bucketPolicyOnly cors:99 customPlacementConfig:9a defaultEventBasedHold encryption:9b ipFilter:9e lifecycleRule:9h location logging:9i publicAccessPrevention requesterPays resourceID retentionPolicy:9j softDeletePolicy:9k storageClass uniformBucketLevelAccess versioning:21 website:9l
apiVersion kind metadata:2 spec:9m status
description disabled displayName resourceID
apiVersion kind metadata:2 spec:9o status
description expression title
name namespace type
name namespace
bigQueryConnectionConnectionRef:9r logSinkRef:9s serviceAccountRef:9s serviceIdentityRef:9s sqlInstanceRef:9s
apiVersion external kind name namespace
condition:9q member memberFrom:9t resourceRef:9u role
apiVersion kind metadata:2 spec:9v status
ensureAllDaemonSetPodsRunning optimizeRulePriority
consolidationDelayMinutes consolidationThreshold gpuConsolidationThreshold
networking:21
variant
loggingVariantConfig:a0
autoRepair autoUpgrade confidentialNodeType dra:9z gvnic:21 imageStreaming:21 imageType ipType loggingConfig:a1 nodeLabels resourceManagerTags:80 serviceAccount taints:8f workloadType
leadTimeSeconds
enabled nodeRecycling:a3
gpuPartitionSize maxSharedClientsPerGPU sharingStrategy
count driverVersion gpuSharing:a5 type
locationPolicy zoneTypes zones
imagefsAvailable imagefsInodesFree memoryAvailable nodefsAvailable nodefsInodesFree pidAvailable
allowedUnsafeSysctls containerLogMaxFiles containerLogMaxSize cpuCfsQuota cpuCfsQuotaPeriod cpuManagerPolicy evictionMaxPodGracePeriodSeconds evictionMinimumReclaim:a8 evictionSoft:a8 evictionSoftGracePeriod:a8 imageGcHighThresholdPercent imageGcLowThresholdPercent imageMaximumGcAge imageMinimumGcAge maxParallelImagePulls podPidsLimit singleProcessOOMKill
hugepage_size1g hugepage_size2m
swapSizeGib swapSizePercent
diskCount
bootDiskProfile:ab dedicatedLocalSsdProfile:ac enabled encryptionConfig:6p ephemeralLocalSsdProfile:ab
fs.aio-max-nr fs.file-max fs.inotify.max_user_instances fs.inotify.max_user_watches fs.nr_open kernel.keys.maxbytes kernel.keys.maxkeys kernel.shmall kernel.shmmax kernel.shmmni net.core.busy_poll net.core.busy_read net.core.netdev_max_backlog net.core.optmem_max net.core.rmem_default net.core.rmem_max net.core.somaxconn net.core.wmem_default net.core.wmem_max net.ipv4.neigh.default.gc_thresh1 net.ipv4.neigh.default.gc_thresh2 net.ipv4.neigh.default.gc_thresh3 net.ipv4.tcp_max_orphans net.ipv4.tcp_rmem net.ipv4.tcp_tw_reuse net.ipv4.tcp_wmem net.ipv6.conf.all.disable_ipv6 net.ipv6.conf.default.disable_ipv6 net.netfilter.nf_conntrack_acct net.netfilter.nf_conntrack_buckets net.netfilter.nf_conntrack_max net.netfilter.nf_conntrack_tcp_timeout_close_wait net.netfilter.nf_conntrack_tcp_timeout_established net.netfilter.nf_conntrack_tcp_timeout_time_wait vm.dirty_background_ratio vm.dirty_expire_centisecs vm.dirty_ratio vm.dirty_writeback_centisecs vm.max_map_count vm.min_free_kbytes vm.overcommit_memory vm.overcommit_ratio vm.swappiness vm.vfs_cache_pressure vm.watermark_scale_factor
hugepageConfig:aa swapConfig:ad sysctls:ae transparentHugepageDefrag transparentHugepageEnabled
kubeletConfig:a9 linuxNodeConfig:af
policyName
name reservationSubBlock:1q
name project reservationBlock:ai zones
affinity specific:aj
diskImageName mode project
bootDiskKMSKey bootDiskSize bootDiskType localSSDCount secondaryBootDisks:al
count topology type
acceleratorNetworkProfile capacityCheckWaitTimeSeconds flexStart:a4 gpu:a6 location:a7 machineFamily machineType maxPodsPerNode maxRunDurationSeconds minCores minCpuPlatform minMemoryGb nodeLabels nodeSystemConfig:ag nodepools placement:ah podFamily priorityScore reservations:ak spot storage:am taints:8f tpu:an
location:a7 nodeSystemConfig:ag
activeMigration:9x autopilot:21 autoscalingPolicy:9y description nodePoolAutoCreation:21 nodePoolConfig:a2 nodePoolGroup:1q priorities:ao priorityDefaults:ap whenUnsatisfiable
apiVersion kind metadata:2 spec:aq status
effect key timeAdded value
nodeLabels nodeTaints:as tolerations:3y topologyName
apiVersion kind metadata:2 spec:at status
name onFlavors
admissionChecks:av
admissionMode
weight
preference whenCanBorrow whenCanPreempt
maxPriorityThreshold policy
borrowWithinCohort:b0 reclaimWithinCohort withinClusterQueue
borrowingLimit lendingLimit name nominalQuota
name resources:b2
coveredResources flavors:b3
admissionChecks admissionChecksStrategy:aw admissionScope:ax cohort fairSharing:ay flavorFungibility:az namespaceSelector:d preemption:b1 queueingStrategy resourceGroups:b4 stopPolicy
apiVersion kind metadata:2 spec:b5 status
lastAcceptableFlavorName
constraints:b7 mode
migration:b8
admissionChecksStrategy:aw admissionScope:ax cohortName concurrentAdmissionPolicy:b9 fairSharing:ay flavorFungibility:az namespaceSelector:d preemption:b1 queueingStrategy resourceGroups:b4 stopPolicy
apiVersion kind metadata:2 spec:ba status
clusterQueue fairSharing:ay stopPolicy
apiVersion kind metadata:2 spec:bc status
controllerName parameters:4b retryDelayMinutes
apiVersion kind metadata:2 spec:be status
controllerName parameters:4b
apiVersion kind metadata:2 spec:bg status
key valueFromProvisioningClassDetail
nodeSelector:bi
backoffBaseSeconds backoffLimitCount backoffMaxSeconds
managedResources parameters podSetMergePolicy podSetUpdates:bj provisioningClassName retryStrategy:bk
apiVersion kind metadata:2 spec:bl status
automated username
duration factor maxDuration
backoff:bo limit refresh
code name value
extVars:bq libs tlas:bq
name path
forceString name value
apiVersions fileParameters:bs ignoreMissingValueFiles kubeVersion namespace parameters:bt passCredentials releaseName skipCrds skipSchemaValidation skipTests valueFiles values valuesObject version
annotationSelector group kind labelSelector name namespace version
options patch path target:bv
count name
apiVersions commonAnnotations commonAnnotationsEnvsubst commonLabels components forceCommonAnnotations forceCommonLabels ignoreMissingComponents images kubeVersion labelIncludeTemplates labelWithoutSelector namePrefix nameSuffix namespace patches:bw replicas:bx version
array map name string
env:12 name parameters:bz
force
apply:c1 hook:c1
name namespace server
group jqPathExpressions jsonPointers kind managedFieldsManagers name namespace
targetBranch
path repoURL targetBranch
allowEmpty enabled prune selfHeal
annotations labels
automated:c7 managedNamespaceMetadata:c8 retry:bp syncOptions
whenDeleted whenScaled
subGroupPolicyType subGroupSize
leaderTemplate:5a persistentVolumeClaimRetentionPolicy:ca restartPolicy size subGroupPolicy:cb volumeClaimTemplates:6k workerTemplate:5a
subdomainPolicy
maxSurge maxUnavailable partition
rollingUpdateConfiguration:ce type
leaderWorkerTemplate:cc networkConfig:cd replicas rolloutStrategy:cf startupPolicy
apiVersion kind metadata:2 spec:cg status
periodSeconds type value
policies:ci selectPolicy stabilizationWindowSeconds tolerance
scaleDown:cj scaleUp:cj
behavior:ck name
activationTarget formula metricType target
horizontalPodAutoscalerConfig:cl restoreToOriginalReplicaCount scalingModifiers:cm
behavior failureThreshold replicas
apiVersion envSourceContainerName kind name
kind name
authenticationRef:cq metadata metricType name type useCachedMetrics
advanced:cn cooldownPeriod fallback:co idleReplicaCount initialCooldownPeriod maxReplicaCount minReplicaCount pollingInterval scaleTargetRef:cp triggers:cr
apiVersion kind metadata:2 spec:cs status
apiVersion data kind metadata:2 revision status
maxSurge maxUnavailable
rollingUpdate:cv type
minReadySeconds revisionHistoryLimit selector:d template:5a updateStrategy:cw
apiVersion kind metadata:2 spec:cx status
minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector:d strategy:cw template:5a
apiVersion kind metadata:2 spec:cz status
minReadySeconds replicas selector:d template:5a
apiVersion kind metadata:2 spec:d1 status
start
maxUnavailable partition
rollingUpdate:d4 type
message reason status
healthConditions:d6 lastTransitionTime
accessModes allocatedResourceStatuses allocatedResources capacity conditions:6h currentVolumeAttributesClassName healthStatus:d7 modifyVolumeStatus:6i phase
apiVersion kind metadata:2 spec:4e status:d8
minReadySeconds ordinals:d3 persistentVolumeClaimRetentionPolicy:ca podManagementPolicy replicas revisionHistoryLimit selector:d serviceName template:5a updateStrategy:d5 volumeClaimTemplates:d9
apiVersion kind metadata:2 spec:da status
apiVersion kind name
maxReplicas minReplicas scaleTargetRef:dc targetCPUUtilizationPercentage
apiVersion kind metadata:2 spec:dd status
averageUtilization averageValue type value
container name target:df
name selector:d
metric:dh target:df
describedObject:dc metric:dh target:df
name target:df
containerResource:dg external:di object:dj pods:di resource:dk type
behavior:ck maxReplicas metrics:dl minReplicas scaleTargetRef:dc
apiVersion kind metadata:2 spec:dm status
all single
name resourceClaimName resourceClaimTemplateName
key
topology:dq
minCount
basic gang:ds
disruptionMode:do resourceClaims:dp schedulingConstraints:dr schedulingPolicy:dt
activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy:68 podReplacementPolicy scheduling:du selector:d successPolicy:6a suspend template:5a ttlSecondsAfterFinished
metadata:2 spec:dv
concurrencyPolicy failedJobsHistoryLimit jobTemplate:dw schedule startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone
apiVersion kind metadata:2 spec:dx status
apiVersion kind metadata:2 spec:dv status
apiVersion binaryData data immutable kind metadata:2 status
apiVersion fieldPath kind name namespace resourceVersion uid
hostname ip nodeName targetRef:e1
appProtocol name port protocol
addresses:e2 notReadyAddresses:e2 ports:e3
apiVersion kind metadata:2 status subsets:e4
default defaultRequest max maxLimitRequestRatio min type
limits:e6
apiVersion kind metadata:2 spec:e7 status
finalizers
apiVersion kind metadata:2 spec:e9 status
readOnly secretName secretNamespace shareName
monitors path readOnly secretFile secretRef:9s user
fsType readOnly secretRef:9s volumeID
controllerExpandSecretRef:9s controllerPublishSecretRef:9s driver fsType nodeExpandSecretRef:9s nodePublishSecretRef:9s nodeStageSecretRef:9s readOnly volumeAttributes volumeHandle
driver fsType options readOnly secretRef:9s
endpoints endpointsNamespace path readOnly
chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals readOnly secretRef:9s targetPortal
fsType path
required:34
fsType image keyring monitors pool readOnly secretRef:9s user
fsType gateway protectionDomain readOnly secretRef:9s sslEnabled storageMode storagePool system volumeName
fsType readOnly secretRef:e1 volumeName volumeNamespace
accessModes awsElasticBlockStore:40 azureDisk:41 azureFile:eb capacity cephfs:ec cinder:ed claimRef:e1 csi:ee fc:4h flexVolume:ef flocker:4j gcePersistentDisk:4k glusterfs:eg hostPath:4n iscsi:eh local:ei mountOptions nfs:4q nodeAffinity:ej persistentVolumeReclaimPolicy photonPersistentDisk:4s portworxVolume:4t quobyte:51 rbd:ek scaleIO:el storageClassName storageos:em volumeAttributesClassName volumeMode vsphereVolume:56
apiVersion kind metadata:2 spec:en status
apiVersion kind metadata:2 spec:4e status
apiVersion kind metadata:2 spec:59 status
apiVersion kind metadata:2 status template:5a
minReadySeconds replicas selector template:5a
apiVersion kind metadata:2 spec:es status
operator scopeName values
matchExpressions:eu
hard scopeSelector:ev scopes
apiVersion kind metadata:2 spec:ew status
apiVersion data immutable kind metadata:2 status stringData type
apiVersion kind metadata:2 spec:2t status
apiVersion automountServiceAccountToken imagePullSecrets:1q kind metadata:2 secrets:e1 status
name number
name port:f1
resource:4b service:f2
backend:f3 path pathType
paths:f4
host http:f5
defaultBackend:f3 ingressClassName rules:f6 tls:30
apiVersion kind metadata:2 spec:f7 status
apiGroup kind name namespace scope
controller parameters:f9
apiVersion kind metadata:2 spec:fa status
egress:5h ingress:5i podSelector:d policyTypes
apiVersion kind metadata:2 spec:fc status
maxUnavailable minAvailable selector:d unhealthyPodEvictionPolicy
apiVersion kind metadata:2 spec:fe status
clusterRoleSelectors:d
apiGroups nonResourceURLs resourceNames resources verbs
aggregationRule:fg apiVersion kind metadata:2 rules:fh status
apiVersion kind metadata:2 roleRef:4b status subjects:4c
apiVersion kind metadata:2 rules:fh status
apiVersion description globalDefault kind metadata:2 preemptionPolicy status value
audience expirationSeconds
attachRequired fsGroupPolicy nodeAllocatableUpdatePeriodSeconds podInfoOnMount preventPodSchedulingIfMissing requiresRepublish seLinuxMount serviceAccountTokenInSecrets storageCapacity tokenRequests:fm volumeLifecycleModes
apiVersion kind metadata:2 spec:fn status
key values
matchLabelExpressions:fp
allowVolumeExpansion allowedTopologies:fq apiVersion kind metadata:2 mountOptions parameters provisioner reclaimPolicy status volumeBindingMode
cidrs
apiVersion kind metadata:2 spec:fs status
driver parameters
opaque:fu
expression
cel:fw
config:fv extendedResourceName selectors:fx
apiVersion kind metadata:2 spec:fy status
opaque:fu requests
distinctAttribute matchAttribute requests
requests
expression name
adminAccess allocationMode capacity:g2 count derivedAttributes:g3 deviceClassName selectors:fx tolerations:3y
allocationMode capacity:g2 count derivedAttributes:g3 deviceClassName name selectors:fx tolerations:3y
exactly:g4 firstAvailable:g5 name
config:g0 constraints:g1 requests:g6
devices:g7
apiVersion kind metadata:2 spec:g8 status
metadata:2 spec:g8
apiVersion kind metadata:2 spec:ga status
apiVersion driverName kind metadata:2 parameters status
device driver pool
deviceSelector:gd taint:as
apiVersion kind metadata:2 spec:ge status
apiVersion kind metadata:2 spec:5p status
apiVersion kind metadata:2 spec:5x status
backoffLimit
jobDeploymentStatus jobStatus ttlSeconds
condition:gj policy
policy
deletionRules:gk onFailure:gl onSuccess:gl
activeDeadlineSeconds backoffLimit clusterSelector deletionPolicy deletionStrategy:gm entrypoint entrypointNumCpus entrypointNumGpus entrypointResources jobId managedBy metadata preRunningDeadlineSeconds rayClusterSpec:5p runtimeEnvYAML shutdownAfterJobFinishes submissionMode submitterConfig:gi submitterPodTemplate:5a suspend ttlSecondsAfterFinished
apiVersion kind metadata:2 spec:gn status
clusterSelector entrypoint entrypointNumCpus entrypointNumGpus entrypointResources jobId metadata rayClusterSpec:5x runtimeEnvYAML shutdownAfterJobFinishes submitterPodTemplate:5a suspend ttlSecondsAfterFinished
apiVersion kind metadata:2 spec:gp status
nodeLabel
levels:gr
apiVersion kind metadata:2 spec:gs status
node
any matchNames
credentials:26 type
password:26 username:26
configMap:26 secret:26
*:26
ca:gy cert:gy insecureSkipVerify keySecret:26 maxVersion minVersion serverName
clientId:gy clientSecret:26 endpointParams noProxy proxyConnectHeader:gz proxyFromEnvironment proxyUrl scopes tlsConfig:h0 tokenUrl
authorization:gw basicAuth:gx bearerTokenSecret:26 enableHttp2 filterRunning followRedirects honorLabels honorTimestamps interval metricRelabelings:7 noProxy oauth2:h1 params path port portNumber proxyConnectHeader:gz proxyFromEnvironment proxyUrl relabelings:7 scheme scrapeTimeout targetPort tlsConfig:h0 trackTimestampsStaleness
attachMetadata:gu bodySizeLimit convertClassicHistogramsToNHCB fallbackScrapeProtocol jobLabel keepDroppedTargets labelLimit labelNameLengthLimit labelValueLengthLimit namespaceSelector:gv nativeHistogramBucketLimit nativeHistogramMinBucketFactor podMetricsEndpoints:h2 podTargetLabels sampleLimit scrapeClass scrapeClassicHistograms scrapeNativeHistograms scrapeProtocols selector:d selectorMechanism targetLimit
apiVersion kind metadata:2 spec:h3 status
ca:gy caFile cert:gy certFile insecureSkipVerify keyFile keySecret:26 maxVersion minVersion serverName
authorization:gw basicAuth:gx bearerTokenFile bearerTokenSecret:26 enableHttp2 filterRunning followRedirects honorLabels honorTimestamps interval metricRelabelings:7 noProxy oauth2:h1 params path port proxyConnectHeader:gz proxyFromEnvironment proxyUrl relabelings:7 scheme scrapeTimeout targetPort tlsConfig:h5 trackTimestampsStaleness
attachMetadata:gu bodySizeLimit convertClassicHistogramsToNHCB endpoints:h6 fallbackScrapeProtocol jobLabel keepDroppedTargets labelLimit labelNameLengthLimit labelValueLengthLimit namespaceSelector:gv nativeHistogramBucketLimit nativeHistogramMinBucketFactor podTargetLabels sampleLimit scrapeClass scrapeClassicHistograms scrapeNativeHistograms scrapeProtocols selector:d selectorMechanism serviceDiscoveryRole targetLabels targetLimit
apiVersion kind metadata:2 spec:h7 status
maxSize
allowedHeaders
allowedHeaders allowedResponseHeaders path
backendRef:14 forwardBody:h9 grpc:ha http:hb protocol
cors:11 extensionRef:o externalAuth:hc requestHeaderModifier:13 requestMirror:16 requestRedirect:18 responseHeaderModifier:13 type urlRewrite:19
filters:hd group kind name namespace port weight
attempts backoff codes
lifetimeType
routability type value
extensionRef:o externalAuth:hc type
requests:hi
allowedRoutes:r filters:hj hostname name port protocol tls:t
addresses:hh allowedListeners:n defaultScope gatewayClassName infrastructure:p listeners:hk tls:z
apiVersion kind metadata:2 spec:hl status
lifetimeType name path
absoluteTimeout cookie:hn cookieConfig:hg header:1q idleTimeout sessionName type
backendRefs:he filters:hd matches:1b name retry:hf sessionPersistence:ho timeouts:1c
hostnames parentRefs:10 rules:hp useDefaultGateways
apiVersion kind metadata:2 spec:hq status
disableExtensionFilter exclude include jsonnet:br recurse
chart directory:hs helm:bu kustomize:by name path plugin:c0 ref repoURL tagPrefix targetRevision
autoHealAttemptsCount dryRun manifests prune resources:s revision revisions source:ht sources:ht syncOptions syncStrategy:c2
info:12 initiatedBy:bn retry:bp sync:hu
directory:hs helm:bu kustomize:by path plugin:c0 repoURL targetRevision
drySource:hw hydrateTo:c5 syncSource:c6
destination:c3 ignoreDifferences:c4 info:12 project revisionHistoryLimit source:ht sourceHydrator:hx sources:ht syncPolicy:c9
apiVersion kind metadata:2 operation:hv spec:hy status
`;
