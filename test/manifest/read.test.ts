import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findingsIn } from '../../lib/checks/check';
import { readManifests, readMap, readPaths } from '../../lib/manifest/read';

const read = (content: string | Uint8Array): ReturnType<typeof readManifests> =>
  readManifests(content, 'x.yaml');
const manifests = (content: string): readonly unknown[] => {
  const { objects, unreadable } = read(content);
  expect(unreadable).toEqual([]);
  return objects.map(({ manifest }) => manifest);
};
const ids = (content: string): readonly string[] => read(content).objects.map(({ id }) => id);
const problems = (content: string | Uint8Array): readonly string[] =>
  read(content).unreadable.map(({ line, column, message }) => `${String(line)}:${String(column)} ${message}`);

describe('values, as kubectl reads them', () => {
  test.each<[string, unknown]>([
    ['0400', 256],
    ['0o400', '0o400'],
    ['0x1F', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['~', null],
    ['12:30', '12:30'],
    ['12:30:45', '12:30:45'],
    ['2024-01-31', '2024-01-31'],
    ['2024-01-31T10:00:00Z', '2024-01-31T10:00:00Z'],
    ['1e3', 1000],
    ['"0400"', '0400'],
    ['!!binary aGVsbG8=', 'aGVsbG8='],
    ['!Ref b', 'b'],
  ])('%s', (written, value) => {
    expect(manifests(`a: ${written}\n`)).toEqual([{ a: value }]);
  });
});

describe('documents', () => {
  const a = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } };
  const A = 'apiVersion: v1\nkind: A\nmetadata:\n  name: a\n';

  test.each<[string, string, readonly unknown[]]>([
    ['none', '', []],
    ['only remarks', '# nothing\n', []],
    ['empty ones', `---\n---\n${A}---\n# nothing\n---\nnull\n`, [a]],
    ['several', `${A}---\n${A}...\n---\n${A}`, [a, a, a]],
    ['CRLF', A.replaceAll('\n', '\r\n'), [a]],
    ['a mark at the start of each', `\uFEFF${A}---\n\uFEFF${A}`, [a, a]],
    ['JSON', JSON.stringify(a), [a]],
    ['JSON with tabs', JSON.stringify(a, null, '\t'), [a]],
    ['anchors', 'a: &x [1]\nb: *x\n', [{ a: [1], b: [1] }]],
    ['merge keys', 'a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n', [{ a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }]],
    [
      'a List',
      `kind: List\napiVersion: v1\nitems:\n- ${A.trimEnd().replaceAll('\n', '\n  ')}\n- kind: List\n  items: [${JSON.stringify(a)}]\n`,
      [a, a],
    ],
    ['an empty List', 'kind: List\napiVersion: v1\nitems: []\n', []],
    [
      'a typed list',
      'kind: AList\napiVersion: v1\nitems: [{metadata: {name: a}}, {kind: B, metadata: {name: b}}]\n',
      [a, { apiVersion: 'v1', kind: 'B', metadata: { name: 'b' } }],
    ],
    [
      'a kind that ends like a list',
      'kind: PlayList\napiVersion: v1\n',
      [{ apiVersion: 'v1', kind: 'PlayList' }],
    ],
    ['braces in a text', 'a: "{{ x }}"\nb: {c: {d: 1}}\n', [{ a: '{{ x }}', b: { c: { d: 1 } } }]],
    ['braces in a list', 'a: [{b: "{{ x }}"}]\n', [{ a: [{ b: '{{ x }}' }] }]],
  ])('%s', (_, content, expected) => {
    expect(manifests(content)).toEqual(expected);
  });

  test('reports documents that are not objects', () => {
    const content = 'NAME: chat\nSTATUS: deployed\n---\n- a\n---\n---\nhello\n---\nkind: List\nitems: [5]\n';
    expect(ids(content)).toEqual(['document 1', 'document 2', 'document 4', 'document 5']);
    expect(findingsIn(read(content).objects).map(({ code, line }) => `${code} ${String(line)}`)).toEqual([
      'TPU901 1',
      'TPU901 4',
      'TPU901 7',
      'TPU901 10',
    ]);
  });
});

describe('input that cannot be read', () => {
  test.each([
    ['a: 1\nb:\n  c: 1\n  c: 2\n', "4:3 the key 'c' is duplicated"],
    ['a:\n\tb: 1\n', '2:1 a tab indents this line; YAML allows only spaces'],
    ['a: b: c\n', '1:4 nested mappings are not allowed in compact mappings'],
    ['a: "b\n', '2:1 missing closing "quote'],
    [
      'a: *b\n',
      "1:4 no anchor '&b' is before this alias in the document; anchors of other documents do not count",
    ],
    [
      'x: {{ .Values.x }}\n',
      '1:5 a map is used as a key: this looks like a template; check its rendered output, for example helm template | … check -',
    ],
    [
      '{{- if .Values.x }}\na: 1\n{{- end }}\n',
      '1:3 block collections are not allowed within flow collections: this looks like a template; check its rendered output, for example helm template | … check -',
    ],
    ['a: &a\n  b: *a\n', '1:1 an anchor contains itself'],
    [
      'kind: A\n---\na: {x: 1}\nb:\n  <<: *a\n',
      "5:7 no anchor '&a' is before this alias in the document; anchors of other documents do not count",
    ],
    [
      'b: [1, *a]\na: &a 1\n',
      "1:8 no anchor '&a' is before this alias in the document; anchors of other documents do not count",
    ],
    [
      '{"kind": "A"}\n{"kind": "B"}\n',
      "2:1 another JSON object follows in the same document; put '---' between them, or use a List",
    ],
    ['apiVersion: v1\nkind: List\nitems: {a: 1}\n', '1:1 the items of the List are not a list'],
    ['{a: '.repeat(20000), '1:3197 it is nested too deeply'],
    [
      `a0: &a0 [x]\n${Array.from(
        { length: 9 },
        (_, i) =>
          `a${String(i + 1)}: &a${String(i + 1)} [${Array(9)
            .fill(`*a${String(i)}`)
            .join(', ')}]\n`,
      ).join('')}`,
      '1:1 it has more than 10000 aliases',
    ],
  ])('%#: %s', (content, problem) => {
    const [found = '', ...more] = problems(content);
    expect(more).toEqual([]);
    // the depth at which the stack ends does not matter
    expect(found.replace(/^1:\d{4}/, '1:3197')).toBe(problem);
  });

  const NOT_UTF8 = 'it is not UTF-8 text; if it is a manifest, save it as UTF-8';
  test.each([
    ['binary', Uint8Array.of(1, 0, 2), NOT_UTF8],
    ['Latin-1', Uint8Array.of(0x61, 0x3a, 0x20, 0xe4), NOT_UTF8],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x41, 0x00), 'it is UTF-16 text; save it as UTF-8'],
    ['UTF-16, big-endian', Uint8Array.of(0xfe, 0xff, 0x00, 0x41), 'it is UTF-16 text; save it as UTF-8'],
  ])('%s', (_, bytes, problem) => {
    expect(problems(bytes)).toEqual([`undefined:undefined ${problem}`]);
  });

  test('a placeholder in braces is a text', () => {
    const { objects } = readManifests('kind: Job\nspec:\n  a: {NAME}\n  b: 1\n', 'job.yaml');
    expect(objects.map(({ manifest }) => manifest)).toEqual([{ kind: 'Job', spec: { a: '{NAME}', b: 1 } }]);
    expect(['spec.a', 'spec.b'].map((path) => objects[0]?.lineOf?.(path))).toEqual([3, 4]);
  });

  test('an object with a duplicated key has its last value, as with kubectl', () => {
    const { objects, unreadable } = readManifests(
      'kind: Job\nspec:\n  a: { b: 1 }\n  c: 2\n  a:\n    d: 3\n',
      'job.yaml',
    );
    expect(unreadable).toEqual([
      { file: 'job.yaml', line: 5, column: 3, message: "the key 'a' is duplicated" },
    ]);
    expect(objects.map(({ manifest }) => manifest)).toEqual([{ kind: 'Job', spec: { a: { d: 3 }, c: 2 } }]);
    expect(objects[0]?.lineOf?.('spec.a.d')).toBe(6);
  });

  test('leaves the other documents readable', () => {
    const content = 'kind: A\n---\na: 1\na: 2\n---\nkind: B\n';
    expect(ids(content)).toEqual(['A/', 'B/']);
    expect(problems(content)).toEqual(["4:1 the key 'a' is duplicated"]);
  });

  test('includes a document that is too deep or too large after its aliases are expanded', () => {
    expect(problems(`${'{a: '.repeat(502)}1${'}'.repeat(502)}`)).toEqual(['1:1 it is nested too deeply']);
    const large = `a: &a [${Array(3000).fill('1').join(', ')}]\nb: [${Array(700).fill('*a').join(', ')}]\n`;
    expect(problems(large)).toEqual(['1:1 it has more than 2000000 values']);
  });

  test('includes a line that is too long, but not the documents around it', () => {
    const line = `x: "${'a'.repeat(2_000_000)}"`;
    expect(ids(`kind: A\n---\nkind: B\n${line}\n---\nkind: C\n`)).toEqual(['A/', 'C/']);
    expect(problems(`kind: A\n---\nkind: B\n${line}`)).toEqual([
      '4:undefined the line has 2000005 characters, but the limit is 2000000: break JSON into lines, for example with jq',
    ]);
    expect(problems(`# ${'a'.repeat(1_200_000)}\n`.repeat(2))).toEqual([]);
  });

  test('does not include many aliases of a plain anchor', () => {
    expect(manifests(`a: &a x\nb: [${Array(9000).fill('*a').join(', ')}]\n`)).toHaveLength(1);
  });
});

describe('lines', () => {
  const yaml = `kind: List
items:
- kind: Pod
  metadata:
    labels:
      app: a
      app.kubernetes.io/name: b
      app.kubernetes.io: {name: c}
  spec: &spec
    containers:
    - image: x
    - name: main
      ports:
      - containerPort: 80
    volumeMounts:
    - {mountPath: /a}
    - {mountPath: /b}
- kind: Pod
  spec: *spec
`;
  const [first, second] = read(yaml).objects;

  test.each([
    ['', 3],
    ['kind', 3],
    ['metadata.labels.app', 6],
    ['metadata.labels.app.kubernetes.io/name', 7],
    ['metadata.labels[app.kubernetes.io/name]', 7],
    ['metadata.labels[app.kubernetes.io].name', 8],
    ['metadata.labels.other', 5],
    ['spec.containers[0].image', 11],
    ['spec.containers[main]', 12],
    ['spec.containers[main].image', 12],
    ['spec.containers[main].ports[80].containerPort', 14],
    ['spec.containers[other]', 10],
    ['spec.volumeMounts[/b]', 17],
    ['spec.replicas', 9],
    ['nothing', 3],
    ['spec.containers.x', 10],
  ])('the line of %s is found', (place, line) => {
    expect(first?.lineOf?.(place)).toBe(line);
  });

  test('the line of a value is found through an alias', () => {
    expect(second?.lineOf?.('spec.containers[main]')).toBe(12);
    expect(second?.lineOf?.('metadata.name')).toBe(18);
  });
});

describe('a map of one text', () => {
  test.each<[string, unknown]>([
    ['spec: {replicas: 2}', { map: { spec: { replicas: 2 } } }],
    ['a: 0400', { map: { a: 256 } }],
    ['- a', { problem: 'is not a map' }],
    ['a: 1\n---\nb: 1', { problem: 'has 2 documents' }],
    ['a: 1\na: 2', { problem: "is not YAML: line 2, column 1: the key 'a' is duplicated" }],
    ['a: &a [*a]', { problem: 'is not YAML: line 1, column 1: an anchor contains itself' }],
    ['', { problem: 'is empty' }],
    [
      '{a: '.repeat(20000),
      {
        problem: expect.stringMatching(
          /^is not YAML: line 1, column \d+: it is nested too deeply$/,
        ) as unknown,
      },
    ],
  ])('%#: %s', (yaml, value) => {
    expect(readMap(yaml)).toEqual(value);
  });
});

describe('files and folders', () => {
  let folder: string;
  const write = (name: string, content = 'kind: A\n'): void => {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  };
  const files = (...paths: readonly string[]): readonly (string | undefined)[] =>
    readPaths(
      paths.map((one) => (one === '-' ? one : path.join(folder, one))),
      () => Buffer.from('kind: A\n'),
    ).objects.map(({ file }) => file?.replace(`${folder}${path.sep}`, ''));

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'read-')));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('a folder is read with all files below it, in a fixed order', () => {
    for (const name of [
      'b.yaml',
      'a/z.yml',
      'a/b/c.json',
      'B.yaml',
      'a.txt',
      'node_modules/x.yaml',
      '.git/x.yaml',
    ])
      write(name);
    expect(files('.')).toEqual(['B.yaml', 'a/b/c.json', 'a/z.yml', 'b.yaml']);
  });

  test('a file is read under any name, and once', () => {
    write('a.txt');
    write('b/c.yaml');
    symlinkSync(path.join(folder, 'a.txt'), path.join(folder, 'b/link.yaml'));
    expect(files('a.txt', 'b', 'b/c.yaml', './a.txt')).toEqual(['a.txt', 'b/c.yaml']);
  });

  test('a link to a parent folder does not cause a loop', () => {
    write('a/b.yaml');
    symlinkSync(folder, path.join(folder, 'a/up'));
    expect(files('.')).toEqual(['a/b.yaml']);
  });

  test('the standard input is read', () => {
    write('a.yaml');
    expect(files('-', 'a.yaml')).toEqual(['stdin', 'a.yaml']);
  });

  test.each([
    ['nowhere.yaml', 'nowhere.yaml', 'the file or folder does not exist'],
    ['empty', 'empty', 'the folder has no .yaml, .yml or .json file'],
    ['broken', 'broken/a.yaml', 'the file or folder does not exist'],
  ])('%s', (name, file, message) => {
    write('broken/b.yaml');
    mkdirSync(path.join(folder, 'empty'));
    symlinkSync('nowhere', path.join(folder, 'broken', 'a.yaml'));
    const { objects, unreadable } = readPaths([path.join(folder, name)], () => new Uint8Array());
    expect(objects).toHaveLength(name === 'broken' ? 1 : 0);
    expect(unreadable).toEqual([{ file: path.join(folder, file), message }]);
  });

  test('an input that cannot be read is reported', () => {
    const fail = (code: string) => (): Uint8Array => {
      throw Object.assign(new Error('no'), { code });
    };
    expect(readPaths(['-'], fail('EACCES')).unreadable).toEqual([
      { file: 'stdin', message: 'it cannot be read: permission denied' },
    ]);
    expect(readPaths(['-'], fail('EIO')).unreadable).toEqual([
      { file: 'stdin', message: 'it cannot be read (Error: no)' },
    ]);
  });
});

test('reads 5,000 objects of 10 MB', () => {
  const object = (index: number): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c-${String(index)}\ndata:\n${Array.from({ length: 20 }, (_, line) => `  key-${String(line)}: ${'x'.repeat(80)}\n`).join('')}`;
  const yaml = Array.from({ length: 5000 }, (_, index) => object(index)).join('---\n');
  expect(yaml.length).toBeGreaterThan(9e6);
  const { objects } = read(yaml);
  expect(objects).toHaveLength(5000);
  expect(objects[4999]?.lineOf?.('kind')).toBe(4999 * 26 + 2);
  expect(findingsIn(objects)).toEqual([]);
}, 60_000);

describe('folders', () => {
  let folder: string;
  const at = (name: string): string => path.join(folder, name);
  const object = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
  const ids = (): readonly string[] => readPaths([folder]).objects.map(({ id }) => id);
  const twice = (): readonly string[] =>
    findingsIn(readPaths([folder]).objects)
      .filter(({ code }) => code === 'TPU703')
      .map(({ object: id }) => id);

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'folders-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('contain alternatives, which are not duplicates', () => {
    writeFileSync(at('a.yaml'), object('x'));
    writeFileSync(at('b.yaml'), object('x'));
    expect(twice()).toEqual([]);
    writeFileSync(at('kustomization.yaml'), 'resources: [a.yaml, b.yaml]\n');
    expect(twice()).toEqual(['ConfigMap/x']);
  });

  test('are read without the patches of Kustomize', () => {
    writeFileSync(at('a.yaml'), object('x'));
    writeFileSync(at('patch.yaml'), object('x'));
    writeFileSync(at('kustomization.yaml'), 'resources: [a.yaml]\npatches:\n  - path: patch.yaml\n');
    expect(ids()).toEqual(['ConfigMap/x', 'document 1']);
    const notes = findingsIn(readPaths([folder]).objects).filter(({ code }) => code === 'TPU906');
    expect(notes.map(({ fix }) => fix)).toEqual([
      `run kubectl kustomize ${folder} | npx cdk8s-tpu-serving check -`,
    ]);
  });

  test('are read to the end, whatever their links and pipes are', () => {
    writeFileSync(at('z.yaml'), object('z'));
    symlinkSync(at('loop.yaml'), at('loop.yaml'));
    symlinkSync(folder, at('self'));
    execFileSync('mkfifo', [at('pipe.yaml')]);
    const { objects, unreadable } = readPaths([folder]);
    expect(objects.map(({ id }) => id)).toEqual(['ConfigMap/z']);
    expect(unreadable).toEqual([{ file: at('loop.yaml'), message: 'its symbolic links form a loop' }]);
  });
});
