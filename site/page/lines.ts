/** A text by its lines, which are cut out when they are needed: a long text has too many to draw. */
export class Lines {
  private readonly starts: readonly number[];

  constructor(private readonly text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.starts = starts;
  }

  /** Number of lines; the end of the last one counts as a line. */
  get count(): number {
    return this.starts.length;
  }

  /** Where a line starts and ends, from 1; the last line for numbers above it. */
  range(line: number): readonly [start: number, end: number] {
    const index = Math.min(Math.max(1, line), this.count) - 1;
    const next = this.starts[index + 1];
    return [this.starts[index] ?? 0, next === undefined ? this.text.length : next - 1];
  }

  /** A line without its end, cut after `longest` characters. */
  line(line: number, longest: number): string {
    const [start, end] = this.range(line);
    return this.text.slice(start, Math.min(end, start + longest));
  }
}
