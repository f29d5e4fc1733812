import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type App, Chart, Names, YamlOutputType } from 'cdk8s';
import { InvalidInputError } from '../problems/problems';
import { hasOperations } from '../operations/operations';
import { type RunbookOptions } from './options';
import { Runbook } from './runbook';

/**
 * Writes the runbook of each chart beside the chart's manifest, `NAME.md` beside `NAME.k8s.yaml`. Charts without anything to operate
 * get none. kubectl and Argo CD read only YAML and JSON of a folder.
 *
 * @param app - an app after its `synth()`
 * @param options - what is known of the project and the cluster, the same for all charts
 * @returns the files that were written
 * @throws InvalidInputError when the app was not synthesized before, or an option does not go with a chart
 */
export function writeRunbooks(app: App, options: Omit<RunbookOptions, 'manifest'> = {}): readonly string[] {
  const charts = app.node
    .findAll()
    .filter((one) => one instanceof Chart)
    .filter(hasOperations);
  // All of them, before the first is written: an option may not go with the last.
  const pages = charts.map((chart) => {
    const { file, manifest } = manifestOf(app, chart);
    return { file, text: new Runbook(chart, { ...options, manifest }).toString() };
  });
  for (const { file, text } of pages) writeFileSync(file, text);
  return pages.map(({ file }) => file);
}

/** A chart's manifest, by its path from the output folder, and the page beside it. */
function manifestOf(app: App, chart: Chart): { readonly file: string; readonly manifest: string } {
  const { outdir, outputFileExtension: extension, yamlOutputType: type } = app;
  const label = Names.toDnsLabel(chart);
  const folder = type === YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE;
  const perChart = folder || type === YamlOutputType.FILE_PER_CHART;
  const suffix = folder ? '' : extension;
  // Where charts depend on each other, names start with a number.
  const name = perChart
    ? (existsSync(outdir) ? readdirSync(outdir) : [])
        .filter((one) => one.endsWith(`${label}${suffix}`))
        .map((one) => one.slice(0, one.length - suffix.length))
        .find((one) => one === label || /^\d{4}-$/.test(one.slice(0, one.length - label.length)))
    : label;
  if (name === undefined)
    throw new InvalidInputError([
      `outdir '${outdir}' has no manifest of chart '${chart.node.path}', expected app.synth() before writeRunbooks(app)`,
    ]);
  const manifest =
    type === YamlOutputType.FILE_PER_APP
      ? `app${extension}`
      : type === YamlOutputType.FILE_PER_RESOURCE
        ? '.'
        : `${name}${suffix}`;
  return { file: path.join(outdir, `${name}.md`), manifest };
}
