import { type ApiObject, App, Chart, Lazy, Names, YamlOutputType } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import { Application } from '../../imports/argoproj.io';
import { dnsSubdomain, integer, podLabel, quoted } from '../problems/validators';
import { Problems } from '../problems/problems';
import { object } from '../workload/objects';
import { annotateForArgo, type ArgoIgnoredDifference, ignoredDifferences } from './sync';

/** What Argo CD does without being asked. */
export interface ArgoAutomatedSync {
  /** Whether objects are deleted that are no longer in the repository. @default true */
  readonly prune?: boolean;
  /** Whether what somebody changes in the cluster is changed back. @default true */
  readonly selfHeal?: boolean;
  /** Whether all objects may be deleted at once, where the repository has none left. @default false */
  readonly allowEmpty?: boolean;
}

/** How often and how soon a failed sync is tried again. */
export interface ArgoRetry {
  /** Further attempts; a negative number for no end. @default - Argo CD's: 5 */
  readonly limit?: number;
  /** Time before them: `duration` before the first, times `factor` before each later one, at most `maxDuration`. @default - Argo CD's: 5s, 2, 3m */
  readonly backoff?: { readonly duration?: string; readonly factor?: number; readonly maxDuration?: string };
}

/** Properties of an Application of Argo CD; they have the names of its fields. */
export interface ArgoApplicationProps {
  /** What it applies: its file of `path`. Its objects go to the namespace of the chart, or to `default`. */
  readonly chart: Chart;
  /** Name of the Application. @default - the construct's id */
  readonly name?: string;
  /** The AppProject. @default 'default' */
  readonly project?: string;
  /** The repository that the rendered files are committed to, without credentials. */
  readonly repoURL: string;
  /** Folder of the repository that the app renders into, like `dist`. */
  readonly path: string;
  /** Branch, tag or commit. @default 'HEAD' */
  readonly targetRevision?: string;
  /**
   * File of the folder, or a pattern for several: `directory.include`.
   *
   * @default - the chart's; required where the app does not write one file a chart, or numbers them since one depends on another
   */
  readonly include?: string;
  /** The cluster, by its address or by the name that Argo CD knows it by. @default - the one that Argo CD runs in */
  readonly destination?: { readonly server: string } | { readonly name: string };
  /** What happens without being asked; `false` for nothing: a person syncs. @default - prune and self-heal */
  readonly automated?: ArgoAutomatedSync | false;
  /** Further attempts after a failed one. @default - Argo CD's */
  readonly retry?: ArgoRetry;
  /** Further sync options, as `KEY=VALUE`; the same key replaces what the construct sets. @default - none */
  readonly syncOptions?: readonly string[];
  /** Further fields that somebody else than the repository decides on. @default - none */
  readonly ignoreDifferences?: readonly ArgoIgnoredDifference[];
}

/**
 * What each Application is synced with. Only what differs is applied: a Job that is replaced would begin again at every sync otherwise.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/
 */
const SYNC_OPTIONS = [
  'CreateNamespace=true',
  'ServerSideApply=true',
  'RespectIgnoreDifferences=true',
  'ApplyOutOfSyncOnly=true',
];

const IN_CLUSTER = 'https://kubernetes.default.svc';

/**
 * An Application of Argo CD for one chart, out of the folder that the app renders into; one for each chart, and one for the chart that
 * these are in, make an app of apps.
 *
 * What autoscalers and queues decide on follows from the chart's objects and is ignored. The chart's own objects are annotated when they
 * are rendered: what servers need comes in earlier sync waves, and Jobs, which cannot be changed, are replaced. So create the Application
 * before the chart is rendered. It was not tried on a live Argo CD.
 *
 * @throws InvalidInputError listing every prop that is malformed; synth refuses a Job that deletes itself, and a chart without a file of its own
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/
 */
export class ArgoApplication extends Construct {
  /** The Application. */
  readonly application: ApiObject;

  constructor(scope: Construct, id: string, props: ArgoApplicationProps) {
    super(scope, id);
    checkAtSynth(this);
    const { chart, name = id, project = 'default', repoURL, path, targetRevision = 'HEAD' } = props;
    const { destination = { server: IN_CLUSTER }, automated = {}, retry } = props;
    const problems = new Problems();
    checkProps({ ...props, name, project }, problems);
    problems.throwIfAny(this.node.path);

    const { spec, ...manifest } = Application.manifest({
      metadata: { name, namespace: Chart.of(this).namespace ?? 'argocd' },
      spec: {
        project,
        source: {
          repoUrl: repoURL,
          path,
          targetRevision,
          directory: { include: props.include ?? fileOf(chart) },
        },
        destination: { ...destination, namespace: chart.namespace ?? 'default' },
        syncPolicy: {
          automated:
            automated === false
              ? undefined
              : {
                  prune: automated.prune ?? true,
                  selfHeal: automated.selfHeal ?? true,
                  allowEmpty: automated.allowEmpty,
                },
          retry,
          syncOptions: syncOptions(props.syncOptions),
        },
      },
    }) as { readonly spec: Record<string, unknown> };
    annotateForArgo(chart);
    this.application = object(this, 'Resource', {
      ...manifest,
      spec: {
        ...spec,
        // the chart may not be complete yet
        ignoreDifferences: Lazy.any({
          produce: () => {
            const ignored = [...ignoredDifferences(chart), ...(props.ignoreDifferences ?? [])];
            return ignored.length > 0 ? ignored : undefined;
          },
        }) as unknown,
      },
    });
    this.node.addValidation({ validate: () => (props.include === undefined ? fileProblems(chart) : []) });
  }
}

/** The file that an app writes a chart to, as cdk8s names it. */
const fileOf = (chart: Chart): string => Names.toDnsLabel(chart) + App.of(chart).outputFileExtension;

function fileProblems(chart: Chart): string[] {
  const app = App.of(chart);
  const missing = `include is missing for chart '${chart.node.path}'`;
  const [extension, file] = [app.outputFileExtension, fileOf(chart)];
  if (app.yamlOutputType !== YamlOutputType.FILE_PER_CHART)
    return [`${missing}, whose app does not write one file a chart, expected a pattern like '*${extension}'`];
  return numbersFiles(app)
    ? [
        `${missing}, whose app numbers its files, since one chart depends on another, expected '*-${file}', or its number in place of '*'`,
      ]
    : [];
}

/** Whether cdk8s puts numbers before the names of files: where a chart must be applied after another. */
const numbersFiles = (app: App): boolean =>
  app.node
    .findAll()
    .some(
      (one) =>
        (Chart.isChart(one) && one.node.scope !== undefined && Chart.isChart(one.node.scope)) ||
        one.node.dependencies.some((other) => Chart.of(other) !== Chart.of(one)),
    );

function syncOptions(further: readonly string[] = []): string[] {
  const keys = further.map(keyOf);
  return [...SYNC_OPTIONS.filter((option) => !keys.includes(keyOf(option))), ...further];
}

const keyOf = (option: string): string => option.replace(/=.*$/, '');

function checkProps(
  props: ArgoApplicationProps & { readonly name: string; readonly project: string },
  problems: Problems,
): void {
  const { repoURL, path, targetRevision, include, destination, retry } = props;
  problems.add(dnsSubdomain('name', props.name), dnsSubdomain('project', props.project));
  problems.check(
    /^((https?|ssh|git|file):\/\/[^\s/]+\/\S+|[\w.-]+@[\w.-]+:\S+)$/.test(repoURL),
    `repoURL ${withoutPassword(repoURL)} is not the address of a repository, expected one like 'https://github.com/my-org/my-repo.git'`,
  );
  problems.check(
    !PASSWORD.test(repoURL),
    `repoURL ${withoutPassword(repoURL)} holds a password, expected none: Argo CD reads those from Secrets`,
  );
  const near = path
    .split('/')
    .filter((part) => !['', '.', '..'].includes(part))
    .join('/');
  problems.check(
    path === '.' || (path !== '' && path === near && !/\s/.test(path)),
    `path ${quoted(path)} is not a folder of the repository, expected names with '/' between them alone; nearest: '${near.replace(/\s+/g, '-') || 'dist'}'`,
  );
  problems.check(
    targetRevision === undefined || /^[^\s~^:?*[\\]+$/.test(targetRevision),
    `targetRevision ${quoted(targetRevision)} is not a branch, tag or commit, expected one like 'main'; nearest: 'HEAD'`,
  );
  problems.check(
    include === undefined || /^[^\s/][^\s]*$/.test(include),
    `include ${quoted(include)} is not a file of the folder, expected one like '${fileOf(props.chart)}'`,
  );
  if (destination && 'server' in destination)
    problems.check(
      /^https?:\/\/[^\s/]+\S*$/.test(destination.server),
      `destination server ${quoted(destination.server)} is not the address of a cluster, expected one like '${IN_CLUSTER}'`,
    );
  else if (destination)
    problems.check(
      destination.name.trim() !== '',
      `destination name ${quoted(destination.name)} is empty, expected what Argo CD calls the cluster; nearest: 'in-cluster'`,
    );
  if (retry) checkRetry(retry, problems);
  checkSyncOptions(props.syncOptions ?? [], problems);
  for (const [index, ignored] of (props.ignoreDifferences ?? []).entries())
    checkIgnored(`ignoreDifferences[${String(index)}]`, ignored, problems);
}

const PASSWORD = /(?<=\/\/[^/@\s]*:)[^/@\s]+(?=@)/;
const withoutPassword = (url: string): string => quoted(url.replace(PASSWORD, '***'));

function checkRetry({ limit, backoff = {} }: ArgoRetry, problems: Problems): void {
  if (limit !== undefined) problems.add(integer('retry limit', limit, -1));
  if (backoff.factor !== undefined) problems.add(integer('retry backoff factor', backoff.factor, 1));
  for (const key of ['duration', 'maxDuration'] as const) {
    const value = backoff[key];
    problems.check(
      value === undefined || /^\d+(ms|s|m|h)$/.test(value),
      `retry backoff ${key} ${quoted(value)} is not a time, expected a number with its unit; nearest: '${/^\d+/.exec(value ?? '')?.[0] ?? '5'}s'`,
    );
  }
}

function checkSyncOptions(options: readonly string[], problems: Problems): void {
  for (const option of options)
    problems.check(
      /^[A-Za-z]+=[A-Za-z]+$/.test(option),
      `syncOptions ${quoted(option)} is not an option, expected KEY=VALUE like 'PruneLast=true'`,
    );
  const keys = options.map(keyOf);
  for (const twice of new Set(keys.filter((key, index) => keys.indexOf(key) !== index)))
    problems.add(`syncOptions ${quoted(twice)} is set twice, expected once`);
}

function checkIgnored(at: string, ignored: ArgoIgnoredDifference, problems: Problems): void {
  const { kind, namespace, jsonPointers = [], jqPathExpressions = [], managedFieldsManagers = [] } = ignored;
  problems.check(
    /^([A-Z][A-Za-z0-9]*|\*)$/.test(kind),
    `${at} kind ${quoted(kind)} is not a kind, expected one like 'Deployment'`,
  );
  if (namespace !== undefined) problems.add(podLabel(`${at} namespace`, namespace));
  problems.check(
    [...jsonPointers, ...jqPathExpressions, ...managedFieldsManagers].length > 0,
    `${at} names no field, expected jsonPointers, jqPathExpressions or managedFieldsManagers`,
  );
  for (const pointer of jsonPointers)
    problems.check(
      /^(\/[^/\s]+)+$/.test(pointer),
      `${at} jsonPointers ${quoted(pointer)} is not a JSON pointer, expected '/' before each key; nearest: '${nearestPointer(pointer)}'`,
    );
}

const nearestPointer = (pointer: string): string =>
  `/${pointer
    .split(/[./\s]+/)
    .filter(Boolean)
    .join('/')}`;
