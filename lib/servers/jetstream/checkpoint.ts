import { type PvcVolume } from '../../pod/pvc-volume';
import { brand } from '../../problems/brand';
import { bucketName, type Grammar } from '../../problems/grammar';
import {
  boolean,
  essential,
  instance,
  optional,
  readOrThrow,
  required,
  type Schema,
  string,
} from '../../problems/schema';

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

/** Where a converted checkpoint is on a disk, and what it contains. */
export interface JetStreamVolumeCheckpointProps extends Omit<
  JetStreamCheckpointProps,
  'bucketName' | 'path'
> {
  /** The disk. */
  readonly volume: PvcVolume;
  /** Folder of the disk, like `pytorch/gemma-7b-it/final/bf16`. @default - the disk itself */
  readonly path?: string;
}

const CONTENTS: Pick<Schema<JetStreamCheckpointProps>['properties'], 'modelName' | 'quantizeWeights'> = {
  modelName: required(string(architecture), 'gemma'),
  quantizeWeights: optional(boolean()),
};

/** The properties of a checkpoint. */
export const CHECKPOINT_PROPERTIES: Schema<JetStreamCheckpointProps>['properties'] = {
  bucketName: required(string(bucketName), 'my-models'),
  path: required(string(folder), 'pytorch/gemma-7b-it/final/bf16'),
  ...CONTENTS,
};

const VOLUME_CHECKPOINT: Schema<JetStreamVolumeCheckpointProps> = {
  properties: {
    volume: essential(
      instance<PvcVolume>('PvcVolume', "new PvcVolume({ claimName: 'models', mountPath: '/models' })"),
      "new PvcVolume({ claimName: 'models', mountPath: '/models' })",
    ),
    path: optional(string(folder)),
    ...CONTENTS,
  },
};

/** A checkpoint that JetStream-PyTorch can load, on a disk: `JetStreamCheckpoint.onVolume(…)`. */
export class JetStreamVolumeCheckpoint {
  /** The disk. */
  readonly volume: PvcVolume;
  /** Folder of the disk, without slashes at its ends; empty for the disk itself. */
  readonly path: string;
  /** JetStream's name of the architecture. */
  readonly modelName: string;
  /** Whether the weights are quantized. */
  readonly quantizeWeights: boolean;

  /** @internal */
  constructor(props: JetStreamVolumeCheckpointProps) {
    this.volume = props.volume;
    this.path = props.path ?? '';
    this.modelName = props.modelName;
    this.quantizeWeights = props.quantizeWeights ?? false;
    Object.freeze(this);
  }
}
brand(JetStreamVolumeCheckpoint, 'JetStreamVolumeCheckpoint');

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

  /**
   * A checkpoint that exists already on a disk.
   *
   * @throws InvalidInputError if the volume, the folder or the name is not valid
   */
  static onVolume(props: JetStreamVolumeCheckpointProps): JetStreamVolumeCheckpoint {
    return new JetStreamVolumeCheckpoint(readOrThrow(VOLUME_CHECKPOINT, props));
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
