// Each paragraph that starts with `mistake:` must give one compiler error; test/mistakes.test.ts keeps its words.
import { type Container, type PodSpec } from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import {
  Capacity,
  GcsFuseVolume,
  HuggingFaceToken,
  podTemplate,
  TpuSlice,
  VllmMetric,
  VllmServer,
  WorkloadIdentity,
  type VllmServerProps,
} from '../../lib';

declare const scope: Construct;
declare const server: VllmServer;
declare const wholePod: PodSpec;
declare const wholeContainer: Container;

const model = 'google/gemma-2b';
const slice = TpuSlice.of('ct6e-standard-8t');
const props: VllmServerProps = { model, slice };
const scaled = { maxReplicas: 2, averageValue: 10 };

// mistake: no model
new VllmServer(scope, 'server', { slice });

// mistake: no slice
new VllmServer(scope, 'server', { model });

// mistake: no props
new VllmServer(scope, 'server');

// mistake: a prop that does not exist
new VllmServer(scope, 'server', { ...props, hosts: 2 });

// mistake: a topology that the machine type does not make
new VllmServer(scope, 'server', { ...props, slice: TpuSlice.of('ct6e-standard-8t', '4x4') });

// mistake: the name of a slice for a slice
new VllmServer(scope, 'server', { ...props, slice: 'v6e-8' });

// mistake: a token for its Secret
new VllmServer(scope, 'server', { ...props, huggingFaceToken: 'hf_abcdefghijkl' });

// mistake: a token put together by hand
new VllmServer(scope, 'server', { ...props, huggingFaceToken: { secretName: 'hf-secret', key: 'token' } });

// mistake: a Secret without its key
HuggingFaceToken.fromSecret('hf-secret');

// mistake: Kubernetes' type of Service, which does not say who can reach it
new VllmServer(scope, 'server', { ...props, serviceType: 'LoadBalancer' });

// mistake: capacity as a word
new VllmServer(scope, 'server', { ...props, capacity: 'spot' });

// mistake: capacity as node labels
new VllmServer(scope, 'server', {
  ...props,
  capacity: { nodeSelector: { 'cloud.google.com/gke-spot': 'true' } },
});

// mistake: days for seconds
Capacity.flexStart({ maxRunDurationDays: 7 });

// mistake: a bucket for a volume
new VllmServer(scope, 'server', { ...props, modelCache: 'gs://my-models' });

// mistake: a volume without its folder
new VllmServer(scope, 'server', { ...props, modelCache: { volumes: [{ name: 'data', emptyDir: {} }] } });

// mistake: a bucket that may be null
new GcsFuseVolume({ mountPath: '/data', bucketName: null });

// mistake: no folder
new GcsFuseVolume({ bucketName: 'my-models' });

// mistake: Kubernetes' medium
new GcsFuseVolume({
  bucketName: 'my-models',
  mountPath: '/data',
  cache: { medium: 'Memory', sizeLimit: '1Gi' },
});

// mistake: a cache without a size
new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', cache: { medium: 'ram' } });

// mistake: an option that does not exist
new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', mountOptions: { implicitDir: true } });

// mistake: a mode as a number
new GcsFuseVolume({ bucketName: 'my-models', mountPath: '/data', mountOptions: { fileMode: 640 } });

// mistake: a number of replicas in words
new VllmServer(scope, 'server', { ...props, replicas: '2' });

// mistake: an environment of a number
new VllmServer(scope, 'server', { ...props, env: { OMP_NUM_THREADS: 8 } });

// mistake: arguments in one string
new VllmServer(scope, 'server', { ...props, args: '--dtype=bfloat16' });

// mistake: no metric
new VllmServer(scope, 'server', { ...props, autoscaling: scaled });

// mistake: the name of a metric for a metric
new VllmServer(scope, 'server', {
  ...props,
  autoscaling: { ...scaled, metric: 'vllm:num_requests_waiting' },
});

// mistake: a metric of a type that does not exist
new VllmServer(scope, 'server', {
  ...props,
  autoscaling: { ...scaled, metric: { name: 'a', type: 'summary' } },
});

// mistake: a metric that vLLM no longer has
VllmMetric.GPU_CACHE_USAGE;

// mistake: monitoring switched on
new VllmServer(scope, 'server', { ...props, monitoring: true });

// mistake: an interval in seconds
new VllmServer(scope, 'server', { ...props, monitoring: { interval: 15 } });

// mistake: a label that is not a string
new VllmServer(scope, 'server', { ...props, fragments: [{ labels: { public: true } }] });

// mistake: an amount that is not a string
new VllmServer(scope, 'server', {
  ...props,
  fragments: [{ resources: { limits: { 'google.com/tpu': 8 } } }],
});

// mistake: volumes where the pod's other fields are
new VllmServer(scope, 'server', { ...props, fragments: [{ pod: { volumes: [] } }] });

// mistake: containers of a fragment
new VllmServer(scope, 'server', { ...props, fragments: [{ pod: { containers: [] } }] });

// mistake: a whole spec of a pod, from a variable
new VllmServer(scope, 'server', { ...props, fragments: [{ pod: wholePod }] });

// mistake: a whole container, from a variable
new VllmServer(scope, 'server', { ...props, fragments: [{ container: wholeContainer }] });

// mistake: another name for the container
new VllmServer(scope, 'server', { ...props, fragments: [{ container: { name: 'other' } }] });

// mistake: a template without sidecars and fragments
podTemplate({ name: 'server', image: 'server:v1' });

// mistake: an object put in the place of another
server.workload = server.service;

// mistake: an object that may not be there
server.podMonitoring.addDependency(server.service);

// mistake: an identity without a project
new WorkloadIdentity(scope, 'identity', { projectNumber: '123456789012' });

// mistake: a project's number as a number
new WorkloadIdentity(scope, 'identity', { projectId: 'my-project', projectNumber: 123456789012 });
