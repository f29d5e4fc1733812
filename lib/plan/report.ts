import { type CapacityView } from '../manifest/capacity';
import { type Unreadable } from '../manifest/read';
import { oneLine } from '../problems/shown';
import { count } from '../tpu/topology';
import { type Plan, type PlannedWorkload, type Range } from './plan';

/** A plan, for other programs: what is not known is null. docs/plan.md says what each field is. */
export function planJson(plan: Plan, unreadable: readonly Unreadable[]): string {
  const orNull = (_: string, value: unknown): unknown => (value === undefined ? null : value);
  return `${JSON.stringify({ ...plan, unreadable }, orNull, 2)}\n`;
}

/** A plan as tables: the workloads, the node pools and the chips that they take together, and what is wrong. */
export function planTable({ workloads, totals }: Plan, objects: number, columns?: number): string {
  if (workloads.length === 0) return `no pods that request TPU chips in ${count(objects, 'object')}\n`;
  const problems = workloads.flatMap((one) => one.problems.map((problem) => `${nameOf(one)}: ${problem}`));
  const sections = [
    table(
      [
        'OBJECT',
        'MACHINE TYPE',
        'TOPOLOGY',
        '#SLICES',
        '#HOSTS',
        '#CHIPS',
        '#ALL',
        '#HBM',
        '#USED',
        'CAPACITY',
      ],
      workloads.map((one) => [
        nameOf(one),
        one.machineTypes.join(' or ') || UNKNOWN,
        one.topology ?? UNKNOWN,
        range(one.slices),
        String(one.hostsPerSlice ?? UNKNOWN),
        String(one.chipsPerSlice ?? UNKNOWN),
        range(one.chips),
        one.hbmGiBPerSlice === undefined ? UNKNOWN : `${String(one.hbmGiBPerSlice)}Gi`,
        one.model ? `${String(Math.ceil(one.model.hbmUse * 100))}%` : UNKNOWN,
        capacityInWords(one.capacity),
      ]),
    ),
    table(
      ['#NODE POOLS', 'MACHINE TYPE', 'TOPOLOGY', '#NODES EACH', 'CAPACITY'],
      totals.nodePools.map((one) => [
        range(one.pools),
        one.machineType,
        one.topology,
        range(one.nodesPerPool),
        capacityInWords(one.capacity),
      ]),
    ),
    table(
      ['TPU', 'CAPACITY', '#CHIPS'],
      totals.chips.map((one) => [one.generation, TYPES[one.capacity], range(one)]),
    ),
    [
      ...problems,
      ...(totals.uncounted > 0 ? [`${count(totals.uncounted, 'workload')} not counted`] : []),
      ...(problems.length > 0 ? ['see cdk8s-tpu-serving check for what to write'] : []),
    ],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.map((line) => fitting(oneLine(line), columns)).join('\n')}\n`)
    .join('\n');
}

/** A line that is no longer than the terminal is wide. */
const fitting = (line: string, columns: number | undefined): string =>
  columns === undefined || columns < 20 || line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;

const UNKNOWN = '?';

const nameOf = ({ object, namespace, part }: PlannedWorkload): string =>
  `${namespace === '' ? '' : `${namespace}/`}${object}${part === undefined ? '' : ` ${part}`}`;

/** `1`, or `1-2`. */
const range = (values: Range | undefined): string =>
  values === undefined
    ? UNKNOWN
    : values.min === values.max
      ? String(values.max)
      : `${String(values.min)}-${String(values.max)}`;

const TYPES: Readonly<Record<CapacityView['type'], string>> = {
  'on-demand': 'on demand',
  spot: 'spot',
  'flex-start': 'flex-start',
  'flex-start-queued': 'flex-start, queued',
  reservation: 'reservation',
  'compute-class': 'class',
  'dynamic-slice': 'dynamic slice',
};

const capacityInWords = ({ type, name, queue, maxRunDurationSeconds }: CapacityView): string =>
  [
    `${TYPES[type]}${name === undefined ? '' : ` ${name}`}`,
    ...(maxRunDurationSeconds === undefined ? [] : [`${String(maxRunDurationSeconds)} s`]),
    ...(queue === undefined ? [] : [`queue ${queue}`]),
  ].join(', ');

/** Lines of a table; columns whose heading begins with # hold numbers, at the right. No rows, no lines. */
function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const numbers = headings.map((heading) => heading.startsWith('#'));
  const all = [headings.map((heading) => heading.replace('#', '')), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        numbers[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
