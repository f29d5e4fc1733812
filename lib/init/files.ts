import { quoted } from './code';
import { type ServerCode } from './servers';

/** The facts about a project that its files contain. */
export interface Project {
  /** Name of the npm package. */
  readonly name: string;
  readonly code: ServerCode;
  /** Chips of one host. */
  readonly chipsPerHost: number;
  /** The version of this package in `dependencies`: a range, or the path of a tarball. */
  readonly source: string;
  /** Version of this package. */
  readonly version: string;
  /** The peer dependencies of this package, with their ranges. */
  readonly peers: Readonly<Record<string, string>>;
}

const lines = (...text: readonly string[]): string => `${text.join('\n')}\n`;
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const packageJson = ({ name, source, peers }: Project): string =>
  json({
    name,
    private: true,
    type: 'commonjs',
    engines: { node: '>=20' },
    scripts: {
      synth: 'tsx main.ts && cdk8s-tpu-serving plan dist',
      check: 'cdk8s-tpu-serving check dist',
      typecheck: 'tsc',
      test: 'node --import tsx --test main.test.ts',
    },
    dependencies: { ...peers, 'cdk8s-tpu-serving': source },
    devDependencies: {
      '@types/node': '^20.19.0',
      'cdk8s-cli': '^2.207.0',
      tsx: '^4.20.0',
      typescript: '^7.0.2',
    },
  });

const tsconfigJson = (): string =>
  json({
    compilerOptions: {
      module: 'node16',
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      strict: true,
      noUnusedLocals: true,
      noEmit: true,
      skipLibCheck: true,
    },
    include: ['*.ts'],
  });

const cdk8sYaml = ({ version }: Project): string =>
  lines(
    '# For `npx cdk8s synth`, which prints warnings and notes of the checks too.',
    'language: typescript',
    'app: npx tsx main.ts',
    'validations:',
    '  - package: ./node_modules/cdk8s-tpu-serving/plugin',
    `    version: ${version}`,
    '    class: TpuServingValidation',
  );

const mainTs = ({ code }: Project): string =>
  lines(
    "import { App, Chart } from 'cdk8s';",
    `import { ${[...code.imports, 'writeRunbooks'].join(', ')} } from 'cdk8s-tpu-serving';`,
    '',
    'export function addCharts(app: App): void {',
    ...code.statements.map((one) => `  ${one}`),
    '}',
    '',
    'if (require.main === module) {',
    '  // Without construct metadata, `cdk8s synth` leaves only manifests and runbooks in dist/.',
    '  const app = new App({ recordConstructMetadata: false });',
    '  addCharts(app);',
    '  app.synth();',
    '  writeRunbooks(app);',
    '}',
  );

const testTs = ({ chipsPerHost }: Project): string =>
  lines(
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { Testing } from 'cdk8s';",
    "import { findings } from 'cdk8s-tpu-serving';",
    "import { addCharts } from './main';",
    '',
    'const app = Testing.app();',
    'addCharts(app);',
    '',
    "test('the checks find no errors', () => {",
    "  assert.deepEqual(findings(app, { severity: 'error' }), []);",
    '});',
    '',
    "test('every TPU pod requests all chips of its host', () => {",
    '  const chips = [...app.synthYaml().matchAll(/google\\.com\\/tpu: "(\\d+)"/g)].map(([, count]) => count);',
    `  assert.deepEqual(new Set(chips), new Set([${quoted(String(chipsPerHost))}]));`,
    '});',
  );

const gitignore = (): string => lines('node_modules/');

const workflow = (): string =>
  lines(
    '# Compiles, tests, renders and checks every change. Commit dist/, so that a review shows what a change renders.',
    'name: Manifests',
    'on:',
    '  pull_request:',
    '  push:',
    '    branches: [main]',
    'permissions:',
    '  contents: read',
    'jobs:',
    '  manifests:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    '      - uses: actions/checkout@v6',
    '      - uses: actions/setup-node@v6',
    '        with:',
    '          node-version: 24',
    '      - run: npm ci',
    '      - run: npm run typecheck',
    '      - run: npm test',
    '      - run: rm -rf dist && npm run synth',
    '      - name: dist/ is what the app renders',
    '        run: test -z "$(git status --porcelain -- dist)" || { git diff -- dist; exit 1; }',
    '      - run: npm run check -- --format github',
  );

/** Writes the contents of each file of a project, by path. */
const TEMPLATES: Readonly<Record<string, (project: Project) => string>> = {
  'package.json': packageJson,
  'tsconfig.json': tsconfigJson,
  'cdk8s.yaml': cdk8sYaml,
  'main.ts': mainTs,
  'main.test.ts': testTs,
  '.gitignore': gitignore,
  '.github/workflows/manifests.yml': workflow,
};

/** Paths of the files of a project. */
export const FILE_NAMES = Object.keys(TEMPLATES);

/** Returns the path and the text of each file of a project. */
export const filesOf = (project: Project): readonly (readonly [name: string, text: string])[] =>
  Object.entries(TEMPLATES).map(([name, template]) => [name, template(project)]);
