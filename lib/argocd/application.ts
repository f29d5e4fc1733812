import { type ApiObject, App, Chart, Lazy, Names, YamlOutputType } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import { type ApplicationProps } from '../../imports/argoproj.io';
import { dnsSubdomain, type Grammar, podLabel } from '../problems/grammar';
import { type Problem, textOf } from '../problems/problems';
import {
  boolean,
  either,
  essential,
  falseOr,
  integer,
  list,
  misfit,
  nonEmpty,
  object as objectOf,
  optional,
  readNamed,
  required,
  type Schema,
  string,
  type Type,
} from '../problems/schema';
import { object } from '../workload/objects';
import { annotateForArgo, type ArgoIgnoredDifference, ignoredDifferences } from './sync';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** What Argo CD does in each automatic sync. */
export interface ArgoAutomatedSync {
  /** Whether Argo CD deletes objects that were removed from the repository. @default true */
  readonly prune?: boolean;
  /** Whether Argo CD reverts changes that others make in the cluster. @default true */
  readonly selfHeal?: boolean;
  /** Whether Argo CD can delete all objects if the repository contains none. @default false */
  readonly allowEmpty?: boolean;
}

/** How often and how soon Argo CD retries a failed sync. */
export interface ArgoRetry {
  /** Number of retries; -1 for no limit. @default - Argo CD's default, 5 */
  readonly limit?: number;
  /**
   * Wait before each retry: `duration` before the first one, multiplied by `factor` for each later one, at most `maxDuration`.
   *
   * @default - Argo CD's defaults, 5s, 2 and 3m
   */
  readonly backoff?: { readonly duration?: string; readonly factor?: number; readonly maxDuration?: string };
}

/** Properties of an Argo CD Application, named like its fields. */
export interface ArgoApplicationProps {
  /** The chart to apply, to its own namespace or to `default`. */
  readonly chart: Chart;
  /** Name of the Application. @default - the construct's id */
  readonly name?: string;
  /** Name of the AppProject. @default 'default' */
  readonly project?: string;
  /** URL of the repository with the rendered files, without credentials. */
  readonly repoURL: string;
  /** Folder of the repository that contains the rendered files, like `dist`. */
  readonly path: string;
  /** Branch, tag or commit. @default 'HEAD' */
  readonly targetRevision?: string;
  /**
   * File in the folder, or a pattern for several files: `directory.include`.
   *
   * @default - the chart's file; required if the app does not write one file per chart, or if it numbers the files because charts depend on
   * each other
   */
  readonly include?: string;
  /** The target cluster: its address, or its name in Argo CD. @default - the cluster in which Argo CD runs */
  readonly destination?: { readonly server: string } | { readonly name: string };
  /** Options of automatic syncs; `false` for manual syncs. @default - prune and self-heal */
  readonly automated?: ArgoAutomatedSync | false;
  /** Retries after a failed sync. @default - Argo CD's default */
  readonly retry?: ArgoRetry;
  /** Further sync options, as `KEY=VALUE`; they override the construct's options with the same key. @default - none */
  readonly syncOptions?: readonly string[];
  /** Further fields that controllers or users set, and that Argo CD must not revert. @default - none */
  readonly ignoreDifferences?: readonly ArgoIgnoredDifference[];
}

/**
 * Sync options of each Application. Argo CD applies only objects that differ, because otherwise every sync would run replaced Jobs again.
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
 * An Argo CD Application that applies the rendered files of one chart. For an app of apps, create an Application for each chart, and one
 * for the chart that contains them.
 *
 * Argo CD ignores the fields that autoscalers and queues set in the chart's objects. The chart's objects get annotations when they are
 * rendered: earlier sync waves apply the objects that servers need, and Argo CD replaces Jobs, which cannot be changed. Create the
 * Application before the chart is rendered. It has not been tested on a live Argo CD.
 *
 * @throws InvalidInputError listing every invalid prop; synth rejects Jobs that delete themselves, and charts without their own file
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/
 */
export class ArgoApplication extends Construct {
  /** The Application. */
  readonly application: ApiObject;

  constructor(scope: Construct, id: string, props: ArgoApplicationProps) {
    super(scope, id);
    checkAtSynth(this);
    const read = readNamed(PROPS, props, this.node);
    const { chart, name, project = 'default', repoURL, path, targetRevision = 'HEAD', include, retry } = read;
    const { destination = { server: IN_CLUSTER }, automated = {} } = read;
    const { spec, ...rest } = manifest<ApplicationProps>(KINDS.Application, {
      metadata: { name, namespace: Chart.of(this).namespace ?? 'argocd' },
      spec: {
        project,
        source: {
          repoURL,
          path,
          targetRevision,
          directory: { include: include ?? fileOf(chart) },
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
          syncOptions: syncOptions(read.syncOptions),
        },
      },
    });
    annotateForArgo(chart);
    this.application = object(this, 'Resource', {
      ...rest,
      spec: {
        ...spec,
        // lazy, because the chart may still be incomplete
        ignoreDifferences: Lazy.any({
          produce: () => {
            const ignored = [...ignoredDifferences(chart), ...(read.ignoreDifferences ?? [])];
            return ignored.length > 0 ? ignored : undefined;
          },
        }) as unknown,
      },
    });
    this.node.addValidation({
      validate: () => (include === undefined ? fileProblems(chart).map(textOf) : []),
    });
  }
}

/** Returns the name of the file into which cdk8s writes a chart. */
const fileOf = (chart: Chart): string => Names.toDnsLabel(chart) + App.of(chart).outputFileExtension;

function fileProblems(chart: Chart): readonly Problem[] {
  const app = App.of(chart);
  const [extension, file] = [app.outputFileExtension, fileOf(chart)];
  const missing = (because: string, use: string): Problem => ({
    path: 'include',
    problem: `required for chart '${chart.node.path}', because ${because}`,
    use,
  });
  if (app.yamlOutputType !== YamlOutputType.FILE_PER_CHART)
    return [missing('its app does not write one file per chart', `a pattern like '*${extension}'`)];
  return numbersFiles(app)
    ? [missing('its app numbers the files', `'*-${file}', or its number in place of '*'`)]
    : [];
}

/** Returns whether cdk8s numbers the files because charts contain or depend on each other. */
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

// ---- what the props can be --------------------------------------------------------------------------------------

/** Returns a type for strings that match `form`. */
const like =
  (form: RegExp, problem: string, use: string, nearest?: string): Grammar =>
  (value) =>
    form.test(value) ? undefined : { problem, use, ...(nearest !== undefined && { nearest }) };

const PASSWORD = /(?<=\/\/[^/@\s]*:)[^/@\s]+(?=@)/;
const REPOSITORY = /^((https?|ssh|git|file):\/\/[^\s/]+\/\S+|[\w.-]+@[\w.-]+:\S+)$/;

/** Addresses of repositories. Problems do not contain passwords. */
const repository: Type<string> = {
  what: 'the address of a repository',
  read: (value, path, problems) => {
    if (typeof value !== 'string') {
      problems.add(misfit(path, value, repository.what));
      return undefined;
    }
    const shown = value.replace(PASSWORD, '***');
    const found: readonly (Problem | undefined)[] = [
      REPOSITORY.test(value)
        ? undefined
        : {
            path,
            value: shown,
            problem: 'is not the address of a repository',
            use: 'an address',
            nearest: 'https://github.com/my-org/my-repo.git',
          },
      shown === value
        ? undefined
        : {
            path,
            value: shown,
            problem: 'contains a password',
            use: 'the address without the password; Argo CD reads credentials from Secrets',
          },
    ];
    problems.add(...found);
    return found.some((one) => one) ? undefined : value;
  },
};

const folder: Grammar = (value) => {
  const near = value
    .split('/')
    .filter((part) => !['', '.', '..'].includes(part))
    .join('/');
  return value === '.' || (value !== '' && value === near && !/\s/.test(value))
    ? undefined
    : {
        problem: 'is not a folder of the repository',
        use: "names separated by single '/'",
        nearest: near.replace(/\s+/g, '-') || 'dist',
      };
};

const duration: Grammar = (value) =>
  /^\d+(ms|s|m|h)$/.test(value)
    ? undefined
    : {
        problem: 'is not a duration',
        use: 'a number with a unit',
        nearest: `${/^\d+/.exec(value)?.[0] ?? '5'}s`,
      };

const jsonPointer: Grammar = (value) =>
  /^(\/[^/\s]+)+$/.test(value)
    ? undefined
    : {
        problem: 'is not a JSON pointer',
        use: "'/' before each key",
        nearest: `/${value
          .split(/[./\s]+/)
          .filter(Boolean)
          .join('/')}`,
      };

const chartType: Type<Chart> = {
  what: 'a Chart',
  read: (value, path, problems) => {
    if (Chart.isChart(value)) return value;
    problems.add(misfit(path, value, 'a Chart'));
    return undefined;
  },
};

const AUTOMATED: Schema<ArgoAutomatedSync> = {
  properties: { prune: optional(boolean()), selfHeal: optional(boolean()), allowEmpty: optional(boolean()) },
};

const BACKOFF: Schema<NonNullable<ArgoRetry['backoff']>> = {
  properties: {
    duration: optional(string(duration)),
    factor: optional(integer(1)),
    maxDuration: optional(string(duration)),
  },
};

const RETRY: Schema<ArgoRetry> = {
  properties: { limit: optional(integer(-1)), backoff: optional(objectOf(BACKOFF)) },
};

const SERVER: Schema<{ readonly server: string }> = {
  properties: {
    server: required(
      string(like(/^https?:\/\/[^\s/]+\S*$/, 'is not the address of a cluster', 'an address', IN_CLUSTER)),
      IN_CLUSTER,
    ),
  },
};

const CLUSTER: Schema<{ readonly name: string }> = {
  properties: {
    name: required(nonEmpty("the name of a cluster in Argo CD, like 'in-cluster'"), 'in-cluster'),
  },
};

const IGNORED: Schema<ArgoIgnoredDifference> = {
  properties: {
    group: optional(string()),
    kind: required(
      string(like(/^([A-Z][A-Za-z0-9]*|\*)$/, 'is not a kind', 'a kind', 'Deployment')),
      'Deployment',
    ),
    name: optional(string()),
    namespace: optional(string(podLabel)),
    jsonPointers: optional(list(string(jsonPointer))),
    jqPathExpressions: optional(list(nonEmpty('a jq path'))),
    managedFieldsManagers: optional(list(nonEmpty('the name of a field manager'))),
  },
  rules: [
    function* (_, given): Iterable<Problem> {
      const named = [given.jsonPointers, given.jqPathExpressions, given.managedFieldsManagers];
      if (named.every((one) => one === undefined || (Array.isArray(one) && one.length === 0)))
        yield {
          path: '',
          problem: 'names no field',
          use: 'jsonPointers, jqPathExpressions or managedFieldsManagers',
        };
    },
  ],
};

const PROPS: Schema<ArgoApplicationProps> = {
  properties: {
    chart: essential(chartType, 'a Chart'),
    name: optional(string(dnsSubdomain)),
    project: optional(string(dnsSubdomain)),
    repoURL: required(repository, 'https://github.com/my-org/my-repo.git'),
    path: required(string(folder), 'dist'),
    targetRevision: optional(
      string(like(/^[^\s~^:?*[\\]+$/, 'is not a branch, tag or commit', 'one of them', 'main')),
    ),
    include: optional(
      string(like(/^[^\s/]\S*$/, 'is not a file of the folder', 'a file or a pattern', '*.k8s.yaml')),
    ),
    destination: optional(
      either(
        (value) => typeof value === 'object' && value !== null && 'name' in value,
        objectOf(CLUSTER, '{ name: … }'),
        objectOf(SERVER, '{ server: … }'),
      ),
    ),
    automated: optional(falseOr(objectOf(AUTOMATED))),
    retry: optional(objectOf(RETRY)),
    syncOptions: optional(
      list(string(like(/^[A-Za-z]+=[A-Za-z]+$/, 'is not a sync option', 'KEY=VALUE', 'PruneLast=true'))),
    ),
    ignoreDifferences: optional(list(objectOf(IGNORED))),
  },
  rules: [
    function* ({ syncOptions: options = [] }): Iterable<Problem> {
      const keys = options.map(keyOf);
      for (const [index, value] of options.entries())
        if (keys.indexOf(keys[index] ?? '') < index)
          yield {
            path: `syncOptions[${String(index)}]`,
            value,
            problem: `sets ${keys[index] ?? ''} again`,
            use: 'to keep one of them',
          };
    },
  ],
};
