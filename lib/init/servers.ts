import { imageName, IMAGES } from '../facts/images';
import { platformProblems } from '../facts/vllm-platform';
import { releaseOf } from '../facts/vllm-releases';
import { nearestLabel } from '../problems/grammar';
import { type Problem, type Problems } from '../problems/problems';
import { TpuSlice } from '../tpu/slice';
import { type InitAnswers, type InitServer, LONGEST_NAME } from './answers';
import { block, call, type Code, type CodeObject, Expression, Instance, quoted } from './code';
import { knownModel, lastPart, maxModelLenOf, modelOf, serverOf, type Sized, tokenSecretOf } from './sizing';

/** The charts of a project as code. */
export interface ServerCode {
  /** Names that the code imports from this package. */
  readonly imports: readonly string[];
  /** Statements that add the charts to `app`. */
  readonly statements: readonly string[];
  /** Names of the charts, in the order in which they are applied. */
  readonly charts: readonly string[];
  /** Steps that the user must do before the manifests work. */
  readonly todo: readonly string[];
}

/** Placeholder images in Artifact Registry, which the user must build. */
const BUILT_IMAGES: Readonly<Partial<Record<InitServer, string>>> = {
  ray: 'us-docker.pkg.dev/my-project/serving/vllm-tpu-ray:v0.23.0',
  any: 'us-docker.pkg.dev/my-project/serving/server:v1',
};

const imageOf = (answers: InitAnswers): string | undefined =>
  answers.image ?? BUILT_IMAGES[serverOf(answers)];

/** Returns the name of a server: the given one, or that of its model or image. */
function nameOf(answers: InitAnswers): string {
  if (answers.name !== undefined) return answers.name;
  const server = serverOf(answers);
  const model = modelOf(answers);
  const text =
    server === 'saxml' ? 'sax' : model === undefined ? imageName(imageOf(answers) ?? '') : lastPart(model);
  return nearestLabel(text.slice(0, LONGEST_NAME));
}

/** A statement that creates a construct. */
const create = (construct: string, chart: string, id: string, props: CodeObject): string =>
  `new ${construct}(${chart}, ${quoted(id)}, ${block(props, '  ')})`;

const chartOf = ({ namespace }: InitAnswers, variable: string, id: string): string =>
  `const ${variable} = new Chart(app, ${quoted(id)}${namespace === undefined ? '' : `, { namespace: ${quoted(namespace)} }`});`;

function sliceStatement({ slice }: Sized): string {
  const { machineType, topology } = slice;
  const short = call('TpuSlice.of', machineType);
  const isDefault = TpuSlice.parse(machineType).topology === topology;
  const { code } = isDefault ? short : call('TpuSlice.of', machineType, topology);
  const plural = (count: number, noun: string): string => `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
  return `const slice = ${code}; // ${plural(slice.hosts, 'host')} of ${plural(slice.chipsPerHost, 'chip')}`;
}

/** Share of a host's memory that a copy of the weights can have. */
const CACHE_SHARE = 0.4;

/** Returns the volume of the bucket, with a cache in memory if the host is large enough, and the account with access. */
function bucketProps(answers: InitAnswers, { slice, weightsGB }: Sized): CodeObject {
  const { bucket } = answers;
  if (bucket === undefined) return {};
  const size = Math.ceil(weightsGB * 1.15);
  const isRoomy = !slice.multiHost && size < CACHE_SHARE * slice.memoryGBPerHost;
  const cache = {
    cache: { medium: 'ram', sizeLimit: `${String(size)}G` },
    sidecar: new Expression('GcsFuseVolume.UNLIMITED_SIDECAR'),
  };
  return {
    modelCache: new Instance('GcsFuseVolume', {
      bucketName: bucket,
      mountPath: '/data',
      ...(isRoomy && cache),
    }),
  };
}

const tokenProps = (answers: InitAnswers): CodeObject => {
  const secret = tokenSecretOf(answers);
  return secret === undefined
    ? {}
    : { huggingFaceToken: call('HuggingFaceToken.fromSecret', secret, 'hf_api_token') };
};

/** The account of the pods, if they use a bucket. */
const accountProps = (answers: InitAnswers): CodeObject =>
  answers.bucket === undefined && modelOf(answers)?.startsWith('gs://') !== true
    ? {}
    : { serviceAccountName: nameOf(answers) };

const SLICE = { slice: new Expression('slice') };

function vllm(answers: InitAnswers, sized: Sized, problems: Problems): ServerCode {
  problems.add(startProblem(answers));
  const props = {
    model: modelOf(answers),
    modelSize: answers.modelSize,
    ...SLICE,
    maxModelLen: maxModelLenOf(answers),
    image: answers.image,
    ...tokenProps(answers),
    ...bucketProps(answers, sized),
    ...accountProps(answers),
  };
  return oneChart('VllmServer', answers, sized, props);
}

/** Returns the problem of a model that the release of vLLM serves only with options that `init` does not write. */
function startProblem(answers: InitAnswers): Problem | undefined {
  const mla = knownModel(answers)?.attention?.includes('mla') === true;
  const release = releaseOf(answers.image ?? IMAGES.vllm);
  const [problem] = platformProblems(release, { devices: 1, tensorParallelSize: 1, mla });
  return (
    problem && {
      ...problem,
      value: modelOf(answers),
      use: `another model, or write a VllmServer with ${problem.use ?? 'other options'}`,
    }
  );
}

function any(answers: InitAnswers, sized: Sized): ServerCode {
  const props = {
    image: imageOf(answers),
    ...SLICE,
    model: modelOf(answers),
    modelSize: answers.modelSize,
    ...tokenProps(answers),
    ...bucketProps(answers, sized),
    ...accountProps(answers),
  };
  const todo =
    'Set the image, its command and its args in main.ts: docs/systems/other-servers.md has examples.';
  return { ...oneChart('TpuServer', answers, sized, props), todo: [todo] };
}

function saxml(answers: InitAnswers, sized: Sized): ServerCode {
  const props = {
    ...SLICE,
    modelSize: sizeText(answers, sized),
    bucketName: answers.bucket,
    ...accountProps(answers),
  };
  return oneChart('SaxCell', answers, sized, props);
}

const sizeText = (answers: InitAnswers, { weightsGB }: Sized): string =>
  answers.modelSize ?? `${String(Math.ceil(weightsGB))}G`;

function ray(answers: InitAnswers, sized: Sized): ServerCode {
  const variables: CodeObject = {
    MODEL_ID: modelOf(answers),
    TENSOR_PARALLEL_SIZE: new Expression('String(slice.devices)'),
  };
  const application: Code = {
    name: 'llm',
    importPath: answers.importPath ?? 'serve:deployment',
    runtimeEnv: { envVars: variables },
  };
  const props = {
    image: imageOf(answers),
    serveConfig: { applications: [application] },
    workerGroups: [
      {
        groupName: 'tpu-group',
        ...SLICE,
        modelSize: sizeText(answers, sized),
        ...tokenProps(answers),
        ...bucketProps(answers, sized),
        env: { JAX_PLATFORMS: 'tpu,cpu' },
      },
    ],
    ...accountProps(answers),
  };
  const todo =
    'Build an image with vLLM, Ray and the application, and set it in main.ts: docs/systems/ray-vllm.md shows how.';
  return {
    ...oneChart('TpuRayService', answers, sized, props),
    todo: answers.image === undefined ? [todo] : [],
  };
}

/** JetStream's names of the architectures that it converts: https://github.com/AI-Hypercomputer/jetstream-pytorch */
const ARCHITECTURES: readonly (readonly [RegExp, string])[] = [
  [/gemma/i, 'gemma'],
  [/llama-?2/i, 'llama-2'],
  [/llama-?3/i, 'llama-3'],
  [/mixtral/i, 'mixtral'],
];

function jetStream(answers: InitAnswers, sized: Sized, problems: Problems): ServerCode {
  const name = nameOf(answers);
  const model = modelOf(answers) ?? '';
  const { bucket } = answers;
  if (bucket === undefined) {
    const props = { model, modelSize: answers.modelSize, ...SLICE, ...tokenProps(answers) };
    return oneChart('JetStreamServer', answers, sized, props);
  }
  const [, modelName] = ARCHITECTURES.find(([pattern]) => pattern.test(model)) ?? [];
  const [size] = /(\d+x)?\d+(\.\d+)?b(?=$|[-_])/i.exec(model) ?? [];
  if (modelName === undefined || size === undefined)
    problems.add({
      path: 'model',
      value: model,
      problem: 'is not a model that JetStream converts into a bucket',
      use: "a Gemma, Llama or Mixtral model with its size in its name, like 'meta-llama/Meta-Llama-3-8B'",
    });
  const account = accountProps(answers);
  const converter = create('JetStreamCheckpointConverter', 'convert', `${name}-converter`, {
    model,
    modelName,
    bucketName: bucket,
    path: `pytorch/${name}`,
    ...SLICE,
    ...tokenProps(answers),
    ...account,
  });
  const server = {
    checkpoint: new Expression('checkpoint'),
    size: size?.toLowerCase(),
    ...SLICE,
    ...account,
  };
  return {
    imports: ['HuggingFaceToken', 'JetStreamCheckpointConverter', 'JetStreamServer', 'TpuSlice'],
    statements: [
      sliceStatement(sized),
      chartOf(answers, 'convert', `${name}-convert`),
      `const { checkpoint } = ${converter};`,
      `${chartOf(answers, 'serve', name)} // apply it when the Job of the other chart is complete`,
      `${create('JetStreamServer', 'serve', name, server)};`,
    ],
    charts: [`${name}-convert`, name],
    todo: [],
  };
}

function oneChart(construct: string, answers: InitAnswers, sized: Sized, props: CodeObject): ServerCode {
  const name = nameOf(answers);
  const statement = `${create(construct, 'chart', name, props)};`;
  const used = ['GcsFuseVolume', 'HuggingFaceToken'].filter((one) => statement.includes(one));
  return {
    imports: [...used, construct, 'TpuSlice'].sort(),
    statements: [sliceStatement(sized), chartOf(answers, 'chart', name), statement],
    charts: [name],
    todo: [],
  };
}

/** The code of each server. */
const CODES: Readonly<
  Record<InitServer, (answers: InitAnswers, sized: Sized, problems: Problems) => ServerCode>
> = { vllm, jetstream: jetStream, saxml, ray, any };

/** Returns the charts of a project. Records problems of the answers for a server. */
export const serverCode = (answers: InitAnswers, sized: Sized, problems: Problems): ServerCode =>
  CODES[serverOf(answers)](answers, sized, problems);
