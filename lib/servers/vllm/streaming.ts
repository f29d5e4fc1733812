import { releaseProblem } from '../../facts/vllm-releases';
import { type Problem } from '../../problems/problems';
import { furtherFlags, releaseOfProps, type StartProps } from './flags';

/** Props that determine how the weights are loaded. */
interface LoadProps extends StartProps {
  readonly model: string;
  readonly servedModelName?: string;
}

/** Returns whether the server streams the model from a bucket. */
export const isStreamed = ({ model }: Pick<LoadProps, 'model'>): boolean => model.startsWith('gs://');

/** Returns the name of the model in requests. For a model in a bucket, the default is the last part of its path. */
export const nameInRequests = ({ model, servedModelName }: LoadProps): string =>
  servedModelName ?? (isStreamed({ model }) ? (model.replace(/\/+$/, '').split('/').at(-1) ?? model) : model);

/**
 * Returns the loader that streams from buckets, unless the user chose another loader.
 *
 * @see https://docs.vllm.ai/en/latest/models/extensions/runai_model_streamer/
 */
export const loadFormat = (props: LoadProps): string | undefined =>
  isStreamed(props) && !furtherFlags(props).has('--load-format') ? 'runai_streamer' : undefined;

/** Returns a problem if the release of the image cannot stream the model from its bucket. */
export const streamingProblem = (props: LoadProps): Problem | undefined =>
  isStreamed(props) ? releaseProblem(releaseOfProps(props), 'feature', 'gcs-streamer', 'model') : undefined;
