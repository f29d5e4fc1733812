import { type RunbookStep } from '../operations/operations';
import { type ShellCommand } from '../operations/shell-command';
import { type NodePool } from '../platform/node-pool';
import { command, flag, poolCommand, rolesOfUser } from './commands';
import { kedaProjects } from './access-steps';
import { type Contents } from './contents';
import { unique } from './needs';

/** Steps that prepare the project. */
export function project(contents: Contents): readonly RunbookStep[] {
  const { projectId, options } = contents;
  return [
    {
      text: 'Select the project and enable its services. All commands below run in it.',
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
            text: 'Look up the number of the project.',
            commands: [
              `export PROJECT_NUMBER=$(${command('gcloud', 'projects', 'describe', projectId, '--format=value(projectNumber)').toString()})`,
            ],
          },
        ]
      : []),
    {
      text: 'If you lack one of these roles, ask an administrator to run the commands.',
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
  (contents.metricsAdapter ||
    kedaProjects(contents).length > 0 ||
    contents.grants.some(({ member }) => member.includes('PROJECT_NUMBER')));

/** Steps that create the cluster and configure kubectl. */
export function cluster(contents: Contents): readonly RunbookStep[] {
  const ownNodes = contents.operations.flatMap((one) => one.ownNodes ?? []);
  const because = contents.autopilot ? [] : unique(ownNodes.map((one) => one.because));
  return [
    {
      text: [
        'Create the cluster if it does not exist.',
        ...because.map((one) => `Its own nodes run ${one}.`),
      ].join(' '),
      commands: [createCluster(contents, ownMachineType(ownNodes))],
      ...(because.length > 0 && {
        placeholders: {
          MACHINE_TYPE: `machine type of the cluster's own nodes, with room for ${because.join(', and ')}`,
        },
      }),
    },
    {
      text: 'Configure kubectl for the cluster.',
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

function createCluster(contents: Contents, ownType: string | undefined): ShellCommand {
  const { options, operations } = contents;
  const rayOperator = operations.some(({ addOns = [] }) => addOns.includes('RayOperator'));
  const gcsFuse = contents.pods.buckets.length > 0;
  const addOns = [...(gcsFuse ? ['GcsFuseCsiDriver'] : []), ...(rayOperator ? ['RayOperator'] : [])];
  const where = [`--location=${contents.location}`, `--cluster-version=${contents.clusterVersion}`];
  const channel = flag('--release-channel', options.releaseChannel);
  return contents.autopilot
    ? command(
        'gcloud',
        'container',
        'clusters',
        'create-auto',
        contents.cluster,
        where,
        channel,
        rayOperator ? ['--enable-ray-operator'] : [],
      )
    : command(
        'gcloud',
        'container',
        'clusters',
        'create',
        contents.cluster,
        where,
        channel,
        `--workload-pool=${contents.workloadPool}`,
        flag('--addons', addOns.length > 0 ? addOns.join(',') : undefined),
        flag('--machine-type', options.machineType ?? ownType),
        flag('--num-nodes', options.numNodes),
      );
}

/** Returns the machine type that pods without TPUs need; a placeholder if they need different ones. */
function ownMachineType(
  ownNodes: readonly { readonly machineType: string | undefined }[],
): string | undefined {
  const types = unique(ownNodes.map(({ machineType }) => machineType));
  return types.length > 1 || (types.length === 1 && types[0] === undefined) ? 'MACHINE_TYPE' : types[0];
}

/** Steps that create the node pools. */
export const nodePools = (contents: Contents): readonly RunbookStep[] => [
  ...contents.operations.flatMap(({ before = [] }) => before),
  ...contents.nodePools.flatMap((pool): readonly RunbookStep[] => [
    {
      text: `Create ${poolText(pool)}.${pool.flexStart ? ' The pool has no nodes until pods request them.' : ''}`,
      commands: pool.commands,
      ...(pool.flexStart && {
        expect:
          'a table with the node pool and 0 nodes, after some minutes; GKE adds nodes later, when there is capacity',
      }),
    },
    ...(pool.flexStart
      ? [
          {
            text: 'Check that flex-start is enabled.',
            commands: pool.names.map((name) =>
              poolCommand(contents, 'describe', name, '--format=get(config.flexStart)'),
            ),
            expect: '`True`, within seconds',
          },
        ]
      : []),
  ]),
];

const poolText = ({ slice, names, replicas }: NodePool): string =>
  slice.multiHost
    ? `${names.length === 1 ? 'the node pool' : `${String(names.length)} node pools, one`} for ${names.length === 1 ? 'the slice' : 'each slice'} \`${slice.toString()}\` of ${String(slice.hosts)} hosts`
    : `the node pool for slices \`${slice.toString()}\`, with one node for each slice, at most ${String(replicas)}`;

/** Steps that install the controllers, or check that those of an add-on are new enough. */
export const controllers = (contents: Contents): readonly RunbookStep[] =>
  contents.controllers.flatMap(
    ({ name, minimumVersion, field, resource, install }): readonly RunbookStep[] => {
      if (install === undefined && resource === undefined) return [];
      if (install === undefined)
        return [
          {
            text: `Check that the cluster's ${name} is ${minimumVersion} or later. If the command does not find the field, the API server rejects the manifest: upgrade GKE, which brings a newer operator.`,
            commands: [command('kubectl', 'explain', `${resource ?? ''}.${field}`)],
          },
        ];
      const manifests = install.manifests.replace('{release}', install.release);
      return [
        {
          text: `Install ${name} ${minimumVersion} or later, and wait until it runs, because its webhooks validate and complete the objects.`,
          commands: [
            command('kubectl', 'apply', '--server-side', '-f', manifests),
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
      ];
    },
  );
