import { type PlannedWorkload } from '../../lib/plan/plan';

/** A rectangle in the picture. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface HostBox extends Box {
  readonly chips: readonly { readonly x: number; readonly y: number; readonly size: number }[];
}

/** A slice with the hosts that are drawn. */
export interface SliceBox extends Box {
  readonly hosts: readonly HostBox[];
  /** Whether the slice always exists; otherwise an autoscaler adds it. */
  readonly certain: boolean;
}

/** The slices of one workload. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly slices: readonly SliceBox[];
  /** Slices of the workload. */
  readonly all: number;
  /** Slices that are not drawn. */
  readonly hidden: number;
  /** Hosts of each slice that are not drawn. */
  readonly hiddenHosts: number;
}

const CHIP = 10;
const GAP = 4;
/** Most slices and hosts that are drawn: enough to see the shape. */
const MOST_SLICES = 12;
const MOST_HOSTS = 16;
/** Width at which slices go to the next line. */
const WIDTH = 300;

/** How many columns a number of boxes has, so that they form about a square. */
const columnsOf = (count: number): number => Math.max(1, Math.ceil(Math.sqrt(count)));

const sizeOf = (count: number, box: number): number => count * box + (count + 1) * GAP;

interface Measures {
  readonly chips: number;
  readonly hosts: number;
  readonly hostWidth: number;
  readonly hostHeight: number;
}

function hostAt(
  index: number,
  x: number,
  y: number,
  { chips, hosts, hostWidth, hostHeight }: Measures,
): HostBox {
  const columns = columnsOf(hosts);
  const left = x + GAP + (index % columns) * (hostWidth + GAP);
  const top = y + GAP + Math.floor(index / columns) * (hostHeight + GAP);
  const chipColumns = columnsOf(chips);
  return {
    x: left,
    y: top,
    width: hostWidth,
    height: hostHeight,
    chips: Array.from({ length: chips }, (_, chip) => ({
      x: left + GAP + (chip % chipColumns) * (CHIP + GAP),
      y: top + GAP + Math.floor(chip / chipColumns) * (CHIP + GAP),
      size: CHIP,
    })),
  };
}

/** The picture of a workload; undefined if its slices are not known, or if it has none. */
export function drawingOf({ slices, hostsPerSlice, chipsPerSlice }: PlannedWorkload): Drawing | undefined {
  if (slices === undefined || hostsPerSlice === undefined || chipsPerSlice === undefined || slices.max < 1)
    return undefined;
  const chips = chipsPerSlice / hostsPerSlice;
  const hosts = Math.min(hostsPerSlice, MOST_HOSTS);
  const shown = Math.min(slices.max, MOST_SLICES);
  const chipColumns = columnsOf(chips);
  const measures: Measures = {
    chips,
    hosts,
    hostWidth: sizeOf(chipColumns, CHIP),
    hostHeight: sizeOf(Math.ceil(chips / chipColumns), CHIP),
  };
  const hostColumns = columnsOf(hosts);
  const width = sizeOf(hostColumns, measures.hostWidth);
  const height = sizeOf(Math.ceil(hosts / hostColumns), measures.hostHeight);
  const perLine = Math.max(1, Math.min(shown, Math.floor(WIDTH / (width + GAP))));
  const boxes = Array.from({ length: shown }, (_, index): SliceBox => {
    const x = GAP + (index % perLine) * (width + GAP);
    const y = GAP + Math.floor(index / perLine) * (height + GAP);
    const inside = Array.from({ length: hosts }, (_host, host) => hostAt(host, x, y, measures));
    return { x, y, width, height, hosts: inside, certain: index < slices.min };
  });
  return {
    width: sizeOf(perLine, width),
    height: sizeOf(Math.ceil(shown / perLine), height),
    slices: boxes,
    all: slices.max,
    hidden: slices.max - shown,
    hiddenHosts: hostsPerSlice - hosts,
  };
}
