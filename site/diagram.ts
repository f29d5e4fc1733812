// The pictures of the docs: GitHub draws their Mermaid source, and the site has SVG, drawn when it is built.
import { flowchart } from './flowchart';
import { gantt } from './gantt';

/** The SVG of a picture; throws on a line that it cannot read. */
export function drawn(source: string): string {
  const [kind = '', ...lines] = source.trim().split(/\n\s*/);
  if (kind === 'flowchart LR') return flowchart(lines);
  if (kind === 'gantt') return gantt(lines);
  throw new Error(`cannot draw '${kind}'`);
}
