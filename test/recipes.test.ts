import { parse, parseAllDocuments } from 'yaml';
import { run, textOf } from './pages';

const PAGE = 'docs/recipes.md';

/** A recipe: its heading, its program, and the YAML that the program must render. */
const recipes = textOf(PAGE)
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    name: text.split('\n')[0] ?? '',
    program: /^```ts\n([^]*?)^```$/m.exec(text)?.[1] ?? '',
    yaml: /^```yaml\n([^]*?)^```$/m.exec(text)?.[1] ?? '',
  }));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a value contains every promised key, and every promised item of a list at any index. */
function contains(value: unknown, promised: unknown): boolean {
  if (Array.isArray(promised))
    return Array.isArray(value) && promised.every((item) => value.some((one) => contains(one, item)));
  if (!isObject(promised)) return value === promised;
  if (!isObject(value) || Array.isArray(value)) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(promised).every(([key, item]) => contains(fields.get(key), item));
}

/** Whether a value, or a part of it, contains the promised value. */
const hasPart = (value: unknown, promised: unknown): boolean =>
  contains(value, promised) ||
  (isObject(value) && Object.values(value).some((part) => hasPart(part, promised)));

describe('docs/recipes.md', () => {
  test('has at least 25 recipes of at most 15 lines', () => {
    expect(recipes.length).toBeGreaterThanOrEqual(25);
    const long = recipes.filter(({ program }) => program.trim().split('\n').length > 15);
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  test.each(recipes)('the program of "$name" renders the YAML below it', async ({ program, yaml }) => {
    expect(yaml).not.toBe('');
    const rendered = parseAllDocuments((await run(program)).yaml).map((one): unknown => one.toJS());
    expect(rendered.filter((object) => hasPart(object, parse(yaml)))).not.toEqual([]);
  });
});
