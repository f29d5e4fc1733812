import { releaseProblem } from '../../facts/vllm-releases';
import { type Problem } from '../../problems/problems';
import { furtherFlags, releaseOfProps, type StartProps } from './flags';

/** Props that decide how the weights are loaded. */
interface LoadProps extends StartProps {
  readonly model: string;
  readonly servedModelName?: string;
}

/** Whether the model is in a bucket, from which the server streams it. */
export const isStreamed = ({ model }: Pick<LoadProps, 'model'>): boolean => model.startsWith('gs://');

/** The name of the model in requests. Without a name, clients would have to send the whole path of a bucket. */
export const nameInRequests = ({ model, servedModelName }: LoadProps): string =>
  servedModelName ?? (isStreamed({ model }) ? (model.replace(/\/+$/, '').split('/').at(-1) ?? model) : model);

/**
 * The loader that streams from buckets, unless the user names one.
 *
 * @see https://docs.vllm.ai/en/latest/models/extensions/runai_model_streamer/
 */
export const loadFormat = (props: LoadProps): string | undefined =>
  isStreamed(props) && !furtherFlags(props).has('--load-format') ? 'runai_streamer' : undefined;

/** What is wrong with a model in a bucket on the release of the image. */
export const streamingProblem = (props: LoadProps): Problem | undefined =>
  isStreamed(props) ? releaseProblem(releaseOfProps(props), 'feature', 'gcs-streamer', 'model') : undefined;
