import { type Chart } from 'cdk8s';
import { Problems } from '../problems/problems';
import { markdownOf } from './markdown';
import { type RunbookOptions } from './options';
import { pictureOf } from './picture';
import { contentsOf } from './contents';
import { placeholdersOf, type RunbookPlaceholder } from './placeholders';
import { prerequisitesOf, type RunbookPrerequisite } from './prerequisites';
import { type RunbookSection, sectionsOf } from './sections';

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
