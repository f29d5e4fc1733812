// Reads the project's English by the rules in prose.yaml: Markdown, and the comments, messages and names of tests in TypeScript.
// usage: node scripts/prose.mjs [FILE …]; without files, everything that git tracks.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import ts from 'typescript';
import { parse } from 'yaml';

const root = path.join(import.meta.dirname, '..');
const rules = parse(readFileSync(path.join(root, 'scripts', 'prose.yaml'), 'utf8')).map(
  ({ pattern, use, titles = false }) => ({ pattern: new RegExp(pattern, 'gi'), use, titles }),
);

/** The words of a text without code, without the marks of comments and with single spaces, and the place of each letter in the text. */
function wordsOf(text) {
  const plain = text
    .replace(/`[^`\n]*`|\$\{[^}]*\}/g, (code) => 'x'.padEnd(code.length))
    .replace(/(^|\n)[ \t]*(\/\*\*?|\/\/|\*\/?)/g, (mark) => ' '.repeat(mark.length))
    .replace(/\\['"n]/g, '  ');
  const places = [...plain.matchAll(/\S|(?<=\S)\s/g)].map(({ index }) => index);
  return { words: places.map((place) => plain[place].replace(/\s/, ' ')).join(''), places };
}

/** One textlint rule for all patterns. */
const plainEnglish = ({ Syntax, RuleError, report, getSource, locator }) => {
  const read = (node) => {
    const { words, places } = wordsOf(getSource(node));
    const isTitle = node.type === Syntax.Header;
    for (const { pattern, use } of rules.filter(({ titles }) => isTitle || !titles))
      for (const { 0: found, index } of words.matchAll(pattern)) {
        const first = index + found.length - found.trimStart().length;
        const padding = locator.range([places[first], places[index + found.length - 1] + 1]);
        report(node, new RuleError(`"${found.trim()}": ${use}`, { padding }));
      }
  };
  return { [Syntax.Paragraph]: read, [Syntax.Header]: read, [Syntax.TableCell]: read };
};

/** The function that a string is the name for: `describe` or `test`; undefined if it is not the name of a test. */
const namedBy = ({ parent }) =>
  ts.isCallExpression(parent) ? /^(describe|test)\b/.exec(parent.expression.getText())?.[0] : undefined;

/** The ranges of a program that are English: comments, and strings of three words or more; each with whether it is the name of a test. */
function rangesOf(source, isTest) {
  const comments = [];
  const strings = [];
  const visit = (node) => {
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? []),
    ]) {
      const last = comments.at(-1);
      if (last && last[1] < pos && source.text.slice(last[1], pos).trim() === '') last[1] = end;
      else if (!comments.some(([start, stop]) => start <= pos && end <= stop)) comments.push([pos, end]);
    }
    const isText =
      ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
    if (isText && (isTest ? namedBy(node) : /[a-z]+ .*[a-z]+ /.test(node.getText())))
      strings.push([node.getStart() + 1, node.getEnd() - 1, namedBy(node) === 'test']);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...comments, ...strings].sort(([a], [b]) => a - b);
}

/** A textlint plugin that sees each comment and each message of a program as a paragraph. */
class TypeScriptProcessor {
  availableExtensions() {
    return ['.ts'];
  }

  processor() {
    return {
      preProcess: (text, file) => {
        const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
        const at = (position) => {
          const { line, character } = source.getLineAndCharacterOfPosition(position);
          return { line: line + 1, column: character };
        };
        const nodeOf = (type, [start, end], children) => ({
          type,
          raw: text.slice(start, end),
          range: [start, end],
          loc: { start: at(start), end: at(end) },
          ...(children ? { children } : { value: text.slice(start, end) }),
        });
        const paragraphs = rangesOf(source, /(^|\/)test\//.test(file)).map((range) =>
          nodeOf(range[2] ? 'Header' : 'Paragraph', range, [nodeOf('Str', range)]),
        );
        return nodeOf('Document', [0, text.length], paragraphs);
      },
      postProcess: (messages, filePath) => ({ messages, filePath }),
    };
  }
}

const FILES = [
  '*.md',
  'lib/**/*.ts',
  'examples/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  ':!dist',
  ':!test/types',
];
const given = process.argv.slice(2);
const files =
  given.length > 0
    ? given
    : execFileSync('git', ['ls-files', '-z', '--', ...FILES], { cwd: root, encoding: 'utf8' })
        .split('\0')
        .filter(Boolean);

const kernel = new TextlintKernel();
let found = 0;
for (const file of files) {
  const { messages } = await kernel.lintText(readFileSync(path.resolve(root, file), 'utf8'), {
    filePath: file,
    ext: path.extname(file),
    plugins: [
      { pluginId: 'markdown', plugin: markdown.default ?? markdown },
      { pluginId: 'typescript', plugin: { Processor: TypeScriptProcessor } },
    ],
    rules: [{ ruleId: 'plain-english', rule: plainEnglish }],
  });
  for (const { line, column, message } of messages) console.log(`${file}:${line}:${column} ${message}`);
  found += messages.length;
}
if (found > 0) console.log(`\n${found} ${found === 1 ? 'phrase' : 'phrases'} to write in plain English`);
process.exitCode = found > 0 ? 1 : 0;
