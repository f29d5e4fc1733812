// Converts a folded pod template for a manifest: checks the names of fields, and replaces instances of classes by plain values.
import { type PodField, podTemplateType, type PodType } from '../facts/pod-fields';
import { type Problem, type Problems } from '../problems/problems';
import { inFragment, isRecord, type Path, textOfPath } from './merge';
import { isWrapped } from './wrapped';

/** The mistakes in a template. */
interface Mistakes {
  /** Names of fields whose values have the wrong shape, like a string instead of a list. */
  readonly misshapen: Set<string>;
  /** Fields that Kubernetes 1.29 does not know, or whose values have the wrong type. */
  readonly unknown: Problem[];
}

/** Converts a template. Records fields that Kubernetes 1.29 does not know, and values with the wrong shape. */
export function written(template: object, main: string, problems: Problems): unknown {
  const mistakes: Mistakes = { misshapen: new Set(), unknown: [] };
  const result = writtenRecord(template as Fields, podTemplateType(), { main, path: [], mistakes });
  problems.add(
    ...[...mistakes.misshapen].map((path) => ({
      path,
      problem: 'contains a value of the wrong type',
      use: 'the type of the field, for example a list of strings for a command',
    })),
  );
  // If a shape is wrong, the fields below it would only cause follow-on errors.
  if (mistakes.misshapen.size === 0) problems.add(...mistakes.unknown);
  return result;
}

type Fields = Readonly<Record<string, unknown>>;

interface Place {
  /** Name of the main container. */
  readonly main: string;
  readonly path: Path;
  readonly mistakes: Mistakes;
}

const inside = ({ main, path, mistakes }: Place, part: string): Place => ({
  main,
  path: [...path, part],
  mistakes,
});

/** Returns the path of a place as the path in a fragment, without the field of the template. */
const shownPath = ({ main, path: [, ...path] }: Place): string => textOfPath(inFragment(main, path));

/** Records a value with the wrong shape, once for each field of the pod or of a container. */
function misshapen({ main, path: [field = '', ...path], mistakes }: Place): unknown {
  const ofContainer = path[0] === 'containers' || path[0] === 'initContainers';
  mistakes.misshapen.add(shownPath({ main, path: [field, ...path.slice(0, ofContainer ? 3 : 1)], mistakes }));
  return undefined;
}

function unknown(place: Place, value: unknown): unknown {
  place.mistakes.unknown.push({
    path: shownPath(place),
    ...(typeof value !== 'object' && { value }),
    problem: 'is not a field of Kubernetes 1.29, or its value has the wrong type',
    use: 'the name and type of a field, or override() for a newer field',
  });
  return undefined;
}

function writtenRecord(fields: Fields, type: PodType, place: Place): Fields {
  const result: Record<string, unknown> = {};
  for (const [property, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const field = type.get(property);
    if (field) result[field.name] = writtenField(value, field, inside(place, property));
    else unknown(inside(place, property), value);
  }
  // Uses the order of the types, so that the order of fragments does not matter.
  return Object.fromEntries(
    Object.keys(result)
      .sort()
      .map((name) => [name, result[name]]),
  );
}

function writtenField(value: unknown, { holding, type }: PodField, place: Place): unknown {
  switch (holding) {
    case 'value':
      return value;
    case 'wrapped':
      return isWrapped(value) ? value.value : unknown(place, value);
    case 'date':
      return value instanceof Date ? value.toISOString() : misshapen(place);
    case 'list':
      return Array.isArray(value) ? writtenList(value, type, place) : misshapen(place);
    case 'record':
      return type && isRecord(value) ? writtenRecord(value, type, place) : misshapen(place);
    case 'map':
    case 'map of wrapped':
      return isRecord(value) ? writtenMap(value, holding, place) : misshapen(place);
  }
}

const writtenList = (
  list: readonly unknown[],
  type: PodType | undefined,
  place: Place,
): readonly unknown[] =>
  type === undefined
    ? list
    : list.map((item, index) => {
        const name = isRecord(item) && typeof item['name'] === 'string' ? item['name'] : String(index);
        const at = inside(place, name);
        return isRecord(item) ? writtenRecord(item, type, at) : misshapen(at);
      });

function writtenMap(map: Fields, holding: 'map' | 'map of wrapped', place: Place): Fields {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(map)) {
    if (value === undefined) continue;
    if (holding === 'map') result[key] = value;
    else result[key] = isWrapped(value) ? value.value : unknown(inside(place, key), value);
  }
  return result;
}
