import { type VNode } from 'preact';
import { type PlannedWorkload } from '../../../lib/plan/plan';
import { nameOf } from '../../../lib/plan/report';
import { drawingOf, type SliceBox } from '../drawing';
import { count } from './words';

function Slice({ slice }: { readonly slice: SliceBox }): VNode {
  const { x, y, width, height, hosts, certain } = slice;
  return (
    <g>
      <rect
        class={certain ? 'slice-box' : 'slice-box possible'}
        x={x}
        y={y}
        width={width}
        height={height}
        rx="6"
      />
      {hosts.map((host, index) => (
        <g key={index}>
          <rect class="host-box" x={host.x} y={host.y} width={host.width} height={host.height} rx="3" />
          {host.chips.map((chip, number) => (
            <rect
              key={number}
              class="chip-box"
              x={chip.x}
              y={chip.y}
              width={chip.size}
              height={chip.size}
              rx="1"
            />
          ))}
        </g>
      ))}
    </g>
  );
}

function Workload({ workload }: { readonly workload: PlannedWorkload }): VNode | null {
  const drawing = drawingOf(workload);
  if (drawing === undefined) return null;
  const { width, height, slices, hidden, hiddenHosts } = drawing;
  const name = nameOf(workload);
  const { hostsPerSlice = 1, chipsPerSlice = 1 } = workload;
  const words = `${name}: ${count(drawing.all, 'slice')} of ${count(hostsPerSlice, 'host')} with ${count(chipsPerSlice / hostsPerSlice, 'chip')} each`;
  const more = [
    ...(hidden > 0 ? [count(hidden, 'more slice')] : []),
    ...(hiddenHosts > 0 ? [`${count(hiddenHosts, 'more host')} in each slice`] : []),
  ];
  return (
    <figure class="picture">
      <svg
        viewBox={`0 0 ${String(width)} ${String(height)}`}
        width={width}
        height={height}
        role="img"
        aria-label={words}
      >
        {slices.map((slice, index) => (
          <Slice key={index} slice={slice} />
        ))}
      </svg>
      <figcaption>
        {words}
        {more.length > 0 && `; not drawn: ${more.join(', ')}`}
      </figcaption>
    </figure>
  );
}

/** Slices, their hosts and the chips of each host, as boxes in boxes. A dashed slice exists only if an autoscaler adds it. */
export function Picture({ workloads }: { readonly workloads: readonly PlannedWorkload[] }): VNode {
  return (
    <div class="pictures">
      {workloads.map((workload, index) => (
        <Workload key={index} workload={workload} />
      ))}
    </div>
  );
}
