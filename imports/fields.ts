// Written by `npm run import`.
// kubernetes.json: kubernetes/kubernetes v1.36.3 v1.36.3
// ray.io_rayclusters.yaml: ray-project/kuberay v1.7.0 59d663aeec13760646da3db9c1cf8cfe883e30b7
// ray.io_rayjobs.yaml: ray-project/kuberay v1.7.0 59d663aeec13760646da3db9c1cf8cfe883e30b7
// kueue.x-k8s.io_topologies.yaml: kubernetes-sigs/kueue v0.19.2 8eab68778fc1b52affe165fdf5af29d1e9b4f3cb
// inference.networking.k8s.io_inferencepools.yaml: kubernetes-sigs/gateway-api-inference-extension v1.6.0 992e5c292afb248801ce8d9234eb5b9d28eea231
// gateway.networking.k8s.io_gateways.yaml: kubernetes-sigs/gateway-api v1.6.1 8bb74df00e56ec8f944d48c25e6c1c9c2f6848e3
// gateway.networking.k8s.io_httproutes.yaml: kubernetes-sigs/gateway-api v1.6.1 8bb74df00e56ec8f944d48c25e6c1c9c2f6848e3
// networking.gke.io_healthcheckpolicies.yaml: GoogleCloudPlatform/gke-gateway-api HEAD fc40d606a5332f11a8883f85caff66b63c4e88ef
// networking.gke.io_gcpbackendpolicies.yaml: GoogleCloudPlatform/gke-gateway-api HEAD fc40d606a5332f11a8883f85caff66b63c4e88ef
// monitoring.coreos.com_podmonitors.yaml: prometheus-operator/prometheus-operator v0.93.0 v0.93.0
// monitoring.coreos.com_servicemonitors.yaml: prometheus-operator/prometheus-operator v0.93.0 v0.93.0
// monitoring.googleapis.com_podmonitorings.yaml: GoogleCloudPlatform/prometheus-engine HEAD 2ffde4ec7b7e4ca1da4e32f36b692945b78a60e4
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

/** The releases that the kinds below are taken from. */
export const RELEASES = `
kubernetes v1.36.3
kuberay v1.7.0
kueue v0.19.2
gateway-api-inference-extension v1.6.0
gateway-api v1.6.1
gke-gateway-api fc40d60
prometheus-operator v0.93.0
prometheus-engine 2ffde4e
jobset v0.12.0
k8s-config-connector v1.155.1
CRDs-catalog 7b1e26e
argo-cd v3.5.1
lws v0.10.0
keda v2.20.2
`;

/** Each kind: its apiVersion, its name, the line of its type below, and the line of its release above, counted from 0. */
export const KINDS = `
apps/v1 ControllerRevision 3 0
apps/v1 DaemonSet 2w 0
apps/v1 Deployment 2y 0
apps/v1 ReplicaSet 30 0
apps/v1 StatefulSet 3a 0
argoproj.io/v1alpha1 Application gg 11
autoscaling/v1 HorizontalPodAutoscaler 3d 0
autoscaling/v2 HorizontalPodAutoscaler 3p 0
batch/v1 CronJob 3z 0
batch/v1 Job 40 0
cloud.google.com/v1 ComputeClass eq 10
container.cnrm.cloud.google.com/v1beta1 ContainerCluster cx 9
container.cnrm.cloud.google.com/v1beta1 ContainerNodePool d7 9
gateway.networking.k8s.io/v1 Gateway 8f 4
gateway.networking.k8s.io/v1 HTTPRoute 8w 4
gateway.networking.k8s.io/v1beta1 Gateway 8f 4
gateway.networking.k8s.io/v1beta1 HTTPRoute 8w 4
iam.cnrm.cloud.google.com/v1beta1 IAMPolicyMember dv 9
iam.cnrm.cloud.google.com/v1beta1 IAMServiceAccount dp 9
inference.networking.k8s.io/v1 InferencePool 7x 3
jobset.x-k8s.io/v1alpha2 JobSet an 8
keda.sh/v1alpha1 ScaledObject gw 13
kueue.x-k8s.io/v1beta1 AdmissionCheck fe 2
kueue.x-k8s.io/v1beta1 ClusterQueue f5 2
kueue.x-k8s.io/v1beta1 LocalQueue fc 2
kueue.x-k8s.io/v1beta1 ProvisioningRequestConfig fl 2
kueue.x-k8s.io/v1beta1 ResourceFlavor et 2
kueue.x-k8s.io/v1beta1 Topology 7s 2
kueue.x-k8s.io/v1beta2 AdmissionCheck fg 2
kueue.x-k8s.io/v1beta2 ClusterQueue fa 2
kueue.x-k8s.io/v1beta2 LocalQueue fc 2
kueue.x-k8s.io/v1beta2 ProvisioningRequestConfig fl 2
kueue.x-k8s.io/v1beta2 ResourceFlavor et 2
kueue.x-k8s.io/v1beta2 Topology 7s 2
leaderworkerset.x-k8s.io/v1 LeaderWorkerSet gn 12
monitoring.coreos.com/v1 PodMonitor 9m 6
monitoring.coreos.com/v1 ServiceMonitor 9q 6
monitoring.googleapis.com/v1 PodMonitoring a2 7
monitoring.googleapis.com/v1alpha1 PodMonitoring a5 7
networking.gke.io/v1 GCPBackendPolicy 9a 5
networking.gke.io/v1 HealthCheckPolicy 93 5
networking.k8s.io/v1 Ingress 5f 0
networking.k8s.io/v1 IngressClass 5i 0
networking.k8s.io/v1 NetworkPolicy 5p 0
networking.k8s.io/v1 ServiceCIDR 5r 0
policy/v1 PodDisruptionBudget 5t 0
ray.io/v1 RayCluster 7b 1
ray.io/v1 RayJob 7n 1
ray.io/v1 RayService a9 1
ray.io/v1alpha1 RayCluster 7g 1
ray.io/v1alpha1 RayJob 7p 1
ray.io/v1alpha1 RayService ab 1
rbac.authorization.k8s.io/v1 ClusterRole 5w 0
rbac.authorization.k8s.io/v1 ClusterRoleBinding 5x 0
rbac.authorization.k8s.io/v1 Role 5y 0
rbac.authorization.k8s.io/v1 RoleBinding 5x 0
resource.k8s.io/v1 DeviceClass 64 0
resource.k8s.io/v1 ResourceClaim 6d 0
resource.k8s.io/v1 ResourceClaimTemplate 6f 0
scheduling.k8s.io/v1 PriorityClass 6g 0
storage.cnrm.cloud.google.com/v1beta1 StorageBucket dn 9
storage.k8s.io/v1 CSIDriver 6j 0
storage.k8s.io/v1 StorageClass 6m 0
storage.k8s.io/v1 VolumeAttributesClass 6n 0
v1 ConfigMap 41 0
v1 Endpoints 46 0
v1 LimitRange 49 0
v1 Namespace 4b 0
v1 PersistentVolume 4q 0
v1 PersistentVolumeClaim 4r 0
v1 Pod 4s 0
v1 PodTemplate 4t 0
v1 ReplicationController 4v 0
v1 ResourceQuota 4z 0
v1 Secret 50 0
v1 Service 55 0
v1 ServiceAccount 56 0
`;

/**
 * Each type: its fields, with the number of the type below them to the base of 36. `*` is any key, and `...` says that there
 * are more fields. Below a field without a number, anything can be.
 */
export const TYPES = `
apiVersion fieldsType fieldsV1 manager operation subresource time
apiVersion blockOwnerDeletion controller kind name uid
annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName generation labels managedFields:0 name namespace ownerReferences:1 resourceVersion selfLink uid
apiVersion data kind metadata:2 revision status
key operator values
matchExpressions:4 matchLabels
matchExpressions:4 matchFields:4
preference:6 weight
nodeSelectorTerms:6
preferredDuringSchedulingIgnoredDuringExecution:7 requiredDuringSchedulingIgnoredDuringExecution:8
labelSelector:5 matchLabelKeys mismatchLabelKeys namespaceSelector:5 namespaces topologyKey
podAffinityTerm:a weight
preferredDuringSchedulingIgnoredDuringExecution:b requiredDuringSchedulingIgnoredDuringExecution:a
nodeAffinity:9 podAffinity:c podAntiAffinity:c
key name optional
apiVersion fieldPath
key optional path volumeName
containerName divisor resource
configMapKeyRef:e fieldRef:f fileKeyRef:g resourceFieldRef:h secretKeyRef:e
name value valueFrom:i
name optional
configMapRef:k prefix secretRef:k
command
name value
host httpHeaders:n path port scheme
seconds
host port
exec:m httpGet:o sleep:p tcpSocket:q
postStart:r preStop:r stopSignal
port service
exec:m failureThreshold grpc:t httpGet:o initialDelaySeconds periodSeconds successThreshold tcpSocket:q terminationGracePeriodSeconds timeoutSeconds
containerPort hostIP hostPort name protocol
resourceName restartPolicy
name request
claims:x limits requests
operator values
action exitCodes:z
localhostProfile type
add drop
level role type user
gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName
allowPrivilegeEscalation appArmorProfile:11 capabilities:12 privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions:13 seccompProfile:11 windowsOptions:14
devicePath name
mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr
args command env:j envFrom:l image imagePullPolicy lifecycle:s livenessProbe:u name ports:v readinessProbe:u resizePolicy:w resources:y restartPolicy restartPolicyRules:10 securityContext:15 startupProbe:u stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices:16 volumeMounts:17 workingDir
nameservers options:n searches
args command env:j envFrom:l image imagePullPolicy lifecycle:s livenessProbe:u name ports:v readinessProbe:u resizePolicy:w resources:y restartPolicy restartPolicyRules:10 securityContext:15 startupProbe:u stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty volumeDevices:16 volumeMounts:17 workingDir
hostnames ip
name
conditionType
name resourceClaimName resourceClaimTemplateName
podGroupName
appArmorProfile:11 fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy seLinuxOptions:13 seccompProfile:11 supplementalGroups supplementalGroupsPolicy sysctls:n windowsOptions:14
effect key operator tolerationSeconds value
labelSelector:5 matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable
fsType partition readOnly volumeID
cachingMode diskName diskURI fsType kind readOnly
readOnly secretName shareName
monitors path readOnly secretFile secretRef:1c user
fsType readOnly secretRef:1c volumeID
key mode path
defaultMode items:1o name optional
driver fsType nodePublishSecretRef:1c readOnly volumeAttributes
fieldRef:f mode path resourceFieldRef:h
defaultMode items:1r
medium sizeLimit
apiGroup kind name
apiGroup kind name namespace
limits requests
accessModes dataSource:1u dataSourceRef:1v resources:1w selector:5 storageClassName volumeAttributesClassName volumeMode volumeName
metadata:2 spec:1x
volumeClaimTemplate:1y
fsType lun readOnly targetWWNs wwids
driver fsType options readOnly secretRef:1c
datasetName datasetUUID
fsType partition pdName readOnly
directory repository revision
endpoints path readOnly
path type
pullPolicy reference
chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals readOnly secretRef:1c targetPortal
path readOnly server
claimName readOnly
fsType pdID
fsType readOnly volumeID
labelSelector:5 name optional path signerName
items:1o name optional
items:1r
certificateChainPath credentialBundlePath keyPath keyType maxExpirationSeconds signerName userAnnotations
audience expirationSeconds path
clusterTrustBundle:2d configMap:2e downwardAPI:2f podCertificate:2g secret:2e serviceAccountToken:2h
defaultMode sources:2i
group readOnly registry tenant user volume
fsType image keyring monitors pool readOnly secretRef:1c user
fsType gateway protectionDomain readOnly secretRef:1c sslEnabled storageMode storagePool system volumeName
defaultMode items:1o optional secretName
fsType readOnly secretRef:1c volumeName volumeNamespace
fsType storagePolicyID storagePolicyName volumePath
awsElasticBlockStore:1j azureDisk:1k azureFile:1l cephfs:1m cinder:1n configMap:1p csi:1q downwardAPI:1s emptyDir:1t ephemeral:1z fc:20 flexVolume:21 flocker:22 gcePersistentDisk:23 gitRepo:24 glusterfs:25 hostPath:26 image:27 iscsi:28 name nfs:29 persistentVolumeClaim:2a photonPersistentDisk:2b portworxVolume:2c projected:2j quobyte:2k rbd:2l scaleIO:2m secret:2n storageos:2o vsphereVolume:2p
activeDeadlineSeconds affinity:d automountServiceAccountToken containers:18 dnsConfig:19 dnsPolicy enableServiceLinks ephemeralContainers:1a hostAliases:1b hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets:1c initContainers:18 nodeName nodeSelector os:1c overhead preemptionPolicy priority priorityClassName readinessGates:1d resourceClaims:1e resources:y restartPolicy runtimeClassName schedulerName schedulingGates:1c schedulingGroup:1f securityContext:1g serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations:1h topologySpreadConstraints:1i volumes:2q
metadata:2 spec:2r
maxSurge maxUnavailable
rollingUpdate:2t type
minReadySeconds revisionHistoryLimit selector:5 template:2s updateStrategy:2u
apiVersion kind metadata:2 spec:2v status
minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit selector:5 strategy:2u template:2s
apiVersion kind metadata:2 spec:2x status
minReadySeconds replicas selector:5 template:2s
apiVersion kind metadata:2 spec:2z status
start
whenDeleted whenScaled
maxUnavailable partition
rollingUpdate:33 type
lastProbeTime lastTransitionTime message reason status type
status targetVolumeAttributesClassName
accessModes allocatedResourceStatuses allocatedResources capacity conditions:35 currentVolumeAttributesClassName modifyVolumeStatus:36 phase
apiVersion kind metadata:2 spec:1x status:37
minReadySeconds ordinals:31 persistentVolumeClaimRetentionPolicy:32 podManagementPolicy replicas revisionHistoryLimit selector:5 serviceName template:2s updateStrategy:34 volumeClaimTemplates:38
apiVersion kind metadata:2 spec:39 status
apiVersion kind name
maxReplicas minReplicas scaleTargetRef:3b targetCPUUtilizationPercentage
apiVersion kind metadata:2 spec:3c status
periodSeconds type value
policies:3e selectPolicy stabilizationWindowSeconds tolerance
scaleDown:3f scaleUp:3f
averageUtilization averageValue type value
container name target:3h
name selector:5
metric:3j target:3h
describedObject:3b metric:3j target:3h
name target:3h
containerResource:3i external:3k object:3l pods:3k resource:3m type
behavior:3g maxReplicas metrics:3n minReplicas scaleTargetRef:3b
apiVersion kind metadata:2 spec:3o status
containerName operator values
status type
action onExitCodes:3q onPodConditions:3r
rules:3s
succeededCount succeededIndexes
rules:3u
activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy:3t podReplacementPolicy selector:5 successPolicy:3v suspend template:2s ttlSecondsAfterFinished
metadata:2 spec:3w
concurrencyPolicy failedJobsHistoryLimit jobTemplate:3x schedule startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone
apiVersion kind metadata:2 spec:3y status
apiVersion kind metadata:2 spec:3w status
apiVersion binaryData data immutable kind metadata:2 status
apiVersion fieldPath kind name namespace resourceVersion uid
hostname ip nodeName targetRef:42
appProtocol name port protocol
addresses:43 notReadyAddresses:43 ports:44
apiVersion kind metadata:2 status subsets:45
default defaultRequest max maxLimitRequestRatio min type
limits:47
apiVersion kind metadata:2 spec:48 status
finalizers
apiVersion kind metadata:2 spec:4a status
readOnly secretName secretNamespace shareName
name namespace
monitors path readOnly secretFile secretRef:4d user
fsType readOnly secretRef:4d volumeID
controllerExpandSecretRef:4d controllerPublishSecretRef:4d driver fsType nodeExpandSecretRef:4d nodePublishSecretRef:4d nodeStageSecretRef:4d readOnly volumeAttributes volumeHandle
driver fsType options readOnly secretRef:4d
endpoints endpointsNamespace path readOnly
chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals readOnly secretRef:4d targetPortal
fsType path
required:8
fsType image keyring monitors pool readOnly secretRef:4d user
fsType gateway protectionDomain readOnly secretRef:4d sslEnabled storageMode storagePool system volumeName
fsType readOnly secretRef:42 volumeName volumeNamespace
accessModes awsElasticBlockStore:1j azureDisk:1k azureFile:4c capacity cephfs:4e cinder:4f claimRef:42 csi:4g fc:20 flexVolume:4h flocker:22 gcePersistentDisk:23 glusterfs:4i hostPath:26 iscsi:4j local:4k mountOptions nfs:29 nodeAffinity:4l persistentVolumeReclaimPolicy photonPersistentDisk:2b portworxVolume:2c quobyte:2k rbd:4m scaleIO:4n storageClassName storageos:4o volumeAttributesClassName volumeMode vsphereVolume:2p
apiVersion kind metadata:2 spec:4p status
apiVersion kind metadata:2 spec:1x status
apiVersion kind metadata:2 spec:2r status
apiVersion kind metadata:2 status template:2s
minReadySeconds replicas selector template:2s
apiVersion kind metadata:2 spec:4u status
operator scopeName values
matchExpressions:4w
hard scopeSelector:4x scopes
apiVersion kind metadata:2 spec:4y status
apiVersion data immutable kind metadata:2 status stringData type
appProtocol name nodePort port protocol targetPort
timeoutSeconds
clientIP:52
allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName externalTrafficPolicy healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges ports:51 publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig:53 trafficDistribution type
apiVersion kind metadata:2 spec:54 status
apiVersion automountServiceAccountToken imagePullSecrets:1c kind metadata:2 secrets:42 status
name number
name port:57
resource:1u service:58
backend:59 path pathType
paths:5a
host http:5b
hosts secretName
defaultBackend:59 ingressClassName rules:5c tls:5d
apiVersion kind metadata:2 spec:5e status
apiGroup kind name namespace scope
controller parameters:5g
apiVersion kind metadata:2 spec:5h status
endPort port protocol
cidr except
ipBlock:5k namespaceSelector:5 podSelector:5
ports:5j to:5l
from:5l ports:5j
egress:5m ingress:5n podSelector:5 policyTypes
apiVersion kind metadata:2 spec:5o status
cidrs
apiVersion kind metadata:2 spec:5q status
maxUnavailable minAvailable selector:5 unhealthyPodEvictionPolicy
apiVersion kind metadata:2 spec:5s status
clusterRoleSelectors:5
apiGroups nonResourceURLs resourceNames resources verbs
aggregationRule:5u apiVersion kind metadata:2 rules:5v status
apiVersion kind metadata:2 roleRef:1u status subjects:1v
apiVersion kind metadata:2 rules:5v status
driver parameters
opaque:5z
expression
cel:61
config:60 extendedResourceName selectors:62
apiVersion kind metadata:2 spec:63 status
opaque:5z requests
distinctAttribute matchAttribute requests
requests
adminAccess allocationMode capacity:67 count deviceClassName selectors:62 tolerations:1h
allocationMode capacity:67 count deviceClassName name selectors:62 tolerations:1h
exactly:68 firstAvailable:69 name
config:65 constraints:66 requests:6a
devices:6b
apiVersion kind metadata:2 spec:6c status
metadata:2 spec:6c
apiVersion kind metadata:2 spec:6e status
apiVersion description globalDefault kind metadata:2 preemptionPolicy status value
audience expirationSeconds
attachRequired fsGroupPolicy nodeAllocatableUpdatePeriodSeconds podInfoOnMount preventPodSchedulingIfMissing requiresRepublish seLinuxMount serviceAccountTokenInSecrets storageCapacity tokenRequests:6h volumeLifecycleModes
apiVersion kind metadata:2 spec:6i status
key values
matchLabelExpressions:6k
allowVolumeExpansion allowedTopologies:6l apiVersion kind metadata:2 mountOptions parameters provisioner reclaimPolicy status volumeBindingMode
apiVersion driverName kind metadata:2 parameters status
enableK8sTokenAuth mode secretName
args command env:j envFrom:l idleTimeoutSeconds image imagePullPolicy resources:y securityContext:15 upscalingMode version volumeMounts:17
value valueFrom:i
accessModes claimName deletionPolicy size storageClassName subPath
backend externalStorageNamespace redisAddress redisPassword:6q redisUsername:6q storage:6r
lastTransitionTime message observedGeneration reason status type
error port protocol
hostname ip ipMode ports:6u
ingress:6v
conditions:6t loadBalancer:6w
apiVersion kind metadata:2 spec:54 status:6x
host path pathType tls:5d
enableIngress headService:6y ingressOptions:6z labels rayStartParams resources serviceType template:2s
env:j image imagePullPolicy resources:y
collectorOptions:71
egressRules:5m ingressRules:5n
egressRules:5m groupName ingressRules:5n
head:73 mode worker:73 workerGroups:74
enabled
type
workersToDelete
groupName idleTimeoutSeconds labels maxReplicas minReplicas numOfHosts priority rayStartParams replicas resources scaleStrategy:78 suspend template:2s
authOptions:6o autoscalerOptions:6p enableInTreeAutoscaling gcsFaultToleranceOptions:6s headGroupSpec:70 headServiceAnnotations historyServerOptions:72 managedBy networkPolicy:75 rayVersion suspend tlsOptions:76 upgradeStrategy:77 workerGroupSpecs:79
apiVersion kind metadata:2 spec:7a status
env:j envFrom:l idleTimeoutSeconds image imagePullPolicy resources:y securityContext:15 upscalingMode volumeMounts:17
enableIngress headService:6y rayStartParams serviceType template:2s
groupName maxReplicas minReplicas rayStartParams replicas scaleStrategy:78 template:2s
autoscalerOptions:7c enableInTreeAutoscaling headGroupSpec:7d headServiceAnnotations rayVersion suspend workerGroupSpecs:7e
apiVersion kind metadata:2 spec:7f status
jobDeploymentStatus jobStatus ttlSeconds
condition:7h policy
policy
deletionRules:7i onFailure:7j onSuccess:7j
backoffLimit
activeDeadlineSeconds backoffLimit clusterSelector deletionStrategy:7k entrypoint entrypointNumCpus entrypointNumGpus entrypointResources jobId managedBy metadata preRunningDeadlineSeconds rayClusterSpec:7a runtimeEnvYAML shutdownAfterJobFinishes submissionMode submitterConfig:7l submitterPodTemplate:2s suspend ttlSecondsAfterFinished
apiVersion kind metadata:2 spec:7m status
clusterSelector entrypoint entrypointNumCpus entrypointNumGpus entrypointResources jobId metadata rayClusterSpec:7f runtimeEnvYAML shutdownAfterJobFinishes submitterPodTemplate:2s suspend ttlSecondsAfterFinished
apiVersion kind metadata:2 spec:7o status
nodeLabel
levels:7q
apiVersion kind metadata:2 spec:7r status
number
failureMode group kind name port:7t
matchLabels
appProtocol endpointPickerRef:7u selector:7v targetPorts:7t
apiVersion kind metadata:2 spec:7w status
type value
from selector:5
namespaces:7z
group kind name
annotations labels parametersRef:81
group kind
kinds:83 namespaces:7z
group kind name namespace
certificateRefs:85 mode options
allowedRoutes:84 hostname name port protocol tls:86
clientCertificateRef:85
caCertificateRefs:85 mode
validation:89
port tls:8a
default:8a perPort:8b
backend:88 frontend:8c
addresses:7y allowedListeners:80 gatewayClassName infrastructure:82 listeners:87 tls:8d
apiVersion kind metadata:2 spec:8e status
group kind name namespace port sectionName
allowCredentials allowHeaders allowMethods allowOrigins exposeHeaders maxAge
add:n remove set:n
group kind name namespace port
denominator numerator
backendRef:8j fraction:8k percent
replaceFullPath replacePrefixMatch type
hostname path:8m port scheme statusCode
hostname path:8m
cors:8h extensionRef:81 requestHeaderModifier:8i requestMirror:8l requestRedirect:8n responseHeaderModifier:8i type urlRewrite:8o
filters:8p group kind name namespace port weight
name type value
headers:8r method path:7y queryParams:8r
backendRequest request
backendRefs:8q filters:8p matches:8s name timeouts:8t
hostnames parentRefs:8g rules:8u
apiVersion kind metadata:2 spec:8v status
grpcServiceName port portName portSpecification
host port portName portSpecification proxyHeader requestPath response
port portName portSpecification proxyHeader request response
grpcHealthCheck:8x http2HealthCheck:8y httpHealthCheck:8y httpsHealthCheck:8y tcpHealthCheck:8z type
checkIntervalSec config:90 healthyThreshold logConfig:76 timeoutSec unhealthyThreshold
default:91 targetRef:85
apiVersion kind metadata:2 spec:92 status
drainingTimeoutSec
clientID enabled oauth2ClientSecret:1c
enabled sampleRate
cookieTtlSec type
backendPreference connectionDraining:94 iap:95 logging:96 maxRatePerEndpoint securityPolicy sessionAffinity:97 timeoutSec
default:98 targetRef:85
apiVersion kind metadata:2 spec:99 status
node
any matchNames
credentials:e type
password:e username:e
action modulus regex replacement separator sourceLabels targetLabel
configMap:e secret:e
*:e
ca:9g cert:9g insecureSkipVerify keySecret:e maxVersion minVersion serverName
clientId:9g clientSecret:e endpointParams noProxy proxyConnectHeader:9h proxyFromEnvironment proxyUrl scopes tlsConfig:9i tokenUrl
authorization:9d basicAuth:9e bearerTokenSecret:e enableHttp2 filterRunning followRedirects honorLabels honorTimestamps interval metricRelabelings:9f noProxy oauth2:9j params path port portNumber proxyConnectHeader:9h proxyFromEnvironment proxyUrl relabelings:9f scheme scrapeTimeout targetPort tlsConfig:9i trackTimestampsStaleness
attachMetadata:9b bodySizeLimit convertClassicHistogramsToNHCB fallbackScrapeProtocol jobLabel keepDroppedTargets labelLimit labelNameLengthLimit labelValueLengthLimit namespaceSelector:9c nativeHistogramBucketLimit nativeHistogramMinBucketFactor podMetricsEndpoints:9k podTargetLabels sampleLimit scrapeClass scrapeClassicHistograms scrapeNativeHistograms scrapeProtocols selector:5 selectorMechanism targetLimit
apiVersion kind metadata:2 spec:9l status
ca:9g caFile cert:9g certFile insecureSkipVerify keyFile keySecret:e maxVersion minVersion serverName
authorization:9d basicAuth:9e bearerTokenFile bearerTokenSecret:e enableHttp2 filterRunning followRedirects honorLabels honorTimestamps interval metricRelabelings:9f noProxy oauth2:9j params path port proxyConnectHeader:9h proxyFromEnvironment proxyUrl relabelings:9f scheme scrapeTimeout targetPort tlsConfig:9n trackTimestampsStaleness
attachMetadata:9b bodySizeLimit convertClassicHistogramsToNHCB endpoints:9o fallbackScrapeProtocol jobLabel keepDroppedTargets labelLimit labelNameLengthLimit labelValueLengthLimit namespaceSelector:9c nativeHistogramBucketLimit nativeHistogramMinBucketFactor podTargetLabels sampleLimit scrapeClass scrapeClassicHistograms scrapeNativeHistograms scrapeProtocols selector:5 selectorMechanism serviceDiscoveryRole targetLabels targetLimit
apiVersion kind metadata:2 spec:9p status
key name namespace
secret:9r
credentials:9s type
password:9s username
ca:9s cert:9s insecureSkipVerify key:9s maxVersion minVersion serverName
clientID clientSecret:9s endpointParams proxyUrl scopes tlsConfig:9v tokenURL
authorization:9t basicAuth:9u interval metricRelabeling:9f oauth2:9w params path port proxyUrl scheme timeout tls:9v
labelNameLength labelValueLength labels samples
from to
fromPod:9z metadata:2
endpoints:9x filterRunning limits:9y selector:5 targetLabels:a0
apiVersion kind metadata:2 spec:a1 status
interval metricRelabeling:9f params path port proxyUrl scheme timeout
endpoints:a3 limits:9y selector:5 targetLabels:a0
apiVersion kind metadata:2 spec:a4 status
gatewayClassName intervalSeconds maxSurgePercent stepSizePercent
clusterUpgradeOptions:a6 type
deploymentUnhealthySecondThreshold excludeHeadPodFromServeSvc managedBy rayClusterConfig:7a rayClusterDeletionDelaySeconds serveConfigV2 serveService:6y serviceUnhealthySecondThreshold suspend upgradeStrategy:a7
apiVersion kind metadata:2 spec:a8 status
deploymentUnhealthySecondThreshold rayClusterConfig:7f serveConfigV2 serveService:6y serviceUnhealthySecondThreshold
apiVersion kind metadata:2 spec:aa status
jobIndex podIndex replicatedJob
action name onJobFailureMessagePatterns onJobFailureReasons targetReplicatedJobs
maxRestarts restartStrategy rules:ad
enableDNSHostnames publishNotReadyAddresses subdomain
name status
dependsOn:ag groupName name replicas template:3x
startupPolicyOrder
operator targetReplicatedJobs
whenDeleted
retentionPolicy:ak templates:38
coordinator:ac failurePolicy:ae managedBy network:af replicatedJobs:ah startupPolicy:ai successPolicy:aj suspend ttlSecondsAfterFinished volumeClaimPolicies:al
apiVersion kind metadata:2 spec:am status
disabled loadBalancerType
disabled
auth disabled
cloudrunConfig:ao configConnectorConfig:76 dnsCacheConfig:76 gcePersistentDiskCsiDriverConfig:76 gcpFilestoreCsiDriverConfig:76 gcsFuseCsiDriverConfig:76 gkeBackupAgentConfig:76 horizontalPodAutoscaling:ap httpLoadBalancing:ap istioConfig:aq kalmConfig:76 networkPolicyConfig:ap parallelstoreCsiDriverConfig:76
securityGroup
enabled evaluationMode
external name namespace
autoUpgradeStartTime description
autoRepair autoUpgrade upgradeOptions:av
enableIntegrityMonitoring enableSecureBoot
batchNodeCount batchPercentage batchSoakDuration
nodePoolSoakDuration standardRolloutPolicy:ay
blueGreenSettings:az maxSurge maxUnavailable strategy
bootDiskKMSKeyRef:au diskSize imageType management:aw minCpuPlatform oauthScopes serviceAccountRef:au shieldedInstanceConfig:ax upgradeSettings:b0
maximum minimum resourceType
autoProvisioningDefaults:b1 autoscalingProfile defaultComputeClassConfig:76 enabled resourceLimits:b2
confidentialInstanceType enabled
allowExternalTraffic enableK8sTokensViaDns
dnsEndpointConfig:b5 ipEndpointsConfig:76
keyName state
clusterDns clusterDnsDomain clusterDnsScope
enabledApis
channel
podIpv4RangeNames status subnetworkRef:au
podRangeNames
additionalIpRangesConfigs:bb additionalPodRangesConfig:bc clusterIpv4CidrBlock clusterSecondaryRangeName podCidrOverprovisionConfig:ap servicesIpv4CidrBlock servicesSecondaryRangeName stackType
enableComponents
duration startTime
scope
endTime exclusionName exclusionOptions:bg startTime
endTime recurrence startTime
dailyMaintenanceWindow:bf maintenanceExclusion:bh recurringWindow:bi
issueClientCertificate
key name
secretKeyRef:bl
value valueFrom:bm
clientCertificate clientCertificateConfig:bk clientKey clusterCaCertificate password:bn username
cidrBlock displayName
cidrBlocks:bp gcpPublicCidrsAccessEnabled
enableCertificates
enableMetrics relayMode
advancedDatapathObservabilityConfig:bs enableComponents managedPrometheus:76
enabled provider
enableNestedVirtualization threadsPerCore
secretRef:au
fqdns gcpSecretManagerCertificateConfig:bw
certificateAuthorityDomainConfig:bx enabled
cert:bw key:bw
key value
ca:bw capabilities client:bz dialTimeout header:c0 host overridePath
hosts:c1 server
privateRegistryAccessConfig:by registryHosts:c2 writableCgroups:76
localSsdCount
dataCacheCount localSsdCount
gpuDriverVersion
gpuSharingStrategy maxSharedClientsPerGpu
count gpuDriverInstallationConfig:c6 gpuPartitionSize gpuSharingConfig:c7 type
maintenanceInterval
cpuCfsQuota cpuCfsQuotaPeriod cpuManagerPolicy imageGcHighThresholdPercent imageGcLowThresholdPercent imageMaximumGcAge imageMinimumGcAge podPidsLimit
cgroupMode sysctls
consumeReservationType key values
sandboxType
nodeAffinity:4
effect key value
mode nodeMetadata
advancedMachineFeatures:bv bootDiskKMSCryptoKeyRef:au confidentialNodes:b4 containerdConfig:c3 diskSizeGb diskType ephemeralStorageConfig:c4 ephemeralStorageLocalSsdConfig:c5 fastSocket:76 gcfsConfig:76 guestAccelerator:c8 gvnic:76 hostMaintenancePolicy:c9 imageType kubeletConfig:ca labels linuxNodeConfig:cb localNvmeSsdBlockConfig:c4 localSsdCount loggingVariant machineType metadata minCpuPlatform nodeGroupRef:au oauthScopes preemptible reservationAffinity:cc resourceLabels resourceManagerTags sandboxConfig:cd serviceAccountRef:au shieldedInstanceConfig:ax soleTenantConfig:ce spot tags taint:cf workloadMetadataConfig:cg
tags
networkTags:ci resourceManagerTags
gcfsConfig:76 loggingVariant
nodeConfigDefaults:ck
eventType
enabled filter:cm topicRef:au
pubsub:cn
enablePrivateEndpoint enablePrivateNodes masterGlobalAccessConfig:76 masterIpv4CidrBlock peeringName privateEndpoint privateEndpointSubnetworkRef:au publicEndpoint
auditMode
workloadConfig:cq workloadVulnerabilityMode
datasetId
bigqueryDestination:cs enableNetworkEgressMetering enableResourceConsumptionMetering
mode vulnerabilityMode
identityNamespace workloadPool
addonsConfig:ar allowNetAdmin authenticatorGroupsConfig:as binaryAuthorization:at clusterAutoscaling:b3 clusterIpv4Cidr clusterTelemetry:77 confidentialNodes:b4 controlPlaneEndpointsConfig:b6 costManagementConfig:76 databaseEncryption:b7 datapathProvider defaultMaxPodsPerNode defaultSnatStatus:ap description disableL4LbFirewallReconciliation dnsConfig:b8 enableAutopilot enableBinaryAuthorization enableCiliumClusterwideNetworkPolicy enableFqdnNetworkPolicy enableIntranodeVisibility enableK8sBetaApis:b9 enableKubernetesAlpha enableL4IlbSubsetting enableLegacyAbac enableMultiNetworking enableShieldedNodes enableTpu gatewayApiConfig:ba identityServiceConfig:76 inTransitEncryptionConfig initialNodeCount ipAllocationPolicy:bd location loggingConfig:be loggingService maintenancePolicy:bj masterAuth:bo masterAuthorizedNetworksConfig:bq meshCertificates:br minMasterVersion monitoringConfig:bt monitoringService networkPolicy:bu networkRef:au networkingMode nodeConfig:ch nodeLocations nodePoolAutoConfig:cj nodePoolDefaults:cl nodeVersion notificationConfig:co podSecurityPolicyConfig:76 privateClusterConfig:cp privateIpv6GoogleAccess protectConfig:cr releaseChannel:ba resourceID resourceUsageExportConfig:ct securityPostureConfig:cu serviceExternalIpsConfig:76 subnetworkRef:au verticalPodAutoscaling:76 workloadIdentityConfig:cv
apiVersion kind metadata:2 spec:cw status
locationPolicy maxNodeCount minNodeCount totalMaxNodeCount totalMinNodeCount
autoRepair autoUpgrade
networkRef:au subnetworkRef:au
maxPodsPerNode secondaryPodRange subnetworkRef:au
additionalNodeNetworkConfigs:d0 additionalPodNetworkConfigs:d1 createPodRange enablePrivateNodes podCidrOverprovisionConfig:ap podIpv4CidrBlock podRange subnetworkRef:au
osVersion
advancedMachineFeatures:bv bootDiskKMSCryptoKeyRef:au confidentialNodes:b4 containerdConfig:c3 diskSizeGb diskType ephemeralStorageConfig:c4 ephemeralStorageLocalSsdConfig:c5 fastSocket:76 gcfsConfig:76 guestAccelerator:c8 gvnic:76 hostMaintenancePolicy:c9 imageType kubeletConfig:ca labels linuxNodeConfig:cb localNvmeSsdBlockConfig:c4 localSsdCount loggingVariant machineType metadata minCpuPlatform nodeGroupRef:au oauthScopes preemptible reservationAffinity:cc resourceLabels resourceManagerTags sandboxConfig:cd serviceAccountRef:au shieldedInstanceConfig:ax soleTenantConfig:ce spot tags taint:cf windowsNodeConfig:d3 workloadMetadataConfig:cg
policyNameRef:au tpuTopology type
autoscaling:cy clusterRef:au initialNodeCount location management:cz maxPodsPerNode namePrefix networkConfig:d2 nodeConfig:d4 nodeCount nodeLocations placementPolicy:d5 queuedProvisioning:76 resourceID upgradeSettings:b0 version
apiVersion kind metadata:2 spec:d6 status
enabled terminalStorageClass
maxAgeSeconds method origin responseHeader
dataLocations
kmsKeyRef:au
allowedIpCidrRanges
allowedIpCidrRanges networkRef:au
allowAllServiceAgentAccess allowCrossOrgVpcs mode publicNetworkSource:dc vpcNetworkSources:dd
storageClass type
age createdBefore customTimeBefore daysSinceCustomTime daysSinceNoncurrentTime matchesPrefix matchesStorageClass matchesSuffix noncurrentTimeBefore numNewerVersions withState
action:df condition:dg
logBucket logObjectPrefix
isLocked retentionPeriod
retentionDurationSeconds
mainPageSuffix notFoundPage
autoclass:d8 bucketPolicyOnly cors:d9 customPlacementConfig:da defaultEventBasedHold encryption:db ipFilter:de lifecycleRule:dh location logging:di publicAccessPrevention requesterPays resourceID retentionPolicy:dj softDeletePolicy:dk storageClass uniformBucketLevelAccess versioning:76 website:dl
apiVersion kind metadata:2 spec:dm status
description disabled displayName resourceID
apiVersion kind metadata:2 spec:do status
description expression title
name namespace type
bigQueryConnectionConnectionRef:dr logSinkRef:4d serviceAccountRef:4d serviceIdentityRef:4d sqlInstanceRef:4d
apiVersion external kind name namespace
condition:dq member memberFrom:ds resourceRef:dt role
apiVersion kind metadata:2 spec:du status
ensureAllDaemonSetPodsRunning optimizeRulePriority
consolidationDelayMinutes consolidationThreshold gpuConsolidationThreshold
networking:76
variant
loggingVariantConfig:dz
autoRepair autoUpgrade confidentialNodeType dra:dy gvnic:76 imageStreaming:76 imageType ipType loggingConfig:e0 nodeLabels resourceManagerTags:c0 serviceAccount taints:cf workloadType
leadTimeSeconds
enabled nodeRecycling:e2
gpuPartitionSize maxSharedClientsPerGPU sharingStrategy
count driverVersion gpuSharing:e4 type
locationPolicy zoneTypes zones
imagefsAvailable imagefsInodesFree memoryAvailable nodefsAvailable nodefsInodesFree pidAvailable
allowedUnsafeSysctls containerLogMaxFiles containerLogMaxSize cpuCfsQuota cpuCfsQuotaPeriod cpuManagerPolicy evictionMaxPodGracePeriodSeconds evictionMinimumReclaim:e7 evictionSoft:e7 evictionSoftGracePeriod:e7 imageGcHighThresholdPercent imageGcLowThresholdPercent imageMaximumGcAge imageMinimumGcAge maxParallelImagePulls podPidsLimit singleProcessOOMKill
hugepage_size1g hugepage_size2m
swapSizeGib swapSizePercent
diskCount
bootDiskProfile:ea dedicatedLocalSsdProfile:eb enabled encryptionConfig:ap ephemeralLocalSsdProfile:ea
fs.aio-max-nr fs.file-max fs.inotify.max_user_instances fs.inotify.max_user_watches fs.nr_open kernel.keys.maxbytes kernel.keys.maxkeys kernel.shmall kernel.shmmax kernel.shmmni net.core.busy_poll net.core.busy_read net.core.netdev_max_backlog net.core.optmem_max net.core.rmem_default net.core.rmem_max net.core.somaxconn net.core.wmem_default net.core.wmem_max net.ipv4.neigh.default.gc_thresh1 net.ipv4.neigh.default.gc_thresh2 net.ipv4.neigh.default.gc_thresh3 net.ipv4.tcp_max_orphans net.ipv4.tcp_rmem net.ipv4.tcp_tw_reuse net.ipv4.tcp_wmem net.ipv6.conf.all.disable_ipv6 net.ipv6.conf.default.disable_ipv6 net.netfilter.nf_conntrack_acct net.netfilter.nf_conntrack_buckets net.netfilter.nf_conntrack_max net.netfilter.nf_conntrack_tcp_timeout_close_wait net.netfilter.nf_conntrack_tcp_timeout_established net.netfilter.nf_conntrack_tcp_timeout_time_wait vm.dirty_background_ratio vm.dirty_expire_centisecs vm.dirty_ratio vm.dirty_writeback_centisecs vm.max_map_count vm.min_free_kbytes vm.overcommit_memory vm.overcommit_ratio vm.swappiness vm.vfs_cache_pressure vm.watermark_scale_factor
hugepageConfig:e9 swapConfig:ec sysctls:ed transparentHugepageDefrag transparentHugepageEnabled
kubeletConfig:e8 linuxNodeConfig:ee
policyName
name reservationSubBlock:1c
name project reservationBlock:eh zones
affinity specific:ei
diskImageName mode project
bootDiskKMSKey bootDiskSize bootDiskType localSSDCount secondaryBootDisks:ek
count topology type
acceleratorNetworkProfile capacityCheckWaitTimeSeconds flexStart:e3 gpu:e5 location:e6 machineFamily machineType maxPodsPerNode maxRunDurationSeconds minCores minCpuPlatform minMemoryGb nodeLabels nodeSystemConfig:ef nodepools placement:eg podFamily priorityScore reservations:ej spot storage:el taints:cf tpu:em
location:e6 nodeSystemConfig:ef
activeMigration:dw autopilot:76 autoscalingPolicy:dx description nodePoolAutoCreation:76 nodePoolConfig:e1 nodePoolGroup:1c priorities:en priorityDefaults:eo whenUnsatisfiable
apiVersion kind metadata:2 spec:ep status
effect key timeAdded value
nodeLabels nodeTaints:er tolerations:1h topologyName
apiVersion kind metadata:2 spec:es status
name onFlavors
admissionChecks:eu
admissionMode
weight
preference whenCanBorrow whenCanPreempt
maxPriorityThreshold policy
borrowWithinCohort:ez reclaimWithinCohort withinClusterQueue
borrowingLimit lendingLimit name nominalQuota
name resources:f1
coveredResources flavors:f2
admissionChecks admissionChecksStrategy:ev admissionScope:ew cohort fairSharing:ex flavorFungibility:ey namespaceSelector:5 preemption:f0 queueingStrategy resourceGroups:f3 stopPolicy
apiVersion kind metadata:2 spec:f4 status
lastAcceptableFlavorName
constraints:f6 mode
migration:f7
admissionChecksStrategy:ev admissionScope:ew cohortName concurrentAdmissionPolicy:f8 fairSharing:ex flavorFungibility:ey namespaceSelector:5 preemption:f0 queueingStrategy resourceGroups:f3 stopPolicy
apiVersion kind metadata:2 spec:f9 status
clusterQueue fairSharing:ex stopPolicy
apiVersion kind metadata:2 spec:fb status
controllerName parameters:1u retryDelayMinutes
apiVersion kind metadata:2 spec:fd status
controllerName parameters:1u
apiVersion kind metadata:2 spec:ff status
key valueFromProvisioningClassDetail
nodeSelector:fh
backoffBaseSeconds backoffLimitCount backoffMaxSeconds
managedResources parameters podSetMergePolicy podSetUpdates:fi provisioningClassName retryStrategy:fj
apiVersion kind metadata:2 spec:fk status
automated username
duration factor maxDuration
backoff:fn limit refresh
code name value
extVars:fp libs tlas:fp
exclude include jsonnet:fq recurse
name path
forceString name value
apiVersions fileParameters:fs ignoreMissingValueFiles kubeVersion namespace parameters:ft passCredentials releaseName skipCrds skipSchemaValidation skipTests valueFiles values valuesObject version
annotationSelector group kind labelSelector name namespace version
options patch path target:fv
count name
apiVersions commonAnnotations commonAnnotationsEnvsubst commonLabels components forceCommonAnnotations forceCommonLabels ignoreMissingComponents images kubeVersion labelIncludeTemplates labelWithoutSelector namePrefix nameSuffix namespace patches:fw replicas:fx version
array map name string
env:n name parameters:fz
chart directory:fr helm:fu kustomize:fy name path plugin:g0 ref repoURL tagPrefix targetRevision
force
apply:g2 hook:g2
autoHealAttemptsCount dryRun manifests prune resources:85 revision revisions source:g1 sources:g1 syncOptions syncStrategy:g3
info:n initiatedBy:fm retry:fo sync:g4
name namespace server
group jqPathExpressions jsonPointers kind managedFieldsManagers name namespace
directory:fr helm:fu kustomize:fy path plugin:g0 repoURL targetRevision
targetBranch
path repoURL targetBranch
drySource:g8 hydrateTo:g9 syncSource:ga
allowEmpty enabled prune selfHeal
annotations labels
automated:gc managedNamespaceMetadata:gd retry:fo syncOptions
destination:g6 ignoreDifferences:g7 info:n project revisionHistoryLimit source:g1 sourceHydrator:gb sources:g1 syncPolicy:ge
apiVersion kind metadata:2 operation:g5 spec:gf status
subGroupPolicyType subGroupSize
leaderTemplate:2s persistentVolumeClaimRetentionPolicy:32 restartPolicy size subGroupPolicy:gh volumeClaimTemplates:38 workerTemplate:2s
subdomainPolicy
maxSurge maxUnavailable partition
rollingUpdateConfiguration:gk type
leaderWorkerTemplate:gi networkConfig:gj replicas rolloutStrategy:gl startupPolicy
apiVersion kind metadata:2 spec:gm status
behavior:3g name
activationTarget formula metricType target
horizontalPodAutoscalerConfig:go restoreToOriginalReplicaCount scalingModifiers:gp
behavior failureThreshold replicas
apiVersion envSourceContainerName kind name
kind name
authenticationRef:gt metadata metricType name type useCachedMetrics
advanced:gq cooldownPeriod fallback:gr idleReplicaCount initialCooldownPeriod maxReplicaCount minReplicaCount pollingInterval scaleTargetRef:gs triggers:gu
apiVersion kind metadata:2 spec:gv status
`;
