import { shellWords, wordsOf } from '../../lib/manifest/command-line';
import { type Json } from '../../lib/manifest/manifest';
import { type ContainerView } from '../../lib/manifest/pods';

const view = (container: Json): ContainerView => ({
  container,
  name: 'main',
  path: 'spec.containers[main]',
  chips: undefined,
  init: false,
});

describe('the words of a container', () => {
  test.each<[string, Json, readonly string[]]>([
    [
      'an argument in exec form is one word, whatever is in it',
      { command: ['vllm', 'serve'], args: ['--chat-template={{ a; b | c }}\nnext', '--port=8000'] },
      ['vllm', 'serve', '--chat-template={{ a; b | c }}\nnext', '--port=8000'],
    ],
    [
      'the word after -c of a shell is a line',
      { command: ['/bin/bash', '-c'], args: ['cd /x && vllm serve m --port 1'] },
      ['/bin/bash', '-c', 'cd', '/x', ';', 'vllm', 'serve', 'm', '--port', '1'],
    ],
    ['so it is after -lc', { command: ['sh', '-lc', 'a; b'] }, ['sh', '-lc', 'a', ';', 'b']],
    ['but not after the -c of Python', { command: ['python', '-c', 'a; b'] }, ['python', '-c', 'a; b']],
    [
      'variables of the container are filled in',
      { command: ['a', '$(PORT)', '$OTHER'], env: [{ name: 'PORT', value: '8000' }] },
      ['a', '8000', '$OTHER'],
    ],
  ])('%s', (_, container, words) => {
    expect(wordsOf(view(container))).toEqual(words);
  });
});

test.each<[string, readonly string[]]>([
  ['a "b c" \'d;e\' f\\ g', ['a', 'b c', 'd;e', 'f g']],
  ['a \\\n  b', ['a', 'b']],
  ['a # c\nb', ['a', ';', 'b']],
  ['a & b', ['a', '&', 'b']],
  ['a 2>&1 | tee log', ['a', '2>&1', ';', 'tee', 'log']],
  ['a || b && c', ['a', ';', 'b', ';', 'c']],
  ['a "it\\"s"', ['a', 'it"s']],
  ['a $(b; c) ${D}', ['a', '$(b; c)', '${D}']],
  ["it's", ["it's"]],
  ['', []],
])('the shell reads %j as words', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});
