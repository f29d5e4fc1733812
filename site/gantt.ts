// Mermaid's Gantt charts, as far as the docs use them: sections of tasks that start at a time of day and last some minutes.
import { LINE, picture, rectangle, textAt, widthOf } from './svg';

interface Task {
  readonly section: string;
  readonly label: string;
  /** `crit`, `done` or `active`; none for an ordinary task. */
  readonly kind: string;
  /** Minutes. */
  readonly start: number;
  readonly length: number;
}

const TASK = /^(.*?)\s*:(?:(crit|done|active), )?(\d\d):(\d\d), (\d+)m$/;
/** Pixels. */
const ROW = 26;
const MINUTE = 2.4;
const FIRST = 110;

/** Reads the lines after `gantt`. */
function read(lines: readonly string[]): readonly Task[] {
  const tasks: Task[] = [];
  let section = '';
  for (const line of lines) {
    if (line.startsWith('section ')) section = line.slice('section '.length);
    else if (!/^(dateFormat HH:mm|axisFormat %H:%M)$/.test(line)) {
      const [, label, kind = 'plain', hours, minutes, length] = TASK.exec(line) ?? [];
      if (label === undefined) throw new Error(`cannot read '${line}'`);
      const start = Number(hours) * 60 + Number(minutes);
      tasks.push({ section, label, kind, start, length: Number(length) });
    }
  }
  return tasks;
}

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** The SVG of a Gantt chart, from the lines after `gantt`. */
export function gantt(lines: readonly string[]): string {
  const tasks = read(lines);
  const end = Math.max(...tasks.map(({ start, length }) => start + length));
  const rows = tasks.map(({ section, label, kind, start, length }, index) => {
    const y = index * ROW + ROW / 2;
    const x = FIRST + start * MINUTE;
    const width = length * MINUTE;
    // A label that does not fit into its bar follows it.
    const inside = widthOf([label]) < width;
    const at = inside ? { x: x + width / 2, y } : { x: x + width + 6, y };
    const first = tasks.findIndex((task) => task.section === section) === index;
    return [
      rectangle({ x: x + width / 2, y, width, height: ROW - 6 }, `task ${kind}`),
      textAt(at, [label], inside ? 'name' : 'name after'),
      ...(first ? [textAt({ x: 0, y }, [section], 'label after')] : []),
    ].join('');
  });
  const bottom = tasks.length * ROW;
  const hours = Array.from({ length: Math.floor(end / 60) + 1 }, (_, hour) => {
    const x = FIRST + hour * 60 * MINUTE;
    const line = `<line class="edge dotted" x1="${String(x)}" y1="0" x2="${String(x)}" y2="${String(bottom)}"/>`;
    return `${line}${textAt({ x, y: bottom + LINE / 2 }, [clock(hour * 60)], 'label')}`;
  });
  const words = tasks.map(
    ({ section, label, start, length }) =>
      `${section}: ${label} from ${clock(start)}, ${String(length)} minutes`,
  );
  const after = tasks.map(({ label, start, length }) => (start + length) * MINUTE + widthOf([label]) + 12);
  const width = FIRST + Math.max(end * MINUTE + 20, ...after);
  return picture(width, bottom + LINE + 4, words.join('; '), [...hours, ...rows]);
}
