import { Chart } from 'cdk8s';
import { type Construct } from 'constructs';
import {
  JetStreamCheckpointConverter,
  HuggingFaceToken,
  JetStreamServer,
  TpuSlice,
  WorkloadIdentity,
} from '../lib';

/** A model, with its names on Hugging Face and in JetStream. */
interface Model {
  /** Hugging Face id of the weights to convert. */
  readonly weights: string;
  /** Hugging Face id of the weights that JetStream loads without conversion. */
  readonly model: string;
  readonly modelName: string;
  readonly folder: string;
  readonly size: string;
}

export const GEMMA_7B_IT: Model = {
  weights: 'google/gemma-7b-it-pytorch',
  model: 'google/gemma-7b-it',
  modelName: 'gemma',
  folder: 'gemma-7b-it',
  size: '7b',
};

export const LLAMA_3_8B: Model = {
  weights: 'meta-llama/Meta-Llama-3-8B',
  model: 'meta-llama/Meta-Llama-3-8B',
  modelName: 'llama-3',
  folder: 'llama-3-8b',
  size: '8b',
};

const slice = TpuSlice.of('ct5lp-hightpu-8t');
const huggingFaceToken = HuggingFaceToken.fromSecret('huggingface-secret', 'HUGGINGFACE_TOKEN');

/** A model that a Job converts and writes to Cloud Storage once, and that two JetStream servers load from there. */
export class JetStreamFromCheckpoint extends Chart {
  constructor(scope: Construct, id: string, model: Model) {
    super(scope, id);

    const { serviceAccountName } = new WorkloadIdentity(this, 'identity', {
      name: id,
      projectId: 'my-project',
      iamServiceAccount: 'wi-jetstream',
    });

    const { checkpoint } = new JetStreamCheckpointConverter(this, 'converter', {
      name: `${id}-converter`,
      model: model.weights,
      modelName: model.modelName,
      bucketName: 'my-models',
      path: `pytorch/${model.folder}/final/bf16`,
      huggingFaceToken,
      slice,
      serviceAccountName,
    });

    new JetStreamServer(this, 'server', {
      name: id,
      checkpoint,
      size: model.size,
      batchSize: 32,
      maxCacheLength: 2048,
      slice,
      replicas: 2,
      serviceAccountName,
    });
  }
}

/** A model that two JetStream servers download from Hugging Face at every start. */
export class JetStreamFromHuggingFace extends Chart {
  constructor(scope: Construct, id: string, { model }: Model) {
    super(scope, id);

    new JetStreamServer(this, 'server', {
      name: id,
      model,
      huggingFaceToken,
      overrideBatchSize: 30,
      slice,
      replicas: 2,
    });
  }
}
