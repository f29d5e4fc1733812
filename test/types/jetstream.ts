// Each paragraph that starts with `mistake:` must give one compiler error; test/mistakes.test.ts keeps its words.
import { type Construct } from 'constructs';
import {
  type Capacity,
  JetStreamCheckpointConverter,
  JetStreamCheckpoint,
  HuggingFaceToken,
  JetStreamMetric,
  JetStreamServer,
  TpuSlice,
} from '../../lib';

declare const scope: Construct;
const slice = TpuSlice.of('ct5lp-hightpu-8t');
const huggingFaceToken = HuggingFaceToken.fromSecret('huggingface-secret', 'HUGGINGFACE_TOKEN');
const checkpoint = JetStreamCheckpoint.at({ bucketName: 'my-models', path: 'gemma', modelName: 'gemma' });

// mistake: no weights
new JetStreamServer(scope, 'server', { slice });

// mistake: both sources of weights
new JetStreamServer(scope, 'server', {
  slice,
  checkpoint,
  size: '7b',
  model: 'google/gemma-7b-it',
  huggingFaceToken,
});

// mistake: a checkpoint without its size
new JetStreamServer(scope, 'server', { slice, checkpoint });

// mistake: a model without its token
new JetStreamServer(scope, 'server', { slice, model: 'google/gemma-7b-it' });

// mistake: the token itself
new JetStreamServer(scope, 'server', { slice, model: 'google/gemma-7b-it', huggingFaceToken: 'hf_abc' });

// mistake: a flag of the model with a checkpoint
new JetStreamServer(scope, 'server', { slice, checkpoint, size: '7b', overrideBatchSize: 30 });

// mistake: a flag of the checkpoint with a model
new JetStreamServer(scope, 'server', {
  slice,
  model: 'google/gemma-7b-it',
  huggingFaceToken,
  batchSize: 32,
});

// mistake: another quantization than that of the checkpoint
new JetStreamServer(scope, 'server', { slice, checkpoint, size: '7b', quantizeWeights: true });

// mistake: the folder of the checkpoint, once more
new JetStreamServer(scope, 'server', { slice, checkpoint: 'gs://my-models/gemma/', size: '7b' });

// mistake: the size as a number
new JetStreamServer(scope, 'server', { slice, checkpoint, size: 7 });

// mistake: no slice
new JetStreamServer(scope, 'server', { checkpoint, size: '7b' });

// mistake: the slice as a string
new JetStreamServer(scope, 'server', { checkpoint, size: '7b', slice: 'ct5lp-hightpu-8t' });

// mistake: a converter that is taken for its checkpoint
new JetStreamServer(scope, 'server', { slice, size: '7b', checkpoint: {} as JetStreamCheckpointConverter });

// mistake: a Service that does not exist
new JetStreamServer(scope, 'server', { slice, checkpoint, size: '7b', serviceType: 'NodePort' });

// mistake: metrics switched on
new JetStreamServer(scope, 'server', { slice, checkpoint, size: '7b', monitoring: true });

// mistake: a metric by its name
new JetStreamServer(scope, 'server', {
  slice,
  checkpoint,
  size: '7b',
  autoscaling: { maxReplicas: 2, averageValue: 10, metric: 'jetstream_prefill_backlog_size' },
});

// mistake: a metric of one's own making
new JetStreamMetric('jetstream_queue', 'gauge');

// mistake: a checkpoint by hand
new JetStreamCheckpoint({ bucketName: 'my-models', path: 'gemma', modelName: 'gemma' });

// mistake: a converter that is told no bucket
new JetStreamCheckpointConverter(scope, 'converter', {
  model: 'google/gemma-7b-it-pytorch',
  modelName: 'gemma',
  path: 'gemma',
  huggingFaceToken,
  slice,
});

// mistake: a checkpoint that is moved
checkpoint.path = 'llama';

declare const capacity: Capacity;

// mistake: capacity in place of a slice
new JetStreamServer(scope, 'server', { slice: capacity, checkpoint, size: '7b' });
