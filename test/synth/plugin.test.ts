import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ValidationContext } from 'cdk8s-cli/plugins';
import { TpuServingValidation } from '../../lib/synth/plugin';

const PRIVILEGED = (name: string, more = ''): string => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}${more}
  labels: {tpu: v6e}
spec:
  containers:
    - name: server
      image: example/server:v1
      securityContext:
        privileged: true
`;
const ACCEPT = '\n  annotations: {cdk8s-tpu-serving/accept-TPU704: it locks memory}';
const ACCOUNT = (name: string): string =>
  `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n`;

describe('the plugin', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'plugin-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** What cdk8s-cli makes of the plugin's report. */
  const report = async (...manifests: readonly string[]): Promise<ValidationContext['report']> => {
    const files = manifests.map((manifest, index) => {
      const file = path.join(folder, `${String(index)}.k8s.yaml`);
      writeFileSync(file, manifest);
      return file;
    });
    const paths = { one: { path: 'chart/one' }, two: { path: 'chart/two' }, S: { path: 'chart/s' } };
    const context = new ValidationContext(files, 'checks', '0.1.0', paths);
    await new TpuServingValidation().validate(context);
    return context.report;
  };

  test('reports findings by rule, errors first, with the construct if the name of the object is unique', async () => {
    const { success, violations } = (await report(
      `${PRIVILEGED('one')}---\n${PRIVILEGED('two')}---\n${ACCOUNT('two')}`,
      ACCOUNT('S'),
    )) as unknown as { readonly success: boolean; readonly violations: unknown };
    expect(success).toBe(false);
    const place = (name: string): string =>
      `Pod/${name} spec.containers[server].securityContext.privileged: container 'server' is privileged, so it can access all devices of its node, and Autopilot refuses it`;
    expect(violations).toEqual([
      expect.objectContaining({ ruleName: 'TPU713 (error)', fix: "use 's'" }),
      {
        ruleName: 'TPU704 (warning)',
        recommendation: 'a container is not privileged',
        fix: 'remove securityContext.privileged',
        violatingConstructs: [
          {
            resourceName: 'one',
            constructPath: 'chart/one',
            locations: [place('one')],
            manifestPath: path.join(folder, '0.k8s.yaml'),
          },
          {
            resourceName: 'Pod/two',
            constructPath: undefined,
            locations: [place('two')],
            manifestPath: path.join(folder, '0.k8s.yaml'),
          },
        ],
      },
    ]);
  });

  test('succeeds with warnings, and counts accepted findings', async () => {
    const text = (await report(PRIVILEGED('one'), PRIVILEGED('two', ACCEPT))).toString();
    expect(text).toMatch(/Status +│ success/);
    expect(text).toMatch(/Objects +│ 2 /);
    expect(text).toMatch(/Accepted │ 1 /);
    expect(text).toContain('TPU704 (warning) (1 occurrences)');
  });

  test('reports files that it cannot read', async () => {
    const text = (await report('a: 1\na: 2\n', '\0')).toString();
    expect(text).toMatch(/Status +│ failure/);
    expect(text).toContain("line 2: the key 'a' is duplicated");
    expect(text).toContain('line 1: it is not UTF-8 text; if it is a manifest, save it as UTF-8');
  });

  test('is found by cdk8s synth, in a checkout without build/', () => {
    const root = path.join(__dirname, '..', '..');
    for (const name of ['lib', 'imports', 'package.json', 'tsconfig.json', 'scripts/validation.js'])
      cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    writeFileSync(
      path.join(folder, 'main.js'),
      `const { ApiObject, App, Chart } = require('cdk8s');
const app = new App();
new ApiObject(new Chart(app, 'chart'), 'S', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'S' } });
app.synth();
`,
    );
    writeFileSync(
      path.join(folder, 'cdk8s.yaml'),
      `language: typescript
app: node main.js
validations:
  - package: ./scripts/validation.js
    version: 0.1.0
    class: TpuServingValidation
`,
    );
    const cli = path.join(path.dirname(require.resolve('cdk8s-cli/package.json')), 'bin', 'cdk8s');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [cli, 'synth', '--no-check-upgrade', '--validate'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    // stderr has the reason if a plugin is not loaded
    expect(stdout + stderr).toContain('TPU713 (error)');
    expect(stdout).toContain('Construct Path: chart/S');
    expect(status).toBe(2);
    expect(readFileSync(path.join(folder, 'dist', 'chart.k8s.yaml'), 'utf8')).toContain('name: S');
  }, 60_000);
});
