import { type HuggingFaceToken, tokenType } from '../../pod/hugging-face-token';
import { dnsLabel } from '../../problems/grammar';
import { type Problem } from '../../problems/problems';
import { essential, integer, optional, required, type Schema, string } from '../../problems/schema';
import { type TpuSlice } from '../../tpu/slice';
import {
  IMAGE_PROPERTIES,
  type ImageProps,
  POD_PROPERTIES,
  type PodProps,
  SLICE_PROPERTIES,
  sliceProblems,
  type SliceProps,
} from '../../workload/vocabulary';
import { argsProblems, type ServerFlags } from '../flags';
import { labelProblem, singleHost } from '../server';
import { CHECKPOINT_PROPERTIES, huggingFaceId, type JetStreamCheckpointProps, ONE_POD } from './checkpoint';

/** Properties of a checkpoint converter. */
export interface JetStreamCheckpointConverterProps
  extends JetStreamCheckpointProps, SliceProps, ImageProps, PodProps {
  /** Name of the Job. @default - the construct's id */
  readonly name?: string;
  /** The TPU slice that the Job runs on; must have a single host. */
  readonly slice: TpuSlice;
  /** Container image, with a tag or digest. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/inference-checkpoint:v0.2.3' */
  readonly image?: string;
  /** Further flags of the image, as `-t=value`. @default - none */
  readonly args?: readonly string[];
  /** The model on Hugging Face, `-m`, like `google/gemma-7b-it-pytorch`. */
  readonly model: string;
  /** Token for the download of the model. */
  readonly huggingFaceToken: HuggingFaceToken;
  /** Time between the termination signal and the kill of the pod, in seconds. @default - Kubernetes' default, 30 */
  readonly terminationGracePeriodSeconds?: number;
  /** Number of retries after a failure; evictions of the pod do not count. @default 1 */
  readonly backoffLimit?: number;
  /**
   * Time after which Kubernetes deletes the finished Job, in seconds. The next apply converts again.
   *
   * @default - none: the Job remains, and applying it again has no effect
   */
  readonly ttlSecondsAfterFinished?: number;
}

/** Flags that the converter writes, and the prop behind each flag. */
const FLAGS: ServerFlags = {
  writers: {
    '-s': null,
    '-m': 'model',
    '-o': 'path',
    '-n': 'modelName',
    '-q': 'quantizeWeights',
    '-h': null,
  },
  spelling: (flag) => flag,
  mayRepeat: () => false,
};

/** Checks the properties against each other. */
const problemsOf = (props: JetStreamCheckpointConverterProps): readonly (Problem | undefined)[] => [
  ...sliceProblems(props, true),
  singleHost(props.slice, ONE_POD),
  labelProblem(props.labels),
  ...argsProblems(props, FLAGS),
];

/** The properties of a checkpoint converter, and the rules between them. */
export const CONVERTER_PROPS: Schema<JetStreamCheckpointConverterProps> = {
  properties: {
    name: optional(string(dnsLabel())),
    ...SLICE_PROPERTIES,
    ...IMAGE_PROPERTIES,
    ...CHECKPOINT_PROPERTIES,
    ...POD_PROPERTIES,
    model: required(string(huggingFaceId), 'google/gemma-7b-it-pytorch'),
    huggingFaceToken: essential(tokenType, "HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token')"),
    backoffLimit: optional(integer(0)),
    ttlSecondsAfterFinished: optional(integer(0)),
  },
  rules: [problemsOf],
};
