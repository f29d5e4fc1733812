// From a folded pod template to the one in a manifest: the names of its fields, and plain values in place of classes.
import { type PodField, podTemplateType, type PodType } from '../facts/pod-fields';
import { type Problem, type Problems } from '../problems/problems';
import { inFragment, isRecord, type Path, textOfPath } from './merge';
import { isWrapped } from './wrapped';

/** What is wrong with a template, by kind of mistake. */
interface Mistakes {
  /** Names of fields whose values have another shape than their types, like a string in place of a list. */
  readonly misshapen: Set<string>;
  /** Fields that Kubernetes 1.29 does not know, or that hold a value of another type. */
  readonly unknown: Problem[];
}

/** Writes a template. Records fields that Kubernetes 1.29 does not know, and values of another shape than those of their fields. */
export function written(template: object, main: string, problems: Problems): unknown {
  const mistakes: Mistakes = { misshapen: new Set(), unknown: [] };
  const result = writtenRecord(template as Fields, podTemplateType(), { main, path: [], mistakes });
  problems.add(
    ...[...mistakes.misshapen].map((path) => ({
      path,
      problem: 'has a part of the wrong type',
      use: "the field's own type, for example a list of strings for a command",
    })),
  );
  // The fields below such a part are not worth a problem of their own.
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

/** The path of a place in the words of a fragment: its first part is the field of the template. */
const shownPath = ({ main, path: [, ...path] }: Place): string => textOfPath(inFragment(main, path));

/** Records a value of another shape than its field, once for each field of the pod or of a container. */
function misshapen({ main, path: [field = '', ...path], mistakes }: Place): unknown {
  const ofContainer = path[0] === 'containers' || path[0] === 'initContainers';
  mistakes.misshapen.add(shownPath({ main, path: [field, ...path.slice(0, ofContainer ? 3 : 1)], mistakes }));
  return undefined;
}

function unknown(place: Place, value: unknown): unknown {
  place.mistakes.unknown.push({
    path: shownPath(place),
    ...(typeof value !== 'object' && { value }),
    problem: 'is not a field of Kubernetes 1.29, or not of its type',
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
  // The order of the types, whatever the order of the fragments.
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
