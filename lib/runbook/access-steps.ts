import { KEDA_INSTALL, MONITORING_READER } from '../facts/autoscaling';
import { type RunbookStep } from '../operations/operations';
import { type ShellCommand } from '../operations/shell-command';
import { directMember, WORKLOAD_IDENTITY_USER } from '../platform/workload-identity';
import { command, iamAccounts, kubectlIn } from './commands';
import { NODES, type Contents } from './contents';
import { unique } from './needs';

/** Whether the runbook creates the namespace: it is not `default`, and the chart does not render it. */
export const createsNamespace = ({ namespace, objects }: Contents): boolean =>
  namespace !== 'default' && !objects.some(({ kind, name }) => kind === 'Namespace' && name === namespace);

/** Steps that create the namespace, the Secrets and the PriorityClasses. */
export function secrets(contents: Contents): readonly RunbookStep[] {
  const { namespace, pods } = contents;
  const names = unique(pods.secretKeys.map(({ secretName }) => secretName));
  return [
    ...(!createsNamespace(contents)
      ? []
      : [
          {
            text: 'Create the namespace.',
            commands: [command('kubectl', 'create', 'namespace', namespace)],
          },
        ]),
    ...names.map((secretName) => secret(contents, secretName)),
    ...pods.pullSecretNames.map((secretName) => pullSecret(contents, secretName)),
    ...pods.priorityClassNames.map(priorityClass),
  ];
}

function secret(contents: Contents, secretName: string): RunbookStep {
  const keys = contents.pods.secretKeys.filter((one) => one.secretName === secretName);
  const valueOf = (key: string): string => `VALUE_OF_${key.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
  const placeholders = Object.fromEntries(
    keys.map(({ key, huggingFace }) =>
      huggingFace
        ? ['HUGGING_FACE_TOKEN', 'Hugging Face access token that can read the model']
        : [valueOf(key), `value of key \`${key}\` of Secret \`${secretName}\``],
    ),
  );
  return {
    text: `Create Secret \`${secretName}\`.`,
    commands: [
      kubectlIn(
        contents,
        'create',
        'secret',
        'generic',
        secretName,
        ...keys.map(
          ({ key, huggingFace }) =>
            `--from-literal=${key}=${huggingFace ? 'HUGGING_FACE_TOKEN' : valueOf(key)}`,
        ),
      ),
    ],
    placeholders,
  };
}

/** https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry/ */
const pullSecret = (contents: Contents, secretName: string): RunbookStep => ({
  text: `Create Secret \`${secretName}\`, which the nodes use to pull images.`,
  commands: [
    kubectlIn(
      contents,
      'create',
      'secret',
      'docker-registry',
      secretName,
      '--docker-server=REGISTRY',
      '--docker-username=REGISTRY_USER',
      '--docker-password=REGISTRY_PASSWORD',
    ),
  ],
  placeholders: {
    REGISTRY: 'host of the registry, like `registry.example.com`',
    REGISTRY_USER: 'user of the registry',
    REGISTRY_PASSWORD: 'password or token of that user',
  },
});

const priorityClass = (name: string): RunbookStep => ({
  text: `Create PriorityClass \`${name}\` if it does not exist. Pods with a higher value can evict those with a lower one; pods without a PriorityClass have 0.`,
  commands: [command('kubectl', 'create', 'priorityclass', name, '--value=PRIORITY')],
  placeholders: { PRIORITY: 'value of the PriorityClass, up to 1000000000' },
});

/** Steps that create buckets and accounts, and grant roles. */
export const buckets = (contents: Contents): readonly RunbookStep[] => [
  ...step(
    'Create the bucket if it does not exist.',
    contents.buckets.map((bucket) =>
      command(
        'gcloud',
        'storage',
        'buckets',
        'create',
        `gs://${bucket}`,
        `--location=${contents.region}`,
        '--uniform-bucket-level-access',
      ),
    ),
  ),
  ...step(
    'Create the ServiceAccount of the pods, which this manifest does not contain.',
    contents.pods.serviceAccountNames
      .filter((name) => !contents.elsewhere.some(({ account }) => account.serviceAccountName === name))
      .map((name) => kubectlIn(contents, 'create', 'serviceaccount', name)),
  ),
  ...step(
    'Create the IAM service account, and allow the ServiceAccount of the pods to act as it.',
    accountCommands(contents),
  ),
  ...grants(contents),
  ...contents.uploads.map(upload),
];

/** https://cloud.google.com/sdk/gcloud/reference/storage/rsync */
const upload = (folder: string): RunbookStep => ({
  text: `Upload the weights to \`${folder}\` if it is empty. Download them to a local folder first.`,
  commands: [command('gcloud', 'storage', 'rsync', 'MODEL_FOLDER', folder, '--recursive')],
  placeholders: { MODEL_FOLDER: 'local folder with the files of the model or checkpoint' },
  expect: '`Copying` and the name of each file; minutes to hours, by the size of the weights',
});

/** Returns a step; nothing if it has no commands. */
export const step = (text: string, commands: readonly ShellCommand[]): readonly RunbookStep[] =>
  commands.length === 0 ? [] : [{ text, commands }];

function accountCommands(contents: Contents): readonly ShellCommand[] {
  const accounts = iamAccounts(contents);
  return [
    ...unique(accounts.map(({ name }) => name)).map((name) =>
      command('gcloud', 'iam', 'service-accounts', 'create', name),
    ),
    ...accounts.map(({ email, kubernetesMember }) =>
      command(
        'gcloud',
        'iam',
        'service-accounts',
        'add-iam-policy-binding',
        email,
        `--role=${WORKLOAD_IDENTITY_USER}`,
        `--member=${kubernetesMember}`,
      ),
    ),
  ];
}

/** Returns commands that grant the pods access to their buckets, or revoke it. */
export const bucketBindings = (
  { grants: granted }: Contents,
  verb: 'add' | 'remove',
): readonly ShellCommand[] =>
  granted.map(({ bucketName, role, member }) =>
    command(
      'gcloud',
      'storage',
      'buckets',
      `${verb}-iam-policy-binding`,
      `gs://${bucketName}`,
      `--member=${member}`,
      `--role=${role}`,
    ),
  );

function grants(contents: Contents): readonly RunbookStep[] {
  const { grants: granted } = contents;
  const [access] = step('Grant the pods access to the bucket.', bucketBindings(contents, 'add'));
  if (access === undefined) return [];
  if (!granted.some(({ member }) => member === NODES)) return [access];
  return [
    {
      ...access,
      placeholders: {
        NODE_SERVICE_ACCOUNT:
          'e-mail address of the service account of the TPU nodes; by default `NUMBER-compute@developer.gserviceaccount.com` with the number of the project',
      },
    },
  ];
}

/** The Custom Metrics Stackdriver Adapter: https://cloud.google.com/kubernetes-engine/docs/tutorials/autoscaling-metrics */
const ADAPTER = {
  manifests:
    'https://raw.githubusercontent.com/GoogleCloudPlatform/k8s-stackdriver/master/custom-metrics-stackdriver-adapter/deploy/production/adapter_new_resource_model.yaml',
  namespace: 'custom-metrics',
  name: 'custom-metrics-stackdriver-adapter',
  role: MONITORING_READER,
};

/** Returns the command that grants the metrics adapter its role, or revokes it. */
export const adapterBinding = (contents: Contents, verb: 'add' | 'remove'): ShellCommand =>
  command(
    'gcloud',
    'projects',
    `${verb}-iam-policy-binding`,
    contents.projectId,
    `--role=${ADAPTER.role}`,
    `--member=${directMember(contents.projectNumber, contents.workloadPool, ADAPTER.namespace, ADAPTER.name)}`,
  );

/** Returns the command that deletes the metrics adapter. */
export const deleteAdapter = (): ShellCommand => command('kubectl', 'delete', '-f', ADAPTER.manifests);

/** Projects whose metrics KEDA reads with its own credentials. */
export const kedaProjects = ({ operations }: Contents): readonly string[] =>
  unique(operations.flatMap(({ keda }) => keda?.monitoredProject ?? []));

/** Returns commands that grant KEDA its role on the projects whose metrics it reads, or revoke it. */
export const kedaBindings = (contents: Contents, verb: 'add' | 'remove'): readonly ShellCommand[] =>
  kedaProjects(contents).map((project) =>
    command(
      'gcloud',
      'projects',
      `${verb}-iam-policy-binding`,
      project,
      `--role=${MONITORING_READER}`,
      `--member=${directMember(contents.projectNumber, contents.workloadPool, KEDA_INSTALL.namespace, KEDA_INSTALL.operator)}`,
    ),
  );

function keda(contents: Contents): readonly RunbookStep[] {
  const scaled = contents.operations.flatMap(({ keda: one }) => (one ? [`\`${one.scales}\``] : []));
  if (scaled.length === 0) return [];
  const { manifests, namespace, operator } = KEDA_INSTALL;
  return [
    {
      text: `Install KEDA, which scales ${scaled.join(' and ')}, if the cluster does not have it.`,
      commands: [
        command('kubectl', 'apply', '--server-side', '-f', manifests),
        command('kubectl', 'rollout', 'status', `deployment/${operator}`, '-n', namespace, '--timeout=10m'),
      ],
    },
    ...step('Grant KEDA access to the metrics.', kedaBindings(contents, 'add')),
  ];
}

/** Steps that install the metrics adapter or KEDA. */
export const metricsAdapter = (contents: Contents): readonly RunbookStep[] => [
  ...(contents.metricsAdapter
    ? [
        {
          text: 'Install the Custom Metrics Stackdriver Adapter, which gives metrics to the HorizontalPodAutoscaler, and grant it access to them. A cluster needs one adapter.',
          commands: [command('kubectl', 'apply', '-f', ADAPTER.manifests), adapterBinding(contents, 'add')],
        },
      ]
    : []),
  ...keda(contents),
];
