// Public manifests of Jobs, rebuilt. Each function is one chart; its manifest is in manifests/.
import { type Chart } from 'cdk8s';
import { GcsFuseVolume, PvcVolume, TpuJob, TpuSlice } from '../../lib';

export function kaggleConverter(chart: Chart): void {
  new TpuJob(chart, 'data-loader-7b', {
    slice: TpuSlice.of('ct5lp-hightpu-4t'),
    image: 'us-docker.pkg.dev/cloud-tpu-images/inference/inference-checkpoint:v0.2.0',
    args: ['-b=GEMMA_BUCKET_NAME', '-m=google/gemma/maxtext/7b-it/2'],
    serviceAccountName: 'benchmark-sa',
    ttlSecondsAfterFinished: 30,
    fragments: [
      {
        pod: { restartPolicy: 'Never' },
        volumes: [
          { name: 'kaggle-credentials', secret: { secretName: 'kaggle-secret', defaultMode: 0o400 } },
        ],
        volumeMounts: [{ name: 'kaggle-credentials', mountPath: '/kaggle/', readOnly: true }],
      },
    ],
  });
}

export function mnistPredict(chart: Chart): void {
  new TpuJob(chart, 'mnist-batch-prediction-job', {
    slice: TpuSlice.of('ct4p-hightpu-4t'),
    image: 'tensorflow/tensorflow:2.14.0',
    command: ['/bin/bash', '-c', '--'],
    args: [
      'cd /data/tensorflow-mnist-example; pip install -r requirements.txt; python tensorflow_mnist_batch_predict.py',
    ],
    serviceAccountName: 'k8s-sa-name',
    podSecurityLevel: 'privileged',
    fragments: [
      { pod: { restartPolicy: 'Never' } },
      new GcsFuseVolume({
        name: 'gcs-fuse-csi-vol',
        bucketName: 'bucket-name',
        mountPath: '/data',
      }),
    ],
  });
}

export function mnistTrain(chart: Chart): void {
  new TpuJob(chart, 'mnist-training-job', {
    slice: TpuSlice.of('ct5lp-hightpu-4t'),
    image: 'tensorflow/tensorflow:2.14.0',
    command: ['/bin/bash', '-c', '--'],
    args: [
      'cd /data/tensorflow-mnist-example; pip3 install -r requirements.txt; python3 tensorflow_mnist_train_distributed.py',
    ],
    serviceAccountName: 'k8s-sa-name',
    podSecurityLevel: 'privileged',
    fragments: [
      { pod: { restartPolicy: 'Never' } },
      new GcsFuseVolume({ name: 'gcs-fuse-csi-vol', bucketName: 'bucket-name', mountPath: '/data' }),
    ],
  });
}

export function gemma3OneHost(chart: Chart): void {
  new TpuJob(chart, 'jax-gemma3-train-singlehost', {
    slice: TpuSlice.of('ct6e-standard-1t'),
    image: 'example.com/filled/image-uri:v1.0.0',
    command: [
      ...['python', 'Gemma3LLMTrain.py', '--maxlen', '256'],
      ...['--batch_size', '64', '--datacount', '355120'],
    ],
    serviceAccountName: 'jaxserviceaccout',
    backoffLimit: 1,
    fragments: [
      { pod: { restartPolicy: 'Never' }, container: { imagePullPolicy: 'Always' } },
      new GcsFuseVolume({
        name: 'gcs-fuse-csi-ephemeral',
        bucketName: 'gcs-bucket-name',
        mountPath: '/data',
        mountOptions: { fileCache: { ...GcsFuseVolume.PARALLEL_DOWNLOADS, maxSizeMb: -1 } },
      }),
    ],
  });
}

export function tpu7xPod(chart: Chart): void {
  new TpuJob(chart, 'tpu-job-jax-tpu7x', {
    slice: TpuSlice.of('tpu7x-standard-4t'),
    image: 'python:3.12',
    command: [
      'bash',
      '-c',
      `set -ex
pip install -U --pre jax jaxlib libtpu requests -i https://example.com/simple/ -f https://storage.googleapis.com/jax-releases/libtpu_releases.html
python -c 'import jax; print("Global device count:", jax.device_count())'
`,
    ],
    podSecurityLevel: 'privileged',
    fragments: [{ pod: { restartPolicy: 'Never' } }],
  });
}

export function sglangJaxJob(chart: Chart): void {
  const index = {
    fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
  };
  new TpuJob(chart, 'job', {
    slice: TpuSlice.of('tpu7x-standard-4t', '2x2x4'),
    image: 'us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.8.1-rev1',
    command: ['bash', '-lc'],
    args: [
      `set -euxo pipefail

REPO_DIR=/tmp/sglang-jax
if [ ! -d "$REPO_DIR/.git" ]; then
  git clone https://github.com/sgl-project/sglang-jax.git "$REPO_DIR"
fi
cd "$REPO_DIR" && git fetch origin && pip install -e "python[tpu]"

export NODE_RANK=\${JOB_COMPLETION_INDEX}
export MASTER_ADDR=<JOB>-0.<JOB>-headless-svc:5000
JAX_COMPILATION_CACHE_DIR=/tmp/jit_cache python -m sgl_jax.launch_server \\
    --model-path <MODEL_PATH> \\
    --trust-remote-code \\
    <LAUNCH_FLAGS> \\
    --host 0.0.0.0 --port <HTTP_PORT> \\
    --nnodes <N> --node-rank \${NODE_RANK} \\
    --dist-init-addr \${MASTER_ADDR}
`,
    ],
    env: {
      TPU_PROCESS_ADDRESSES:
        'job-0.job-headless-svc:8471,job-1.job-headless-svc:8471,...,job-(N-1).job-headless-svc:8471',
      TPU_WORKER_HOSTNAMES: 'job-0.job-headless-svc,job-1.job-headless-svc,...,job-(N-1).job-headless-svc',
      TPU_PROCESS_PORT: '8471',
    },
    backoffLimit: 16,
    serviceAccountName: 'gcs-account',
    sharedMemory: '16Gi',
    modelCache: new PvcVolume({ name: 'model-storage', claimName: 'model-pvc', mountPath: '/models' }),
    fragments: [
      {
        annotations: { 'gke-gcsfuse/volumes': 'true' },
        env: [
          { name: 'JOB_COMPLETION_INDEX', valueFrom: index },
          { name: 'TPU_WORKER_ID', valueFrom: index },
        ],
        container: {
          ports: [
            { containerPort: 30000, name: 'http' },
            { containerPort: 5000, name: 'dist-init' },
          ],
        },
      },
    ],
  });
}

export function multisliceV6e(chart: Chart): void {
  new TpuJob(chart, 'multislice-job', {
    slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
    slices: 2,
    image: 'us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:latest',
    command: [
      'bash',
      '-c',
      `python -c 'import jax; print("Global device count:", jax.device_count())'\nsleep 60\n`,
    ],
    maxRestarts: 4,
    podSecurityLevel: 'privileged',
    fragments: [{ pod: { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } }],
  });
}

export function gemma3Multislice(chart: Chart): void {
  new TpuJob(chart, 'jax-gemma3-train-multislice', {
    slice: TpuSlice.of('ct6e-standard-4t', '2x4'),
    slices: 2,
    image: 'example.com/filled/image-uri:v1.0.0',
    command: [
      ...['python', 'Gemma3LLMTrain.py', '--maxlen', '256'],
      ...['--batch_size', '64', '--datacount', '5120'],
    ],
    serviceAccountName: 'jaxserviceaccout',
    backoffLimit: 1,
    fragments: [
      { container: { imagePullPolicy: 'Always' } },
      new GcsFuseVolume({
        name: 'gcs-fuse-csi-ephemeral',
        bucketName: 'gcs-bucket-name',
        mountPath: '/data',
        mountOptions: { fileCache: { ...GcsFuseVolume.PARALLEL_DOWNLOADS, maxSizeMb: 100 } },
      }),
    ],
  });
}

export function xprofMultislice(chart: Chart): void {
  new TpuJob(chart, 'jax-gemma3-train-multislice', {
    slice: TpuSlice.of('ct6e-standard-4t', '2x4'),
    slices: 2,
    image: 'example.com/filled/image-uri:v1.0.0',
    command: [
      ...['python', 'Gemma3LLMTrain.py', '--maxlen', '256'],
      ...['--batch_size', '64', '--datacount', '5120'],
    ],
    serviceAccountName: 'jaxserviceaccout',
    backoffLimit: 1,
    fragments: [
      { container: { imagePullPolicy: 'Always' } },
      new GcsFuseVolume({
        name: 'gcs-fuse-csi-ephemeral',
        bucketName: 'gcs-bucket-name',
        mountPath: '/data',
        mountOptions: { fileCache: { ...GcsFuseVolume.PARALLEL_DOWNLOADS, maxSizeMb: 100 } },
      }),
      new GcsFuseVolume({
        name: 'gcs-fuse-csi-ephemeral2',
        bucketName: 'xprof-gcs-bucket-name',
        mountPath: '/xprof',
        mountOptions: { fileCache: { ...GcsFuseVolume.PARALLEL_DOWNLOADS, maxSizeMb: -1 } },
      }),
    ],
  });
}
