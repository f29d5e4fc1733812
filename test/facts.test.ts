import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const lib = path.join(__dirname, '..', 'lib');

/** Labels, annotations and resources of third parties: their names have one of these domains before the slash. */
const LABEL =
  /(?<![\w./@-])((?:[a-z0-9-]+\.)*(?:cloud\.google\.com|k8s\.io|kubernetes\.io|gke\.io|argoproj\.io|ray\.io)|gke-gcsfuse|google\.com)\/(?!docs|v\d)[\w-]*/;

/** The texts in the code of a file: string literals and the literal parts of templates. Comments are not among them. */
function* textsIn(file: string): Generator<{ readonly text: string; readonly line: number }> {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(lib, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const waiting: ts.Node[] = [source];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (ts.isImportDeclaration(node)) continue;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      yield { text: node.text, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 };
    waiting.push(...node.getChildren(source));
  }
}

const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith(`facts${path.sep}`),
);

test.each(files)('lib/%s imports labels from lib/facts', (file) => {
  const labels = [...textsIn(file)]
    .filter(({ text }) => LABEL.test(text) && !/https?:\/\//.test(text))
    .map(({ text, line }) => `${String(line)}: ${text}`);
  expect(labels).toEqual([]);
});

test.each([
  'cloud.google.com/gke-nodepool',
  'google.com/tpu',
  'gke-gcsfuse/',
  'set jobset.sigs.k8s.io/jobset-name',
])('recognizes the label %s', (text) => {
  expect(text).toMatch(LABEL);
});
