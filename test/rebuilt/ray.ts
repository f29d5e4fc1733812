// Public manifests of Ray clusters, jobs and services, rebuilt. Each function is one chart; its manifest is in manifests/.
import { type Chart } from 'cdk8s';
import { Capacity, GcsFuseVolume, TpuRayCluster, TpuRayJob, TpuRayService, TpuSlice } from '../../lib';

export function rayV4TwoHosts(chart: Chart): void {
  const logs = {
    volumes: [{ name: 'ray-logs', emptyDir: {} }],
    volumeMounts: [{ name: 'ray-logs', mountPath: '/tmp/ray' }],
    container: { imagePullPolicy: 'IfNotPresent' },
  };
  new TpuRayCluster(chart, 'example-cluster-kuberay', {
    image: 'rayproject/ray:2.9.0-py310',
    labels: { 'app.kubernetes.io/instance': 'example-cluster' },
    head: {
      labels: { 'cloud.google.com/gke-ray-node-type': 'head' },
      resources: {
        requests: { cpu: '8', memory: '40G', 'ephemeral-storage': '10Gi' },
        limits: { cpu: '8', memory: '40G', 'ephemeral-storage': '20Gi' },
      },
      env: {
        RAY_memory_monitor_refresh_ms: '0',
        RAY_GRAFANA_IFRAME_HOST: 'http://grafana-host',
        RAY_GRAFANA_HOST: 'http://grafana:80',
        RAY_PROMETHEUS_HOST: 'http://frontend:9090',
      },
      fragments: [
        logs,
        {
          container: {
            ports: [
              { name: 'serve', containerPort: 8000 },
              { name: 'slicebuilder', containerPort: 8471 },
              { name: 'mxla', containerPort: 8081 },
            ],
          },
        },
      ],
    },
    workerGroups: [
      {
        groupName: 'workergroup',
        slice: TpuSlice.of('ct4p-hightpu-4t', '2x2x2'),
        labels: { 'cloud.google.com/gke-ray-node-type': 'worker' },
        resources: {
          requests: { cpu: '1', memory: '40G', 'ephemeral-storage': '10Gi' },
          limits: { cpu: '1', memory: '40G', 'ephemeral-storage': '20Gi' },
        },
        fragments: [logs],
      },
    ],
  });
}

export function rayV6eFourHosts(chart: Chart): void {
  const pull = { container: { imagePullPolicy: 'IfNotPresent' } };
  const head = { cpu: '8', memory: '40G' };
  const worker = { cpu: '24', memory: '200G' };
  new TpuRayCluster(chart, 'raycluster-tpu-v6e-multihost', {
    image: 'rayproject/ray:2.52.0-py310',
    head: {
      resources: { requests: head, limits: head },
      fragments: [
        pull,
        {
          container: {
            ports: [
              { name: 'serve', containerPort: 8000 },
              { name: 'grpc', containerPort: 8888 },
            ],
          },
        },
      ],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
        replicas: 1,
        minReplicas: 0,
        maxReplicas: 1,
        resources: { requests: worker, limits: worker },
        env: {
          VBAR_CONTROL_SERVICE_URL: '$(NODE_IP):8353',
          JAX_PLATFORMS: 'tpu,cpu',
          ENABLE_PJRT_COMPATIBILITY: 'true',
        },
        fragments: [
          pull,
          {
            env: [{ name: 'NODE_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }],
            container: { ports: [{ name: 'mxla', containerPort: 8081 }] },
          },
        ],
      },
    ],
  });
}

export function rayV6eOneHost(chart: Chart): void {
  const pull = { container: { imagePullPolicy: 'IfNotPresent' } };
  const head = { cpu: '8', memory: '40G' };
  const worker = { cpu: '24', memory: '200G' };
  new TpuRayCluster(chart, 'raycluster-tpu-v6e-singlehost', {
    image: 'rayproject/ray:2.52.0',
    head: {
      resources: { requests: head, limits: head },
      fragments: [
        pull,
        {
          container: {
            ports: [
              { name: 'serve', containerPort: 8000 },
              { name: 'mxla', containerPort: 8081 },
              { name: 'grpc', containerPort: 8888 },
            ],
          },
        },
      ],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-4t'),
        replicas: 1,
        minReplicas: 0,
        maxReplicas: 1,
        resources: { requests: worker, limits: worker },
        fragments: [pull],
      },
    ],
  });
}

export function rayMultislice(chart: Chart): void {
  const data = new GcsFuseVolume({
    name: 'gcs-fuse-csi-ephemeral',
    bucketName: 'gs-bucket',
    mountPath: '/data',
    mountOptions: { uid: 1000, gid: 1000, dirMode: '775', fileMode: '664', fileCache: { maxSizeMb: -1 } },
    sidecar: GcsFuseVolume.UNLIMITED_SIDECAR,
  });
  const pod = {
    nodeSelector: { 'iam.gke.io/gke-metadata-server-enabled': 'true' },
    container: { imagePullPolicy: 'Always' },
  };
  new TpuRayCluster(chart, 'maxtext-tpu-cluster', {
    image: 'rayproject/ray:nightly-py312-tpu',
    serviceAccountName: 'ksa-name',
    monitoring: false,
    head: {
      resources: { requests: { cpu: '8', memory: '16Gi' }, limits: { memory: '16Gi' } },
      sharedMemory: '8Gi',
      fragments: [data, pod],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
        replicas: 2,
        multislice: true,
        rayStartParams: { 'metrics-export-port': '8082' },
        resources: { requests: { cpu: '8', memory: '200G' }, limits: { memory: '200G' } },
        sharedMemory: '100Gi',
        podSecurityLevel: 'privileged',
        env: {
          MEGASCALE_PORT: '9915',
          JAX_PLATFORMS: 'tpu,cpu',
          ENABLE_PJRT_COMPATIBILITY: 'true',
          LIBTPU_INIT_ARGS:
            '--xla_tpu_scoped_vmem_limit_kib=122880 --xla_tpu_use_minor_sharding_for_major_trivial_input=true --xla_tpu_relayout_group_size_threshold_for_reduce_scatter=1 --xla_tpu_assign_all_reduce_scatter_layout --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true --xla_tpu_enable_async_collective_fusion_multiple_steps=true --xla_tpu_overlap_compute_collective_tc=true --xla_enable_async_all_gather=true --megascale_grpc_interface_prefixes=eth1,eth2,lo',
        },
        fragments: [data, pod],
      },
    ],
  });
}

export function rayMaxtext(chart: Chart): void {
  const data = new GcsFuseVolume({
    name: 'gcs-fuse-csi-ephemeral',
    bucketName: 'gs-bucket',
    mountPath: '/data',
    sidecar: GcsFuseVolume.UNLIMITED_SIDECAR,
  });
  const cache = {
    volumes: [{ name: 'gcs-fuse-cache', emptyDir: { medium: 'Memory' } }],
    container: { imagePullPolicy: 'IfNotPresent' },
  };
  new TpuRayCluster(chart, 'maxtext-tpu-cluster', {
    image: 'example.com/filled/docker-image:v1.0.0',
    serviceAccountName: 'ksa-name',
    head: {
      resources: { requests: { cpu: '8', memory: '16Gi' }, limits: { memory: '16Gi' } },
      sharedMemory: '8Gi',
      fragments: [data, cache],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
        resources: { requests: { cpu: '8', memory: '200G' }, limits: { memory: '200G' } },
        sharedMemory: '100Gi',
        env: { JAX_PLATFORMS: 'tpu', ENABLE_PJRT_COMPATIBILITY: 'true' },
        fragments: [data, cache],
      },
    ],
  });
}

export function rayJobFourHosts(chart: Chart): void {
  const head = { cpu: '8', memory: '40G' };
  const worker = { cpu: '24', memory: '200G' };
  new TpuRayJob(chart, 'v6e-16-job', {
    image: 'rayproject/ray:2.52.0-py310',
    entrypoint: 'python ray-operator/config/samples/tpu/tpu_list_devices.py',
    runtimeEnv: {
      workingDir: 'https://github.com/ray-project/kuberay/archive/master.zip',
      pip: ['jax[tpu]==0.6.1', '-f https://storage.googleapis.com/jax-releases/libtpu_releases.html'],
    },
    head: {
      resources: { requests: head, limits: head },
      fragments: [{ container: { ports: [{ name: 'grpc', containerPort: 8888 }] } }],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
        resources: { requests: worker, limits: worker },
        env: {
          VBAR_CONTROL_SERVICE_URL: '$(NODE_IP):8353',
          JAX_PLATFORMS: 'tpu,cpu',
          ENABLE_PJRT_COMPATIBILITY: 'true',
        },
        fragments: [
          {
            pod: { securityContext: { runAsUser: 0 } },
            env: [{ name: 'NODE_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }],
            container: { ports: [{ name: 'mxla', containerPort: 8081 }] },
          },
        ],
      },
    ],
  });
}

export function rayJobOneHost(chart: Chart): void {
  const head = { cpu: '8', memory: '40G' };
  const worker = { cpu: '24', memory: '200G' };
  new TpuRayJob(chart, 'v6e-4-job', {
    image: 'rayproject/ray:2.52.0-py310',
    entrypoint: 'python ray-operator/config/samples/tpu/tpu_list_devices.py',
    runtimeEnv: {
      workingDir: 'https://github.com/ray-project/kuberay/archive/master.zip',
      pip: ['jax[tpu]==0.6.1', '-f https://storage.googleapis.com/jax-releases/libtpu_releases.html'],
    },
    head: { resources: { requests: head, limits: head } },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-4t'),
        resources: { requests: worker, limits: worker },
        fragments: [{ pod: { securityContext: { runAsUser: 0 } } }],
      },
    ],
  });
}

export function rayJobQueued(chart: Chart): void {
  const script = {
    volumes: [{ name: 'train-script-volume', configMap: { name: 'jax-train-script' } }],
    volumeMounts: [{ name: 'train-script-volume', mountPath: '/app' }],
  };
  const head = { cpu: '2', memory: '4Gi' };
  const worker = { cpu: '8', memory: '16Gi' };
  new TpuRayJob(chart, 'rayjob-tpu-v6e-dws-job-id', {
    image: 'rayproject/ray:2.53.0-py311',
    annotations: { 'kueue.x-k8s.io/elastic-job': 'true' },
    entrypoint: 'python /app/train.py',
    runtimeEnv: { pip: ['jax[tpu]==0.8.2', 'pandas==2.3.3'] },
    enableInTreeAutoscaling: true,
    head: {
      resources: { requests: head, limits: head },
      fragments: [script, { nodeSelector: { 'cloud.google.com/gke-nodepool': 'default-pool' } }],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-4t', '4x4'),
        capacity: Capacity.flexStartQueued({ queue: 'user-queue' }),
        minReplicas: 1,
        maxReplicas: 2,
        resources: { requests: worker, limits: worker },
        fragments: [
          script,
          { tolerations: [{ key: 'google.com/tpu', operator: 'Exists', effect: 'NoSchedule' }] },
        ],
      },
    ],
  });
}

export function rayStableDiffusion(chart: Chart): void {
  const worker = { cpu: '100', memory: '200G', 'ephemeral-storage': '20Gi' };
  new TpuRayService(chart, 'stable-diffusion-tpu', {
    image: 'rayproject/ray:2.9.0-py310',
    serveConfig: {
      applications: [
        {
          name: 'stable_diffusion',
          importPath: 'stable_diffusion.stable_diffusion_tpu:deployment',
          runtimeEnv: {
            workingDir: 'https://github.com/ray-project/serve_config_examples/archive/refs/heads/master.zip',
            pip: [
              'pydantic<2',
              'google-api-python-client',
              'pillow',
              'diffusers==0.7.2',
              'transformers==4.24.0',
              'flax',
              'ml_dtypes==0.2.0',
              'jax[tpu]==0.4.11',
              '-f https://storage.googleapis.com/jax-releases/libtpu_releases.html',
              'fastapi',
            ],
          },
        },
      ],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct4p-hightpu-4t'),
        minReplicas: 1,
        maxReplicas: 10,
        resources: { requests: worker, limits: worker },
      },
    ],
  });
}

export function rayQwen3(chart: Chart): void {
  const common = {
    RAY_SERVE_ENABLE_HA_PROXY: '1',
    RAY_SERVE_THROUGHPUT_OPTIMIZED: '1',
    RAY_SERVE_LLM_ENABLE_DIRECT_STREAMING: '1',
    VLLM_USE_RAY_V2_EXECUTOR_BACKEND: '1',
  };
  const code = {
    volumes: [{ name: 'app-code', configMap: { name: 'qwen3-serve-code' } }],
    volumeMounts: [{ name: 'app-code', mountPath: '/home/ray/app' }],
    container: { imagePullPolicy: 'IfNotPresent' },
  };
  const head = { cpu: '4', memory: '16Gi' };
  const worker = { cpu: '24', memory: '200Gi' };
  new TpuRayService(chart, 'qwen3-serve', {
    image: 'example.com/filled/serve-image:v1.0.0',
    serviceAccountName: 'ksa-name',
    serveConfig: {
      httpOptions: { host: '0.0.0.0' },
      applications: [
        {
          name: 'llm',
          importPath: 'serve_qwen3_tpu:deployment',
          runtimeEnv: {
            envVars: {
              PYTHONPATH: '/home/ray/app',
              MODEL_ID: 'Qwen/Qwen3-4B-Instruct-2507',
              ACCELERATOR_TYPE: 'TPU-V6E',
              TPU_TOPOLOGY: '2x4',
              TENSOR_PARALLEL_SIZE: '8',
              VLLM_XLA_CACHE_PATH: '/tmp/vllm_xla_cache',
            },
          },
        },
      ],
    },
    head: {
      resources: { requests: head, limits: head },
      env: {
        RAY_PROMETHEUS_HOST: 'http://prometheus-stack-kube-prom-prometheus.prometheus-system.svc:9090',
        RAY_GRAFANA_HOST: 'http://prometheus-stack-grafana.prometheus-system.svc:80',
        RAY_PROMETHEUS_NAME: 'Prometheus',
        RAY_GRAFANA_IFRAME_HOST: 'http://localhost:3000',
        ...common,
      },
      fragments: [code],
    },
    workerGroups: [
      {
        groupName: 'tpu-group',
        slice: TpuSlice.of('ct6e-standard-8t'),
        resources: { requests: worker, limits: worker },
        env: { JAX_PLATFORMS: 'tpu,cpu', ENABLE_PJRT_COMPATIBILITY: 'true', ...common },
        fragments: [code],
      },
    ],
  });
}
