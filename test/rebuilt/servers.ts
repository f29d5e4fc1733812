// Public manifests of servers, rebuilt. Each function is one chart; its manifest is in manifests/.
import { type Chart, Size } from 'cdk8s';
import { ConfigMap, PersistentVolumeAccessMode, PersistentVolumeClaim } from 'cdk8s-plus-29';
import {
  HuggingFaceToken,
  JetStreamCheckpoint,
  JetStreamServer,
  PvcVolume,
  SaxCell,
  TpuServer,
  TpuSlice,
} from '../../lib';

export function maxdiffusion(chart: Chart): void {
  new TpuServer(chart, 'stable-diffusion-deployment', {
    slice: TpuSlice.of('ct5lp-hightpu-1t'),
    image: 'us-docker.pkg.dev/my-project/gke-llm/max-diffusion:latest',
    containerName: 'serve-stable-diffusion',
    serviceName: 'max-diffusion-server',
    env: { MODEL_NAME: 'stable_diffusion' },
    sharedMemory: '16Gi',
  });
}

export function tgi(chart: Chart): void {
  new TpuServer(chart, 'tgi-tpu', {
    slice: TpuSlice.of('ct5lp-hightpu-8t'),
    image: 'us-docker.pkg.dev/my-project/optimum-tpu/tgi-tpu:latest',
    containerName: 'tgi-tpu',
    serviceName: 'service',
    port: 80,
    args: [
      '--model-id=google/gemma-2b',
      '--max-concurrent-requests=4',
      '--max-input-length=8191',
      '--max-total-tokens=8192',
      '--max-batch-prefill-tokens=32768',
      '--max-batch-size=16',
    ],
    huggingFaceToken: HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token'),
    podSecurityLevel: 'privileged',
    probes: { liveness: { initialDelaySeconds: 300, periodSeconds: 120 } },
  });
}

export function bert(chart: Chart): void {
  new TpuServer(chart, 'bert-deployment', {
    slice: TpuSlice.of('ct5lp-hightpu-1t'),
    replicas: 3,
    image: 'us-docker.pkg.dev/cloud-tpu-images/inference/tf-serving-tpu:2.13.0',
    containerName: 'serve-bert',
    port: 8501,
    extraPorts: [{ name: 'grpc', port: 8500 }],
    env: { MODEL_NAME: 'bert' },
    podSecurityLevel: 'privileged',
    fragments: [
      { annotations: { 'gke-gcsfuse/volumes': 'true' } },
      new PvcVolume({
        name: 'bert-external-storage',
        claimName: 'external-storage-pvc',
        mountPath: '/models/',
      }),
    ],
  });
}

export function vllmWithConfig(chart: Chart): void {
  const token = { path: 'sam-token', expirationSeconds: 3600, audience: 'sam-control-plane-audience' };
  const claimName = new PersistentVolumeClaim(chart, 'cache', {
    metadata: { name: 'hf-cache-pvc-env-name' },
    accessModes: [PersistentVolumeAccessMode.READ_WRITE_ONCE],
    storage: Size.gibibytes(100),
  });
  const config = new ConfigMap(chart, 'config', {
    metadata: { name: 'sam-canary-vllm-config-env-name' },
    data: {
      'sam-node.yaml': `version: "v1alpha1"
attenuation:
  policies:
    - 'allow if service("inference", "vllm-tpu"), user("system:serviceaccount:sam-canary-\${ENV_NAME}:sam-node-sa");'
    - 'allow if service("system", "/sam/catalog");'
  checks: []
  rules: []
services:
  - type: inference
    name: vllm-tpu
    description: "vLLM TPU Inference Service"
    target_url: "http://localhost:8000"
`,
    },
  });
  new TpuServer(chart, 'vllm-canary-env-name', {
    slice: TpuSlice.of('ct5lp-hightpu-1t'),
    image: 'vllm/vllm-tpu:latest',
    containerName: 'vllm-tpu',
    command: ['/bin/bash', '-c'],
    args: [
      `python3 -m vllm.entrypoints.openai.api_server \\
  --model google/gemma-2-2b-it \\
  --tensor-parallel-size 1 \\
  --max-model-len 2048 \\
  --enforce-eager \\
  --host 0.0.0.0 \\
  --port 8000 \\
  --trust-remote-code \\
  --enable-auto-tool-choice \\
  --tool-call-parser hermes
`,
    ],
    rollout: 'Recreate',
    serviceAccountName: 'sam-node-sa',
    resources: { requests: { cpu: '1000m', memory: '16Gi' } },
    sharedMemory: '16Gi',
    sidecars: [
      {
        name: 'sam-node',
        image: 'ghcr.io/google/sam-node:image-tag',
        env: [{ name: 'SAM_API_TOKEN', value: 'secret-token' }],
        args: [
          'run',
          '--config=/etc/sam/sam-node.yaml',
          '--control-plane=http://sam-control-plane-${ENV_NAME}.${NAMESPACE}.svc.cluster.local:8080',
          '--jwt-path=/var/run/secrets/tokens/sam-token',
          '--bind-addr=127.0.0.1:8080',
        ],
        ports: [{ containerPort: 8080 }],
        resources: {
          requests: { cpu: '50m', memory: '64Mi' },
          limits: { cpu: '200m', memory: '256Mi' },
        },
        volumeMounts: [
          { name: 'config-volume', mountPath: '/etc/sam' },
          { name: 'sam-token', mountPath: '/var/run/secrets/tokens', readOnly: true },
        ],
      },
    ],
    fragments: [
      new PvcVolume({ name: 'hf-cache', claimName, mountPath: '/root/.cache/huggingface' }),
      {
        env: [
          {
            name: 'HUGGING_FACE_HUB_TOKEN',
            valueFrom: { secretKeyRef: { name: 'vllm-secret-env-name', key: 'hf-token' } },
          },
        ],
        tolerations: ['google.com/tpu', 'node.kubernetes.io/memory-pressure'].map((key) => ({
          key,
          operator: 'Exists',
          effect: 'NoSchedule',
        })),
        volumes: [
          { name: 'config-volume', configMap: { name: config.name } },
          { name: 'sam-token', projected: { sources: [{ serviceAccountToken: token }] } },
        ],
      },
    ],
  });
}

export function jetstreamBucket(chart: Chart): void {
  new JetStreamServer(chart, 'jetstream-pytorch-server', {
    slice: TpuSlice.of('ct5lp-hightpu-8t'),
    replicas: 2,
    serviceName: 'jetstream-svc',
    images: { http: 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-http:v0.2.2' },
    checkpoint: JetStreamCheckpoint.at({
      bucketName: 'filled-bucket',
      path: 'pytorch/llama-2-7b/final/bf16',
      modelName: 'llama-2',
    }),
    modelCache: { mountOptions: {} },
    tokenizerPath: '/jetstream-pytorch/jetstream_pt/third_party/llama2/tokenizer.model',
    size: '7b',
    batchSize: 80,
    maxCacheLength: 2048,
    monitoring: false,
    extraPorts: [{ name: 'jetstream-grpc', port: 9000 }],
  });
}

export function jetstreamDisk(chart: Chart): void {
  new JetStreamServer(chart, 'jetstream-pytorch-server', {
    slice: TpuSlice.of('ct5lp-hightpu-8t'),
    replicas: 2,
    serviceName: 'jetstream-svc',
    images: { http: 'us-docker.pkg.dev/cloud-tpu-images/inference/jetstream-http:v0.2.2' },
    checkpoint: JetStreamCheckpoint.onVolume({
      volume: new PvcVolume({
        name: 'checkpoint-volume',
        claimName: 'checkpoint-pvc',
        mountPath: '/models/llama2-7b/bf16',
      }),
      modelName: 'llama-2',
    }),
    tokenizerPath: '/jetstream-pytorch/jetstream_pt/third_party/llama2/tokenizer.model',
    size: '7b',
    batchSize: 80,
    maxCacheLength: 2048,
    monitoring: false,
    extraPorts: [{ name: 'jetstream-grpc', port: 9000 }],
  });
}

export function saxmlOneHost(chart: Chart): void {
  new SaxCell(chart, 'sax-model-server-v5e-1x1', {
    slice: TpuSlice.of('ct5lp-hightpu-1t'),
    bucketName: 'admin-bucket-name',
    serviceAccountName: 'sax-sa',
    labels: { 'ai.gke.io/model': 'gemma-2b-it', 'examples.ai.gke.io/source': 'user-guide' },
    images: { modelServer: 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-model-server:v1.2.0' },
    args: ['--jax_platforms=tpu', '--platform_topology=1x1'],
    rollout: 'Recreate',
  });
}

export function lwsSample(chart: Chart): void {
  new TpuServer(chart, 'leaderworkerset-sample', {
    slice: TpuSlice.of('ct5lp-hightpu-4t', '4x4'),
    replicas: 3,
    image: 'nginxinc/nginx-unprivileged:1.27',
    containerName: 'nginx',
    port: 8080,
    labels: {
      'app.kubernetes.io/name': 'leaderworkerset',
      'app.kubernetes.io/part-of': 'lws',
      'app.kubernetes.io/managed-by': 'kustomize',
      'app.kubernetes.io/created-by': 'lws',
    },
  });
}
