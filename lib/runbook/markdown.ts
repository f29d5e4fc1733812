import { type RunbookStep } from '../operations/operations';
import { expectedOf } from './expected';
import { type RunbookPrerequisite } from './prerequisites';
import { type RunbookSection } from './sections';
import { type InShell, type Variable } from './variables';

/** The parts of a runbook. */
interface RunbookParts {
  readonly title: string;
  readonly prerequisites: readonly RunbookPrerequisite[];
  readonly picture: string;
  readonly sections: readonly RunbookSection[];
  readonly variables: readonly Variable[];
  readonly inShell: InShell;
}

/** A runbook in Markdown. */
export function markdownOf(runbook: RunbookParts): string {
  const { title, variables, prerequisites, picture, sections, inShell } = runbook;
  const open = variables.filter(({ meaning }) => meaning !== undefined);
  const parts = [
    `# ${title}`,
    'This runbook is generated from the chart. It has all commands, from an empty project to a running chart, and the clean-up.',
    '## Prerequisites',
    table(
      ['what', 'needed'],
      prerequisites.map(({ what, needed }) => [what, needed]),
    ),
    '## Objects',
    fenced('mermaid', picture),
    ...(variables.length === 0
      ? []
      : [
          '## Variables',
          'Set these variables in the shell that runs the commands. In many shells, a space before `export` keeps a secret out of the history.',
          ...(open.length === 0
            ? []
            : [
                'In the block below the table, replace these words after `=`:',
                table(
                  ['variable', 'value'],
                  open.map(({ name, meaning = '' }) => [`\`${name}\``, meaning]),
                ),
              ]),
          fenced('sh', variables.map(({ name, value }) => `export ${name}=${value}`).join('\n')),
        ]),
    ...sections.flatMap((section) => [`## ${section.title}`, ...section.steps.flatMap(stepIn(inShell))]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Writes the text of a step, its commands, and their output. */
const stepIn =
  (inShell: InShell) =>
  (step: RunbookStep): readonly string[] => {
    const expected = expectedOf(step);
    return [
      step.text,
      ...(step.commands.length === 0 ? [] : [fenced('sh', step.commands.map(inShell).join('\n'))]),
      ...(expected === undefined ? [] : [`Expected: ${expected}.`]),
    ];
  };

/** Writes a block of code between fences that its text does not contain. */
function fenced(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map(({ length }) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** Escapes the text of a cell: a bar would end the cell, and a line break the table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
