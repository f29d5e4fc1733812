import { type VNode } from 'preact';
import { type Plan, type PlannedWorkload } from '../../../lib/plan/plan';
import { capacityInWords, nameOf, range } from '../../../lib/plan/report';
import { Picture } from './picture';
import { count } from './words';

function Table({
  name,
  head,
  rows,
}: {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): VNode | null {
  if (rows.length === 0) return null;
  return (
    <div class="table" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((one) => (
              <th key={one} scope="col">
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) =>
                column === 0 ? (
                  <th key={column} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={column}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Most workloads that are shown. */
const MOST = 100;

const rowOf = (one: PlannedWorkload): readonly string[] => [
  nameOf(one),
  one.machineTypes.join(' or ') || '?',
  one.topology ?? '?',
  range(one.slices),
  String(one.hostsPerSlice ?? '?'),
  range(one.chips),
  one.hbmGiBPerSlice === undefined ? '?' : `${String(one.hbmGiBPerSlice)} GiB`,
  one.model === undefined ? '?' : `${String(Math.ceil(one.model.hbmUse * 100))}%`,
  capacityInWords(one.capacity),
];

/** What the manifests take of TPUs: tables, and a picture of slices and hosts. */
export function PlanView({ plan: { workloads, totals } }: { readonly plan: Plan }): VNode {
  if (workloads.length === 0) return <p>Nothing here requests TPU chips.</p>;
  const shown = workloads.slice(0, MOST);
  const hidden = workloads.length - shown.length;
  const problems = shown.flatMap((one) => one.problems.map((problem) => `${nameOf(one)}: ${problem}`));
  return (
    <>
      <Table
        name="Workloads"
        head={[
          'Workload',
          'Machine type',
          'Topology',
          'Slices',
          'Hosts each',
          'Chips',
          'HBM each',
          'Weights',
          'Capacity',
        ]}
        rows={shown.map(rowOf)}
      />
      <Table
        name="Node pools"
        head={['Node pools', 'Machine type', 'Topology', 'Nodes each', 'Capacity']}
        rows={totals.nodePools.map((one) => [
          range(one.pools),
          one.machineType,
          one.topology,
          range(one.nodesPerPool),
          capacityInWords(one.capacity),
        ])}
      />
      <Table
        name="Chips"
        head={['Chips', 'Capacity', 'Number']}
        rows={totals.chips.map((one) => [one.generation, one.capacity, range(one)])}
      />
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {totals.uncounted > 0 && <p>{count(totals.uncounted, 'workload')} not counted</p>}
      {hidden > 0 && <p>{count(hidden, 'workload')} not shown; the totals count all of them.</p>}
      <Picture workloads={shown} />
    </>
  );
}
