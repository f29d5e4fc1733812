import { call, type Code, type CodeObject } from '../../lib/init/code';
import { nearestLabel, podLabel } from '../../lib/problems/grammar';
import { isInvalidInput, type Problem, problemOf } from '../../lib/problems/problems';
import {
  Capacity,
  type Finding,
  findings,
  GcsFuseVolume,
  HuggingFaceToken,
  Runbook,
  VllmMetric,
} from '../../lib/index';
import { type GcsFuseVolumeProps } from '../../lib/pod/gcs-fuse-volume';
import { modelNamed } from '../../lib/tpu/models';
import { TpuSlice } from '../../lib/tpu/slice';
import { BY_HAND, type Choice, numberIn } from './choice';
import {
  codeOfProgram,
  Known,
  KnownInstance,
  type Program,
  Reference,
  runProgram,
  type Statement,
} from './program';
import { numbersOf, sizeText, type Sizing, sizingOf } from './sizing';

/** What a choice renders to. */
export interface Rendered {
  readonly problems: readonly Problem[];
  /** TypeScript that renders the same manifests. */
  readonly typescript: string;
  readonly yaml: string;
  /** Shell commands up to the apply. */
  readonly commands: string;
  /** Name of the chart, for the names of files. */
  readonly name: string;
}

/** Image of a server that nobody publishes. */
const BUILT_IMAGE = 'us-docker.pkg.dev/my-project/serving/server:v1';
const RAY_IMAGE = 'us-docker.pkg.dev/my-project/serving/vllm-tpu-ray:v0.23.0';

/** Longest name that every construct accepts; LeaderWorkerSets and Ray objects have the shortest names. */
const LONGEST_NAME = 39;

/** What the parts of a program need. */
interface Context {
  readonly choice: Choice;
  readonly slice: TpuSlice;
  readonly weightsGB: number;
  readonly name: string;
}

const or = (text: string, other: string): string => (text.trim() === '' ? other : text.trim());
const unlessEmpty = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

/** The Hugging Face id of the model. */
const modelId = ({ model, modelId: id }: Choice): string => (model === BY_HAND ? id.trim() : model);

const nameOf = (choice: Choice): string =>
  or(choice.name, nearestLabel((modelId(choice).split('/').at(-1) ?? '').slice(0, LONGEST_NAME)));

function sliceCode({ machineType, topology }: TpuSlice): Known {
  const isDefault = TpuSlice.parse(machineType).topology === topology;
  const { code } = isDefault ? call('TpuSlice.of', machineType) : call('TpuSlice.of', machineType, topology);
  return new Known(code, () => TpuSlice.parse(`${machineType}/${topology}`));
}

function capacityCode({ capacity, capacityName }: Choice): Known | undefined {
  const name = capacityName.trim();
  switch (capacity) {
    case 'spot':
      return new Known('Capacity.spot()', () => Capacity.spot());
    case 'flex-start':
      return new Known('Capacity.flexStart()', () => Capacity.flexStart());
    case 'reservation':
      return new Known(call('Capacity.reservation', name).code, () => Capacity.reservation(name));
    case 'compute-class':
      return new Known(call('Capacity.computeClass', name).code, () => Capacity.computeClass(name));
    default:
      return undefined;
  }
}

/** The Secret with a token, if the server or the model needs one. */
function tokenCode(choice: Choice): Known | undefined {
  const isNeeded =
    choice.loading !== 'stream' &&
    (choice.server === 'jetstream' || modelNamed(modelId(choice))?.gated === true);
  const secret = unlessEmpty(choice.tokenSecret) ?? (isNeeded ? 'hf-secret' : undefined);
  return secret === undefined || choice.loading === 'stream'
    ? undefined
    : new Known(call('HuggingFaceToken.fromSecret', secret, 'hf_api_token').code, () =>
        HuggingFaceToken.fromSecret(secret, 'hf_api_token'),
      );
}

/** Share of a host's memory that a copy of the weights can have. */
const CACHE_SHARE = 0.4;
/** Room of the cache beside the weights. */
const CACHE_ROOM = 1.15;

/** The bucket as a volume, with the weights in the memory of the host if it is large enough. */
function volumeCode({ choice, slice, weightsGB }: Context): KnownInstance | undefined {
  if (choice.loading !== 'cache') return undefined;
  const size = Math.ceil(weightsGB * CACHE_ROOM);
  const isRoomy = !slice.multiHost && size < CACHE_SHARE * slice.memoryGBPerHost;
  return new KnownInstance(
    'GcsFuseVolume',
    {
      bucketName: choice.bucket.trim(),
      mountPath: '/data',
      ...(isRoomy && {
        cache: { medium: 'ram', sizeLimit: sizeText(size) },
        sidecar: new Known('GcsFuseVolume.UNLIMITED_SIDECAR', () => GcsFuseVolume.UNLIMITED_SIDECAR),
      }),
    },
    (props) => new GcsFuseVolume(props as GcsFuseVolumeProps),
  );
}

/** Slice and capacity. */
const placeOf = ({ choice, slice }: Context): CodeObject => ({
  slice: sliceCode(slice),
  capacity: capacityCode(choice),
});

/** The account of the pods, if they use a bucket. */
const accountOf = ({ choice, name }: Context): CodeObject =>
  choice.loading === 'hub' && choice.server !== 'saxml' ? {} : { serviceAccountName: name };

const typed = (text: string): Code | undefined => numberIn(text);

const replicasOf = ({ replicas }: Choice): CodeObject =>
  replicas.trim() === '1' ? {} : { replicas: typed(replicas) };

/** What scales a server: the scalers of the field `scaling` by their names in the library. */
function scalingOf(choice: Choice): CodeObject {
  const { scaling, maxReplicas, averageValue, projectId } = choice;
  if (scaling !== 'adapter' && scaling !== 'gke' && scaling !== 'keda') return replicasOf(choice);
  return {
    autoscaling: {
      maxReplicas: typed(maxReplicas),
      metric: new Known('VllmMetric.REQUESTS_WAITING', () => VllmMetric.REQUESTS_WAITING),
      averageValue: typed(averageValue),
      ...(scaling === 'gke' && { scaler: 'AutoscalingMetric' }),
      ...(scaling === 'keda' && {
        scaler: { keda: { projectId: projectId === 'PROJECT_ID' ? 'my-project' : projectId } },
      }),
    },
  };
}

/** Numbers of a model that the library does not know. */
const configurationOf = (choice: Choice): CodeObject =>
  choice.model === BY_HAND ? { modelConfiguration: numbersOf(choice) } : {};

function vllm(context: Context): Statement {
  const { choice, name } = context;
  const id = modelId(choice);
  const isStreamed = choice.loading === 'stream';
  return {
    construct: 'VllmServer',
    id: name,
    props: {
      model: isStreamed ? `gs://${choice.bucket.trim()}/${id.split('/').at(-1) ?? ''}` : id,
      ...(isStreamed && { servedModelName: id }),
      ...configurationOf(choice),
      ...(isStreamed && choice.model !== BY_HAND && { modelSize: sizeText(context.weightsGB) }),
      ...placeOf(context),
      maxModelLen: typed(choice.maxModelLen),
      quantization: unlessEmpty(choice.quantization),
      ...(choice.kvCacheDtype !== 'auto' && { kvCacheDtype: choice.kvCacheDtype }),
      image: unlessEmpty(choice.image),
      huggingFaceToken: tokenCode(choice),
      modelCache: volumeCode(context),
      ...accountOf(context),
      ...scalingOf(choice),
    },
  };
}

const sizeOf = ({ choice, weightsGB }: Context): CodeObject =>
  choice.model === BY_HAND ? { modelSize: sizeText(weightsGB) } : {};

const jetStream = (context: Context): Statement => ({
  construct: 'JetStreamServer',
  id: context.name,
  props: {
    model: modelId(context.choice),
    ...sizeOf(context),
    ...placeOf(context),
    huggingFaceToken: tokenCode(context.choice),
    ...replicasOf(context.choice),
  },
});

const saxml = (context: Context): Statement => ({
  construct: 'SaxCell',
  id: context.name,
  props: {
    ...placeOf(context),
    modelSize: sizeText(context.weightsGB),
    bucketName: context.choice.bucket.trim(),
    ...accountOf(context),
    ...replicasOf(context.choice),
  },
});

const any = (context: Context): Statement => ({
  construct: 'TpuServer',
  id: context.name,
  props: {
    image: or(context.choice.image, BUILT_IMAGE),
    model: modelId(context.choice),
    ...sizeOf(context),
    ...placeOf(context),
    huggingFaceToken: tokenCode(context.choice),
    modelCache: volumeCode(context),
    ...accountOf(context),
    ...replicasOf(context.choice),
  },
});

function ray(context: Context): Statement {
  const { choice, slice, name } = context;
  const scales = choice.scaling === 'ray';
  return {
    construct: 'TpuRayService',
    id: name,
    props: {
      image: or(choice.image, RAY_IMAGE),
      serveConfig: {
        applications: [
          {
            name: 'llm',
            importPath: 'serve:deployment',
            runtimeEnv: {
              envVars: { MODEL_ID: modelId(choice), TENSOR_PARALLEL_SIZE: String(slice.devices) },
            },
          },
        ],
      },
      workerGroups: [
        {
          groupName: 'tpu-group',
          ...placeOf(context),
          modelSize: sizeText(context.weightsGB),
          huggingFaceToken: tokenCode(choice),
          modelCache: volumeCode(context),
          env: { JAX_PLATFORMS: 'tpu,cpu' },
          ...(scales ? { maxReplicas: typed(choice.maxReplicas) } : replicasOf(choice)),
        },
      ],
      ...(scales && { enableInTreeAutoscaling: true }),
      ...accountOf(context),
    },
  };
}

const SERVERS: Readonly<Record<string, (context: Context) => Statement>> = {
  vllm,
  jetstream: jetStream,
  saxml,
  ray,
  any,
};

/** The gateway and the pool in front of a server. */
function gatewayOf({ choice, name }: Context): readonly Statement[] {
  if (choice.server !== 'vllm' || choice.gateway === '') return [];
  return [
    {
      construct: 'InferencePool',
      id: 'pool',
      variable: 'pool',
      props: { name: `${name}-pool`, servers: [new Reference('server')] },
    },
    {
      construct: 'InferenceGateway',
      id: 'gateway',
      props: {
        name: `${name}-gateway`,
        gatewayClassName: choice.gateway,
        routes: [{ pool: new Reference('pool') }],
      },
    },
  ];
}

/** The fields as the server of the choice can have them: what another server does not have is left out. */
export function forServer(choice: Choice): Choice {
  const { server, scaling, loading } = choice;
  const scalings = SCALINGS[server] ?? ['fixed'];
  const loadings = LOADINGS[server] ?? ['hub'];
  return {
    ...choice,
    scaling: scalings.includes(scaling) ? scaling : 'fixed',
    loading: loadings.includes(loading) ? loading : (loadings[0] ?? 'hub'),
    gateway: server === 'vllm' ? choice.gateway : '',
  };
}

/** How each server scales, as far as the page offers it. */
export const SCALINGS: Readonly<Record<string, readonly string[]>> = {
  vllm: ['fixed', 'adapter', 'gke', 'keda'],
  ray: ['fixed', 'ray'],
};

/** Where each server loads its weights from. */
export const LOADINGS: Readonly<Record<string, readonly string[]>> = {
  vllm: ['hub', 'stream', 'cache'],
  ray: ['hub', 'cache'],
  any: ['hub', 'cache'],
  saxml: ['cache'],
};

/** The program of a choice; undefined if no slice is chosen. */
function programOf(given: Choice, { chosen: slice, weightsGB }: Sizing): Program | undefined {
  const choice = forServer(given);
  const make = SERVERS[choice.server];
  if (slice === undefined || weightsGB === undefined || make === undefined) return undefined;
  const context: Context = { choice, slice, weightsGB, name: nameOf(choice) };
  const gateway = gatewayOf(context);
  const server = make(context);
  return {
    chart: context.name,
    namespace: unlessEmpty(choice.namespace),
    statements: [gateway.length > 0 ? { ...server, variable: 'server' } : server, ...gateway],
  };
}

/** The TypeScript of a choice; empty if no slice holds its model. */
export function typescriptOf(choice: Choice): string {
  const program = programOf(choice, sizingOf(forServer(choice)));
  return program === undefined ? '' : codeOfProgram(program);
}

/** What is wrong with the namespace, which no construct reads before its objects are checked. */
function namespaceProblem({ namespace }: Choice): Problem | undefined {
  const name = unlessEmpty(namespace);
  return name === undefined ? undefined : problemOf('namespace', name, podLabel(name));
}

/** The rule that a model is too large for its slice. */
const MODEL_FITS = 'TPU119';

/** An error that stops the rendering, like a problem of a field. */
const problemOfFinding = ({ code, object, message, fix }: Finding): Problem => ({
  path: code === MODEL_FITS ? 'slice' : '',
  problem: `${code} ${object}: ${message}`,
  use: `to ${fix}`,
});

/** Everything that a choice renders to, or what is wrong with it. */
export function render(choice: Choice): Rendered {
  const sizing = sizingOf(forServer(choice));
  const program = programOf(choice, sizing);
  const name = program?.chart ?? 'server';
  const refused = namespaceProblem(choice);
  const nothing = { typescript: '', yaml: '', commands: '', name };
  if (program === undefined) return { ...nothing, problems: sizing.problems };
  const typescript = codeOfProgram(program);
  if (refused !== undefined) return { ...nothing, typescript, problems: [refused] };
  try {
    const { app, chart } = runProgram(program);
    const errors = findings(chart, { severity: 'error' });
    if (errors.length > 0) return { ...nothing, typescript, problems: errors.map(problemOfFinding) };
    const yaml = app.synthYaml();
    const { projectId, cluster, location } = choice;
    const runbook = new Runbook(chart, {
      projectId: or(projectId, 'PROJECT_ID'),
      cluster: or(cluster, 'CLUSTER_NAME'),
      location: or(location, 'LOCATION'),
    });
    return { problems: [], typescript, yaml, commands: commandsOf(runbook), name };
  } catch (error) {
    const problems = isInvalidInput(error)
      ? error.problems
      : [{ path: '', problem: error instanceof Error ? error.message : String(error) }];
    return { ...nothing, typescript, problems };
  }
}

/** The commands of a runbook up to the apply, with their steps as comments. */
function commandsOf({ sections }: Runbook): string {
  const last = sections.findIndex(({ title }) => title === 'Apply');
  return sections
    .slice(0, last + 1)
    .flatMap(({ title, steps }) => [
      `# ---- ${title}`,
      ...steps.flatMap(({ text, commands }) => [
        `# ${text.replaceAll('\n', '\n# ')}`,
        ...commands.map(String),
        '',
      ]),
    ])
    .join('\n');
}
