import { type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type Fitting, fittingOf, type SlicesOfGeneration, whyNot } from '../sizing';
import { useForm } from './fields';
import { MemoryBar } from './memory-bar';
import { count, duration } from './words';

/** Slices that are shown before somebody asks for all. */
const FIRST = 4;
/** Most slices that one list shows: the largest generation has several hundred. */
const MOST = 500;

function factsOf({
  slice,
  fit,
  pools,
  nodes,
  quota,
  coldSeconds,
  warmSeconds,
}: Fitting): readonly (readonly [string, string])[] {
  return [
    ['Hosts', `${String(slice.hosts)} × ${count(slice.chipsPerHost, 'chip')}`],
    ['Node pools', `${String(pools)} × ${count(nodes, 'node')}`],
    ['Quota', count(quota, 'chip')],
    ['Sequences', fit.maxConcurrency === undefined ? 'not counted' : fit.maxConcurrency.toLocaleString('en')],
    ['Cold start', duration(coldSeconds)],
    ['Warm start', duration(warmSeconds)],
  ];
}

/** One slice that holds the model, to choose. */
function SliceCard({ name, chosen }: { readonly name: string; readonly chosen: boolean }): VNode {
  const { choice, set } = useForm();
  const fitting = fittingOf(name, choice);
  const id = `slice-${name.replaceAll(/\W/g, '-')}`;
  return (
    <li class={chosen ? 'slice chosen' : 'slice'}>
      <label for={id}>
        <input
          type="radio"
          name="slice"
          id={id}
          checked={chosen}
          aria-describedby={`${id}-facts`}
          onChange={() => {
            set({ slice: name });
          }}
        />
        <strong>{fitting.slice.machineType}</strong> <span>{fitting.slice.topology}</span>
      </label>
      <MemoryBar memory={fitting.memory} />
      <dl id={`${id}-facts`}>
        {factsOf(fitting).map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

/** Slices that do not hold the model, each with the reason, which is worked out when the list opens. */
function Others({ names }: { readonly names: readonly string[] }): VNode | null {
  const { choice } = useForm();
  const [open, setOpen] = useState(false);
  if (names.length === 0) return null;
  return (
    <details
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        {count(names.length, 'slice')} {names.length === 1 ? 'does' : 'do'} not hold the model
      </summary>
      {open && (
        <ul class="reasons">
          {names.slice(0, MOST).map((name) => (
            <li key={name}>
              <strong>{name}</strong> {whyNot(name, choice)}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** The slices of a generation: those that hold the model, and those that do not. */
export function Generation({
  group,
  chosen,
}: {
  readonly group: SlicesOfGeneration;
  readonly chosen: string | undefined;
}): VNode {
  const [all, setAll] = useState(false);
  const { generation, hbmGiBPerChip, quotaName, fitting, others } = group;
  const shown = fitting.slice(0, all ? MOST : FIRST);
  // the chosen one stays on the screen
  const further = chosen !== undefined && fitting.includes(chosen) && !shown.includes(chosen) ? [chosen] : [];
  return (
    <section class="generation" aria-labelledby={`generation-${generation}`}>
      <h3 id={`generation-${generation}`}>{generation}</h3>
      <p class="hint">
        {hbmGiBPerChip} GiB of HBM per chip{quotaName === undefined ? '' : `; quota: ${quotaName}`}
      </p>
      {fitting.length > 0 && (
        <ul class="slices">
          {[...shown, ...further].map((name) => (
            <SliceCard key={name} name={name} chosen={name === chosen} />
          ))}
        </ul>
      )}
      {fitting.length > FIRST && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => {
            setAll(!all);
          }}
        >
          {all ? 'Show fewer slices' : `Show all ${String(fitting.length)} slices of ${generation}`}
        </button>
      )}
      <Others names={others} />
    </section>
  );
}
