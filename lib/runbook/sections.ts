import { type NodePool } from '../platform/node-pool';
import { regionOf } from '../problems/google-cloud';
import { directMember, WORKLOAD_IDENTITY_USER } from '../platform/workload-identity';
import { type OperationPhase, type RunbookStep } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';
import { unique, uniqueBy } from './needs';
import { ARTIFACT, type ImageBuild } from './options';
import { NODES, type Contents } from './contents';

/** A part of a runbook: steps that are done one after another. */
export interface RunbookSection {
  /** What the steps are about. */
  readonly title: string;
  /** The steps, in order. */
  readonly steps: readonly RunbookStep[];
}

/** Every section of a runbook that has steps, in the order in which they are done. */
export const sectionsOf = (contents: Contents): readonly RunbookSection[] =>
  [
    { title: 'Project', steps: project(contents) },
    { title: 'Cluster', steps: cluster(contents) },
    { title: 'Node pools', steps: nodePools(contents) },
    { title: 'Controllers', steps: controllers(contents) },
    { title: 'Namespace and Secrets', steps: secrets(contents) },
    { title: 'Buckets and who may use them', steps: buckets(contents) },
    { title: 'Metrics for autoscaling', steps: metricsAdapter(contents) },
    { title: 'Images', steps: (contents.options.builds ?? []).flatMap((build) => imageBuild(build)) },
    { title: 'Apply', steps: apply(contents) },
    { title: 'Verify', steps: stepsOf(contents, 'verify') },
    { title: 'Call', steps: stepsOf(contents, 'call') },
    { title: 'Load', steps: stepsOf(contents, 'load') },
    { title: 'Scale', steps: [...stepsOf(contents, 'scale'), ...resize(contents)] },
    { title: 'Clean up', steps: [...stepsOf(contents, 'clean-up'), ...cleanUp(contents)] },
  ].filter(({ steps }) => steps.length > 0);

/** What the chart's constructs say of a phase; what several of them say stands once. */
const stepsOf = (contents: Contents, phase: OperationPhase): readonly RunbookStep[] =>
  uniqueBy(
    contents.operations.flatMap(({ steps = {} }) => steps[phase] ?? []),
    ({ text, commands }) => [text, ...commands].join('\n'),
  );

const command = (...args: readonly (string | readonly string[])[]): ShellCommand =>
  new ShellCommand(args.flat());

const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`${name}=${String(value)}`];

const kubectlIn = ({ namespace }: Contents, ...args: readonly string[]): ShellCommand =>
  command('kubectl', args, namespace === 'default' ? [] : ['-n', namespace]);

/** Roles of whoever runs the commands, as the tutorials list them. */
export const rolesOfUser = (contents: Contents): readonly string[] => [
  'roles/container.admin',
  'roles/container.clusterAdmin',
  ...(contents.buckets.length > 0 ? ['roles/storage.admin'] : []),
  ...(iamAccounts(contents).length > 0 ? ['roles/iam.serviceAccountAdmin'] : []),
  ...(contents.metricsAdapter ? ['roles/iam.securityAdmin'] : []),
  ...(contents.options.builds ? ['roles/artifactregistry.admin'] : []),
];

/** IAM service accounts that pods act as. */
const iamAccounts = ({
  accounts,
}: Contents): readonly { name: string; email: string; kubernetesMember: string }[] =>
  uniqueBy(
    accounts.flatMap(({ iamServiceAccount, kubernetesMember }) =>
      iamServiceAccount === undefined ? [] : [{ ...iamServiceAccount, kubernetesMember }],
    ),
    ({ email, kubernetesMember }) => `${email} ${kubernetesMember}`,
  );

function project(contents: Contents): readonly RunbookStep[] {
  const { projectId, options } = contents;
  return [
    {
      text: 'Work in the project: all commands below do.',
      commands: [
        command('gcloud', 'config', 'set', 'project', projectId),
        command(
          'gcloud',
          'services',
          'enable',
          'container.googleapis.com',
          options.builds ? ['artifactregistry.googleapis.com'] : [],
        ),
      ],
    },
    ...(usesProjectNumber(contents)
      ? [
          {
            text: 'Ask for its number, `PROJECT_NUMBER` below.',
            commands: [command('gcloud', 'projects', 'describe', projectId, '--format=value(projectNumber)')],
          },
        ]
      : []),
    {
      text: 'Have somebody who may grant you the roles that you lack.',
      commands: rolesOfUser(contents).map((role) =>
        command(
          'gcloud',
          'projects',
          'add-iam-policy-binding',
          projectId,
          '--member=user:USER_EMAIL',
          `--role=${role}`,
        ),
      ),
    },
  ];
}

const usesProjectNumber = (contents: Contents): boolean =>
  contents.projectNumber === 'PROJECT_NUMBER' &&
  (contents.metricsAdapter || contents.grants.some(({ member }) => member.includes('PROJECT_NUMBER')));

function cluster(contents: Contents): readonly RunbookStep[] {
  const { options, operations } = contents;
  const { releaseChannel } = options;
  const rayOperator = operations.some(({ addOns = [] }) => addOns.includes('RayOperator'));
  const gcsFuse = contents.pods.buckets.length > 0;
  const addOns = [...(gcsFuse ? ['GcsFuseCsiDriver'] : []), ...(rayOperator ? ['RayOperator'] : [])];
  const where = [`--location=${contents.location}`, `--cluster-version=${contents.clusterVersion}`];
  const ownNodes = operations.flatMap((one) => one.ownNodes ?? []);
  const create = contents.autopilot
    ? command(
        'gcloud',
        'container',
        'clusters',
        'create-auto',
        contents.cluster,
        where,
        flag('--release-channel', releaseChannel),
        rayOperator ? ['--enable-ray-operator'] : [],
      )
    : command(
        'gcloud',
        'container',
        'clusters',
        'create',
        contents.cluster,
        where,
        flag('--release-channel', releaseChannel),
        `--workload-pool=${contents.workloadPool}`,
        flag('--addons', addOns.length > 0 ? addOns.join(',') : undefined),
        flag('--machine-type', options.machineType ?? ownMachineType(ownNodes)),
        flag('--num-nodes', options.numNodes),
      );
  const because = contents.autopilot ? [] : unique(ownNodes.map((one) => one.because));
  return [
    {
      text: [
        'Make the cluster, where there is none yet.',
        ...because.map((one) => `Its own nodes run ${one}.`),
      ].join(' '),
      commands: [create],
      ...(because.length > 0 && {
        placeholders: {
          MACHINE_TYPE: `machine type of the cluster's own nodes, with room for ${because.join(', and ')}`,
        },
      }),
    },
    {
      text: 'Have kubectl talk to it.',
      commands: [
        command(
          'gcloud',
          'container',
          'clusters',
          'get-credentials',
          contents.cluster,
          `--location=${contents.location}`,
        ),
      ],
    },
  ];
}

/** The machine type that pods without TPUs ask for; one for several is somebody's choice. */
function ownMachineType(
  ownNodes: readonly { readonly machineType: string | undefined }[],
): string | undefined {
  const types = unique(ownNodes.map(({ machineType }) => machineType));
  return types.length > 1 || (types.length === 1 && types[0] === undefined) ? 'MACHINE_TYPE' : types[0];
}

function nodePools(contents: Contents): readonly RunbookStep[] {
  return [
    ...contents.operations.flatMap(({ before = [] }) => before),
    ...contents.nodePools.flatMap((pool): readonly RunbookStep[] => [
      { text: `Make ${poolText(pool)}.`, commands: pool.commands },
      ...(pool.flexStart
        ? [
            {
              text: 'See whether flex-start is on: `True`.',
              commands: pool.names.map((name) =>
                poolCommand(contents, 'describe', name, '--format=get(config.flexStart)'),
              ),
            },
          ]
        : []),
    ]),
  ];
}

const poolText = ({ slice, names, replicas }: NodePool): string =>
  slice.multiHost
    ? `${names.length === 1 ? 'the node pool' : `${String(names.length)} node pools, one`} for ${names.length === 1 ? 'the slice' : 'each slice'} \`${slice.toString()}\` of ${String(slice.hosts)} hosts`
    : `the node pool for slices \`${slice.toString()}\`, a node each, ${String(replicas)} at most`;

const poolCommand = (
  contents: Contents,
  verb: string,
  name: string,
  ...flags: readonly string[]
): ShellCommand =>
  command(
    'gcloud',
    'container',
    'node-pools',
    verb,
    name,
    `--cluster=${contents.cluster}`,
    `--location=${contents.location}`,
    flags,
  );

const controllers = (contents: Contents): readonly RunbookStep[] =>
  uniqueBy(
    contents.operations.flatMap((one) => one.controllers ?? []),
    ({ name }) => name,
  ).flatMap(({ name, minimumVersion, field, resource, install }) =>
    install === undefined
      ? resource === undefined
        ? []
        : [
            {
              text: `See whether the cluster's ${name} is ${minimumVersion} or later: where this finds no such field the apply is refused, and a newer version of GKE brings a newer one.`,
              commands: [command('kubectl', 'explain', `${resource}.${field}`)],
            },
          ]
      : [
          {
            text: `Install ${name}, ${minimumVersion} or later, and wait for it: nothing checks or completes objects before.`,
            commands: [
              command(
                'kubectl',
                'apply',
                '--server-side',
                '-f',
                install.manifests.replace('{release}', install.release),
              ),
              command(
                'kubectl',
                'rollout',
                'status',
                `deployment/${install.deployment}`,
                '-n',
                install.namespace,
                '--timeout=10m',
              ),
            ],
          },
        ],
  );

function secrets(contents: Contents): readonly RunbookStep[] {
  const { namespace, pods, objects } = contents;
  const rendered = objects.some(({ kind, name }) => kind === 'Namespace' && name === namespace);
  const names = unique(pods.secretKeys.map(({ secretName }) => secretName));
  return [
    ...(namespace === 'default' || rendered
      ? []
      : [
          {
            text: 'Make the namespace.',
            commands: [command('kubectl', 'create', 'namespace', namespace)],
          },
        ]),
    ...names.map((secretName) => {
      const keys = pods.secretKeys.filter((one) => one.secretName === secretName);
      const valueOf = (key: string): string => `VALUE_OF_${key.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
      const placeholders = Object.fromEntries(
        keys.map(({ key, huggingFace }) =>
          huggingFace
            ? ['HUGGING_FACE_TOKEN', 'access token of Hugging Face that may read the model']
            : [valueOf(key), `value of key \`${key}\` of Secret \`${secretName}\``],
        ),
      );
      return {
        text: `Make Secret \`${secretName}\`. The token stays in the history of the shell: put a space before the command where that keeps it out.`,
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
    }),
  ];
}

function buckets(contents: Contents): readonly RunbookStep[] {
  const { pods, region, grants, elsewhere } = contents;
  const made = pods.serviceAccountNames.filter(
    (name) => !elsewhere.some(({ account }) => account.serviceAccountName === name),
  );
  const accounts = iamAccounts(contents);
  return [
    ...(contents.buckets.length > 0
      ? [
          {
            text: 'Make the bucket, where there is none yet.',
            commands: contents.buckets.map((bucket) =>
              command(
                'gcloud',
                'storage',
                'buckets',
                'create',
                `gs://${bucket}`,
                `--location=${region}`,
                '--uniform-bucket-level-access',
              ),
            ),
          },
        ]
      : []),
    ...(made.length > 0
      ? [
          {
            text: 'Make the ServiceAccount of the pods, which no manifest here has.',
            commands: made.map((name) => kubectlIn(contents, 'create', 'serviceaccount', name)),
          },
        ]
      : []),
    ...(accounts.length > 0
      ? [
          {
            text: 'Make the IAM service account, and let the ServiceAccount of the pods act as it.',
            commands: [
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
            ],
          },
        ]
      : []),
    ...(grants.length > 0
      ? [
          {
            text: 'Let the pods use the bucket.',
            commands: grants.map(({ bucketName, role, member }) =>
              command(
                'gcloud',
                'storage',
                'buckets',
                'add-iam-policy-binding',
                `gs://${bucketName}`,
                `--member=${member}`,
                `--role=${role}`,
              ),
            ),
            ...(grants.some(({ member }) => member === NODES) && {
              placeholders: {
                NODE_SERVICE_ACCOUNT:
                  'e-mail address of the service account that the TPU nodes have; where none was given, `NUMBER-compute@developer.gserviceaccount.com` with the number of the project',
              },
            }),
          },
        ]
      : []),
  ];
}

/** The Custom Metrics Stackdriver Adapter: https://cloud.google.com/kubernetes-engine/docs/tutorials/autoscaling-metrics */
const ADAPTER = {
  manifests:
    'https://raw.githubusercontent.com/GoogleCloudPlatform/k8s-stackdriver/master/custom-metrics-stackdriver-adapter/deploy/production/adapter_new_resource_model.yaml',
  namespace: 'custom-metrics',
  name: 'custom-metrics-stackdriver-adapter',
  role: 'roles/monitoring.viewer',
};

const adapterBinding = (contents: Contents, verb: 'add' | 'remove'): ShellCommand =>
  command(
    'gcloud',
    'projects',
    `${verb}-iam-policy-binding`,
    contents.projectId,
    `--role=${ADAPTER.role}`,
    `--member=${directMember(contents.projectNumber, contents.workloadPool, ADAPTER.namespace, ADAPTER.name)}`,
  );

const metricsAdapter = (contents: Contents): readonly RunbookStep[] =>
  contents.metricsAdapter
    ? [
        {
          text: 'Install the Custom Metrics Stackdriver Adapter, which the HorizontalPodAutoscaler asks, and let it read metrics. A cluster has one.',
          commands: [command('kubectl', 'apply', '-f', ADAPTER.manifests), adapterBinding(contents, 'add')],
        },
      ]
    : [];

function imageBuild({ image, repository, commit, dockerfile }: ImageBuild): readonly RunbookStep[] {
  const [, location = '', , artifacts = ''] = ARTIFACT.exec(image) ?? [];
  const folder =
    repository
      .replace(/\/+$|\.git$/g, '')
      .split('/')
      .pop() ?? '';
  return [
    {
      text: `Build \`${image}\`.`,
      commands: [
        command('git', 'clone', repository),
        command('git', '-C', folder, 'reset', '--hard', commit),
        command('docker', 'build', '-f', `${folder}/${dockerfile ?? 'Dockerfile'}`, folder, '-t', image),
      ],
    },
    {
      text: 'Push it to Artifact Registry.',
      commands: [
        command(
          'gcloud',
          'artifacts',
          'repositories',
          'create',
          artifacts,
          '--repository-format=docker',
          `--location=${location}`,
        ),
        command('gcloud', 'auth', 'configure-docker', `${location}-docker.pkg.dev`),
        command('docker', 'push', image),
      ],
    },
  ];
}

const apply = (contents: Contents): readonly RunbookStep[] => [
  {
    text: 'Apply the manifest, in the folder where it is.',
    commands: [kubectlIn(contents, 'apply', '-f', contents.manifest)],
  },
];

/** More nodes for more replicas: of pools that do not scale themselves. A slice of several hosts takes a pool more. */
const resize = (contents: Contents): readonly RunbookStep[] =>
  contents.nodePools.flatMap((pool) =>
    pool.flexStart || pool.autoscaling !== undefined
      ? []
      : pool.slice.multiHost
        ? [
            {
              text: `Each slice \`${pool.slice.toString()}\` more needs a node pool of its own, with the next number.`,
              commands: [nextPool(pool)],
            },
          ]
        : [
            {
              text: `Node pool \`${pool.names[0] ?? ''}\` needs a node in its zone for each slice \`${pool.slice.toString()}\`.`,
              commands: [
                command(
                  'gcloud',
                  'container',
                  'clusters',
                  'resize',
                  contents.cluster,
                  `--node-pool=${pool.names[0] ?? ''}`,
                  '--num-nodes=NUM_NODES',
                  `--location=${contents.location}`,
                ),
              ],
              placeholders: { NUM_NODES: 'how many nodes the pool is to have in each zone' },
            },
          ],
  );

/** What makes one node pool more than there are. */
function nextPool({ names, commands }: NodePool): ShellCommand {
  const last = names.at(-1) ?? '';
  const next = last.replace(/\d+$/, String(names.length));
  return new ShellCommand((commands.at(-1)?.args ?? []).map((word) => (word === last ? next : word)));
}

function cleanUp(contents: Contents): readonly RunbookStep[] {
  const pools = contents.nodePools.flatMap(({ names }) => names);
  const policies = contents.nodePools.flatMap(({ workloadPolicy }) => workloadPolicy ?? []);
  const emails = unique(iamAccounts(contents).map(({ email }) => email));
  const step = (text: string, commands: readonly ShellCommand[]): readonly RunbookStep[] =>
    commands.length === 0 ? [] : [{ text, commands }];
  return [
    ...step('Delete what was applied.', [kubectlIn(contents, 'delete', '-f', contents.manifest)]),
    ...step(
      `Delete the node ${pools.length === 1 ? 'pool' : 'pools'}, where the cluster stays.`,
      pools.map((name) => poolCommand(contents, 'delete', name)),
    ),
    ...step('Delete the cluster, if nothing else runs in it.', [
      command(
        'gcloud',
        'container',
        'clusters',
        'delete',
        contents.cluster,
        `--location=${contents.location}`,
      ),
    ]),
    ...step(
      'Delete the workload policy.',
      policies.map((name) =>
        command(
          'gcloud',
          'compute',
          'resource-policies',
          'delete',
          name,
          `--region=${regionOf(contents.location) ?? 'REGION'}`,
        ),
      ),
    ),
    ...step(
      'Take the role of the metrics adapter back.',
      contents.metricsAdapter ? [adapterBinding(contents, 'remove')] : [],
    ),
    ...step(
      'Delete the IAM service account, if nothing else acts as it.',
      emails.map((email) => command('gcloud', 'iam', 'service-accounts', 'delete', email)),
    ),
    ...step(
      'Delete the bucket with all that is in it, if nothing else uses it.',
      contents.buckets.map((bucket) => command('gcloud', 'storage', 'rm', `gs://${bucket}`, '--recursive')),
    ),
    ...step(
      'Delete the image repository with all that is in it.',
      unique((contents.options.builds ?? []).map(({ image }) => image)).map((image) => {
        const [, location = '', , artifacts = ''] = ARTIFACT.exec(image) ?? [];
        return command('gcloud', 'artifacts', 'repositories', 'delete', artifacts, `--location=${location}`);
      }),
    ),
  ];
}
