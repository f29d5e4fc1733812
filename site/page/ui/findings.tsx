import { type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Finding } from '../../../lib/checks/check';
import { type Checked } from '../checking';
import { count } from './words';

const SEVERITIES = ['error', 'warning', 'note'] as const;

/** Findings that are shown before somebody asks for more. */
const FIRST = 50;

function FindingItem({
  finding,
  onLine,
}: {
  readonly finding: Finding;
  readonly onLine: (line: number) => void;
}): VNode {
  const { severity, code, object, namespace, path, message, fix, line, accepted } = finding;
  return (
    <li class={`finding ${severity}`}>
      <p class="finding-head">
        <span class={`badge ${severity}`}>{accepted === undefined ? severity : 'accepted'}</span>
        <a href={`../rules/${code}.html`} target="_blank" rel="noreferrer">
          {code}
        </a>
        {line !== undefined && (
          <button
            type="button"
            class="line"
            onClick={() => {
              onLine(line);
            }}
          >
            Line {line}
          </button>
        )}
        <span class="object">
          {object}
          {namespace === '' ? '' : ` in namespace ${namespace}`}
        </span>
      </p>
      <p>{message}</p>
      <p class="fix">{accepted === undefined ? `Fix: ${fix}` : `Accepted: ${accepted}`}</p>
      <p class="hint">{path}</p>
    </li>
  );
}

/** `2 errors, 0 warnings, 1 note in 5 objects`, as the command line says it. */
export function summaryOf({ findings, unreadable, objects }: Checked): string {
  const open = findings.filter(({ accepted }) => accepted === undefined);
  const counts = SEVERITIES.map((severity) =>
    count(open.filter((finding) => finding.severity === severity).length, severity),
  );
  const accepted = findings.length - open.length;
  return [
    `${counts.join(', ')} in ${count(objects, 'object')}`,
    ...(accepted > 0 ? [`${String(accepted)} accepted`] : []),
    ...(unreadable.length > 0 ? [`${count(unreadable.length, 'part')} cannot be read`] : []),
  ].join('; ');
}

/** Errors first; findings of one severity as the command line lists them. */
const bySeverity = (a: Finding, b: Finding): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);

/** What the checks found. */
export function Findings({
  checked: { findings, unreadable },
  onLine,
}: {
  readonly checked: Checked;
  readonly onLine: (line: number) => void;
}): VNode {
  const [most, setMost] = useState(FIRST);
  return (
    <>
      {unreadable.length > 0 && (
        <ul class="problems">
          {unreadable.slice(0, FIRST).map(({ line = 1, column = 1, message }) => (
            <li key={`${String(line)}:${String(column)}`}>
              <button
                type="button"
                class="line"
                onClick={() => {
                  onLine(line);
                }}
              >
                Line {line}
              </button>{' '}
              column {column}: {message}
            </li>
          ))}
        </ul>
      )}
      <ol class="findings">
        {[...findings]
          .sort(bySeverity)
          .slice(0, most)
          .map((finding, index) => (
            <FindingItem key={index} finding={finding} onLine={onLine} />
          ))}
      </ol>
      {findings.length > most && (
        <button
          type="button"
          onClick={() => {
            setMost(most + FIRST);
          }}
        >
          Show more of {count(findings.length, 'finding')}
        </button>
      )}
    </>
  );
}
