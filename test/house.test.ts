import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..');

/** Files of `lib/` that are rooms of their own; what else lies there, everybody may use. */
const ROOMS: readonly string[] = ['index', 'app', 'cli', 'override'];

/** The room of a file: its folder, but for those of the first floor and the last. */
function roomOf(file: string): string | undefined {
  const [top = '', second = '', ...below] = file.replace(/\.ts$/, '').split('/');
  if (top !== 'lib') return top;
  if (second === '') return 'index';
  return below.length > 0 || ROOMS.includes(second) ? second : undefined;
}

const sources = ['lib', 'examples'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, ...name.split(path.sep))),
);

/** Who imports whom, as `stacks workload`. */
const imports = new Set(
  [...sources, 'main.ts'].flatMap((file) => {
    const from = roomOf(file);
    const modules = [...readFileSync(path.join(root, file), 'utf8').matchAll(/\bfrom '(\.[^']*)'/g)];
    return modules.flatMap(([, module = '']) => {
      const to = roomOf(path.posix.join(path.posix.dirname(file), module));
      return from === undefined || to === undefined || from === to ? [] : [`${from} ${to}`];
    });
  }),
);

const picture = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8').split('```mermaid')[1] ?? '';
const arrows = [
  ...picture.matchAll(/^ {2}(\w+)(?:\["[^"]*"\])? (?:-->|-\. "[^"]*" \.->) (\w+)(?:\["[^"]*"\])?$/gm),
].map(([, from = '', to = '']) => [from, to] as const);

/** What can be reached from a room by the arrows of the picture. */
function below(room: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const [from, to] of arrows)
    if (from === room && !seen.has(to)) {
      seen.add(to);
      below(to, seen);
    }
  return seen;
}

describe('the picture of the house', () => {
  test('has no arrow that no import follows', () => {
    expect(arrows.length).toBeGreaterThan(15);
    expect(arrows.filter(([from, to]) => !imports.has(`${from} ${to}`))).toEqual([]);
  });

  test('has a way down for each import', () => {
    const astray = [...imports].filter((one) => {
      const [from = '', to = ''] = one.split(' ');
      return !below(from).has(to);
    });
    expect(astray).toEqual([]);
  });
});
