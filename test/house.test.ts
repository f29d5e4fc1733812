import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expectPage } from './pages';

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

/** The graph as CONTRIBUTING shows it: a line for each room. */
const drawing = [...roomGraph]
  .filter(([, targets]) => targets.length > 0)
  .map(([from, targets]) => `${from} -> ${[...targets].sort().join(' ')}`)
  .sort()
  .join('\n');

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

  test('is drawn in CONTRIBUTING with exactly the arrows in the code: when this fails, run npm run docs and commit it', () => {
    expectPage('CONTRIBUTING.md', (now) =>
      now.replace(/```house\n[^]*?```/, () => `\`\`\`house\n${drawing}\n\`\`\``),
    );
  });
});
