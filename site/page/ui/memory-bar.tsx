import { type VNode } from 'preact';
import { type ChipMemory } from '../sizing';
import { gib } from './words';

/** The parts of a chip's memory, in the order of the bar. */
const partsOf = ({
  weights,
  cache,
  reserved,
  free,
}: ChipMemory): readonly (readonly [string, number, string])[] => [
  ['weights', weights, 'weights'],
  ...(cache === undefined ? [] : [['cache', cache, 'KV cache'] as const]),
  ['reserved', reserved, 'runtime'],
  ...(free > 0 ? [['free', free, 'free'] as const] : []),
];

/** The parts in words. */
const inWords = (memory: ChipMemory): string =>
  [
    ...partsOf(memory).map(([, value, label]) => `${label} ${gib(value)}`),
    ...(memory.free < 0 ? [`${gib(-memory.free)} too much`] : []),
  ].join(', ');

/** The HBM of one chip as a bar. What does not fit makes the bar longer than the chip, whose end is a line. */
export function MemoryBar({ memory }: { readonly memory: ChipMemory }): VNode {
  const parts = partsOf(memory);
  const all = Math.max(
    memory.total,
    parts.reduce((sum, [, value]) => sum + value, 0),
  );
  return (
    <div class="bar" role="img" aria-label={`HBM of one chip, ${gib(memory.total)}: ${inWords(memory)}`}>
      {parts.map(([name, value]) => (
        <span key={name} class={`part ${name}`} style={{ width: `${String((value / all) * 100)}%` }} />
      ))}
      {memory.free < 0 && <span class="end" style={{ left: `${String((memory.total / all) * 100)}%` }} />}
    </div>
  );
}

/** What the colors of the bars mean, with the numbers of the chosen slice. */
export function Legend({ memory }: { readonly memory: ChipMemory }): VNode {
  return (
    <ul class="legend" aria-hidden="true">
      {partsOf(memory).map(([name, value, label]) => (
        <li key={name}>
          <span class={`swatch ${name}`} />
          {label} {gib(value)}
        </li>
      ))}
      {memory.free < 0 && <li class="problem">{gib(-memory.free)} too much</li>}
    </ul>
  );
}
