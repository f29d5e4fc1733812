import { TPU_RESOURCE } from '../facts/labels';
import { type RunbookStep } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';
import { type NodePool } from '../platform/node-pool';
import { regionOf } from '../problems/google-cloud';
import {
  adapterBinding,
  bucketBindings,
  createsNamespace,
  deleteAdapter,
  kedaBindings,
  step,
} from './access-steps';
import { command, iamAccounts, kubectlIn, poolCommand } from './commands';
import { type Contents } from './contents';
import { unique } from './needs';
import { ARTIFACT } from './options';

/** Returns the step that applies the manifest. */
export const apply = (contents: Contents): readonly RunbookStep[] => [
  {
    text: 'Apply the manifest. Run the command in the folder that contains it.',
    commands: [kubectlIn(contents, 'apply', '-f', contents.manifest)],
  },
];

/** Steps that add nodes for more replicas to node pools without autoscaling. Each multi-host slice needs its own node pool. */
export const resize = (contents: Contents): readonly RunbookStep[] =>
  contents.nodePools.flatMap((pool) => {
    if (pool.flexStart || pool.autoscaling !== undefined) return [];
    const slice = `\`${pool.slice.toString()}\``;
    if (pool.slice.multiHost)
      return [
        {
          text: `Create another node pool, with the next number, for each additional slice ${slice}.`,
          commands: [nextPool(pool)],
        },
      ];
    const name = pool.names[0] ?? '';
    return [
      {
        text: `Resize node pool \`${name}\`. It needs one node for each slice ${slice}.`,
        commands: [
          command(
            'gcloud',
            'container',
            'clusters',
            'resize',
            contents.cluster,
            `--node-pool=${name}`,
            '--num-nodes=NUM_NODES',
            `--location=${contents.location}`,
          ),
        ],
        placeholders: { NUM_NODES: 'number of nodes of the pool in each zone' },
      },
    ];
  });

/** Returns the command that creates the next node pool of a numbered series. */
function nextPool({ names, commands }: NodePool): ShellCommand {
  const last = names.at(-1) ?? '';
  const next = last.replace(/\d+$/, String(names.length));
  return new ShellCommand((commands.at(-1)?.args ?? []).map((word) => (word === last ? next : word)));
}

/** Steps for pods that do not start. */
export const troubleshooting = (contents: Contents): readonly RunbookStep[] =>
  contents.demands.length === 0
    ? []
    : [
        {
          text: `If pods stay Pending, read their events. \`Insufficient ${TPU_RESOURCE}\`: all slices are in use; add one. \`didn't match Pod's node affinity/selector\`: no node pool has the slice; create one. \`NotTriggerScaleUp\`: no node pool can grow, or quota is missing.`,
          commands: [kubectlIn(contents, 'get', 'events', '--sort-by=.lastTimestamp')],
        },
        {
          text: 'If containers do not start or restart, read their states. `ImagePullBackOff`: the tag does not exist, or the nodes cannot read the registry. `CreateContainerConfigError`: a Secret is missing. `OOMKilled`: the memory of the host is full. `Error`: read the log of the previous container, `kubectl logs POD --previous`.',
          commands: [kubectlIn(contents, 'describe', 'pods')],
        },
      ];

/** Steps that delete everything. */
export function cleanUp(contents: Contents): readonly RunbookStep[] {
  const pools = contents.nodePools.flatMap(({ names }) => names);
  const policies = contents.nodePools.flatMap(({ workloadPolicy }) => workloadPolicy ?? []);
  const emails = unique(iamAccounts(contents).map(({ email }) => email));
  const gcloud = (...args: readonly string[]): ShellCommand => command('gcloud', ...args);
  return [
    ...step('Delete the applied objects.', [kubectlIn(contents, 'delete', '-f', contents.manifest)]),
    ...step('Delete the other objects of the chart if you keep the cluster.', otherObjects(contents)),
    ...step(
      'Delete the metrics adapter if you keep the cluster and nothing else uses it.',
      contents.metricsAdapter ? [deleteAdapter()] : [],
    ),
    ...step(
      `Delete the node ${pools.length === 1 ? 'pool' : 'pools'} if you keep the cluster.`,
      pools.map((name) => poolCommand(contents, 'delete', name)),
    ),
    ...step('Delete the cluster if nothing else runs in it.', [
      gcloud('container', 'clusters', 'delete', contents.cluster, `--location=${contents.location}`),
    ]),
    ...step(
      'Delete the workload policy.',
      policies.map((name) =>
        gcloud(
          'compute',
          'resource-policies',
          'delete',
          name,
          `--region=${regionOf(contents.location) ?? 'REGION'}`,
        ),
      ),
    ),
    ...step(
      'Revoke the role of the metrics adapter.',
      contents.metricsAdapter ? [adapterBinding(contents, 'remove')] : [],
    ),
    ...step('Revoke the role of KEDA if nothing else needs it.', kedaBindings(contents, 'remove')),
    ...step(
      'Delete the IAM service account if nothing else uses it.',
      emails.map((email) => gcloud('iam', 'service-accounts', 'delete', email)),
    ),
    ...step('Revoke the access of the pods if you keep the bucket.', bucketBindings(contents, 'remove')),
    ...step(
      'Delete the bucket and its contents if nothing else uses it.',
      contents.buckets.map((bucket) => gcloud('storage', 'rm', `gs://${bucket}`, '--recursive')),
    ),
    ...step('Delete the image repository and its contents.', repositories(contents)),
  ];
}

/** Returns commands that delete the objects from the steps above, except controllers, which other workloads may use. */
function otherObjects(contents: Contents): readonly ShellCommand[] {
  const { namespace, pods, elsewhere } = contents;
  const secrets = unique([...pods.secretKeys.map(({ secretName }) => secretName), ...pods.pullSecretNames]);
  const accounts = pods.serviceAccountNames.filter(
    (name) => !elsewhere.some(({ account }) => account.serviceAccountName === name),
  );
  return [
    ...(secrets.length > 0 ? [kubectlIn(contents, 'delete', 'secret', ...secrets)] : []),
    ...(accounts.length > 0 ? [kubectlIn(contents, 'delete', 'serviceaccount', ...accounts)] : []),
    ...(pods.priorityClassNames.length > 0
      ? [command('kubectl', 'delete', 'priorityclass', ...pods.priorityClassNames)]
      : []),
    ...(createsNamespace(contents) ? [command('kubectl', 'delete', 'namespace', namespace)] : []),
  ];
}

const repositories = ({ options }: Contents): readonly ShellCommand[] =>
  unique((options.builds ?? []).map(({ image }) => image)).map((image) => {
    const [, location = '', , artifacts = ''] = ARTIFACT.exec(image) ?? [];
    return command('gcloud', 'artifacts', 'repositories', 'delete', artifacts, `--location=${location}`);
  });
