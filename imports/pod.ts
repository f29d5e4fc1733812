// Written by `npm run import` from the types of cdk8s-plus-29.

/**
 * The types in a pod template of Kubernetes 1.29, a line each; the first is the template. A field has the name that the TypeScript type
 * gives it, and `=` and its name in a manifest if that differs. `:N` is a value of the type in line N to the base of 36, counted from
 * 0; `[]` a list, `[]N` a list of that type; `{}` a map; `#` a Quantity or IntOrString, `@` a Date.
 */
export const POD_TYPES = `
metadata:1 spec:2
annotations{} creationTimestamp@ deletionGracePeriodSeconds deletionTimestamp@ finalizers[] generateName generation labels{} managedFields[]3 name namespace ownerReferences[]4 resourceVersion selfLink uid
activeDeadlineSeconds affinity:5 automountServiceAccountToken containers[]6 dnsConfig:7 dnsPolicy enableServiceLinks ephemeralContainers[]8 hostAliases[]9 hostIpc=hostIPC hostNetwork hostPid=hostPID hostUsers hostname imagePullSecrets[]a initContainers[]6 nodeName nodeSelector{} os:b overhead{}# preemptionPolicy priority priorityClassName readinessGates[]c resourceClaims[]d restartPolicy runtimeClassName schedulerName schedulingGates[]e securityContext:f serviceAccount serviceAccountName setHostnameAsFqdn=setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations[]g topologySpreadConstraints[]h volumes[]i
apiVersion fieldsType fieldsV1 manager operation subresource time@
apiVersion blockOwnerDeletion controller kind name uid
nodeAffinity:j podAffinity:k podAntiAffinity:l
args[] command[] env[]m envFrom[]n image imagePullPolicy lifecycle:o livenessProbe:p name ports[]q readinessProbe:p resizePolicy[]r resources:s restartPolicy securityContext:t startupProbe:p stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices[]u volumeMounts[]v workingDir
nameservers[] options[]w searches[]
args[] command[] env[]m envFrom[]n image imagePullPolicy lifecycle:o livenessProbe:p name ports[]q readinessProbe:p resizePolicy[]r resources:s restartPolicy securityContext:t startupProbe:p stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty volumeDevices[]u volumeMounts[]v workingDir
hostnames[] ip
name
name
conditionType
name source:x
name
fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxOptions:y seccompProfile:z supplementalGroups[] sysctls[]10 windowsOptions:11
effect key operator tolerationSeconds value
labelSelector:12 matchLabelKeys[] maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable
awsElasticBlockStore:13 azureDisk:14 azureFile:15 cephfs:16 cinder:17 configMap:18 csi:19 downwardApi=downwardAPI:1a emptyDir:1b ephemeral:1c fc:1d flexVolume:1e flocker:1f gcePersistentDisk:1g gitRepo:1h glusterfs:1i hostPath:1j iscsi:1k name nfs:1l persistentVolumeClaim:1m photonPersistentDisk:1n portworxVolume:1o projected:1p quobyte:1q rbd:1r scaleIo=scaleIO:1s secret:1t storageos:1u vsphereVolume:1v
preferredDuringSchedulingIgnoredDuringExecution[]1w requiredDuringSchedulingIgnoredDuringExecution:1x
preferredDuringSchedulingIgnoredDuringExecution[]1y requiredDuringSchedulingIgnoredDuringExecution[]1z
preferredDuringSchedulingIgnoredDuringExecution[]1y requiredDuringSchedulingIgnoredDuringExecution[]1z
name value valueFrom:20
configMapRef:21 prefix secretRef:22
postStart:23 preStop:23
exec:24 failureThreshold grpc:25 httpGet:26 initialDelaySeconds periodSeconds successThreshold tcpSocket:27 terminationGracePeriodSeconds timeoutSeconds
containerPort hostIp=hostIP hostPort name protocol
resourceName restartPolicy
claims[]28 limits{}# requests{}#
allowPrivilegeEscalation capabilities:29 privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser seLinuxOptions:y seccompProfile:z windowsOptions:11
devicePath name
mountPath mountPropagation name readOnly subPath subPathExpr
name value
resourceClaimName resourceClaimTemplateName
level role type user
localhostProfile type
name value
gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName
matchExpressions[]2a matchLabels{}
fsType partition readOnly volumeId=volumeID
cachingMode diskName diskUri=diskURI fsType kind readOnly
readOnly secretName shareName
monitors[] path readOnly secretFile secretRef:a user
fsType readOnly secretRef:a volumeId=volumeID
defaultMode items[]2b name optional
driver fsType nodePublishSecretRef:a readOnly volumeAttributes{}
defaultMode items[]2c
medium sizeLimit#
volumeClaimTemplate:2d
fsType lun readOnly targetWwNs=targetWWNs[] wwids[]
driver fsType options{} readOnly secretRef:a
datasetName datasetUuid=datasetUUID
fsType partition pdName readOnly
directory repository revision
endpoints path readOnly
path type
chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun portals[] readOnly secretRef:a targetPortal
path readOnly server
claimName readOnly
fsType pdId=pdID
fsType readOnly volumeId=volumeID
defaultMode sources[]2e
group readOnly registry tenant user volume
fsType image keyring monitors[] pool readOnly secretRef:a user
fsType gateway protectionDomain readOnly secretRef:a sslEnabled storageMode storagePool system volumeName
defaultMode items[]2b optional secretName
fsType readOnly secretRef:a volumeName volumeNamespace
fsType storagePolicyId=storagePolicyID storagePolicyName volumePath
preference:2f weight
nodeSelectorTerms[]2f
podAffinityTerm:1z weight
labelSelector:12 matchLabelKeys[] mismatchLabelKeys[] namespaceSelector:12 namespaces[] topologyKey
configMapKeyRef:2g fieldRef:2h resourceFieldRef:2i secretKeyRef:2j
name optional
name optional
exec:24 httpGet:26 sleep:2k tcpSocket:27
command[]
port service
host httpHeaders[]2l path port# scheme
host port#
name
add[] drop[]
key operator values[]
key mode path
fieldRef:2h mode path resourceFieldRef:2i
metadata:1 spec:2m
clusterTrustBundle:2n configMap:2o downwardApi=downwardAPI:2p secret:2q serviceAccountToken:2r
matchExpressions[]2s matchFields[]2s
key name optional
apiVersion fieldPath
containerName divisor# resource
key name optional
seconds
name value
accessModes[] dataSource:2t dataSourceRef:2u resources:2v selector:12 storageClassName volumeAttributesClassName volumeMode volumeName
labelSelector:12 name optional path signerName
items[]2b name optional
items[]2c
items[]2b name optional
audience expirationSeconds path
key operator values[]
apiGroup kind name
apiGroup kind name namespace
limits{}# requests{}#
`;
