import { Chart } from 'cdk8s';
import { Problems } from '../problems/problems';
import { markdownOf } from './markdown';
import { type RunbookOptions } from './options';
import { pictureOf } from './picture';
import { contentsOf } from './contents';
import { placeholdersOf, type RunbookPlaceholder } from './placeholders';
import { prerequisitesOf, type RunbookPrerequisite } from './prerequisites';
import { type RunbookSection, sectionsOf } from './sections';
import { variablesOf } from './variables';

/**
 * The runbook of a chart: its prerequisites, and all commands from an empty project to a server that answers, and to clean up again.
 * Things that constructs share, like a cluster, a node pool or a Secret, appear once. The runbook reads the rendered chart, with overrides.
 *
 * @throws InvalidInputError if `chart` is not a chart; otherwise listing every option that is unknown, not valid, contradicts the chart
 * or is too old for it
 * @example new Runbook(chart, { projectId: 'my-project', cluster: 'serving', location: 'us-east5-b' }).toString()
 */
export class Runbook {
  /** Name of the chart. */
  readonly title: string;
  /** The placeholders of the commands, in the order in which they occur. */
  readonly placeholders: readonly RunbookPlaceholder[];
  /** The requirements that must be met before the chart runs. */
  readonly prerequisites: readonly RunbookPrerequisite[];
  /** The chart's objects and their references, as a Mermaid flowchart. */
  readonly picture: string;
  /** The sections with their steps, in order. */
  readonly sections: readonly RunbookSection[];
  readonly #shell: ReturnType<typeof variablesOf>;

  /**
   * @param chart - a chart of an app, which the runbook does not change
   * @param options - the project and the cluster, if they are known
   */
  constructor(chart: Chart, options: RunbookOptions = {}) {
    const problems = new Problems();
    problems.check(Chart.isChart(chart), {
      path: 'chart',
      problem: 'is not a chart',
      use: 'a chart of an app',
    });
    problems.throwIfAny();
    const contents = contentsOf(chart, options, problems);
    problems.throwIfAny(chart.node.path);
    this.title = chart.node.path;
    this.prerequisites = prerequisitesOf(contents);
    this.picture = pictureOf(contents.objects);
    this.sections = sectionsOf(contents);
    this.placeholders = placeholdersOf(contents, this.sections);
    this.#shell = variablesOf(contents, this.sections, this.placeholders);
    Object.freeze(this);
  }

  /** Returns the runbook as Markdown for GitHub. One block exports the variables that the commands read. */
  toString(): string {
    const { title, prerequisites, picture, sections } = this;
    return markdownOf({ title, prerequisites, picture, sections, ...this.#shell });
  }
}
