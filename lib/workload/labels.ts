import { labelValue } from '../problems/validators';

/**
 * The recommended labels of an installation's objects. Not for Ray pods, whose `app.kubernetes.io/name` belongs to KubeRay.
 *
 * @param software - what runs, like `vllm`
 * @param instance - name of the installation; some kinds have longer names than a label can hold, which is then left out
 * @param component - its part in it, like `model-server`
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
 */
export const recommendedLabels = (
  software: string,
  instance: string,
  component: string,
): Record<string, string> => ({
  'app.kubernetes.io/name': software,
  ...(labelValue('instance', instance) === undefined && { 'app.kubernetes.io/instance': instance }),
  'app.kubernetes.io/component': component,
});

/** The part that converts a checkpoint once, before servers can load it. */
export const CHECKPOINT_CONVERTER = 'checkpoint-converter';

/**
 * The labels of a Ray service: the recommended ones but `app.kubernetes.io/name`, which is KubeRay's on Ray pods, and by whose value the
 * TPU webhook finds them.
 */
export const rayLabels = (instance: string): Record<string, string> => ({
  'app.kubernetes.io/instance': instance,
  'app.kubernetes.io/component': 'model-server',
  'ai.gke.io/inference-server': 'ray-serve',
});

/**
 * The recommended labels of a server, and those by which GKE knows an inference server.
 *
 * @param server - the server's software, like `vllm`
 * @param instance - name of the installation
 * @param model - the model that is served, as a Hugging Face id or a path: the part after the last slash becomes a label where it can
 */
export function serverLabels(server: string, instance: string, model?: string): Record<string, string> {
  const short = model?.replace(/\/+$/, '').split('/').pop();
  return {
    ...recommendedLabels(server, instance, 'model-server'),
    'ai.gke.io/inference-server': server,
    ...(short !== undefined &&
      short !== '' &&
      labelValue('model', short) === undefined && { 'ai.gke.io/model': short }),
  };
}
