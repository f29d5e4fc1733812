/** A count and its noun: `1 host`, `2 hosts`. */
export const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** GiB with one decimal. */
export const gib = (value: number): string => `${value.toFixed(1)} GiB`;

/** A time in minutes, or in hours with one decimal. */
export const duration = (seconds: number): string =>
  seconds < 90 * 60
    ? `${String(Math.max(1, Math.round(seconds / 60)))} min`
    : `${(seconds / 3600).toFixed(1)} h`;
