import { PLAIN_WORD, type ShellCommand } from '../operations/shell-command';
import { isPlaceholder } from '../problems/google-cloud';
import { type Contents } from './contents';
import { unique } from './needs';
import { type RunbookPlaceholder } from './placeholders';
import { type RunbookSection } from './sections';

/** A shell variable of the commands in Markdown. */
export interface Variable {
  readonly name: string;
  /** The right side of `export NAME=`. */
  readonly value: string;
  /** The value that replaces a placeholder, in Markdown; undefined if the value is known. */
  readonly meaning?: string;
}

/** Returns a command as lines of shell, with variables instead of placeholders and known values. */
export type InShell = (command: ShellCommand | string) => string;

/** A known value that gets a variable. */
interface Known {
  readonly name: string;
  readonly value: string;
  /** Replaces the value in an argument by its variable. */
  readonly write: (arg: string, before: readonly string[]) => string;
}

/** Replaces a whole argument after some flags, `--flag=value` or `-f value`. */
const afterFlags =
  (value: string, variable: string, ...flags: readonly string[]): Known['write'] =>
  (arg, before) => {
    const flag = flags.find((one) => arg === `${one}=${value}`);
    if (flag !== undefined) return `${flag}=${variable}`;
    return arg === value && flags.includes(before.at(-1) ?? '') ? variable : arg;
  };

/** Returns the known values of the project, the cluster and the namespace. */
function knownValues(contents: Contents): readonly Known[] {
  const { projectId, projectNumber, cluster, location, region, clusterVersion, namespace } = contents;
  const isCluster = (before: readonly string[]): boolean =>
    before.slice(0, 3).join(' ') === 'gcloud container clusters';
  const isProject = (before: readonly string[]): boolean =>
    before[0] === 'gcloud' && (before[1] === 'projects' || before.at(-1) === 'project');
  const known: readonly Known[] = [
    {
      name: 'PROJECT_ID',
      value: projectId,
      write: (arg, before) =>
        arg === projectId && isProject(before)
          ? '$PROJECT_ID'
          : arg
              .replaceAll(contents.workloadPool, contents.workloadPool.replace(projectId, '$$PROJECT_ID'))
              .replaceAll(`@${projectId}.`, '@$$PROJECT_ID.'),
    },
    {
      name: 'PROJECT_NUMBER',
      value: projectNumber,
      write: (arg) => arg.replaceAll(`/projects/${projectNumber}/`, '/projects/$$PROJECT_NUMBER/'),
    },
    {
      name: 'CLUSTER_NAME',
      value: cluster,
      write: (arg, before) =>
        arg === cluster && isCluster(before)
          ? '$CLUSTER_NAME'
          : afterFlags(cluster, '$CLUSTER_NAME', '--cluster')(arg, before),
    },
    { name: 'LOCATION', value: location, write: afterFlags(location, '$LOCATION', '--location') },
    { name: 'REGION', value: region, write: afterFlags(region, '$REGION', '--location', '--region') },
    {
      name: 'CLUSTER_VERSION',
      value: clusterVersion,
      write: afterFlags(clusterVersion, '$CLUSTER_VERSION', '--cluster-version'),
    },
    {
      name: 'NAMESPACE',
      value: namespace,
      write: (arg, before) =>
        arg === namespace && before.slice(1).join(' ') === 'create namespace'
          ? '$NAMESPACE'
          : afterFlags(namespace, '$NAMESPACE', '-n')(arg, before),
    },
  ];
  return known.filter(({ value }) => !isPlaceholder(value));
}

const VARIABLE = /\$[A-Z][A-Z0-9_]*/;

/** Quotes a word for a shell, with double quotes if it has variables. Quotes only the value of a flag. */
function quoted(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  const [flag = ''] = /^--[a-z-]+=/.exec(word) ?? [];
  const value = word.slice(flag.length);
  return VARIABLE.test(value)
    ? `${flag}"${value.replace(/["\\`]/g, '\\$&')}"`
    : `${flag}'${value.replaceAll("'", `'\\''`)}'`;
}

/** Replaces placeholders by variables in lines of shell, with the quotes that each place needs. */
function withVariables(text: string, names: readonly string[]): string {
  if (names.length === 0) return text;
  const word = new RegExp(`(?<!export |[$\\w])(?:${names.join('|')})(?!\\w)`, 'y');
  let quote = '';
  let result = '';
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index] ?? '';
    word.lastIndex = index;
    const [name] = word.exec(text) ?? [];
    if (name !== undefined) {
      result += quote === '"' ? `$${name}` : quote === "'" ? `'"$${name}"'` : `"$${name}"`;
      index += name.length - 1;
      continue;
    }
    if (letter === '\\' && quote !== "'") {
      result += letter + (text[index + 1] ?? '');
      index += 1;
      continue;
    }
    if (letter === quote) quote = '';
    else if (quote === '' && (letter === '"' || letter === "'")) quote = letter;
    result += letter;
  }
  return result;
}

/** Returns the variables of a runbook, and a function that writes its commands with them. */
export function variablesOf(
  contents: Contents,
  sections: readonly RunbookSection[],
  placeholders: readonly RunbookPlaceholder[],
): { readonly variables: readonly Variable[]; readonly inShell: InShell } {
  const names = placeholders.map(({ name }) => name);
  const known = knownValues(contents);
  const inShell: InShell = (command) => {
    if (typeof command === 'string')
      return withVariables(
        command.replaceAll(
          ` -n ${contents.namespace}`,
          known.some(({ name }) => name === 'NAMESPACE') ? ' -n "$NAMESPACE"' : '$&',
        ),
        names,
      );
    return command.args
      .map((arg, index) => known.reduce((text, one) => one.write(text, command.args.slice(0, index)), arg))
      .map((arg) => arg.replace(new RegExp(`(?<![$\\w])(?:${names.join('|') || '$^'})(?!\\w)`, 'g'), '$$$&'))
      .map(quoted)
      .reduce((line, word) => line + (word.startsWith('--') ? ' \\\n    ' : ' ') + word);
  };
  const text = sections
    .flatMap(({ steps }) => steps.flatMap(({ commands }) => commands.map(inShell)))
    .join('\n');
  const used = (name: string): boolean => new RegExp(`\\$${name}(?!\\w)`).test(text);
  // A step looks up the number of the project and exports it.
  const isLookedUp = (name: string): boolean => text.includes(`export ${name}=`);
  const all: readonly Variable[] = [
    ...known.map(({ name, value }) => ({ name, value })),
    ...placeholders.map(({ name, meaning }) => ({ name, value: name, meaning })),
  ];
  const order = unique([...ORDER, ...all.map(({ name }) => name)]);
  return {
    variables: order.flatMap(
      (name) => all.find((one) => one.name === name && used(name) && !isLookedUp(name)) ?? [],
    ),
    inShell,
  };
}

/** Variables that are exported first. */
const ORDER: readonly string[] = [
  'PROJECT_ID',
  'PROJECT_NUMBER',
  'USER_EMAIL',
  'CLUSTER_NAME',
  'CLUSTER_VERSION',
  'LOCATION',
  'REGION',
  'NAMESPACE',
];
