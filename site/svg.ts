// Parts of SVG that the pictures share. The classes have their colors in .vitepress/theme/style.css.

/** Pixels. */
export const LINE = 18;
export const PADDING = 10;
const CHARACTER = 7.4;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const widthOf = (lines: readonly string[]): number =>
  Math.round(Math.max(...lines.map((line) => line.length)) * CHARACTER);

/** A point, or the middle of a box. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Lines of text around a point. */
export const textAt = ({ x, y }: Point, lines: readonly string[], kind: string): string =>
  lines
    .map((line, index) => {
      const at = y + (index - (lines.length - 1) / 2) * LINE;
      return `<text class="${kind}" x="${x.toFixed(1)}" y="${at.toFixed(1)}">${escaped(line)}</text>`;
    })
    .join('');

export const rectangle = ({ x, y, width, height }: Box, kind: string, radius = 4): string => {
  const corner = `x="${(x - width / 2).toFixed(1)}" y="${(y - height / 2).toFixed(1)}"`;
  return `<rect class="${kind}" ${corner} width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="${String(radius)}"/>`;
};

/** A picture on one line of Markdown, with its description in words. It scrolls if it is wider than the page. */
export function picture(
  width: number,
  height: number,
  description: string,
  parts: readonly string[],
): string {
  const [w, h] = [String(Math.ceil(width)), String(Math.ceil(height))];
  const name = escaped(description);
  const svg = `<svg role="img" aria-label="${name}" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">`;
  return `<div class="diagram" tabindex="0" role="group" aria-label="Diagram" v-pre>${svg}${parts.join('')}</svg></div>`;
}
