import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..');

/** Folders of `lib/` whose subfolders are one room each: a server is a room, and what the servers share is another. */
const WINGS: readonly string[] = ['servers'];

/** The room of a file: its folder in `lib/`, or the file itself at the top. */
function roomOf(file: string): string {
  const [top = '', second = '', third = '', ...below] = file.replace(/\.ts$/, '').split('/');
  if (top !== 'lib') return top;
  return WINGS.includes(second) && below.length > 0 ? `${second}/${third}` : second;
}

const sources = readdirSync(path.join(root, 'lib'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.posix.join('lib', ...name.split(path.sep)));
const known = new Set(sources);

/** The files that a file imports, types included. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const modules = [...text.matchAll(/\b(?:from|import\(|require\()\s*'(\.[^']*)'/g)];
  return modules.flatMap(([, module = '']) => {
    const base = path.posix.join(path.posix.dirname(file), module);
    return [`${base}.ts`, `${base}/index.ts`].filter((one) => known.has(one));
  });
}

const fileGraph = new Map(sources.map((file) => [file, importsOf(file)]));

/** Which room imports which, each pair once. */
const roomGraph = new Map<string, string[]>();
for (const [file, targets] of fileGraph)
  for (const target of targets) {
    const [from, to] = [roomOf(file), roomOf(target)];
    const arrows = roomGraph.get(from) ?? [];
    if (from !== to && !arrows.includes(to)) arrows.push(to);
    roomGraph.set(from, arrows);
  }

/** Paths that lead back to where they start, one per circle. */
function circles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) found.push([...trail.slice(trail.indexOf(node)), node].join(' -> '));
    else if (!done.has(node)) {
      for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
      done.add(node);
    }
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}

/** The floors of the house in CONTRIBUTING, top first: the rooms of one floor do not import each other. */
const picture =
  /```house\n([^]*?)```/.exec(readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8'))?.[1] ?? '';
const arrows = picture
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [from = '', to = ''] = line.split('->').map((part) => part.trim());
    return to
      .split(/\s+/)
      .filter((room) => room !== '')
      .map((room) => `${from} -> ${room}`);
  });

describe('the house', () => {
  test('has no import circle between files, types included', () => {
    expect(circles(fileGraph)).toEqual([]);
  });

  test('has no import circle between folders', () => {
    expect(circles(roomGraph)).toEqual([]);
  });

  test('finds a circle', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(circles(graph)).toEqual(['b -> c -> b']);
  });

  test('is drawn in CONTRIBUTING with exactly the arrows in the code', () => {
    const drawn = [...roomGraph].flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`));
    expect([...arrows].sort()).toEqual(drawn.sort());
  });
});
