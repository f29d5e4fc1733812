import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Capacity, InvalidInputError, TpuSlice } from '../../lib';

/** What each key of an environment is read with; all of them are required. */
const READERS = {
  namespace: text,
  projectId: text,
  projectNumber: text,
  bucketName: text,
  slice: (value: unknown) => TpuSlice.parse(text(value)),
  capacity: (value: unknown) => capacity(text(value)),
  minReplicas: count,
  maxReplicas: count,
};

/** An environment: what differs between two outputs of the same app. */
export type Environment = { readonly name: string } & {
  readonly [Key in keyof typeof READERS]: ReturnType<(typeof READERS)[Key]>;
};

/**
 * The environments of a YAML file, by name.
 *
 * @throws InvalidInputError listing every key that is missing, unknown or malformed, after the name of its environment
 */
export function readEnvironments(file: string): readonly Environment[] {
  const problems: string[] = [];
  const environments = Object.entries(map(parse(readFileSync(file, 'utf8')))).map(([name, given]) => {
    if (!/^[a-z][a-z0-9-]*$/.test(name))
      problems.push(`${name} is not the name of an environment, expected lower-case letters, digits and '-'`);
    const values = map(given);
    for (const key of Object.keys(values))
      if (!Object.hasOwn(READERS, key))
        problems.push(`${name} ${key} is unknown, expected one of ${Object.keys(READERS).join(', ')}`);
    const read = Object.entries(READERS).map(([key, reader]) => {
      try {
        return [key, reader(values[key])];
      } catch (error) {
        if (!(error instanceof InvalidInputError)) throw error;
        problems.push(...error.problems.map((problem) => `${name} ${key}: ${problem}`));
        return [key];
      }
    });
    return { name, ...Object.fromEntries(read) } as Environment;
  });
  if (problems.length > 0) throw new InvalidInputError(problems, file);
  return environments;
}

const map = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function text(value: unknown): string {
  if (typeof value !== 'string')
    throw new InvalidInputError([`${String(value)} is not a text, expected one`]);
  return value;
}

function count(value: unknown): number {
  if (!Number.isInteger(value))
    throw new InvalidInputError([`${String(value)} is not a whole number, expected one`]);
  return Number(value);
}

function capacity(value: string): Capacity {
  const [type, name, ...rest] = value.split('/');
  if (type === 'reservation' && name !== undefined && rest.length === 0) return Capacity.reservation(name);
  if (value === 'spot') return Capacity.spot();
  if (value === 'on-demand') return Capacity.onDemand();
  throw new InvalidInputError([
    `'${value}' is not a capacity, expected 'on-demand', 'spot' or 'reservation/NAME'`,
  ]);
}
