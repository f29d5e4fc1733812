import { POD_TYPES } from '../../imports/pod';

/** The structure of a field. */
type Holding = 'value' | 'record' | 'list' | 'map' | 'wrapped' | 'map of wrapped' | 'date';

/** A field of a pod template of Kubernetes 1.29. */
export interface PodField {
  /** Name of the field in a manifest. */
  readonly name: string;
  readonly holding: Holding;
  /** The type of a record, or of the items of a list; undefined for any value. */
  readonly type: PodType | undefined;
}

/** A type in a pod template: its fields, by their names in TypeScript. */
export type PodType = ReadonlyMap<string, PodField>;

const HOLDING: Readonly<Record<string, Holding>> = {
  '': 'value',
  ':': 'record',
  '[]': 'list',
  '{}': 'map',
  '#': 'wrapped',
  '{}#': 'map of wrapped',
  '@': 'date',
};

const known = new Map<number, PodType>();
let lines: readonly string[] | undefined;

/** Reads the type in a line of the table, when it is first used. */
function typeAt(index: number): PodType {
  const read = known.get(index);
  if (read) return read;
  lines ??= POD_TYPES.trim().split('\n');
  const words = (lines[index] ?? '').split(' ');
  const type = new Map(words.map((word) => [/^\w+/.exec(word)?.[0] ?? '', fieldOf(word)]));
  known.set(index, type);
  return type;
}

function fieldOf(word: string): PodField {
  const [, property = '', name = property, sign = '', index] =
    /^(\w+)(?:=(\w+))?(:|\[\]|\{\}#|\{\}|#|@)?([0-9a-z]+)?$/.exec(word) ?? [];
  const holding = HOLDING[sign] ?? 'value';
  if (index === undefined) return { name, holding, type: undefined };
  return {
    name,
    holding,
    get type() {
      return typeAt(Number.parseInt(index, 36));
    },
  };
}

/** Returns the type of a pod template. */
export const podTemplateType = (): PodType => typeAt(0);
