import { type Chart } from 'cdk8s';
import * as jobs from './jobs';
import * as ray from './ray';
import * as servers from './servers';

/** A public manifest and its chart. */
export interface Case {
  /** The file in manifests/, without its ending; in camel case, the function that rebuilds it. */
  readonly name: string;
  /** The construct. */
  readonly construct: string;
  /** Namespace of the chart. */
  readonly namespace?: string;
  /** New names by old names. */
  readonly names?: Readonly<Record<string, string>>;
  /** Values that no prop can set: the ends of their paths, and the reasons. */
  readonly cannot?: Readonly<Record<string, string>>;
}

const JOB = { construct: 'TpuJob' };
const POD_NAME = { '.template.metadata.name': 'a name of the pod template, which has no effect' };
const RESERVED = 'the label `app.kubernetes.io/name`, which KubeRay sets itself';
const GCS_PORT = { 'ports/gcs-server': 'gcs' };

/** Public manifests of every kind, rebuilt from typed props. */
export const CASES: readonly Case[] = [
  { ...JOB, name: 'gemma3-one-host', names: { 'training-container': 'tpu-job' } },
  { ...JOB, name: 'kaggle-converter', names: { 'inference-checkpoint': 'tpu-job' } },
  { ...JOB, name: 'mnist-predict', names: { tensorflow: 'tpu-job' }, cannot: POD_NAME },
  { ...JOB, name: 'mnist-train', names: { tensorflow: 'tpu-job' }, cannot: POD_NAME },
  { ...JOB, name: 'tpu7x-pod', cannot: { Pod: 'a bare Pod: the construct renders a Job' } },
  {
    ...JOB,
    name: 'sglang-jax-job',
    names: {
      'job-headless-svc': 'job',
      'containers/job': 'tpu-job',
      'volumes/dev-shm': 'dshm',
      'volumeMounts/dev-shm': 'dshm',
    },
    cannot: { 'Service.spec.ports': 'ports of the headless Service' },
  },
  { ...JOB, name: 'multislice-v6e', names: { 'jax-tpu': 'tpu-job' } },
  {
    ...JOB,
    name: 'gemma3-multislice',
    names: { trainers: 'slice', 'training-container': 'tpu-job' },
  },
  {
    ...JOB,
    name: 'xprof-multislice',
    names: { trainers: 'slice', 'training-container': 'tpu-job' },
  },
  { name: 'ray-v6e-one-host', construct: 'TpuRayCluster' },
  { name: 'ray-v6e-four-hosts', construct: 'TpuRayCluster' },
  {
    name: 'ray-v4-two-hosts',
    construct: 'TpuRayCluster',
    cannot: { '.labels.app.kubernetes.io/name': RESERVED },
  },
  { name: 'ray-maxtext', construct: 'TpuRayCluster', names: GCS_PORT },
  {
    name: 'ray-multislice',
    construct: 'TpuRayCluster',
    names: GCS_PORT,
    cannot: {
      ResourceClaimTemplate:
        'a claim of network devices: the types of Kubernetes 1.29 have it in an older form',
      '.resourceClaims': '',
      '.resources.claims': '',
    },
  },
  { name: 'ray-job-one-host', construct: 'TpuRayJob', names: GCS_PORT },
  { name: 'ray-job-four-hosts', construct: 'TpuRayJob', names: GCS_PORT },
  {
    name: 'ray-job-queued',
    construct: 'TpuRayJob',
    names: GCS_PORT,
    cannot: {
      '.tolerations[cloud.google.com/gke-queued].operator':
        'a toleration of any value of the taint `cloud.google.com/gke-queued`: the capacity tolerates `true`',
    },
  },
  { name: 'ray-stable-diffusion', construct: 'TpuRayService' },
  {
    name: 'ray-qwen3',
    construct: 'TpuRayService',
    cannot: { '.http_options.port': 'the port of Ray Serve, which is always 8000' },
  },
  {
    name: 'maxdiffusion',
    construct: 'TpuServer',
    names: {
      'max-diffusion-server': 'stable-diffusion-deployment',
      'http-max-diffusion-server': 'http',
    },
  },
  {
    name: 'tgi',
    construct: 'TpuServer',
    cannot: { 'ports[http].port': 'another port of the Service than that of the container' },
  },
  { name: 'bert', construct: 'TpuServer', names: { 'tf-bert-server': 'bert-deployment' } },
  {
    name: 'vllm-with-config',
    construct: 'TpuServer',
    namespace: 'sam-canary-env-name',
  },
  {
    name: 'lws-sample',
    construct: 'TpuServer',
    cannot: { '.workerTemplate.spec.containers[nginx].ports': 'ports of the hosts except the first one' },
  },
  { name: 'jetstream-bucket', construct: 'JetStreamServer' },
  {
    name: 'jetstream-disk',
    construct: 'JetStreamServer',
    cannot: { '.args': 'a checkpoint path that is not on the disk that the manifest mounts' },
  },
  {
    name: 'saxml-one-host',
    construct: 'SaxCell',
    names: { 'gemma-server': 'sax-model-server-v5e-1x1', 'inference-server': 'model-server' },
  },
];

const CHARTS: Readonly<Record<string, (chart: Chart) => void>> = { ...jobs, ...ray, ...servers };

/** The name of the function that rebuilds a manifest. */
export const functionOf = (name: string): string =>
  name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Rebuilds a manifest. */
export function rebuild(name: string, chart: Chart): void {
  const chosen = CHARTS[functionOf(name)];
  if (!chosen) throw new Error(`no function ${functionOf(name)}`);
  chosen(chart);
}
