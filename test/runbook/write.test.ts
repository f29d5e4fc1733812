import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ApiObject, App, type AppProps, Chart, Testing, YamlOutputType } from 'cdk8s';
import { TpuSlice, VllmServer, writeRunbooks } from '../../lib';

/** An app of two servers and of a chart that has nothing to operate. */
function app(props: AppProps = {}): { readonly app: App; readonly first: Chart; readonly second: Chart } {
  const made = new App({ outdir: Testing.app().outdir, ...props });
  const [first, second] = ['first', 'second'].map((name) => {
    const chart = new Chart(made, name);
    new VllmServer(chart, name, {
      model: 'google/gemma-3-27b-it',
      slice: TpuSlice.of('ct6e-standard-8t'),
      monitoring: false,
    });
    return chart;
  });
  new ApiObject(new Chart(made, 'plain'), 'plain', { apiVersion: 'v1', kind: 'ConfigMap' });
  if (first === undefined || second === undefined) throw new Error('no charts');
  return { app: made, first, second };
}

/** What is written, by its path from the output folder, and the command that each page applies with. */
function written(made: App): Record<string, string> {
  const pages = writeRunbooks(made).map((file) => {
    const text = readFileSync(file, 'utf8');
    return [path.relative(made.outdir, file), /^kubectl apply -f (?!https)(\S+)$/m.exec(text)?.[1] ?? ''];
  });
  return Object.fromEntries(pages) as Record<string, string>;
}

describe('writeRunbooks', () => {
  test('writes a page next to each manifest, except for charts without anything to operate', () => {
    const { app: made } = app();
    made.synth();
    expect(written(made)).toEqual({ 'first.md': 'first.k8s.yaml', 'second.md': 'second.k8s.yaml' });
    expect(readdirSync(made.outdir).sort()).toEqual([
      ...['first.k8s.yaml', 'first.md', 'plain.k8s.yaml', 'second.k8s.yaml', 'second.md'],
    ]);
  });

  test('uses the same name if charts depend on each other and files are numbered', () => {
    const { app: made, first, second } = app();
    first.addDependency(second);
    made.synth();
    const pages = written(made);
    expect(Object.keys(pages)).toHaveLength(2);
    for (const [page, manifest] of Object.entries(pages)) {
      expect(page).toMatch(/^\d{4}-(first|second)\.md$/);
      expect(manifest).toBe(page.replace(/md$/, 'k8s.yaml'));
      expect(existsSync(path.join(made.outdir, manifest))).toBe(true);
    }
  });

  test.each([
    [YamlOutputType.FILE_PER_APP, 'app.yaml'],
    [YamlOutputType.FILE_PER_RESOURCE, '.'],
    [YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE, 'first'],
    [YamlOutputType.FILE_PER_CHART, 'first.yaml'],
  ])('applies the existing files with output type %s', (yamlOutputType, manifest) => {
    const { app: made } = app({ yamlOutputType, outputFileExtension: '.yaml' });
    made.synth();
    expect(written(made)['first.md']).toBe(manifest);
    expect(existsSync(path.join(made.outdir, manifest))).toBe(true);
  });

  test('refuses an app that was not synthesized', () => {
    const { app: made } = app();
    rmSync(made.outdir, { recursive: true });
    expect(() => writeRunbooks(made)).toThrow(
      `outdir: '${made.outdir}' has no manifest of chart 'first'; call app.synth() before writeRunbooks(app)`,
    );
  });

  test('writes nothing if an option contradicts a chart', () => {
    const { app: made, second } = app();
    new VllmServer(second, 'v5e', {
      model: 'google/gemma-3-1b-it',
      slice: TpuSlice.of('tpu7x-standard-1t'),
    });
    made.synth();
    expect(() => writeRunbooks(made, { clusterVersion: '1.32.1' })).toThrow(
      "second clusterVersion: '1.32.1' is older than the version that TPU tpu7x needs; use '1.34.0-gke.2201000' or later",
    );
    expect(readdirSync(made.outdir).filter((name) => name.endsWith('.md'))).toEqual([]);
  });

  test('passes its options to each runbook', () => {
    const { app: made } = app();
    made.synth();
    const [page = ''] = writeRunbooks(made, { mode: 'autopilot', cluster: 'serving' });
    expect(readFileSync(page, 'utf8')).toContain('export CLUSTER_NAME=serving');
  });
});
