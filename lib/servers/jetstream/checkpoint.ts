import { brand } from '../../problems/brand';
import { bucketName, type Grammar } from '../../problems/grammar';
import { boolean, optional, readOrThrow, required, type Schema, string } from '../../problems/schema';

/** Where a converted checkpoint is, and what it contains. */
export interface JetStreamCheckpointProps {
  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder of the bucket, like `pytorch/gemma-7b-it/final/bf16`. */
  readonly path: string;
  /** JetStream's name of the architecture: `gemma`, `llama-2`, `llama-3` or `mixtral` in v0.2.3. */
  readonly modelName: string;
  /** Whether the weights are quantized to 8 bits. @default false */
  readonly quantizeWeights?: boolean;
}

const folder: Grammar = (value) => {
  if (/^[\w.-]+(\/[\w.-]+)*$/.test(value)) return undefined;
  const nearest = value
    .replace(/^gs:\/\/[^/]*|[^\w./-]+/g, '')
    .split('/')
    .filter(Boolean)
    .join('/');
  return {
    problem: 'is not a folder of the bucket',
    use: "letters, digits, '_', '-' and '.', with single '/' between them",
    nearest: nearest || 'pytorch/gemma-7b-it/final/bf16',
  };
};

const architecture: Grammar = (value) =>
  /^[a-z0-9][a-z0-9.-]*$/.test(value)
    ? undefined
    : {
        problem: 'is not an architecture',
        use: "JetStream's name of it: 'gemma', 'llama-2', 'llama-3' or 'mixtral'",
      };

/** The properties of a checkpoint. */
export const CHECKPOINT_PROPERTIES: Schema<JetStreamCheckpointProps>['properties'] = {
  bucketName: required(string(bucketName), 'my-models'),
  path: required(string(folder), 'pytorch/gemma-7b-it/final/bf16'),
  modelName: required(string(architecture), 'gemma'),
  quantizeWeights: optional(boolean()),
};

/**
 * A checkpoint that JetStream-PyTorch can load, in a folder of a bucket. `JetStreamCheckpointConverter` writes one and `JetStreamServer`
 * reads one, so the two agree on its place and on whether it is quantized.
 */
export class JetStreamCheckpoint {
  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder of the bucket, without slashes at its ends. */
  readonly path: string;
  /** JetStream's name of the architecture. */
  readonly modelName: string;
  /** Whether the weights are quantized. */
  readonly quantizeWeights: boolean;

  private constructor(props: JetStreamCheckpointProps) {
    this.bucketName = props.bucketName;
    this.path = props.path;
    this.modelName = props.modelName;
    this.quantizeWeights = props.quantizeWeights ?? false;
    Object.freeze(this);
  }

  /**
   * A checkpoint that exists already.
   *
   * @throws InvalidInputError if the bucket, the folder or the name is not valid
   */
  static at(props: JetStreamCheckpointProps): JetStreamCheckpoint {
    return new JetStreamCheckpoint(
      readOrThrow<JetStreamCheckpointProps>({ properties: CHECKPOINT_PROPERTIES }, props),
    );
  }

  /** The folder as `gs://BUCKET/PATH/`. */
  get gsUri(): string {
    return `gs://${this.bucketName}/${this.path}/`;
  }
}
brand(JetStreamCheckpoint, 'JetStreamCheckpoint');

/** A boolean flag, as the images' Python reads it. */
export const pythonBoolean = (value: boolean): string => (value ? 'True' : 'False');

/** Hugging Face ids. */
export const huggingFaceId: Grammar = (value) =>
  /^[\w.-]+\/[\w.-]+$/.test(value)
    ? undefined
    : {
        problem: 'is not a Hugging Face id',
        use: 'ORGANIZATION/MODEL',
        nearest: 'meta-llama/Meta-Llama-3-8B',
      };

/** Why JetStream needs a slice with one host. */
export const ONE_POD = 'JetStream-PyTorch runs in one pod';
