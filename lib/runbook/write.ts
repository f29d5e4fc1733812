import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type App, Chart, Names, YamlOutputType } from 'cdk8s';
import { InvalidInputError, Problems } from '../problems/problems';
import { Construct } from 'constructs';
import { hasOperations } from '../operations/operations';
import { type RunbookOptions } from './options';
import { Runbook } from './runbook';

/**
 * Writes the runbook of each chart next to its manifest: `NAME.md` next to `NAME.k8s.yaml`. Skips charts without constructs of this
 * package. kubectl and Argo CD ignore Markdown files.
 *
 * @param app - an app after its `synth()`
 * @param options - the project and the cluster of all charts, if they are known
 * @returns the paths of the written files
 * @throws InvalidInputError if `app` is not an app or has not been synthesized, or if an option contradicts a chart
 */
export function writeRunbooks(app: App, options: Omit<RunbookOptions, 'manifest'> = {}): readonly string[] {
  const problems = new Problems();
  problems.check(Construct.isConstruct(app), {
    path: 'app',
    problem: 'is not an app',
    use: 'an app after its synth()',
  });
  problems.throwIfAny();
  const charts = app.node
    .findAll()
    .filter((one) => Chart.isChart(one))
    .filter(hasOperations);
  // Create all runbooks before writing the first, because an option can contradict the last chart.
  const pages = charts.map((chart) => {
    const { file, manifest } = manifestOf(app, chart);
    return { file, text: new Runbook(chart, { ...options, manifest }).toString() };
  });
  for (const { file, text } of pages) writeFileSync(file, text);
  return pages.map(({ file }) => file);
}

/** Returns the path of a chart's manifest in the output folder, and the path of its runbook. */
function manifestOf(app: App, chart: Chart): { readonly file: string; readonly manifest: string } {
  const { outdir, outputFileExtension: extension, yamlOutputType: type } = app;
  const label = Names.toDnsLabel(chart);
  const folder = type === YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE;
  const perChart = folder || type === YamlOutputType.FILE_PER_CHART;
  const suffix = folder ? '' : extension;
  // Names start with a number if charts depend on each other.
  const name = perChart
    ? (existsSync(outdir) ? readdirSync(outdir) : [])
        .filter((one) => one.endsWith(`${label}${suffix}`))
        .map((one) => one.slice(0, one.length - suffix.length))
        .find((one) => one === label || /^\d{4}-$/.test(one.slice(0, one.length - label.length)))
    : label;
  if (name === undefined)
    throw new InvalidInputError([
      {
        path: 'outdir',
        value: outdir,
        problem: `has no manifest of chart '${chart.node.path}'`,
        use: 'to call app.synth() before writeRunbooks(app)',
      },
    ]);
  const manifest =
    type === YamlOutputType.FILE_PER_APP
      ? `app${extension}`
      : type === YamlOutputType.FILE_PER_RESOURCE
        ? '.'
        : `${name}${suffix}`;
  return { file: path.join(outdir, `${name}.md`), manifest };
}
