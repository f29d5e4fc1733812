import { ShellCommand } from '../operations/shell-command';
import { type Contents } from './contents';
import { uniqueBy } from './needs';

/** Returns a command from words and lists of words. */
export const command = (...args: readonly (string | readonly string[])[]): ShellCommand =>
  new ShellCommand(args.flat());

/** Returns a flag with a value; nothing if the value is undefined. */
export const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`${name}=${String(value)}`];

/** Returns a kubectl command in the namespace of the chart. */
export const kubectlIn = ({ namespace }: Contents, ...args: readonly string[]): ShellCommand =>
  command('kubectl', args, namespace === 'default' ? [] : ['-n', namespace]);

/** Returns a gcloud command for one node pool. */
export const poolCommand = (
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

/** Returns the roles of the user who runs the commands, as in the tutorials. */
export const rolesOfUser = (contents: Contents): readonly string[] => [
  'roles/container.admin',
  'roles/container.clusterAdmin',
  ...(contents.buckets.length > 0 ? ['roles/storage.admin'] : []),
  ...(iamAccounts(contents).length > 0 ? ['roles/iam.serviceAccountAdmin'] : []),
  ...(contents.metricsAdapter || contents.operations.some(({ keda }) => keda !== undefined)
    ? ['roles/iam.securityAdmin']
    : []),
  ...(contents.options.builds ? ['roles/artifactregistry.admin'] : []),
];

/** Returns the IAM service accounts that pods act as. */
export const iamAccounts = ({
  accounts,
}: Contents): readonly { name: string; email: string; kubernetesMember: string }[] =>
  uniqueBy(
    accounts.flatMap(({ iamServiceAccount, kubernetesMember }) =>
      iamServiceAccount === undefined ? [] : [{ ...iamServiceAccount, kubernetesMember }],
    ),
    ({ email, kubernetesMember }) => `${email} ${kubernetesMember}`,
  );
