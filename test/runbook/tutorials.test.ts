// What the tutorials have their readers do, step by step and for their own values, and what a runbook says instead.
import { Chart, Testing } from 'cdk8s';
import { RayStableDiffusion } from '../../examples/ray-stable-diffusion';
import {
  JetStreamCheckpointConverter,
  FlexStartJob,
  GcsFuseVolume,
  HuggingFaceToken,
  JetStreamServer,
  Runbook,
  type RunbookOptions,
  SaxCell,
  TpuSlice,
  VllmMetric,
  VllmServer,
  WorkloadIdentity,
} from '../../lib';
import { commandsOf, type Parts, partsOf } from './commands';

/** A step of a tutorial. */
interface Step {
  /** The command, with the tutorial's values or with stand-ins for those that it leaves open. */
  readonly theirs: string;
  /** Where a command of the runbook does the same otherwise: how it begins, and the reason for each part that differs. */
  readonly differs?: { readonly ours: string; readonly parts: Readonly<Record<string, string>> };
  /** Why no command of the runbook does it. */
  readonly leftOut?: string;
}

interface Tutorial {
  readonly page: string;
  /** Runbooks that together have the steps: one for each mode of the cluster, or kind of slice. */
  readonly runbooks: () => readonly Runbook[];
  readonly steps: readonly Step[];
  /** Chips that the tutorial's slices have. */
  readonly quota: string;
  /** Roles of the reader of the tutorial, each with the reason if the runbook requires another. */
  readonly roles: Readonly<Record<string, string>>;
}

const ON = 'gcloud takes zones and regions as --location';
const PROJECT = 'the project is set once, in front';
const UNIFORM = 'roles that are bound to ServiceAccounts directly need uniform access';
const ONE_MANIFEST = 'the chart is one manifest';
const VARIABLES = 'commands have their values in place of variables';
const EDIT = 'the chart has the name of the bucket';
const ON_BUCKET = 'the role is granted on the bucket alone, not on all buckets of the project';
const WAITS = 'the runbook waits until it is so';
const EXISTING = 'the project is there, with billing, and is not deleted for one chart';
const RENDERED = 'the manifest has the ServiceAccount, with its annotation';

const token = (secretName: string, key: string): HuggingFaceToken =>
  HuggingFaceToken.fromSecret(secretName, key);

function ray(): readonly Runbook[] {
  const chart = new RayStableDiffusion(Testing.app(), 'stable-diffusion-tpu');
  return [
    new Runbook(chart, {
      projectId: 'my-project',
      cluster: 'ray-cluster',
      location: 'us-central2-b',
      clusterVersion: '1.30.1',
      nodePoolName: 'tpu-pool',
      manifest: 'ray-service-tpu.yaml',
    }),
  ];
}

function jetStream(): readonly Runbook[] {
  const chart = new Chart(Testing.app(), 'jetstream');
  const slice = TpuSlice.of('ct5lp-hightpu-8t');
  const { serviceAccountName } = new WorkloadIdentity(chart, 'default', {
    projectId: 'my-project',
    iamServiceAccount: 'wi-jetstream',
  });
  const { checkpoint } = new JetStreamCheckpointConverter(chart, 'checkpoint-converter', {
    model: 'google/gemma-7b-it-pytorch',
    modelName: 'gemma',
    bucketName: 'my-models',
    path: 'pytorch/gemma-7b-it/final/bf16',
    huggingFaceToken: token('huggingface-secret', 'HUGGINGFACE_TOKEN'),
    slice,
    serviceAccountName,
  });
  new JetStreamServer(chart, 'jetstream-pytorch-server', {
    checkpoint,
    size: '7b',
    slice,
    replicas: 2,
    serviceName: 'jetstream-svc',
    serviceAccountName,
  });
  const common: RunbookOptions = {
    cluster: 'jetstream',
    location: 'us-west4',
    clusterVersion: '1.29.6-gke.1254000',
    manifest: 'jetstream-pytorch-deployment.yaml',
  };
  return [
    new Runbook(chart, {
      ...common,
      nodeLocations: ['us-west4-a'],
      machineType: 'e2-standard-4',
      numNodes: 2,
      nodePoolName: 'tpu-nodepool',
    }),
    new Runbook(chart, { ...common, mode: 'autopilot' }),
  ];
}

function saxml(): readonly Runbook[] {
  const chart = new Chart(Testing.app(), 'saxml');
  const { serviceAccountName } = new WorkloadIdentity(chart, 'sax-sa', {
    projectId: 'my-project',
    iamServiceAccount: 'sax-iam-sa',
    workloadPoolDomain: 's3ns.svc.id.goog',
    serviceAccountDomain: 's3ns.iam.gserviceaccount.com',
  });
  new SaxCell(chart, 'sax', {
    slice: TpuSlice.of('ct5lp-hightpu-4t', '4x8'),
    replicas: 2,
    bucketName: 'my-project-gke-bucket',
    serviceAccountName,
    serviceType: 'ExternalLoadBalancer',
  });
  return [
    new Runbook(chart, {
      cluster: 'saxml',
      location: 'us-west4-a',
      clusterVersion: '1.27.2-gke.2100',
      numNodes: 4,
      manifest: 'sax-admin-server.yaml',
    }),
  ];
}

const IMAGE = 'us-east5-docker.pkg.dev/my-project/vllm-tpu/vllm-tpu:cd34029';

function vllm(): readonly Runbook[] {
  const chart = new Chart(Testing.app(), 'vllm');
  const identity = new WorkloadIdentity(chart, 'vllm-ksa', {
    namespace: 'vllm',
    projectId: 'my-project',
    projectNumber: '123456789012',
  });
  new VllmServer(chart, 'vllm-tpu', {
    model: 'meta-llama/Llama-3.1-70B',
    slice: TpuSlice.of('ct6e-standard-8t'),
    image: IMAGE,
    modelCache: new GcsFuseVolume({
      bucketName: 'my-models',
      mountPath: '/data',
      cache: { medium: 'ram', sizeLimit: '160Gi' },
    }),
    huggingFaceToken: token('hf-secret', 'hf_api_token'),
    serviceAccountName: identity.serviceAccountName,
    serviceType: 'ExternalLoadBalancer',
    autoscaling: { minReplicas: 1, maxReplicas: 2, metric: VllmMetric.REQUESTS_WAITING, averageValue: 10 },
  });
  const common: RunbookOptions = {
    cluster: 'vllm',
    clusterVersion: '1.31.2-gke.1115000',
    releaseChannel: 'rapid',
    manifest: 'vllm-llama3-70b.yaml',
    builds: [
      {
        image: IMAGE,
        repository: 'https://github.com/vllm-project/vllm',
        commit: 'cd34029e91ad2d38a58d190331a65f9096c0b157',
        dockerfile: 'Dockerfile.tpu',
      },
    ],
  };
  return [
    new Runbook(chart, { ...common, location: 'us-east5-b', nodePoolName: 'tpunodepool' }),
    new Runbook(chart, { ...common, location: 'us-east5', mode: 'autopilot' }),
  ];
}

function flexStart(): readonly Runbook[] {
  return [TpuSlice.of('ct6e-standard-4t'), TpuSlice.of('ct6e-standard-4t', '2x4')].map((slice) => {
    const chart = new Chart(Testing.app(), 'flex');
    new FlexStartJob(chart, 'job-1', { slice, image: 'gcr.io/k8s-staging-perf-tests/sleep:v0.1.0' });
    return new Runbook(chart, {
      projectId: 'my-project',
      cluster: 'batch',
      location: 'us-east5',
      nodeLocations: ['us-east5-b'],
      nodePoolName: 'flex',
      manifest: 'dws-flex-start.yaml',
    });
  });
}

const EMAIL = 'wi-jetstream@my-project.iam.gserviceaccount.com';
const SAX_EMAIL = 'sax-iam-sa@my-project.s3ns.iam.gserviceaccount.com';
const KSA =
  'principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/my-project.svc.id.goog/subject/ns/vllm/sa/vllm-ksa';
const ADAPTER =
  'principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/my-project.svc.id.goog/subject/ns/custom-metrics/sa/custom-metrics-stackdriver-adapter';

/** The model of the tutorial's manifest: the tutorial's requests name another. */
const SERVED = 'the served model; the tutorial requests meta-llama/Meta-Llama-3.1-70B, which is not served';

const TUTORIALS: readonly Tutorial[] = [
  {
    page: 'Ray Serve: Stable Diffusion on TPU v4',
    runbooks: ray,
    quota: '4 chips of TPU v4, on-demand quota',
    roles: { 'roles/container.clusterAdmin': '', 'roles/container.admin': '' },
    steps: [
      { theirs: 'gcloud init', leftOut: 'it asks questions; gcloud config set answers those that matter' },
      { theirs: 'gcloud projects create my-project', leftOut: EXISTING },
      { theirs: 'gcloud config set project my-project' },
      { theirs: 'gcloud services enable container.googleapis.com' },
      {
        theirs:
          'gcloud projects add-iam-policy-binding my-project --member="user:USER_EMAIL" --role=roles/container.clusterAdmin',
      },
      {
        theirs:
          'gcloud projects add-iam-policy-binding my-project --member="user:USER_EMAIL" --role=roles/container.admin',
      },
      {
        theirs:
          'export PROJECT_ID=my-project CLUSTER_NAME=ray-cluster COMPUTE_REGION=us-central2-b CLUSTER_VERSION=1.30.1',
        leftOut: VARIABLES,
      },
      {
        theirs: 'git clone https://github.com/GoogleCloudPlatform/kubernetes-engine-samples',
        leftOut: 'the chart renders the manifest that is fetched there',
      },
      {
        theirs: 'cd kubernetes-engine-samples/ai-ml/gke-ray/rayserve/stable-diffusion',
        leftOut: 'nothing of the repository is needed',
      },
      {
        theirs:
          'gcloud container clusters create ray-cluster --addons=RayOperator --machine-type=n1-standard-8 --cluster-version=1.30.1 --location=us-central2-b',
        differs: {
          ours: 'gcloud container clusters create',
          parts: { '--workload-pool': 'pods act as themselves on Google Cloud, not as their nodes' },
        },
      },
      {
        theirs:
          'gcloud container node-pools create tpu-pool --location=us-central2-b --cluster=ray-cluster --machine-type=ct4p-hightpu-4t --num-nodes=1 --tpu-topology=2x2x1',
        differs: {
          ours: 'gcloud container node-pools create tpu-pool',
          parts: { '--tpu-topology': 'one host of this machine type makes no other topology' },
        },
      },
      { theirs: 'kubectl apply -f ray-service-tpu.yaml' },
      {
        theirs: 'kubectl get rayservices',
        differs: { ours: 'kubectl get rayservice', parts: { WORDS: 'the one of the chart is asked for' } },
      },
      { theirs: 'kubectl port-forward svc/stable-diffusion-tpu-head-svc 8265:8265' },
      { theirs: 'kubectl port-forward svc/stable-diffusion-tpu-serve-svc 8000' },
      {
        theirs: 'python stable_diffusion_tpu_req.py --save_pictures',
        leftOut: "how an application is asked is the application's own; its routes are listed",
      },
      { theirs: 'gcloud projects delete my-project', leftOut: EXISTING },
      {
        theirs: 'gcloud container clusters delete ray-cluster',
        differs: {
          ours: 'gcloud container clusters delete',
          parts: { '--location': 'gcloud asks where the cluster is, if nothing is set' },
        },
      },
    ],
  },
  {
    page: 'JetStream-PyTorch on TPU v5e',
    runbooks: jetStream,
    // the tutorial states eight chips, and creates two nodes of eight; the converter needs a third node
    quota: '24 chips of TPU v5e, on-demand quota',
    roles: { 'roles/container.admin': '', 'roles/iam.serviceAccountAdmin': '' },
    steps: [
      { theirs: 'gcloud config set project my-project' },
      {
        theirs:
          'export PROJECT_ID=$(gcloud config get project) CLUSTER_NAME=jetstream BUCKET_NAME=my-models REGION=us-west4 LOCATION=us-west4-a',
        leftOut: VARIABLES,
      },
      {
        theirs:
          'gcloud container clusters create-auto jetstream --project=my-project --region=us-west4 --cluster-version=1.29.6-gke.1254000',
        differs: {
          ours: 'gcloud container clusters create-auto',
          parts: { '--project': PROJECT, '--region': ON, '--location': ON },
        },
      },
      {
        theirs:
          'gcloud container clusters create jetstream --enable-ip-alias --machine-type=e2-standard-4 --num-nodes=2 --cluster-version=1.29.6-gke.1254000 --workload-pool=my-project.svc.id.goog --location=us-west4',
        differs: {
          ours: 'gcloud container clusters create jetstream',
          parts: {
            '--enable-ip-alias': 'clusters are VPC-native by default',
            '--addons': 'servers read the checkpoint through Cloud Storage FUSE',
          },
        },
      },
      {
        theirs:
          'gcloud container node-pools create tpu-nodepool --cluster=jetstream --machine-type=ct5lp-hightpu-8t --project=my-project --num-nodes=2 --region=us-west4 --node-locations=us-west4-a',
        differs: {
          ours: 'gcloud container node-pools create',
          parts: {
            '--project': PROJECT,
            '--region': ON,
            '--location': ON,
            '--num-nodes': 'the converter is applied with its two servers and takes a slice beside theirs',
          },
        },
      },
      {
        theirs: 'gcloud storage buckets create gs://my-models --location=us-west4',
        differs: {
          ours: 'gcloud storage buckets create',
          parts: { '--uniform-bucket-level-access': UNIFORM },
        },
      },
      { theirs: 'gcloud container clusters get-credentials jetstream --location=us-west4' },
      {
        theirs:
          'kubectl create secret generic huggingface-secret --from-literal=HUGGINGFACE_TOKEN=HUGGING_FACE_TOKEN',
      },
      { theirs: 'gcloud iam service-accounts create wi-jetstream' },
      ...['roles/storage.objectUser', 'roles/storage.insightsCollectorService'].map((role) => ({
        theirs: `gcloud projects add-iam-policy-binding my-project --member "serviceAccount:${EMAIL}" --role ${role}`,
        differs: {
          ours: `gcloud storage buckets add-iam-policy-binding gs://my-models --member=serviceAccount:${EMAIL} --role=${role}`,
          parts: { WORDS: ON_BUCKET },
        },
      })),
      {
        theirs: `gcloud iam service-accounts add-iam-policy-binding ${EMAIL} --role roles/iam.workloadIdentityUser --member "serviceAccount:my-project.svc.id.goog[default/default]"`,
      },
      {
        theirs: `kubectl annotate serviceaccount default iam.gke.io/gcp-service-account=${EMAIL}`,
        leftOut: RENDERED,
      },
      { theirs: 'sed -i "s|BUCKET_NAME|my-models|g" job-checkpoint-converter.yaml', leftOut: EDIT },
      {
        theirs: 'kubectl apply -f job-checkpoint-converter.yaml',
        differs: { ours: 'kubectl apply -f jetstream', parts: { '-f': ONE_MANIFEST } },
      },
      {
        theirs: 'kubectl get pod -w',
        differs: {
          ours: 'kubectl get pods',
          parts: { WORDS: 'the same resource', '--selector': 'those of the Job alone' },
        },
      },
      { theirs: 'kubectl logs -f jobs/checkpoint-converter' },
      { theirs: 'sed -i "s|BUCKET_NAME|my-models|g" jetstream-pytorch-deployment.yaml', leftOut: EDIT },
      { theirs: 'kubectl apply -f jetstream-pytorch-deployment.yaml' },
      {
        theirs: 'kubectl get deployment',
        differs: {
          ours: 'kubectl rollout status deployment/jetstream-pytorch-server',
          parts: { WORDS: WAITS, '--timeout': WAITS },
        },
      },
      { theirs: 'kubectl logs deploy/jetstream-pytorch-server -f -c jetstream-http' },
      { theirs: 'kubectl logs deploy/jetstream-pytorch-server -f -c jetstream-pytorch-server' },
      { theirs: 'kubectl port-forward svc/jetstream-svc 8000:8000' },
      {
        theirs: `curl --request POST --header "Content-type: application/json" -s localhost:8000/generate --data '{ "prompt": "What are the top 5 programming languages", "max_tokens": 200 }'`,
      },
      {
        theirs: 'gcloud container clusters delete jetstream --region=us-west4',
        differs: {
          ours: 'gcloud container clusters delete',
          parts: { '--region': ON, '--location': ON },
        },
      },
      { theirs: `gcloud iam service-accounts delete ${EMAIL}` },
      { theirs: 'gcloud storage rm --recursive gs://my-models' },
    ],
  },
  {
    page: 'Saxml on two slices of TPU v5e, in a sovereign cloud',
    runbooks: saxml,
    quota: '64 chips of TPU v5e, on-demand quota',
    roles: {},
    steps: [
      { theirs: 'gcloud config set project my-project' },
      {
        theirs:
          'export PROJECT_ID=$(gcloud config get project) CONTROL_PLANE_LOCATION=us-west4-a BUCKET_NAME=my-project-gke-bucket',
        leftOut: VARIABLES,
      },
      {
        theirs:
          'gcloud container clusters create saxml --location=us-west4-a --workload-pool=my-project.s3ns.svc.id.goog --cluster-version=1.27.2-gke.2100 --num-nodes=4',
      },
      ...[1, 2].map((number) => ({
        theirs: `gcloud container node-pools create tpu${String(number)} --location=us-west4-a --machine-type=ct5lp-hightpu-4t --tpu-topology=4x8 --num-nodes=8 --cluster=saxml`,
        differs: {
          ours: `gcloud container node-pools create tpu-${String(number - 1)}`,
          parts: { WORDS: 'pools are numbered from 0, like the Jobs of the JobSet that runs on them' },
        },
      })),
      {
        theirs: 'gcloud storage buckets create gs://my-project-gke-bucket',
        differs: {
          ours: 'gcloud storage buckets create',
          parts: {
            '--location': 'the bucket is in the region of the cluster, not in one of the choice of gcloud',
            '--uniform-bucket-level-access': UNIFORM,
          },
        },
      },
      { theirs: 'gcloud container clusters get-credentials saxml --location=us-west4-a' },
      { theirs: 'kubectl create serviceaccount sax-sa --namespace default', leftOut: RENDERED },
      { theirs: 'gcloud iam service-accounts create sax-iam-sa' },
      {
        theirs: `gcloud projects add-iam-policy-binding my-project --member "serviceAccount:${SAX_EMAIL}" --role roles/storage.admin`,
        differs: {
          ours: `gcloud storage buckets add-iam-policy-binding gs://my-project-gke-bucket --member=serviceAccount:${SAX_EMAIL}`,
          parts: { WORDS: ON_BUCKET },
        },
      },
      {
        theirs: `gcloud iam service-accounts add-iam-policy-binding ${SAX_EMAIL} --role roles/iam.workloadIdentityUser --member "serviceAccount:my-project.s3ns.svc.id.goog[default/sax-sa]"`,
      },
      {
        theirs: `kubectl annotate serviceaccount sax-sa iam.gke.io/gcp-service-account=${SAX_EMAIL}`,
        leftOut: RENDERED,
      },
      ...['sax-admin-server', 'sax-model-server-set', 'sax-http'].map((name) => ({
        theirs: `perl -pi -e 's|BUCKET_NAME|my-project-gke-bucket|g' ${name}.yaml`,
        leftOut: EDIT,
      })),
      { theirs: 'kubectl apply -f sax-admin-server.yaml' },
      {
        theirs: 'kubectl get deployment',
        differs: {
          ours: 'kubectl rollout status deployment/sax-admin',
          parts: { WORDS: WAITS, '--timeout': WAITS },
        },
      },
      {
        theirs:
          'kubectl apply --server-side -f https://github.com/kubernetes-sigs/jobset/releases/download/v0.2.3/manifests.yaml',
        differs: {
          ours: 'kubectl apply --server-side',
          parts: { '-f': 'fields are rendered that v0.2.3 does not know' },
        },
      },
      {
        theirs: 'kubectl get pod -n jobset-system',
        differs: {
          ours: 'kubectl rollout status deployment/jobset-controller-manager',
          parts: { WORDS: WAITS, '--timeout': WAITS },
        },
      },
      ...['sax-model-server-set', 'sax-http'].map((name) => ({
        theirs: `kubectl apply -f ${name}.yaml`,
        differs: { ours: 'kubectl apply -f sax', parts: { '-f': ONE_MANIFEST } },
      })),
      {
        theirs: 'kubectl get pods',
        differs: {
          ours: 'kubectl get pods',
          parts: { '--selector': 'those of the chart alone', '--watch': WAITS },
        },
      },
      {
        theirs: 'kubectl get svc',
        leftOut: 'the next step asks for the address alone',
      },
      {
        theirs: `address=$(kubectl get svc sax-http-lb -o jsonpath='{.status.loadBalancer.ingress[*].ip}')`,
        differs: {
          ours: 'address=$(kubectl get',
          parts: {
            WORDS: 'the Service bears the name of the HTTP server',
            '-o': 'one address is asked for, as several would make no URL',
          },
        },
      },
      {
        theirs: `curl --request POST --header "Content-type: application/json" -s $address:8888/publish --data '{ "model": "/sax/test/spmd", "model_path": "saxml.server.pax.lm.params.lm_cloud.LmCloudSpmd175B32Test", "checkpoint": "None", "replicas": 2 }'`,
      },
      {
        theirs: 'kubectl logs sax-model-server-set-sax-model-server-0-0-nj4sm',
        differs: {
          ours: 'kubectl logs -l',
          parts: {
            WORDS: 'nobody knows the names of pods beforehand: labels find the first of each slice',
            '--selector': 'nobody knows the names of pods beforehand: labels find the first of each slice',
            '--tail': 'of pods found by label kubectl shows the last ten lines alone',
          },
        },
      },
      {
        theirs: `curl --request GET --header "Content-type: application/json" -s $address:8888/listcell --data '{ "model": "/sax/test/spmd" }'`,
      },
      {
        theirs: `curl --request POST --header "Content-type: application/json" -s $address:8888/generate --data '{ "model": "/sax/test/spmd", "query": "How many days are in a week?" }'`,
      },
      {
        theirs: `curl --request POST --header "Content-type: application/json" -s $address:8888/unpublish --data '{ "model": "/sax/test/spmd" }'`,
      },
    ],
  },
  {
    page: 'vLLM on TPU v6e',
    runbooks: vllm,
    quota: '16 chips of TPU v6e, on-demand quota',
    roles: {
      'roles/container.admin': '',
      'roles/container.clusterAdmin': '',
      'roles/iam.securityAdmin': '',
      'roles/iam.serviceAccountAdmin': 'no IAM service account is made',
      'roles/artifactregistry.writer': 'a repository is made, which roles/artifactregistry.admin may',
    },
    steps: [
      { theirs: 'gcloud config set project my-project' },
      {
        theirs:
          'export PROJECT_NUMBER=$(gcloud projects describe my-project --format="value(projectNumber)")',
        leftOut: 'the chart knows the number; if it does not, the runbook asks for it',
      },
      {
        theirs:
          'gcloud container clusters create-auto vllm --cluster-version=1.31.2-gke.1115000 --release-channel=rapid',
        differs: {
          ours: 'gcloud container clusters create-auto',
          parts: { '--location': 'gcloud asks for the region, if nothing is set' },
        },
      },
      {
        theirs:
          'gcloud container clusters create vllm --project=my-project --zone=us-east5-b --cluster-version=1.31.2-gke.1115000 --release-channel=rapid --workload-pool=my-project.svc.id.goog --addons GcsFuseCsiDriver',
        differs: {
          ours: 'gcloud container clusters create vllm',
          parts: { '--project': PROJECT, '--zone': ON, '--location': ON },
        },
      },
      {
        theirs:
          'gcloud container node-pools create tpunodepool --zone=us-east5-b --num-nodes=1 --machine-type=ct6e-standard-8t --cluster=vllm --enable-autoscaling --total-min-nodes=1 --total-max-nodes=2',
        differs: {
          ours: 'gcloud container node-pools create',
          parts: { '--zone': ON, '--location': ON },
        },
      },
      { theirs: 'gcloud container clusters get-credentials vllm --location=us-east5-b' },
      { theirs: 'kubectl create namespace vllm' },
      {
        theirs:
          'kubectl create secret generic hf-secret --from-literal=hf_api_token=HUGGING_FACE_TOKEN --namespace vllm',
      },
      {
        theirs: 'gcloud storage buckets create gs://my-models --uniform-bucket-level-access',
        differs: {
          ours: 'gcloud storage buckets create',
          parts: {
            '--location': 'the bucket is in the region of the cluster, not in one of the choice of gcloud',
          },
        },
      },
      { theirs: 'kubectl create serviceaccount vllm-ksa --namespace vllm', leftOut: RENDERED },
      {
        theirs: `gcloud storage buckets add-iam-policy-binding gs://my-models --member "${KSA}" --role "roles/storage.objectUser"`,
      },
      {
        theirs: `gcloud projects add-iam-policy-binding my-project --member "${KSA}" --role "roles/storage.objectUser"`,
        leftOut: 'an alternative to the step before, to all buckets of the project',
      },
      { theirs: 'git clone https://github.com/vllm-project/vllm' },
      {
        theirs: 'git reset --hard cd34029e91ad2d38a58d190331a65f9096c0b157',
        differs: {
          ours: 'git -C vllm reset',
          parts: { '-C': 'the folder is named where it is used, and not gone to' },
        },
      },
      {
        theirs: 'docker build -f Dockerfile.tpu . -t vllm-tpu',
        differs: {
          ours: 'docker build',
          parts: {
            WORDS: 'the folder is named where it is used, and not gone to',
            '-f': 'the folder is named where it is used, and not gone to',
            '-t': 'the image is built under the name that it is pushed by',
          },
        },
      },
      {
        theirs:
          'gcloud artifacts repositories create vllm-tpu --repository-format=docker --location=us-east5',
      },
      { theirs: 'gcloud auth configure-docker us-east5-docker.pkg.dev' },
      {
        theirs: 'docker image tag vllm-tpu us-east5-docker.pkg.dev/my-project/vllm-tpu/vllm-tpu:latest',
        leftOut: 'the image is built under the name that it is pushed by',
      },
      {
        theirs: 'docker push us-east5-docker.pkg.dev/my-project/vllm-tpu/vllm-tpu:latest',
        differs: { ours: 'docker push', parts: { WORDS: 'the tag is that of the sources; latest moves' } },
      },
      { theirs: 'kubectl apply -f vllm-llama3-70b.yaml -n vllm' },
      {
        theirs: 'kubectl logs -f -l app=vllm-tpu -n vllm',
        differs: {
          ours: 'kubectl logs deploy/vllm-tpu',
          parts: {
            WORDS: 'one pod of the Deployment',
            '--selector': 'one pod of the Deployment',
            '-c': 'the container of the server, not the sidecar of Cloud Storage FUSE',
          },
        },
      },
      {
        theirs: `address=$(kubectl get service vllm-service -o jsonpath='{.status.loadBalancer.ingress[0].ip}')`,
        differs: {
          ours: 'address=$(kubectl get',
          parts: {
            WORDS: 'the Service bears the name of the server',
            '--namespace': 'the tutorial leaves it out from here on',
          },
        },
      },
      {
        theirs: `curl http://$address:8000/v1/completions -H "Content-Type: application/json" -d '{ "model": "meta-llama/Meta-Llama-3.1-70B", "prompt": "San Francisco is a", "max_tokens": 7, "temperature": 0 }'`,
        differs: {
          ours: 'curl --request POST --header \'Content-type: application/json\' -s "$address":8000/v1/completions --data \'{"model":"meta-llama/Llama-3.1-70B","temperature":0,"prompt":"San',
          parts: { '--data': SERVED },
        },
      },
      {
        theirs:
          'kubectl apply -f https://raw.githubusercontent.com/GoogleCloudPlatform/k8s-stackdriver/master/custom-metrics-stackdriver-adapter/deploy/production/adapter_new_resource_model.yaml',
      },
      {
        theirs: `gcloud projects add-iam-policy-binding projects/my-project --role roles/monitoring.viewer --member=${ADAPTER}`,
        differs: {
          ours: 'gcloud projects add-iam-policy-binding my-project --role=roles/monitoring',
          parts: { WORDS: 'the project goes by its ID, as in all other commands' },
        },
      },
      ...['vllm_pod_monitor.yaml', 'vllm-hpa.yaml'].map((file) => ({
        theirs: `kubectl apply -f ${file}`,
        differs: {
          ours: 'kubectl apply -f vllm',
          parts: {
            '-f': ONE_MANIFEST,
            '--namespace': 'the tutorial leaves it out from here on',
          },
        },
      })),
      { theirs: 'for i in $(seq 1 PARALLEL_PROCESSES); do' },
      { theirs: 'while true; do' },
      {
        theirs: `curl http://$address:8000/v1/completions -H "Content-Type: application/json" -d '{"model": "meta-llama/Meta-Llama-3.1-70B", "prompt": "Write a story about san francisco", "max_tokens": 100, "temperature": 0}'`,
        differs: {
          ours: 'curl --request POST --header \'Content-type: application/json\' -s "$address":8000/v1/completions --data \'{"model":"meta-llama/Llama-3.1-70B","temperature":0,"prompt":"Write',
          parts: { '--data': SERVED },
        },
      },
      { theirs: 'done &' },
      { theirs: 'wait' },
      {
        theirs: 'nohup ./load.sh &',
        differs: {
          ours: 'nohup ./load.sh',
          parts: { WORDS: 'what the server answers goes into a file, not over the terminal' },
        },
      },
      {
        theirs: 'kubectl get hpa --watch',
        differs: {
          ours: 'kubectl get hpa vllm-tpu',
          parts: {
            WORDS: 'the one of the chart is watched',
            '--namespace': 'the tutorial leaves it out from here on',
          },
        },
      },
      {
        theirs: `ps -ef | grep load.sh | awk '{print $2}' | xargs -n1 kill -9`,
        leftOut: 'the process of the script is ended by its number, and ends those that it started',
      },
      {
        theirs: 'gcloud container clusters delete vllm --location=us-east5-b',
      },
    ],
  },
  {
    page: 'Flex-start on TPU v6e, on one host and on two',
    runbooks: flexStart,
    quota: '4 chips of TPU v6e, preemptible quota (flex-start)',
    roles: {},
    steps: [
      { theirs: 'gcloud components update', leftOut: 'gcloud itself is no matter of a chart' },
      {
        theirs:
          'gcloud container node-pools create flex --cluster=batch --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --reservation-affinity=none --enable-autoscaling --flex-start --num-nodes 0 --min-nodes=0 --max-nodes=1',
      },
      {
        theirs:
          'gcloud container node-pools create flex-0 --cluster=batch --location=us-east5 --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=2x4 --flex-start --enable-autoscaling --num-nodes=0 --max-nodes=2 --reservation-affinity=none --no-enable-autorepair',
        differs: {
          ours: 'gcloud container node-pools create flex-0',
          parts: { '--min-nodes': 'the page asks for --min-nodes=0 below the command, which leaves it out' },
        },
      },
      {
        theirs:
          'gcloud container node-pools describe flex --cluster batch --location us-east5 --format="get(config.flexStart)"',
      },
      { theirs: 'kubectl apply -f dws-flex-start.yaml' },
      {
        theirs: 'kubectl get pods',
        differs: {
          ours: 'kubectl get pods',
          parts: {
            '--selector': 'those of the Job alone',
            '-o': 'the page shows the nodes too, which the plain command does not',
          },
        },
      },
      {
        theirs: 'kubectl delete job -l "job-name in (job-1,job-2)"',
        differs: {
          ours: 'kubectl delete job',
          parts: {
            WORDS: 'the Job by its name: the page has no second one',
            '--selector': 'the Job by its name: the page has no second one',
          },
        },
      },
      {
        theirs: 'gcloud container node-pools delete flex --location us-east5',
        differs: {
          ours: 'gcloud container node-pools delete flex',
          parts: { '--cluster': 'gcloud refuses the command without' },
        },
      },
      {
        theirs: 'gcloud container clusters delete batch',
        differs: {
          ours: 'gcloud container clusters delete',
          parts: { '--location': 'gcloud asks where the cluster is, if nothing is set' },
        },
      },
    ],
  },
];

/** Names of the parts in which two commands differ. */
const different = (left: Parts, right: Parts): readonly string[] =>
  Object.keys({ ...left, ...right })
    .filter((name) => left[name] !== right[name])
    .sort();

describe.each(TUTORIALS)('$page', ({ runbooks, steps, quota, roles }) => {
  const books = runbooks();
  const ours = books.flatMap(commandsOf);
  const isOurs = (theirs: string): boolean =>
    ours.some((one) => different(partsOf(theirs), partsOf(one)).length === 0);

  test.each(steps.filter(({ differs, leftOut }) => differs === undefined && leftOut === undefined))(
    'has: $theirs',
    ({ theirs }) => {
      expect([theirs, isOurs(theirs)]).toEqual([theirs, true]);
    },
  );

  test('gives a reason for each step that differs or is omitted, and for no other', () => {
    const others = steps.filter(({ differs, leftOut }) => differs !== undefined || leftOut !== undefined);
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter(({ theirs }) => isOurs(theirs))).toEqual([]);
    for (const { differs, leftOut, theirs } of others) {
      expect([theirs, differs === undefined]).toEqual([theirs, leftOut !== undefined]);
      const reasons = leftOut === undefined ? Object.values(differs?.parts ?? {}) : [leftOut];
      expect(reasons.length).toBeGreaterThan(0);
      expect(reasons.filter((reason) => reason.length < 10)).toEqual([]);
    }
  });

  test('differs in the listed parts, and in no other', () => {
    for (const { theirs, differs } of steps) {
      if (differs === undefined) continue;
      const match = ours.find((one) => one.startsWith(differs.ours)) ?? `none of ${differs.ours}`;
      expect([theirs, different(partsOf(theirs), partsOf(match))]).toEqual([
        theirs,
        Object.keys(differs.parts).sort(),
      ]);
    }
  });

  test('states the quota in chips', () => {
    const quotas = books.flatMap(({ prerequisites }) =>
      prerequisites.filter(({ what }) => what === 'Quota').map(({ needed }) => needed),
    );
    expect(quotas).toContain(quota);
  });

  test('lists the roles of the reader', () => {
    const asked = books.flatMap(({ prerequisites }) =>
      prerequisites
        .filter(({ what }) => what === 'Your role')
        .map(({ needed }) => /^`([^`]+)`/.exec(needed)?.[1] ?? ''),
    );
    for (const [role, reason] of Object.entries(roles))
      expect([role, asked.includes(role)]).toEqual([role, reason === '']);
  });
});

test('the manifests have the annotations that the tutorials write', () => {
  const app = Testing.app();
  const chart = new Chart(app, 'sax');
  new WorkloadIdentity(chart, 'sax-sa', {
    projectId: 'my-project',
    iamServiceAccount: 'sax-iam-sa',
    workloadPoolDomain: 's3ns.svc.id.goog',
    serviceAccountDomain: 's3ns.iam.gserviceaccount.com',
  });
  expect(Testing.synth(chart)).toEqual([
    expect.objectContaining({
      kind: 'ServiceAccount',
      metadata: expect.objectContaining({
        name: 'sax-sa',
        annotations: { 'iam.gke.io/gcp-service-account': SAX_EMAIL },
      }) as unknown,
    }),
  ]);
});
