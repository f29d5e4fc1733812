import { type RefObject, type VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { type Severity } from '../../../lib/checks/rule';
import { type Lines } from '../lines';

/** Height of a line of the editor in pixels, as in page.css. */
const LINE = 20;
/** Lines that are drawn above and below those that are on the screen. */
const MARGIN = 20;
/** Lines above the one that somebody goes to. */
const ABOVE = 3;
/** Most lines that a box can scroll through: browsers limit its height. */
const MOST_LINES = 1_000_000;
/** Most characters of a line that are drawn. */
const LONGEST_LINE = 1000;

/** Longest text that can be edited: a browser takes seconds to lay out a longer one, each time it shows it. */
export const LONGEST_EDIT = 300_000;

/** The worst severity of each line that has findings. */
export type Markers = ReadonlyMap<number, Severity>;

/** The lines that are on the screen. */
interface Visible {
  readonly first: number;
  readonly last: number;
  /** Pixels that are scrolled away. */
  readonly top: number;
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

function useVisible(box: RefObject<HTMLElement | null>, lines: number): Visible {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => {
      setHeight(current.clientHeight);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, [box]);
  return {
    first: Math.max(1, Math.floor(top / LINE) - MARGIN),
    last: Math.min(lines, Math.ceil((top + height) / LINE) + MARGIN),
    top,
    onScroll: ({ currentTarget }) => {
      setTop(currentTarget.scrollTop);
    },
  };
}

/** Line numbers, with a marker at each line that has findings; only those on the screen exist. */
function Gutter({
  visible: { first, last, top },
  markers,
}: {
  readonly visible: Visible;
  readonly markers: Markers;
}): VNode {
  const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return (
    <div class="gutter-box" aria-hidden="true">
      <div class="gutter" style={{ transform: `translateY(${String((first - 1) * LINE - top)}px)` }}>
        {numbers.map((line) => (
          <span key={line} class={markers.get(line)}>
            {line}
          </span>
        ))}
      </div>
    </div>
  );
}

/** A text with line numbers. The text belongs to the browser, so that nothing that was typed is lost. */
export function Editor({
  area,
  lines,
  markers,
  onInput,
  onPaste,
}: {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly lines: Lines;
  readonly markers: Markers;
  readonly onInput: () => void;
  readonly onPaste: (event: ClipboardEvent) => void;
}): VNode {
  const visible = useVisible(area, lines.count);
  return (
    <div class="editor">
      <Gutter visible={visible} markers={markers} />
      <textarea
        id="manifest"
        ref={area}
        wrap="off"
        spellcheck={false}
        autoComplete="off"
        autoCapitalize="off"
        aria-describedby="manifest-hint"
        placeholder="Paste YAML, or drop a file"
        onInput={onInput}
        onPaste={onPaste}
        onScroll={visible.onScroll}
      />
    </div>
  );
}

/** A text that is too long to edit, of which only the lines on the screen exist. */
export function Viewer({
  box,
  lines,
  markers,
  marked,
}: {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly lines: Lines;
  readonly markers: Markers;
  /** Line that somebody went to. */
  readonly marked: number | undefined;
}): VNode {
  const count = Math.min(lines.count, MOST_LINES);
  const visible = useVisible(box, count);
  const { first, last } = visible;
  const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return (
    <div class="editor">
      <Gutter visible={visible} markers={markers} />
      <div
        id="long-manifest"
        class="viewer"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Kubernetes manifests, too long to edit"
        onScroll={visible.onScroll}
      >
        <div style={{ height: `${String(count * LINE)}px` }}>
          <div style={{ transform: `translateY(${String((first - 1) * LINE)}px)` }}>
            {numbers.map((line) => (
              <div key={line} class={line === marked ? 'row marked' : 'row'}>
                {lines.line(line, LONGEST_LINE)}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Shows a line of a text; in the editor it is selected too. */
export function goTo(box: HTMLTextAreaElement | HTMLDivElement, lines: Lines, line: number): void {
  box.focus();
  if (box instanceof HTMLTextAreaElement) box.setSelectionRange(...lines.range(line));
  box.scrollTop = Math.max(0, (line - 1 - ABOVE) * LINE);
  box.scrollLeft = 0;
}
