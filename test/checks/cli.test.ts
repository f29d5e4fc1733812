import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RULES, SYNTH_RULES } from '../../lib/checks/rules';
import { run, usesColor } from '../../lib/cli';

const { version } = JSON.parse(readFileSync(path.join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
  readonly version: string;
};
const RIGHT = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: right\n';
const WARNING = `apiVersion: v1
kind: Pod
metadata:
  name: server
  namespace: serving
  annotations: {tpu: v6e}
spec:
  containers:
    - name: server
      image: example/server
      securityContext:
        privileged: true
`;
const ACCEPTED = WARNING.replace(
  'annotations: {tpu: v6e}',
  'annotations: {tpu: v6e, cdk8s-tpu-serving/accept-TPU704: it locks memory, cdk8s-tpu-serving/accept-TPU701: a test}',
);
const ERROR = 'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: S\n';

let folder: string;
const at = (name: string): string => path.join(folder, name);

/** The output of a call of the program, without the folder. */
function call(argv: readonly string[], stdin = ''): { code: number; stdout: string; stderr: string } {
  const written = { stdout: '', stderr: '' };
  const code = run(argv, {
    stdin: () => Buffer.from(stdin),
    stdout: (text) => (written.stdout += text),
    stderr: (text) => (written.stderr += text),
  });
  const short = (text: string): string => text.replaceAll(`${folder}${path.sep}`, '');
  return { code, stdout: short(written.stdout), stderr: short(written.stderr) };
}
const check = (stdin: string, ...options: readonly string[]): ReturnType<typeof call> =>
  call(['check', '-', ...options], stdin);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cli-'));
  mkdirSync(at('sub dir'));
  writeFileSync(at('a.yaml'), RIGHT);
  writeFileSync(at('b.yaml'), `${WARNING}---\n${ERROR}`);
  writeFileSync(at('sub dir/c.yml'), ERROR.replace('name: S', 'name: T'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('exit codes', () => {
  test.each<[string, number]>([
    [RIGHT, 0],
    ['', 2],
    ['# nothing\n---\n', 2],
    [WARNING, 0],
    [ACCEPTED, 0],
    [ERROR, 1],
    ['a: 1\na: 2\n', 2],
    [`${ERROR}---\na: 1\na: 2\n`, 2],
    ['\0', 2],
  ])('%j', (stdin, code) => {
    expect(check(stdin).code).toBe(code);
  });

  test('an accepted error does not fail the check', () => {
    const accepted = `${ERROR}  annotations: {cdk8s-tpu-serving/accept-TPU713: it is never applied}\n`;
    expect(check(accepted)).toEqual({
      code: 0,
      stdout: '0 errors, 0 warnings, 0 notes in 1 object; 1 accepted\n',
      stderr: '',
    });
  });
});

describe('the text report', () => {
  test('groups findings by file and object', () => {
    expect(call(['check', folder])).toEqual({
      code: 1,
      stdout: `b.yaml
  Pod/server in namespace serving
    warning TPU701 spec.containers[server].image (line 10)
      image 'example/server' of container 'server' has no tag, which means latest, so pods may run different releases
      fix: use the tag of a release, or a digest like @sha256:…
    warning TPU704 spec.containers[server].securityContext.privileged (line 12)
      container 'server' is privileged, so it can access all devices of its node, and Autopilot refuses it
      fix: remove securityContext.privileged
  ServiceAccount/S
    error TPU713 metadata.name (line 17)
      the name 'S' of a ServiceAccount is not valid: names have lowercase letters, digits, '-' and '.', with a letter or digit at both ends
      fix: use 's'

sub dir/c.yml
  ServiceAccount/T
    error TPU713 metadata.name (line 4)
      the name 'T' of a ServiceAccount is not valid: names have lowercase letters, digits, '-' and '.', with a letter or digit at both ends
      fix: use 't'

2 errors, 2 warnings, 0 notes in 4 objects
`,
      stderr: '',
    });
  });

  test('lists accepted findings with --verbose', () => {
    expect(check(ACCEPTED).stdout).toBe('0 errors, 0 warnings, 0 notes in 1 object; 2 accepted\n');
    expect(check(ACCEPTED, '--verbose').stdout).toContain(
      "    warning TPU704 spec.containers[server].securityContext.privileged (line 12)\n      container 'server' is privileged, so it can access all devices of its node, and Autopilot refuses it\n      accepted: it locks memory\n",
    );
  });

  test('lists files that cannot be read with the findings', () => {
    writeFileSync(at('broken.yaml'), 'a:\n\tb: 1\n');
    writeFileSync(at('binary.yaml'), '\0');
    const { code, stdout, stderr } = call(['check', folder, at('nowhere')]);
    expect(code).toBe(2);
    expect(stdout).toContain('2 errors, 2 warnings, 0 notes in 4 objects\n');
    expect(stderr).toBe(
      `binary.yaml: it is not UTF-8 text; if it is a manifest, save it as UTF-8
broken.yaml:2:1: a tab indents this line; YAML allows only spaces
nowhere: the file or folder does not exist
`,
    );
  });

  test('does not count documents that are not objects', () => {
    expect(check('hello\n').stdout).toMatch(
      /^stdin\n {2}document 1\n {4}note TPU901 apiVersion \(line 1\)\n[^]*in 0 objects\n$/,
    );
  });

  test('checks all arguments together', () => {
    expect(call(['check', at('b.yaml'), '-'], WARNING).stdout).toContain(
      'object Pod/server exists twice, in',
    );
    expect(call(['check', at('b.yaml'), at('b.yaml')]).stdout).not.toContain('two objects');
  });
});

test('the JSON report has every field of every finding', () => {
  const { code, stdout } = check(`${ACCEPTED}---\n${ERROR}---\na: 1\na: 2\n`, '--format', 'json');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    findings: [
      expect.objectContaining({ code: 'TPU701', accepted: 'a test' }),
      expect.objectContaining({
        code: 'TPU704',
        severity: 'warning',
        object: 'Pod/server',
        namespace: 'serving',
        path: 'spec.containers[server].securityContext.privileged',
        file: 'stdin',
        line: 12,
        accepted: 'it locks memory',
      }),
      expect.objectContaining({ code: 'TPU713', severity: 'error', object: 'ServiceAccount/S', line: 17 }),
    ],
    unreadable: [{ file: 'stdin', line: 20, column: 1, message: "the key 'a' is duplicated" }],
    summary: { errors: 1, warnings: 0, notes: 0, accepted: 2, objects: 2 },
  });
});

describe('the SARIF report', () => {
  const sarif = (argv: readonly string[], stdin = ''): unknown =>
    JSON.parse(call(['check', ...argv, '--format', 'sarif'], stdin).stdout);

  test('has every rule, and a result for every finding', () => {
    const ruleIndex = RULES.findIndex(({ code }) => code === 'TPU704');
    expect(sarif(['-'], `${ACCEPTED}---\na: 1\na: 2\n`)).toEqual({
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'cdk8s-tpu-serving',
              semanticVersion: version,
              rules: [...RULES, ...SYNTH_RULES].map(({ code, title, severities: [severity] }) => ({
                id: code,
                shortDescription: { text: title },
                help: {
                  text: `Run npx cdk8s-tpu-serving explain ${code}: why the rule exists, and examples.`,
                },
                defaultConfiguration: { level: severity },
              })),
            },
          },
          columnKind: 'utf16CodeUnits',
          invocations: [
            {
              executionSuccessful: false,
              toolExecutionNotifications: [
                {
                  level: 'error',
                  message: { text: "the key 'a' is duplicated" },
                  locations: [
                    {
                      physicalLocation: {
                        artifactLocation: { uri: 'stdin' },
                        region: { startLine: 15, startColumn: 1 },
                      },
                    },
                  ],
                },
              ],
            },
          ],
          results: [
            expect.objectContaining({ ruleId: 'TPU701' }),
            {
              ruleId: 'TPU704',
              ruleIndex,
              level: 'warning',
              message: {
                text: "container 'server' is privileged, so it can access all devices of its node, and Autopilot refuses it; remove securityContext.privileged",
              },
              locations: [
                {
                  physicalLocation: { artifactLocation: { uri: 'stdin' }, region: { startLine: 12 } },
                  logicalLocations: [
                    {
                      name: 'Pod/server',
                      fullyQualifiedName:
                        'serving/Pod/server/spec.containers[server].securityContext.privileged',
                      kind: 'resource',
                    },
                  ],
                },
              ],
              suppressions: [{ kind: 'inSource', justification: 'it locks memory' }],
            },
          ],
        },
      ],
    });
  });

  test('names files as URIs', () => {
    const uris = (...argv: readonly string[]): readonly string[] =>
      [...JSON.stringify(sarif(argv)).matchAll(/"uri":"([^"]*)"/g)].map(([, uri = '']) => uri);
    const there = process.cwd();
    process.chdir(folder);
    // the folder is left out of what the call answers
    expect(uris('sub dir', at('nowhere'))).toEqual(['file://nowhere', 'sub%20dir/c.yml']);
    process.chdir(there);
  });
});

test('without a path it reads dist', () => {
  const there = process.cwd();
  process.chdir(folder);
  const without = call(['check']);
  mkdirSync(at('dist'));
  writeFileSync(at('dist/d.yaml'), ERROR);
  const found = call(['check']);
  process.chdir(there);
  expect(without).toMatchObject({ code: 2, stderr: 'dist: the file or folder does not exist\n' });
  expect(found).toMatchObject({ code: 1, stderr: '' });
});

describe('usage', () => {
  test.each<[readonly string[], number, RegExp]>([
    [['--version'], 0, new RegExp(`^${version}\\n$`)],
    [['--help'], 0, /Usage: cdk8s-tpu-serving/],
    [['check', '--help'], 0, /-f, --format[^]*Exits with 1/],
    [[], 2, /Usage/],
    [['chekc', 'x'], 2, /unknown command 'chekc'/],
    [['check', 'x', '--format', 'xml'], 2, /Allowed choices are text, json, sarif/],
    [['check', 'x', '--nothing'], 2, /unknown option '--nothing'/],
  ])('%j', (argv, code, words) => {
    const { stdout, stderr, ...result } = call(argv);
    expect(result.code).toBe(code);
    expect(code === 0 ? stdout : stderr).toMatch(words);
    expect(code === 0 ? stderr : stdout).toBe('');
  });
});

describe('the process', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('is the default of its streams', () => {
    const stdout = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(run(['check', at('nowhere')])).toBe(2);
    expect(stdout).toHaveBeenCalledWith('0 errors, 0 warnings, 0 notes in 0 objects\n');
    expect(stderr).toHaveBeenCalledWith(`${at('nowhere')}: the file or folder does not exist\n`);
  });

  test('gets the message of an error', () => {
    const stdout = (): never => {
      throw new Error('the disk is full');
    };
    expect(() => run(['check', at('a.yaml')], { stdin: () => Buffer.of(), stdout, stderr: stdout })).toThrow(
      'full',
    );
  });

  test('ends quietly if its reader closes the pipe', () => {
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    process.stdout.removeAllListeners('error');
    const fail = (code: string) => () =>
      process.stdout.emit('error', Object.assign(new Error(code), { code }));
    run(['--version']);
    run(['check', at('a.yaml')]);
    expect(fail('EPIPE')).not.toThrow();
    run(['check', at('a.yaml')]);
    expect(fail('EIO')).toThrow('EIO');
  });
});

test('check runs as a program without loading cdk8s', () => {
  const start = (...more: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, ['--import', 'tsx', ...more], {
      cwd: path.join(__dirname, '..', '..'),
      input: ERROR,
      encoding: 'utf8',
    });
  const { status, stdout } = start('lib/cli.ts', 'check', '-');
  expect(stdout).toContain('1 error, 0 warnings, 0 notes in 1 object\n');
  expect(status).toBe(1);
  const loaded = start(
    '-e',
    "require('./lib/cli.ts').run(['check', '-']); console.log(Object.keys(require.cache).filter((file) => /node_modules.(cdk8s|constructs)/.test(file)))",
  );
  expect(loaded.stdout).toMatch(/1 error[^\n]*\n\[\]\n$/);
}, 30_000);

describe('options of check', () => {
  const text = (stdin: string, ...options: readonly string[]): string => check(stdin, ...options).stdout;

  test('--strict fails on warnings', () => {
    expect(check(WARNING).code).toBe(0);
    expect(check(WARNING, '--strict').code).toBe(1);
    expect(check(ACCEPTED, '--strict').code).toBe(0);
  });

  test('--min-severity hides lower severities', () => {
    expect(text(WARNING, '--min-severity', 'error')).toBe('0 errors, 0 warnings, 0 notes in 1 object\n');
    expect(check(WARNING, '--strict', '--min-severity', 'error').code).toBe(0);
    expect(check(WARNING, '--min-severity', 'mild').code).toBe(2);
  });

  test('--baseline hides as many findings as it lists', () => {
    writeFileSync(at('known.json'), check(ERROR, '--format', 'json').stdout);
    expect(check(ERROR, '--baseline', at('known.json')).code).toBe(0);
    expect(check(`${ERROR}---\n${ERROR}`, '--baseline', at('known.json')).code).toBe(1);
    expect(check(ERROR.replace('name: S', 'name: T'), '--baseline', at('known.json')).code).toBe(1);
    writeFileSync(at('broken.json'), '{}');
    expect(check(ERROR, '--baseline', at('broken.json')).code).toBe(2);
    expect(check(ERROR, '--baseline', at('nowhere.json')).code).toBe(2);
  });

  test('--update-baseline writes all findings, and later only new ones fail', () => {
    const known = at('known.json');
    const baseline = (stdin: string, ...more: readonly string[]): number =>
      check(stdin, '--strict', '--baseline', known, ...more).code;
    expect(check(ERROR, '--baseline', known)).toMatchObject({
      code: 2,
      stderr: 'known.json: does not exist; create it with --update-baseline\n',
    });
    expect(baseline(`${ERROR}---\n${WARNING}`, '--update-baseline')).toBe(0);
    const written = readFileSync(known, 'utf8');
    // neither lines nor the order of documents change a baseline
    const moved = `# a comment\n\n${WARNING}---\n# another\n${ERROR}`;
    expect(baseline(moved)).toBe(0);
    expect(baseline(moved, '--update-baseline')).toBe(0);
    expect(readFileSync(known, 'utf8')).toBe(written);
    expect(baseline(`${moved}---\n${ERROR.replace('name: S', 'name: T')}`)).toBe(1);
    expect(baseline(ERROR, '--update-baseline')).toBe(0);
    expect(baseline(WARNING)).toBe(1);
  });

  test('--update-baseline keeps the file if something cannot be read, and needs a file', () => {
    const known = at('known.json');
    check(ERROR, '--baseline', known, '--update-baseline');
    const written = readFileSync(known, 'utf8');
    expect(check(`${ERROR}---\na: 1\na: 2\n`, '--baseline', known, '--update-baseline').code).toBe(2);
    expect(check('', '--baseline', known, '--update-baseline').code).toBe(2);
    expect(readFileSync(known, 'utf8')).toBe(written);
    expect(check(ERROR, '--update-baseline')).toMatchObject({
      code: 2,
      stderr: '--update-baseline: needs --baseline FILE\n',
    });
    expect(check(ERROR, '--baseline', at('nowhere/known.json'), '--update-baseline')).toMatchObject({
      code: 2,
      stderr: 'nowhere/known.json: cannot be written (ENOENT)\n',
    });
  });

  test.each([[[]], [['--update-baseline']]])('--baseline with a folder is refused (%j)', (more) => {
    expect(check(ERROR, '--baseline', at('sub dir'), ...more)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'sub dir: is a folder; use the path of a file\n',
    });
  });

  test('--baseline prints how many findings it left out, and --update-baseline how many it wrote', () => {
    const baseline = (stdin: string, ...more: readonly string[]): string =>
      check(stdin, '--baseline', at('known.json'), ...more).stderr;
    expect(baseline(ERROR, '--update-baseline')).toBe('known.json: wrote 1 finding\n');
    expect(baseline(`${ERROR}---\n${ERROR.replace('name: S', 'name: T')}`)).toBe(
      'known.json: left out 1 finding\n',
    );
    expect(baseline(RIGHT)).toBe('known.json: left out 0 findings\n');
    expect(baseline(RIGHT, '--update-baseline')).toBe('known.json: wrote 0 findings\n');
  });

  test.each(['text', 'github'])(
    'with a baseline, the summary of %s counts new and known findings',
    (format) => {
      const summary = (stdin: string, ...more: readonly string[]): string | undefined =>
        check(stdin, '--format', format, '--baseline', at('known.json'), ...more)
          .stdout.trimEnd()
          .split('\n')
          .at(-1);
      expect(summary(ERROR, '--update-baseline')).toBe(
        '0 new errors, 0 new warnings, 0 new notes in 1 object; 1 finding in the baseline',
      );
      expect(summary(`${ERROR}---\n${ERROR.replace('name: S', 'name: T')}`)).toBe(
        '1 new error, 0 new warnings, 0 new notes in 2 objects; 1 finding in the baseline',
      );
      expect(summary(RIGHT)).toBe(
        '0 new errors, 0 new warnings, 0 new notes in 1 object; 0 findings in the baseline',
      );
    },
  );

  test('--baseline refuses entries of the wrong type', () => {
    const right = { code: 'TPU713', namespace: '', object: 'ServiceAccount/S', path: 'metadata.name' };
    writeFileSync(
      at('known.json'),
      JSON.stringify({
        findings: [right, 'TPU713', { ...right, code: 713, namespace: null }, { ...right, path: undefined }],
      }),
    );
    for (const more of [[], ['--update-baseline']])
      expect(check(ERROR, '--baseline', at('known.json'), ...more)).toEqual({
        code: 2,
        stdout: '',
        stderr: `known.json: findings[1]: 'TPU713' is a string; use an object
known.json: findings[2].code: '713' is a number; use a string
known.json: findings[2].namespace: is null; use a string
known.json: findings[3].path: required; use a string
`,
      });
  });

  test('--update-baseline does not write over a manifest', () => {
    writeFileSync(at('server.yaml'), ERROR);
    expect(check(ERROR, '--baseline', at('server.yaml'), '--update-baseline')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a baseline; use a file that check --update-baseline wrote'),
    });
    expect(readFileSync(at('server.yaml'), 'utf8')).toBe(ERROR);
  });

  test('--format github writes one command per finding, whatever a name contains', () => {
    const [line = '', ...others] = text(
      ERROR.replace('name: S', String.raw`name: "a,b:c\n::error::d%\e[31m"`),
      '--format',
      'github',
      '--min-severity',
      'error',
    ).split('\n');
    expect(line).toMatch(
      /^::error file=stdin,line=4,title=TPU713 ServiceAccount\/a%2Cb%3Ac\\n%3A%3Aerror%3A%3Ad%25/,
    );
    expect(others.filter((one) => one.startsWith('::'))).toEqual([]);
    expect(line).not.toContain('\u{1b}');
  });

  test('--format github writes commands', () => {
    const lines = text(ERROR, '--format', 'github').split('\n');
    expect(lines[0]).toMatch(/^::error file=stdin,line=4,title=TPU713 ServiceAccount\/S::the name 'S'/);
    expect(text('a: 1\na: 2\n', '--format', 'github')).toContain(
      "::error file=stdin,line=2,col=1::the key 'a'",
    );
  });

  test('only terminals get colors', () => {
    const written: string[] = [];
    run(['check', '-'], {
      stdin: () => Buffer.from(ERROR),
      stdout: (one) => written.push(one),
      stderr: () => undefined,
      color: true,
    });
    expect(written.join('')).toContain('    \u{1b}[31merror\u{1b}[0m TPU713');
    expect(text(ERROR)).not.toContain('\u{1b}');
  });

  test.each<[NodeJS.ProcessEnv, boolean, boolean]>([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '' }, false, false],
  ])('%j on a terminal: %p, colored: %p', (env, isTerminal, colored) => {
    expect(usesColor(env, isTerminal)).toBe(colored);
  });

  test('the report counts frequent findings', () => {
    const many = ['A', 'B', 'C'].map((name) => ERROR.replace('name: S', `name: ${name}`)).join('---\n');
    expect(text(many)).toContain('\nerror TPU713 3 times in 3 objects\n\n3 errors');
  });

  test('the report escapes characters that change the direction of text', () => {
    expect(text(ERROR.replace('name: S', 'name: "a\u{202e}b"'))).not.toContain('\u{202e}');
  });
});

describe('explain', () => {
  test('prints the page of a rule', () => {
    expect(call(['explain', 'tpu301']).stdout).toMatch(/^# TPU301: /);
    expect(call(['explain', 'TPU911']).stdout).toMatch(/^# TPU911: /);
  });

  test('names the nearest rule', () => {
    expect(call(['explain', 'TPU30l'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "unknown rule 'TPU30l'; did you mean 'TPU301'?\n",
    });
  });
});

describe('input of any kind', () => {
  const utf16 = (text: string): Uint8Array => Buffer.from(`\u{feff}${text}`, 'utf16le');
  const bomb = Array.from(
    { length: 9 },
    (_, level) =>
      `a${String(level)}: &a${String(level)} [${Array(10)
        .fill(level === 0 ? 'x' : `*a${String(level - 1)}`)
        .join()}]`,
  ).join('\n');
  test.each<[string, Uint8Array | string, number, RegExp]>([
    ['UTF-16', utf16(RIGHT), 2, /stdin: it is UTF-16 text; save it as UTF-8/],
    ['random bytes', Buffer.from([0xff, 0xf0, 0x41, 0xc3]), 2, /stdin: it is not UTF-8 text/],
    ['a byte order mark', `\u{feff}${RIGHT}`, 0, /^$/],
    ['lines that end as on Windows', RIGHT.replaceAll('\n', '\r\n'), 0, /^$/],
    ['aliases that multiply', bomb, 2, /stdin:1:1: it has more than 10000 aliases/],
    ['a line of a megabyte', `${RIGHT}data: {a: ${'x'.repeat(2 ** 20)}}\n`, 0, /^$/],
    ['a number that JSON does not have', `${RIGHT}data: {a: "1"}\nx: 1e999\n`, 0, /^$/],
  ])('check handles %s', (_, stdin, code, stderr) => {
    const said: string[] = [];
    const io = {
      stdin: () => Buffer.from(stdin),
      stdout: () => undefined,
      stderr: (one: string) => said.push(one),
    };
    expect(run(['check', '-'], io)).toBe(code);
    expect(said.join('')).toMatch(stderr);
  });

  test('the standard input is read once', () => {
    let reads = 0;
    const stdin = (): Uint8Array => {
      reads++;
      return Buffer.from(ERROR);
    };
    const io = { stdin, stdout: () => undefined, stderr: () => undefined };
    expect(run(['check', '-', '-'], io)).toBe(1);
    expect(reads).toBe(1);
  });

  test('an option that is misspelled names the nearest', () => {
    expect(call(['check', '-', '--strit']).stderr).toContain('Did you mean --strict?');
  });
});

test.each([60, 80, 200, undefined])('plan fits a terminal of %p columns', (columns) => {
  const name = 'a-name-that-is-longer-than-most-tables-have-room-for';
  const pod = `${WARNING.replace('name: server', `name: ${name}`)}      resources: {limits: {google.com/tpu: '4'}}\n  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}\n`;
  let table = '';
  run(['plan', '-'], {
    stdin: () => Buffer.from(pod),
    stdout: (one) => (table += one),
    stderr: () => undefined,
    columns,
  });
  const widest = Math.max(...table.split('\n').map((line) => line.length));
  const wanted = columns ?? Infinity;
  expect(widest).toBeLessThanOrEqual(wanted);
  // numbers stay whole, and only a column that has too little room is cut
  expect(table).toMatch(/^.* 128Gi +\? +on demand$|^.* 1 +1 +4 +4 .*$/m);
  expect(table.includes(name)).toBe(wanted > 120);
});

test('plan fits the terminal', () => {
  const pod = `${WARNING}      resources: {limits: {google.com/tpu: '4'}}\n  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}\n`;
  const lines: string[] = [];
  run(['plan', '-'], {
    stdin: () => Buffer.from(pod),
    stdout: (one) => lines.push(...one.split('\n')),
    stderr: () => undefined,
    columns: 40,
  });
  expect(lines.length).toBeGreaterThan(3);
  expect(Math.max(...lines.map((line) => line.length))).toBe(40);
});
