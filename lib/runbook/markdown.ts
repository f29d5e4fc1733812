import { type RunbookPlaceholder } from './placeholders';
import { type RunbookPrerequisite } from './prerequisites';
import { type RunbookSection } from './sections';

/** The parts of a runbook. */
interface RunbookParts {
  readonly title: string;
  readonly placeholders: readonly RunbookPlaceholder[];
  readonly prerequisites: readonly RunbookPrerequisite[];
  readonly picture: string;
  readonly sections: readonly RunbookSection[];
}

/** A runbook in Markdown. */
export function markdownOf(runbook: RunbookParts): string {
  const { title, placeholders, prerequisites, picture, sections } = runbook;
  const parts = [
    `# ${title}`,
    'All commands from an empty project to running objects, and back. Generated from the chart.',
    ...(placeholders.length === 0
      ? []
      : [
          '## Placeholders',
          'Replace these words before you run a command.',
          table(
            ['placeholder', 'value'],
            placeholders.map(({ name, meaning }) => [`\`${name}\``, meaning]),
          ),
        ]),
    '## Prerequisites',
    table(
      ['what', 'needed'],
      prerequisites.map(({ what, needed }) => [what, needed]),
    ),
    '## Objects',
    fenced('mermaid', picture),
    ...sections.flatMap((section) => [
      `## ${section.title}`,
      ...section.steps.flatMap(({ text, commands }) => [
        text,
        ...(commands.length === 0 ? [] : [fenced('sh', commands.join('\n'))]),
      ]),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A block of code, between fences that its text does not contain. */
function fenced(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map(({ length }) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** Text of a cell, which ends at a bar; a line break would end the table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
