import { type Chart } from 'cdk8s';
import { Problems } from '../problems';
import { isPlaceholder } from '../workload/google-cloud';
import { markdownOf } from './markdown';
import { type RunbookOptions } from './options';
import { pictureOf } from './picture';
import { type Contents, contentsOf } from './contents';
import { prerequisitesOf, type RunbookPrerequisite } from './prerequisites';
import { type RunbookSection, sectionsOf } from './sections';

/** A word in capitals that stands in commands for a value. */
export interface RunbookPlaceholder {
  /** The word, like `PROJECT_ID`. */
  readonly name: string;
  /** What is put in its place, in Markdown. */
  readonly meaning: string;
}

/**
 * The whole path of a chart: what it needs, and every command from an empty project to a server that answers, and back. What its
 * stacks share, a cluster, a node pool, a Secret, is made once. It is read from the chart as it stands: overrides are in it.
 *
 * @throws InvalidInputError listing every option that is malformed, contradicts the chart or is too old for it
 * @example new Runbook(chart, { projectId: 'my-project', cluster: 'serving', location: 'us-east5-b' }).toString()
 */
export class Runbook {
  /** Name of the chart. */
  readonly title: string;
  /** What is to be put in, in the order in which it is asked for; nothing else stands in capitals for a value. */
  readonly placeholders: readonly RunbookPlaceholder[];
  /** What must be there before the chart runs. */
  readonly prerequisites: readonly RunbookPrerequisite[];
  /** The chart's objects and what they refer to, as a flowchart of Mermaid. */
  readonly picture: string;
  /** The steps, section by section. */
  readonly sections: readonly RunbookSection[];

  /**
   * @param chart - a chart of an app; what its constructs render is read, and nothing of it is changed
   * @param options - what is known of the project and the cluster
   */
  constructor(chart: Chart, options: RunbookOptions = {}) {
    const problems = new Problems();
    const contents = contentsOf(chart, options, problems);
    problems.throwIfAny(chart.node.path);
    this.title = chart.node.path;
    this.prerequisites = prerequisitesOf(contents);
    this.picture = pictureOf(contents.objects);
    this.sections = sectionsOf(contents);
    this.placeholders = placeholdersOf(contents, this.sections);
    Object.freeze(this);
  }

  /** The runbook in Markdown, as GitHub shows it. */
  toString(): string {
    return markdownOf(this);
  }
}

/** The words in capitals that occur in the commands: those of the options, then those of the steps. */
function placeholdersOf(
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
    ['USER_EMAIL', 'e-mail address that you are logged in with'],
    [contents.cluster, 'name of the cluster'],
    [
      contents.location,
      contents.autopilot
        ? `region of the cluster, with ${machineTypes}`
        : `zone of the cluster, with ${machineTypes}; a region needs the option \`nodeLocations\``,
    ],
    ...(contents.options.nodeLocations ?? []).map((zone) => [zone, 'zone of the TPU nodes'] as const),
    [contents.region, 'region of the buckets, that of the cluster'],
    ['REGION', 'region of the cluster'],
    [
      contents.clusterVersion,
      newest === undefined
        ? `version of GKE; it must have ${machineTypes}`
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
