import { isPlaceholder } from '../problems/google-cloud';
import { type Contents } from './contents';
import { type RunbookSection } from './sections';

/** A word in capitals that the reader replaces with a value. */
export interface RunbookPlaceholder {
  /** The word, like `PROJECT_ID`. */
  readonly name: string;
  /** Description of the value, in Markdown. */
  readonly meaning: string;
}

/** Returns the placeholders of the commands: first those of the options, then those of the steps. */
export function placeholdersOf(
  contents: Contents,
  sections: readonly RunbookSection[],
): readonly RunbookPlaceholder[] {
  const steps = sections.flatMap((section) => section.steps);
  const text = steps.flatMap(({ commands }) => commands.map(String)).join('\n');
  const [newest] = contents.gkeVersions;
  const machineTypes = [...new Set(contents.demands.map(({ slice }) => `\`${slice.machineType}\``))].join(
    ' and ',
  );
  const words: readonly (readonly [string, string])[] = [
    [contents.projectId, 'ID of the project'],
    [contents.projectNumber, 'number of the project'],
    ['USER_EMAIL', 'e-mail address of your account'],
    [contents.cluster, 'name of the cluster'],
    [
      contents.location,
      contents.autopilot
        ? `region of the cluster that has ${machineTypes}`
        : `zone of the cluster that has ${machineTypes}; for a region, set the option \`nodeLocations\` of the runbook`,
    ],
    ...(contents.options.nodeLocations ?? []).map((zone) => [zone, 'zone of the TPU nodes'] as const),
    [
      contents.region,
      contents.buckets.length > 0 ? 'region of the cluster and its buckets' : 'region of the cluster',
    ],
    ['REGION', 'region of the cluster'],
    [
      contents.clusterVersion,
      newest === undefined
        ? `version of GKE that has ${machineTypes}`
        : `version of GKE, ${newest.version} or later`,
    ],
    [contents.namespace, 'namespace of the objects'],
    [contents.options.machineType ?? '', "machine type of the cluster's own nodes"],
    ...steps.flatMap(({ placeholders = {} }) => Object.entries(placeholders)),
  ];
  const meanings = new Map<string, string>();
  for (const [name, meaning] of words)
    if (isPlaceholder(name) && !meanings.has(name) && new RegExp(`\\b${name}\\b`).test(text))
      meanings.set(name, meaning);
  return [...meanings].map(([name, meaning]) => ({ name, meaning }));
}
