import { parse } from 'yaml';
import { isRecord, type Json } from '../../lib/manifest/manifest';

// Typical workloads without errors and warnings, which each test changes.

/** Maps are merged, lists of named items by their name, `null` removes. Everything else is replaced. */
function patched(base: unknown, patch: unknown): unknown {
  if (isRecord(base) && isRecord(patch)) {
    const merged = new Map(Object.entries(base));
    for (const [key, value] of Object.entries(patch)) {
      if (value === null) merged.delete(key);
      else merged.set(key, patched(merged.get(key), value));
    }
    return Object.fromEntries(merged);
  }
  if (!Array.isArray(base) || !Array.isArray(patch)) return patch;
  const [before, after]: readonly unknown[][] = [base, patch];
  const named = (item: unknown): unknown =>
    isRecord(item) ? (item['name'] ?? item['groupName']) : undefined;
  if (!after?.every((item) => named(item) !== undefined)) return patch;
  return [
    ...(before ?? []).map((item) => patched(item, after.find((one) => named(one) === named(item)) ?? {})),
    ...after.filter((one) => !before?.some((item) => named(item) === named(one))),
  ];
}

const workload =
  (yaml: string) =>
  (patch = ''): Json => {
    const made = patched(parse(yaml), parse(patch) ?? {});
    if (!isRecord(made)) throw new Error('a workload is a map');
    return made;
  };

const nodes = (topology: string): string =>
  `{ cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: ${topology} }`;
const chips = (count: number): string => `{ limits: { google.com/tpu: '${String(count)}' } }`;
const TRAINER = `{ name: train, image: 'us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:jax0.8.1-rev1', command: [python3, -m, train], resources: ${chips(4)} }`;
const RAY = 'rayproject/ray:2.52.0-py311';
const HEAD = `{ rayStartParams: {}, template: { spec: { containers: [{ name: ray-head, image: '${RAY}' }] } } }`;

export const deployment = workload(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: vllm-tpu
spec:
  selector:
    matchLabels:
      app: vllm-tpu
  strategy:
    type: Recreate
  progressDeadlineSeconds: 4200
  template:
    metadata:
      labels:
        app: vllm-tpu
    spec:
      nodeSelector: ${nodes('2x4')}
      containers:
        - name: vllm-tpu
          image: vllm/vllm-tpu:v0.12.0
          command: [vllm, serve, Qwen/Qwen3-32B]
          args: [--tensor-parallel-size=8, --max-model-len=8192, --download-dir=/data]
          ports:
            - containerPort: 8000
          startupProbe:
            httpGet:
              path: /health
              port: 8000
            periodSeconds: 10
            timeoutSeconds: 10
            failureThreshold: 360
          resources: ${chips(8)}
          volumeMounts:
            - name: data
              mountPath: /data
            - name: dshm
              mountPath: /dev/shm
      volumes:
        - name: data
          persistentVolumeClaim:
            claimName: hf-cache
        - name: dshm
          emptyDir:
            medium: Memory
            sizeLimit: 16Gi
`);

export const service = workload(`
apiVersion: v1
kind: Service
metadata:
  name: vllm-service
spec:
  selector:
    app: vllm-tpu
  ports:
    - port: 80
      targetPort: 8000
`);

export const job = workload(`
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  completions: 4
  parallelism: 4
  completionMode: Indexed
  backoffLimit: 0
  template:
    metadata:
      labels:
        app: train
    spec:
      subdomain: train-hosts
      restartPolicy: Never
      nodeSelector: ${nodes('4x4')}
      containers:
        - ${TRAINER}
`);

export const hosts = workload(`
apiVersion: v1
kind: Service
metadata:
  name: train-hosts
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    app: train
`);

export const jobSet = workload(`
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: multislice
  annotations:
    alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool
spec:
  network:
    enableDNSHostnames: true
    publishNotReadyAddresses: true
  startupPolicy:
    startupPolicyOrder: AnyOrder
  successPolicy:
    operator: All
  failurePolicy:
    maxRestarts: 4
    restartStrategy: Recreate
  replicatedJobs:
    - name: slice
      groupName: default
      replicas: 2
      template:
        spec:
          parallelism: 4
          completions: 4
          completionMode: Indexed
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              nodeSelector: ${nodes('4x4')}
              containers:
                - ${TRAINER}
`);

export const leaderWorkerSet = workload(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: vllm-405b
  annotations:
    leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 4
    leaderTemplate:
      metadata:
        labels:
          app: vllm-405b
          role: leader
      spec:
        nodeSelector: ${nodes('4x4')}
        containers:
          - name: vllm
            image: vllm/vllm-tpu:v0.12.0
            command: [sh, -c]
            args: ['bash /workspace/ray-bootstrap.sh leader && vllm serve /models/qwen --tensor-parallel-size 16']
            ports:
              - containerPort: 8000
            startupProbe:
              httpGet:
                path: /health
                port: 8000
              timeoutSeconds: 10
              failureThreshold: 360
            resources: ${chips(4)}
            volumeMounts:
              - name: models
                mountPath: /models
        volumes:
          - name: models
            persistentVolumeClaim:
              claimName: models
    workerTemplate:
      metadata:
        labels:
          app: vllm-405b
      spec:
        nodeSelector: ${nodes('4x4')}
        containers:
          - name: vllm
            image: vllm/vllm-tpu:v0.12.0
            command: [sh, -c, bash /workspace/ray-bootstrap.sh worker]
            resources: ${chips(4)}
`);

export const rayService = workload(`
apiVersion: ray.io/v1
kind: RayService
metadata:
  name: vllm-ray
spec:
  upgradeStrategy:
    type: None
  serveConfigV2: |
    applications:
      - name: llm
        import_path: serve_tpu:model
        runtime_env:
          working_dir: https://github.com/example/serving/archive/refs/tags/v1.4.0.zip
  rayClusterConfig:
    headGroupSpec: ${HEAD}
    workerGroupSpecs:
      - groupName: tpu-group
        replicas: 1
        minReplicas: 1
        maxReplicas: 1
        numOfHosts: 1
        scaleStrategy: {}
        rayStartParams: {}
        template:
          metadata: {}
          spec:
            nodeSelector: ${nodes('2x4')}
            containers:
              - name: ray-worker
                image: ${RAY}
                resources: ${chips(8)}
`);

export const rayJob = workload(`
apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: v6e-16-job
spec:
  entrypoint: python train.py
  runtimeEnvYAML: |
    working_dir: https://github.com/example/training/archive/5c1c8d0be4.zip
  rayClusterSpec:
    headGroupSpec: ${HEAD}
    workerGroupSpecs:
      - groupName: tpu-group
        replicas: 1
        minReplicas: 1
        maxReplicas: 1
        numOfHosts: 4
        rayStartParams: {}
        template:
          spec:
            nodeSelector: ${nodes('4x4')}
            containers:
              - name: ray-worker
                image: ${RAY}
                resources: ${chips(4)}
`);
