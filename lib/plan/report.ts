import { type CapacityView } from '../manifest/capacity';
import { type Unreadable } from '../manifest/read';
import { oneLine } from '../problems/shown';
import { count } from '../tpu/topology';
import { type Plan, type PlannedWorkload, type Range } from './plan';

/** Returns a plan as JSON. Unknown values are null. docs/plan.md documents the fields. */
export function planJson(plan: Plan, unreadable: readonly Unreadable[]): string {
  const orNull = (_: string, value: unknown): unknown => (value === undefined ? null : value);
  return `${JSON.stringify({ ...plan, unreadable }, orNull, 2)}\n`;
}

/** Returns a plan as tables: workloads, node pools, total chips, and problems. */
export function planTable(plan: Plan, objects: number, columns?: number): string {
  const { workloads, inferencePools, totals } = plan;
  if (workloads.length === 0 && inferencePools.length === 0)
    return `no pods that request TPU chips in ${count(objects, 'object')}\n`;
  const problems = workloads.flatMap((one) => one.problems.map((problem) => `${nameOf(one)}: ${problem}`));
  const sections = [
    workloadTable(workloads, columns),
    inferenceTable(inferencePools, columns),
    table(
      ['#NODE POOLS', 'MACHINE TYPE', 'TOPOLOGY', '#NODES EACH', 'CAPACITY'],
      totals.nodePools.map((one) => [
        range(one.pools),
        one.machineType,
        one.topology,
        range(one.nodesPerPool),
        capacityInWords(one.capacity),
      ]),
      columns,
    ),
    table(
      ['TPU', 'CAPACITY', '#CHIPS'],
      totals.chips.map((one) => [one.generation, TYPES[one.capacity], range(one)]),
      columns,
    ),
    [
      ...problems,
      ...(totals.uncounted > 0 ? [`${count(totals.uncounted, 'workload')} not counted`] : []),
      ...(problems.length > 0 ? ['see cdk8s-tpu-serving check for what to write'] : []),
    ],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.map(oneLine).join('\n')}\n`)
    .join('\n');
}

const workloadTable = (workloads: Plan['workloads'], columns: number | undefined): readonly string[] =>
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
    columns,
  );

const inferenceTable = (
  inferencePools: Plan['inferencePools'],
  columns: number | undefined,
): readonly string[] =>
  table(
    ['INFERENCE POOL', '#REPLICAS', 'SERVERS'],
    inferencePools.map((one) => [
      nameOf({ ...one, part: undefined }),
      range(one.replicas),
      one.servers.join(', ') || UNKNOWN,
    ]),
    columns,
  );

const UNKNOWN = '?';

export const nameOf = ({
  object,
  namespace,
  part,
}: Pick<PlannedWorkload, 'object' | 'namespace' | 'part'>): string =>
  `${namespace === '' ? '' : `${namespace}/`}${object}${part === undefined ? '' : ` ${part}`}`;

/** `1`, or `1-2`. */
export const range = (values: Range | undefined): string =>
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

export const capacityInWords = ({ type, name, queue, maxRunDurationSeconds }: CapacityView): string =>
  [
    `${TYPES[type]}${name === undefined ? '' : ` ${name}`}`,
    ...(maxRunDurationSeconds === undefined ? [] : [`${String(maxRunDurationSeconds)} s`]),
    ...(queue === undefined ? [] : [`queue ${queue}`]),
  ].join(', ');

/** Returns the lines of a table; none without rows. Columns whose heading starts with # have numbers, aligned right. */
function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): readonly string[] {
  if (rows.length === 0) return [];
  const numbers = headings.map((heading) => heading.startsWith('#'));
  const all = [headings.map((heading) => heading.replace('#', '')), ...rows].map((row) => row.map(oneLine));
  const natural = headings.map((_, column) =>
    all.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  );
  const widths = narrowed(natural, numbers, columns);
  return all
    .map((row) =>
      row
        .map((full, column) => cut(full, widths[column] ?? 0))
        .map((cell, column) =>
          numbers[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => (columns === undefined || columns < MOST_NARROW ? line : cut(line, columns)));
}

const GAP = '  ';
/** A narrower table would not be readable. */
const MOST_NARROW = 20;
/** Smallest width of a column with text. */
const LEAST = 6;

/** Returns widths that fit the terminal. Shortens the widest column with text first, and keeps numbers whole. */
function narrowed(
  natural: readonly number[],
  numbers: readonly boolean[],
  columns: number | undefined,
): readonly number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - (columns ?? Infinity);
  while (over > 0) {
    const widest = widths.reduce(
      (best, width, index) =>
        numbers[index] !== true && width > Math.max(LEAST, widths[best] ?? 0) ? index : best,
      -1,
    );
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

/** Cuts a text that is longer than its column. */
const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
