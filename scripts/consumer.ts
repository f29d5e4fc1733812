// One of each construct, as users compose them: what scripts/consumer.mjs compiles and runs in blank projects.
import { App, Chart } from 'cdk8s';
import {
  JetStreamCheckpointConverter,
  FlexStartJob,
  GcsFuseVolume,
  HuggingFaceToken,
  JetStreamServer,
  SaxCell,
  TpuRayService,
  TpuSlice,
  VllmMetric,
  VllmServer,
  WorkloadIdentity,
} from 'cdk8s-tpu-serving';

const app = new App();
export const chart = new Chart(app, 'consumer');
const host = TpuSlice.of('ct5lp-hightpu-8t');
const hosts = TpuSlice.parse('v5litepod-16');
const huggingFaceToken = HuggingFaceToken.fromSecret('hf-secret', 'HUGGINGFACE_TOKEN');
const { serviceAccountName } = new WorkloadIdentity(chart, 'identity', {
  projectId: 'my-project',
  projectNumber: '123456789012',
});

new VllmServer(chart, 'vllm', {
  model: 'meta-llama/Llama-3.1-8B',
  slice: host,
  modelCache: new GcsFuseVolume({
    bucketName: 'my-models',
    mountPath: '/data',
    cache: { medium: 'ram', sizeLimit: '20Gi' },
  }),
  huggingFaceToken,
  serviceAccountName,
  autoscaling: { maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 },
});
const { checkpoint } = new JetStreamCheckpointConverter(chart, 'converter', {
  model: 'google/gemma-7b-it-pytorch',
  modelName: 'gemma',
  bucketName: 'my-models',
  path: 'gemma',
  huggingFaceToken,
  slice: host,
  serviceAccountName,
});
new JetStreamServer(chart, 'jetstream', { checkpoint, size: '7b', slice: host, serviceAccountName });
new SaxCell(chart, 'sax', { slice: hosts, bucketName: 'my-sax', serviceAccountName });
new TpuRayService(chart, 'ray', {
  serveConfig: { applications: [{ name: 'app', importPath: 'app:deployment' }] },
  workerGroups: [{ groupName: 'tpu', slice: hosts, resources: { limits: { cpu: '20', memory: '80G' } } }],
});
new FlexStartJob(chart, 'job', { slice: hosts, image: 'example/train:v1' });
app.synth();
