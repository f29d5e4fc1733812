import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { IMAGES } from '../../facts/images';
import { describeOperations } from '../../operations/operations';
import { checkHost, hostResources } from '../../pod/host-resources';
import { containerSecurity, podSecurity } from '../../pod/security';
import { podTemplate, type PodTemplate } from '../../pod/template';
import { tpuMetricsPort, tpuResources } from '../../pod/tpu';
import { Problems } from '../../problems/problems';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { CHECKPOINT_CONVERTER, recommendedLabels } from '../../workload/labels';
import { job } from '../../workload/objects';
import { givenFragments, givenSidecars, objectMetadata } from '../../workload/pod-words';
import { checkLevel } from '../../workload/security-level';
import { selectorOf } from '../../workload/server';
import { chipsOf } from '../server';
import { JetStreamCheckpoint, pythonBoolean } from './checkpoint';
import { CONVERTER_PROPS, type JetStreamCheckpointConverterProps } from './converter-props';
import { converterOperations } from './operations';

/** Folder in which the image expects the token. */
const TOKEN_FOLDER = '/huggingface/';

/**
 * A Job that downloads a model from Hugging Face, converts it for JetStream-PyTorch and uploads it to Cloud Storage, on one host of a TPU
 * slice. The Job needs its own slice: if the servers use all slices of the node pool, apply the Job before them.
 *
 * A Job is immutable. To convert with other props, delete the Job or give the new one another name.
 *
 * @throws InvalidInputError listing every prop that is unknown or invalid, or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-llm-tpu-jetstream-pytorch
 */
export class JetStreamCheckpointConverter extends Construct {
  /** The Job. */
  readonly job: ApiObject;
  /** The checkpoint that the Job writes, for a `JetStreamServer`. */
  readonly checkpoint: JetStreamCheckpoint;

  constructor(scope: Construct, id: string, props: JetStreamCheckpointConverterProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: template } = readAndMake(CONVERTER_PROPS, props, this.node, templateOf);
    const { name } = valid;
    this.checkpoint = checkpointOf(valid);
    this.job = job(
      this,
      'Resource',
      { name, ...objectMetadata(valid, labelsOf(name)) },
      {
        backoffLimit: valid.backoffLimit ?? 1,
        ttlSecondsAfterFinished: valid.ttlSecondsAfterFinished,
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
        },
        template,
      },
      valid.capacity,
    );
    describeOperations(this, converterOperations(this, valid));
  }
}

const labelsOf = (name: string): Readonly<Record<string, string>> => ({
  ...recommendedLabels('jetstream', name, CHECKPOINT_CONVERTER),
  ...selectorOf(name),
});

const checkpointOf = ({
  bucketName,
  path,
  modelName,
  quantizeWeights = false,
}: JetStreamCheckpointConverterProps): JetStreamCheckpoint =>
  JetStreamCheckpoint.at({ bucketName, path, modelName, quantizeWeights });

function templateOf(props: JetStreamCheckpointConverterProps & { readonly name: string }): PodTemplate {
  const { gsUri, modelName, quantizeWeights } = checkpointOf(props);
  const { slice, capacity, podSecurityLevel: level = 'baseline' } = props;
  const problems = new Problems();
  const template = problems.attempt(() =>
    podTemplate({
      container: {
        name: 'inference-checkpoint',
        image: IMAGES.jetStreamCheckpointConverter,
        args: [
          '-s=jetstream-pytorch',
          `-m=${props.model}`,
          `-o=${gsUri}`,
          `-n=${modelName}`,
          `-q=${pythonBoolean(quantizeWeights)}`,
          '-h=True',
        ],
      },
      sidecars: givenSidecars(props, containerSecurity(level)),
      facts: [tpuResources(slice, capacity, slice.chipsPerHost - chipsOf(props))],
      defaults: [
        { labels: labelsOf(props.name), pod: { restartPolicy: 'Never' } },
        hostResources(slice),
        podSecurity(level),
        tpuMetricsPort(),
      ],
      given: [
        ...(capacity ? [capacity] : []),
        props.huggingFaceToken.asFile(TOKEN_FOLDER),
        ...givenFragments(props),
      ],
    }),
  );
  if (template) {
    checkHost(slice, template, problems);
    checkLevel(template, props.podSecurityLevel, problems);
  }
  const { restartPolicy } = template?.spec ?? {};
  if (restartPolicy !== undefined && restartPolicy !== 'Never')
    problems.add({
      path: 'pod.restartPolicy',
      value: restartPolicy,
      problem: 'is not possible in a Job with a podFailurePolicy',
      use: "'Never'",
    });
  return problems.settle(template);
}
