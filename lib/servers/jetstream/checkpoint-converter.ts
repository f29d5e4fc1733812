import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../../synth/at-synth';
import { type Capacity, capacityProblem } from '../../pod/capacity';
import { type PodFragment } from '../../pod/fragment';
import { givenToken, type HuggingFaceToken } from '../../pod/hugging-face-token';
import {
  bucketName,
  dnsLabel,
  dnsSubdomain,
  image,
  integer,
  nearestLabel,
  quoted,
} from '../../problems/validators';
import { podTemplate } from '../../pod/template';
import { tpuMetricsPort, tpuResources } from '../../pod/tpu';
import { Problems } from '../../problems/problems';
import { requireSlice, type TpuSlice } from '../../tpu/slice';
import { job } from '../../workload/objects';
import { describeOperations } from '../../operations/operations';
import { checkArgs, type ServerFlags } from '../flags';
import { selectorOf } from '../../workload/server';
import { singleHost } from '../server';
import { IMAGES } from '../../facts/images';
import { converterOperations } from './operations';
import { checkHost, hostResources } from '../../pod/host-resources';
import { podSecurity } from '../../pod/security';
import { CHECKPOINT_CONVERTER, recommendedLabels } from '../../workload/labels';

/** Where a converted checkpoint is, and what it holds. */
export interface ConvertedCheckpointProps {
  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder of the bucket, like `pytorch/gemma-7b-it/final/bf16`. */
  readonly path: string;
  /** JetStream's name of the architecture: `gemma`, `llama-2`, `llama-3` or `mixtral` in v0.2.3. */
  readonly modelName: string;
  /** Whether the weights are quantized to 8 bits. @default false */
  readonly quantizeWeights?: boolean;
}

/**
 * A checkpoint that JetStream-PyTorch can load, in a folder of a bucket: `CheckpointConverter` makes one, `JetStreamServer` takes one,
 * and so the two agree on where it is and whether it is quantized.
 */
export class ConvertedCheckpoint {
  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder of the bucket, without slashes at its ends. */
  readonly path: string;
  /** JetStream's name of the architecture. */
  readonly modelName: string;
  /** Whether the weights are quantized. */
  readonly quantizeWeights: boolean;

  private constructor(props: ConvertedCheckpointProps) {
    this.bucketName = props.bucketName;
    this.path = props.path;
    this.modelName = props.modelName;
    this.quantizeWeights = props.quantizeWeights ?? false;
    Object.freeze(this);
  }

  /**
   * A checkpoint that was converted earlier, or by something else.
   *
   * @throws InvalidInputError when the bucket, the folder or the name is malformed
   */
  static at(props: ConvertedCheckpointProps): ConvertedCheckpoint {
    const { path, modelName } = props;
    const problems = new Problems();
    problems.add(bucketName('bucketName', props.bucketName));
    const near = path
      .replace(/^gs:\/\/[^/]*|[^\w./-]+/g, '')
      .split('/')
      .filter(Boolean)
      .join('/');
    problems.check(
      /^[\w.-]+(\/[\w.-]+)*$/.test(path),
      `path ${quoted(path)} is not a folder of the bucket, expected letters, digits, '_', '-' and '.' with '/' between them alone; nearest: '${near || 'pytorch/gemma-7b-it/final/bf16'}'`,
    );
    problems.check(
      /^[a-z0-9][a-z0-9.-]*$/.test(modelName),
      `modelName ${quoted(modelName)} is not an architecture, expected JetStream's own name of it: 'gemma', 'llama-2', 'llama-3' or 'mixtral'`,
    );
    problems.throwIfAny();
    return new ConvertedCheckpoint(props);
  }

  /** The folder as `gs://BUCKET/PATH/`. */
  get gsUri(): string {
    return `gs://${this.bucketName}/${this.path}/`;
  }
}

/** Properties of a checkpoint converter. */
export interface CheckpointConverterProps extends ConvertedCheckpointProps {
  /** Name of the Job. @default - the construct's id */
  readonly name?: string;
  /** The model on Hugging Face, `-m`, like `google/gemma-7b-it-pytorch`. */
  readonly model: string;
  /** Token that the model is downloaded with. */
  readonly huggingFaceToken: HuggingFaceToken;
  /** The TPU slice that converts; one host. */
  readonly slice: TpuSlice;
  /** How the slice is bought. @default - on demand */
  readonly capacity?: Capacity;
  /** ServiceAccount of the pod; it needs `roles/storage.objectUser` on the bucket. @default - the namespace's default */
  readonly serviceAccountName?: string;
  /** Further flags of the image, as `-t=value`. @default - none */
  readonly args?: readonly string[];
  /** Container image, with a tag or digest. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/inference-checkpoint:v0.2.3' */
  readonly image?: string;
  /** Attempts after a failed one; a pod that its node loses is replaced without counting. @default 1 */
  readonly backoffLimit?: number;
  /**
   * Time after which the finished Job is deleted, in seconds; an apply after that converts again.
   *
   * @default - never: the Job stays, and applying it again changes nothing
   */
  readonly ttlSecondsAfterFinished?: number;
  /** What no prop covers. @default - none */
  readonly fragments?: readonly PodFragment[];
}

/** Flags that props write; the prop of each. */
const FLAGS: ServerFlags = {
  writers: {
    '-s': 'the converter itself',
    '-m': 'model',
    '-o': 'bucketName and path',
    '-n': 'modelName',
    '-q': 'quantizeWeights',
    '-h': 'the converter itself',
  },
  spelling: (flag) => flag,
  mayRepeat: () => false,
};

/**
 * A Job that downloads a model from Hugging Face, converts it for JetStream-PyTorch and uploads it to Cloud Storage, on one host of a
 * TPU slice. It needs that slice beside the ones that already serve: apply it first where the node pool has no room for both.
 *
 * A Job cannot be changed: to convert with other props, delete the old one or give the new one another name.
 *
 * @throws InvalidInputError listing every prop that is malformed or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-llm-tpu-jetstream-pytorch
 */
export class CheckpointConverter extends Construct {
  /** The Job. */
  readonly job: ApiObject;
  /** What the Job leaves in the bucket: what a `JetStreamServer` takes. */
  readonly checkpoint: ConvertedCheckpoint;

  constructor(scope: Construct, id: string, props: CheckpointConverterProps) {
    super(scope, id);
    checkAtSynth(this);
    requireSlice(props.slice, this.node.path);
    const { model, slice } = props;
    const problems = new Problems();
    const given = props.name ?? id;
    const name = problems.sound(given, dnsLabel('name', given), nearestLabel(given));
    const converter = props.image ?? IMAGES.jetStreamCheckpointConverter;
    problems.add(
      huggingFaceId('model', model),
      singleHost(slice, ONE_POD),
      props.serviceAccountName === undefined
        ? undefined
        : dnsSubdomain('serviceAccountName', props.serviceAccountName),
      capacityProblem(props.capacity, slice, true),
    );
    for (const key of ['backoffLimit', 'ttlSecondsAfterFinished'] as const)
      if (props[key] !== undefined) problems.add(integer(key, props[key], 0));
    checkArgs(props, FLAGS, problems);
    const checkpoint = problems.attempt(() => ConvertedCheckpoint.at(props));
    const labels = {
      ...selectorOf(name),
      ...recommendedLabels('jetstream', name, CHECKPOINT_CONVERTER),
    };
    const template = problems.attempt(() =>
      podTemplate(
        {
          name: 'inference-checkpoint',
          image: problems.sound(converter, image('image', converter), IMAGES.jetStreamCheckpointConverter),
          args: [
            '-s=jetstream-pytorch',
            `-m=${model}`,
            `-o=${checkpoint?.gsUri ?? ''}`,
            `-n=${props.modelName}`,
            `-q=${pythonBoolean(props.quantizeWeights ?? false)}`,
            '-h=True',
            ...(props.args ?? []),
          ],
        },
        [],
        [
          { labels },
          { pod: { serviceAccountName: props.serviceAccountName, restartPolicy: 'Never' } },
          tpuResources(slice, props.capacity),
          tpuMetricsPort(),
          hostResources(slice),
          podSecurity('baseline'),
          ...(props.capacity ? [props.capacity] : []),
          givenToken(props.huggingFaceToken).asFile('/huggingface/'),
          ...(props.fragments ?? []),
        ],
      ),
    );
    if (template) checkHost(slice, template, problems);
    this.checkpoint = problems.settle(checkpoint, this.node.path);
    this.job = job(
      this,
      'Resource',
      { name, labels },
      {
        backoffLimit: props.backoffLimit ?? 1,
        ttlSecondsAfterFinished: props.ttlSecondsAfterFinished,
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
        },
        template: problems.settle(template, this.node.path),
      },
      props.capacity,
    );
    describeOperations(this, converterOperations(this, props));
  }
}

/** As the images' Python reads a boolean flag. */
export const pythonBoolean = (value: boolean): string => (value ? 'True' : 'False');

/** What is wrong with a Hugging Face id; undefined where nothing is. */
export function huggingFaceId(prop: string, value: string): string | undefined {
  return /^[\w.-]+\/[\w.-]+$/.test(value)
    ? undefined
    : `${prop} ${quoted(value)} is not a model, expected a Hugging Face id like 'meta-llama/Meta-Llama-3-8B'`;
}

/** Why a slice of several hosts is none for JetStream. */
export const ONE_POD = 'JetStream-PyTorch runs in one pod';
