// Mermaid's flowcharts from left to right, as far as the docs use them: boxes, stores, arrows with labels, and groups of boxes.
import { graphlib, layout } from '@dagrejs/dagre';
import { type Box, LINE, PADDING, picture, type Point, rectangle, textAt, widthOf } from './svg';

/** Characters in a line of a label; longer ones are wrapped. */
const MAX_LINE = 24;

/** Pixels; a wider picture is drawn from top to bottom instead. */
const MAX_WIDTH = 800;

/** The lines of a label: those of the source, wrapped at spaces. */
const linesOf = (label: string): readonly string[] =>
  label.split('<br/>').flatMap((line) => {
    const lines: string[] = [];
    for (const word of line.split(' ')) {
      const joined = `${lines.at(-1) ?? ''} ${word}`;
      if (lines.length > 0 && joined.length <= MAX_LINE) lines[lines.length - 1] = joined;
      else lines.push(word);
    }
    return lines;
  });

interface Node {
  readonly label: string;
  /** Something that keeps data: rounder than a box. */
  readonly store: boolean;
  readonly group: string | undefined;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly dotted: boolean;
  readonly label: string;
}

interface Flowchart {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: readonly Edge[];
  /** Their labels. */
  readonly groups: ReadonlyMap<string, string>;
}

const NODE = /^(\w+)(?:(\[\(|\[)"([^"]*)"(?:\)\]|\]))?/;
const ARROW = /^ (-->|-\.->)(?:\|"([^"]*)"\|)? /;

/** Reads the lines after `flowchart LR`. */
function read(lines: readonly string[]): Flowchart {
  const nodes = new Map<string, Node>();
  const edges: Edge[] = [];
  const groups = new Map<string, string>();
  let group: string | undefined;
  /** Reads a node at the start of `rest`; returns its name and the rest of the line. */
  const node = (rest: string): readonly [string, string] => {
    const [whole = '', name = '', shape, label] = NODE.exec(rest) ?? [];
    if (name === '') throw new Error(`cannot read '${rest}'`);
    if (label !== undefined || !nodes.has(name))
      nodes.set(name, { label: label ?? name, store: shape === '[(', group });
    return [name, rest.slice(whole.length)];
  };
  for (const line of lines) {
    const [, id, label = ''] = /^subgraph (\w+)\["([^"]*)"\]$/.exec(line) ?? [];
    if (id !== undefined) groups.set((group = id), label);
    else if (line === 'end') group = undefined;
    else {
      let [from, rest] = node(line);
      while (rest !== '') {
        const [whole, arrow, said = ''] = ARROW.exec(rest) ?? [];
        if (whole === undefined) throw new Error(`cannot read '${line}'`);
        const [to, after] = node(rest.slice(whole.length));
        edges.push({ from, to, dotted: arrow === '-.->', label: said });
        [from, rest] = [to, after];
      }
    }
  }
  for (const id of groups.keys()) nodes.delete(id);
  return { nodes, edges, groups };
}

/** The nodes and edges with their places. */
function placed({ nodes, edges, groups }: Flowchart, rankdir: 'LR' | 'TB'): graphlib.Graph {
  const graph = new graphlib.Graph({ compound: true, multigraph: true });
  // Above a group stands its label.
  const marginy = groups.size > 0 ? LINE + 4 : 4;
  graph.setGraph({ rankdir, nodesep: 16, ranksep: 28, marginx: 4, marginy });
  for (const id of groups.keys()) graph.setNode(id, {});
  for (const [name, { label, store, group }] of nodes) {
    const lines = linesOf(label);
    const height = lines.length * LINE + (store ? 3 : 2) * PADDING;
    graph.setNode(name, { width: widthOf(lines) + 2 * PADDING, height });
    if (group !== undefined) graph.setParent(name, group);
  }
  // The layout has no edges of groups: the middle member stands for its group.
  const end = (name: string): string => {
    const members = [...nodes.keys()].filter((member) => nodes.get(member)?.group === name);
    return members[Math.floor(members.length / 2)] ?? name;
  };
  edges.forEach(({ from, to, label }, index) => {
    const lines = linesOf(label);
    const size =
      label === ''
        ? { width: 0, height: 0 }
        : { width: widthOf(lines) + PADDING, height: lines.length * LINE, labelpos: 'c' };
    graph.setEdge(end(from), end(to), size, String(index));
  });
  layout(graph);
  return graph;
}

/** The part of a line before a box in which it ends. */
function before(points: readonly Point[], box: Box): readonly Point[] {
  const within = ({ x, y }: Point): boolean =>
    Math.abs(x - box.x) < box.width / 2 && Math.abs(y - box.y) < box.height / 2;
  const index = points.findIndex(within);
  const [outer, inner] = [points[index - 1], points[index]];
  if (!outer || !inner) return points;
  const x = box.x + (Math.sign(outer.x - box.x) * box.width) / 2;
  const y = outer.y + ((x - outer.x) / (inner.x - outer.x || 1)) * (inner.y - outer.y);
  return [...points.slice(0, index), { x, y }];
}

/** An arrow along points. */
function arrow(points: readonly Point[], dotted: boolean): string {
  const last = points.at(-1) ?? { x: 0, y: 0 };
  const previous = points.at(-2) ?? last;
  const angle = Math.atan2(last.y - previous.y, last.x - previous.x);
  const corner = (turn: number): string =>
    `${(last.x - 8 * Math.cos(angle + turn)).toFixed(1)},${(last.y - 8 * Math.sin(angle + turn)).toFixed(1)}`;
  const line = points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const head = `${last.x.toFixed(1)},${last.y.toFixed(1)} ${corner(0.4)} ${corner(-0.4)}`;
  return `<polyline class="edge${dotted ? ' dotted' : ''}" points="${line}"/><polygon class="head" points="${head}"/>`;
}

/** What a flowchart says, in words. */
function described({ nodes, edges, groups }: Flowchart): string {
  const name = (id: string): string =>
    (nodes.get(id)?.label ?? groups.get(id) ?? id).replaceAll('<br/>', ', ');
  return edges
    .map(({ from, to, label }) => `${name(from)} → ${name(to)}${label === '' ? '' : ` (${label})`}`)
    .join('; ');
}

/** The SVG of a flowchart, from the lines after `flowchart LR`. */
export function flowchart(lines: readonly string[]): string {
  const chart = read(lines);
  const wide = placed(chart, 'LR');
  const graph = (wide.graph().width ?? 0) > MAX_WIDTH ? placed(chart, 'TB') : wide;
  const groups = [...chart.groups].flatMap(([id, label]) => {
    const box: Box = graph.node(id);
    return [
      rectangle(box, 'group'),
      textAt({ x: box.x, y: box.y - box.height / 2 - LINE / 2 }, [label], 'label'),
    ];
  });
  const edges = chart.edges.flatMap(({ from, to, dotted, label }, index) => {
    const { v, w, name } = graph.edges().find((edge) => edge.name === String(index)) ?? { v: from, w: to };
    const edge = graph.edge(v, w, name);
    let points: readonly Point[] = edge.points;
    if (chart.groups.has(to)) points = before(points, graph.node(to));
    if (chart.groups.has(from)) points = [...before([...points].reverse(), graph.node(from))].reverse();
    const middle = { x: Number(edge['x']), y: Number(edge['y']) };
    const lines = linesOf(label);
    const back = { ...middle, width: widthOf(lines) + 6, height: lines.length * LINE };
    return [
      arrow(points, dotted),
      ...(label === '' ? [] : [rectangle(back, 'back', 0), textAt(middle, lines, 'label')]),
    ];
  });
  const nodes = [...chart.nodes].flatMap(([name, { label, store }]) => {
    const box: Box = graph.node(name);
    return [rectangle(box, 'node', store ? 18 : 4), textAt(box, linesOf(label), 'name')];
  });
  const { width = 0, height = 0 } = graph.graph();
  return picture(width, height, described(chart), [...groups, ...edges, ...nodes]);
}
