import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Capacity, InvalidInputError, type Problem, TpuSlice } from '../../lib';

/** Readers for the keys of an environment, all of which are required. */
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

/** An environment: the differences between two outputs of the same app. */
export type Environment = { readonly name: string } & {
  readonly [Key in keyof typeof READERS]: ReturnType<(typeof READERS)[Key]>;
};

/**
 * Reads the environments of a YAML file.
 *
 * @throws InvalidInputError listing every key that is missing, unknown or invalid, with the name of its environment
 */
export function readEnvironments(file: string): readonly Environment[] {
  const problems: Problem[] = [];
  const environments = Object.entries(map(parse(readFileSync(file, 'utf8')))).map(([name, given]) => {
    if (!/^[a-z][a-z0-9-]*$/.test(name))
      problems.push({
        path: name,
        problem: 'is not the name of an environment',
        use: "lower-case letters, digits and '-'",
      });
    const values = map(given);
    const keys = Object.keys(READERS);
    for (const key of Object.keys(values).filter((one) => !keys.includes(one)))
      problems.push({ path: `${name}.${key}`, problem: 'unknown key', use: `one of ${keys.join(', ')}` });
    const read = Object.entries(READERS).map(([key, reader]) => {
      try {
        return [key, reader(values[key])];
      } catch (error) {
        if (!(error instanceof InvalidInputError)) throw error;
        problems.push(...error.problems.map((one) => ({ ...one, path: `${name}.${key}` })));
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

const refusal = (value: unknown, problem: string, use: string): InvalidInputError =>
  new InvalidInputError([
    value === undefined ? { path: '', problem: 'required', use } : { path: '', value, problem, use },
  ]);

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw refusal(value, 'is not a string', 'a string in quotes');
}

function count(value: unknown): number {
  if (Number.isInteger(value)) return Number(value);
  throw refusal(value, 'is not a whole number', 'a whole number without quotes');
}

function capacity(value: string): Capacity {
  const [type, name, ...rest] = value.split('/');
  if (type === 'reservation' && name !== undefined && rest.length === 0) return Capacity.reservation(name);
  if (value === 'spot') return Capacity.spot();
  if (value === 'on-demand') return Capacity.onDemand();
  throw refusal(value, 'is not a capacity', "'on-demand', 'spot' or 'reservation/NAME'");
}
