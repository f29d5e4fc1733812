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

/** Location and contents of a converted checkpoint in a bucket. */
export interface JetStreamCheckpointProps {
  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder of the bucket, like `pytorch/gemma-7b-it/final/bf16`. */
  readonly path: string;
  /** JetStream's name for the architecture: `gemma`, `llama-2`, `llama-3` or `mixtral` in v0.2.3. */
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
        use: "JetStream's name for it: 'gemma', 'llama-2', 'llama-3' or 'mixtral'",
      };

/** Location and contents of a converted checkpoint on a disk. */
export interface JetStreamVolumeCheckpointProps extends Omit<
  JetStreamCheckpointProps,
  'bucketName' | 'path'
> {
  /** The disk. */
  readonly volume: PvcVolume;
  /** Folder of the disk, like `pytorch/gemma-7b-it/final/bf16`. @default - the root of the disk */
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

/** A checkpoint on a disk that JetStream-PyTorch can load. `JetStreamCheckpoint.onVolume(…)` creates it. */
export class JetStreamVolumeCheckpoint {
  /** The disk. */
  readonly volume: PvcVolume;
  /** Folder of the disk, without leading and trailing slashes; empty for the root of the disk. */
  readonly path: string;
  /** JetStream's name for the architecture. */
  readonly modelName: string;
  /** Whether the weights are quantized to 8 bits. */
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
 * A checkpoint in a folder of a bucket that JetStream-PyTorch can load. `JetStreamCheckpointConverter` writes it and `JetStreamServer`
 * reads it, so both use the same location and quantization.
 */
export class JetStreamCheckpoint {
  /** The bucket, without `gs://`. */
  readonly bucketName: string;
  /** Folder of the bucket, without leading and trailing slashes. */
  readonly path: string;
  /** JetStream's name for the architecture. */
  readonly modelName: string;
  /** Whether the weights are quantized to 8 bits. */
  readonly quantizeWeights: boolean;

  private constructor(props: JetStreamCheckpointProps) {
    this.bucketName = props.bucketName;
    this.path = props.path;
    this.modelName = props.modelName;
    this.quantizeWeights = props.quantizeWeights ?? false;
    Object.freeze(this);
  }

  /**
   * Returns a checkpoint that already exists in a bucket.
   *
   * @throws InvalidInputError if the bucket, the folder or the name is not valid
   */
  static at(props: JetStreamCheckpointProps): JetStreamCheckpoint {
    return new JetStreamCheckpoint(
      readOrThrow<JetStreamCheckpointProps>({ properties: CHECKPOINT_PROPERTIES }, props),
    );
  }

  /**
   * Returns a checkpoint that already exists on a disk.
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

/** Returns a boolean as Python writes it. */
export const pythonBoolean = (value: boolean): string => (value ? 'True' : 'False');

/** Accepts Hugging Face ids. */
export const huggingFaceId: Grammar = (value) =>
  /^[\w.-]+\/[\w.-]+$/.test(value)
    ? undefined
    : {
        problem: 'is not a Hugging Face id',
        use: 'ORGANIZATION/MODEL',
        nearest: 'meta-llama/Meta-Llama-3-8B',
      };

/** Why JetStream needs a single-host slice. */
export const ONE_POD = 'JetStream-PyTorch runs in one pod';
