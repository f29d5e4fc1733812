import { type RefObject, type VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Checked, LONGEST_TEXT } from '../checking';
import { EXAMPLE } from '../example';
import { Lines } from '../lines';
import { Checker } from '../worker';
import { Editor, goTo, LONGEST_EDIT, type Markers, Viewer } from './editor';
import { Findings, summaryOf } from './findings';
import { PlanView } from './plan';

/** Time without a key before a text is checked, in milliseconds. */
const PAUSE = 300;

const NOTHING = 'Nothing is checked yet.';
const TOO_MUCH = 'are too much for this page: run npx cdk8s-tpu-serving check FILE instead.';

const SEVERITIES = ['error', 'warning', 'note'] as const;

function markersOf(checked: Checked | undefined): Markers {
  const markers = new Map((checked?.unreadable ?? []).map(({ line = 1 }) => [line, 'error' as const]));
  const all = new Map<number, (typeof SEVERITIES)[number]>(markers);
  for (const { line, severity, accepted } of checked?.findings ?? []) {
    if (line === undefined || accepted !== undefined) continue;
    const known = all.get(line) ?? severity;
    all.set(line, SEVERITIES.indexOf(known) <= SEVERITIES.indexOf(severity) ? known : severity);
  }
  return all;
}

const megabytes = (text: string): string => `${(text.length / 1e6).toFixed(1)} MB`;

/** What is checked, and what the checks say. */
interface Checking {
  readonly checked: Checked | undefined;
  readonly said: string;
  readonly lines: Lines;
  /** Checks a text, after a pause if somebody is typing. */
  readonly start: (text: string, pause?: number) => void;
}

/** Checks texts in a worker. */
function useChecking(): Checking {
  const [checked, setChecked] = useState<Checked>();
  const [said, say] = useState(NOTHING);
  const [lines, setLines] = useState(() => new Lines(''));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const checker = useMemo(
    () =>
      new Checker((answer) => {
        setChecked('checked' in answer ? answer.checked : undefined);
        say('checked' in answer ? summaryOf(answer.checked) : `The check failed: ${answer.failed}`);
      }),
    [],
  );
  useEffect(
    () => () => {
      checker.stop();
    },
    [checker],
  );
  const run = (text: string): void => {
    if (text.trim() === '' || text.length > LONGEST_TEXT) {
      checker.stop();
      setChecked(undefined);
      say(text.trim() === '' ? NOTHING : `${megabytes(text)} ${TOO_MUCH}`);
      return;
    }
    say(`Checking ${text.length > 1e6 ? megabytes(text) : 'the text'} …`);
    checker.check(text);
  };
  const start = (text: string, pause = 0): void => {
    setLines(new Lines(text));
    clearTimeout(timer.current);
    timer.current = setTimeout(run, pause, text);
  };
  return { checked, said, lines, start };
}

function Sources({
  put,
  onClear,
}: {
  readonly put: (text: string) => void;
  /** Removes a text that cannot be edited. */
  readonly onClear: (() => void) | undefined;
}): VNode {
  return (
    <p class="actions">
      <label class="button">
        Open a file
        <input
          type="file"
          accept=".yaml,.yml,.json"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            void file?.text().then(put);
          }}
        />
      </label>
      <button
        type="button"
        onClick={() => {
          put(EXAMPLE);
        }}
      >
        Show an example with mistakes
      </button>
      {onClear !== undefined && (
        <>
          <button type="button" onClick={onClear}>
            Remove this text
          </button>
          <span class="hint">The text is too long to edit here. The page checks all of it.</span>
        </>
      )}
    </p>
  );
}

function Results({
  checked,
  onLine,
}: {
  readonly checked: Checked;
  readonly onLine: (line: number) => void;
}): VNode {
  return (
    <div class="results">
      <section aria-labelledby="findings-title">
        <h3 id="findings-title">Findings</h3>
        <Findings checked={checked} onLine={onLine} />
      </section>
      <section aria-labelledby="plan-title">
        <h3 id="plan-title">Plan</h3>
        <PlanView plan={checked.plan} />
      </section>
    </div>
  );
}

/** The text of a box after a paste into its selection. */
function pasted(box: HTMLTextAreaElement, text: string): string {
  return box.value.slice(0, box.selectionStart) + text + box.value.slice(box.selectionEnd);
}

/** The text that is checked: in the editor, or too long for it. */
function useText(start: Checking['start']): {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly long: boolean;
  readonly put: (text: string) => void;
  readonly onInput: () => void;
  readonly onPaste: (event: ClipboardEvent) => void;
} {
  const area = useRef<HTMLTextAreaElement>(null);
  const [long, setLong] = useState(false);
  const put = (text: string): void => {
    setLong(text.length > LONGEST_EDIT);
    if (area.current !== null) area.current.value = text.length > LONGEST_EDIT ? '' : text;
    start(text);
  };
  const onInput = (): void => {
    const text = area.current?.value ?? '';
    if (text.length > LONGEST_EDIT) put(text);
    else start(text, PAUSE);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (area.current === null || text.length <= LONGEST_EDIT) return;
    event.preventDefault();
    put(pasted(area.current, text));
  };
  return { area, long, put, onInput, onPaste };
}

/** The third tab: YAML of anyone, what is wrong with it, and what it takes. */
export function Check({ given }: { readonly given: { readonly yaml: string } | undefined }): VNode {
  const { checked, said, lines, start } = useChecking();
  const { area, long, put, onInput, onPaste } = useText(start);
  const viewer = useRef<HTMLDivElement>(null);
  const [marked, mark] = useState<number>();
  useEffect(() => {
    if (given !== undefined) put(given.yaml);
  }, [given]);
  const markers = useMemo(() => markersOf(checked), [checked]);
  const onLine = (line: number): void => {
    const box = long ? viewer.current : area.current;
    mark(line);
    if (box !== null) goTo(box, lines, line);
  };
  const clear = (): void => {
    put('');
    area.current?.focus();
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
      }}
      onDrop={(event) => {
        const [file] = event.dataTransfer?.files ?? [];
        if (file === undefined) return;
        event.preventDefault();
        void file.text().then(put);
      }}
    >
      <h2>What is wrong with these manifests?</h2>
      <label for="manifest">Kubernetes manifests</label>
      <p class="hint" id="manifest-hint">
        The checks run in this browser. Nothing is sent anywhere.
      </p>
      <div hidden={long}>
        <Editor area={area} lines={lines} markers={markers} onInput={onInput} onPaste={onPaste} />
      </div>
      {long && <Viewer box={viewer} lines={lines} markers={markers} marked={marked} />}
      <Sources put={put} onClear={long ? clear : undefined} />
      <p role="status" class="status">
        {said}
      </p>
      {checked !== undefined && <Results checked={checked} onLine={onLine} />}
    </div>
  );
}
