import { ShellCommand } from '../operations/shell-command';
import { type Contents } from './contents';
import { uniqueBy } from './needs';

/** A command of words and of lists of words. */
export const command = (...args: readonly (string | readonly string[])[]): ShellCommand =>
  new ShellCommand(args.flat());

/** A flag with a value, or nothing. */
export const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`${name}=${String(value)}`];

/** A kubectl command in the namespace of the chart. */
export const kubectlIn = ({ namespace }: Contents, ...args: readonly string[]): ShellCommand =>
  command('kubectl', args, namespace === 'default' ? [] : ['-n', namespace]);

/** A gcloud command about one node pool. */
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

/** Roles of the user who runs the commands, as the tutorials list them. */
export const rolesOfUser = (contents: Contents): readonly string[] => [
  'roles/container.admin',
  'roles/container.clusterAdmin',
  ...(contents.buckets.length > 0 ? ['roles/storage.admin'] : []),
  ...(iamAccounts(contents).length > 0 ? ['roles/iam.serviceAccountAdmin'] : []),
  ...(contents.metricsAdapter ? ['roles/iam.securityAdmin'] : []),
  ...(contents.options.builds ? ['roles/artifactregistry.admin'] : []),
];

/** IAM service accounts that pods act as. */
export const iamAccounts = ({
  accounts,
}: Contents): readonly { name: string; email: string; kubernetesMember: string }[] =>
  uniqueBy(
    accounts.flatMap(({ iamServiceAccount, kubernetesMember }) =>
      iamServiceAccount === undefined ? [] : [{ ...iamServiceAccount, kubernetesMember }],
    ),
    ({ email, kubernetesMember }) => `${email} ${kubernetesMember}`,
  );
