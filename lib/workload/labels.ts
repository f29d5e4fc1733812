import {
  APP_COMPONENT_LABEL,
  APP_INSTANCE_LABEL,
  APP_NAME_LABEL,
  INFERENCE_MODEL_LABEL,
  INFERENCE_SERVER_LABEL,
} from '../facts/labels';
import { labelValue } from '../problems/grammar';

/**
 * Returns the recommended labels of an installation's objects. Not for Ray pods, because KubeRay sets their `app.kubernetes.io/name`.
 *
 * @param software - name of the software, like `vllm`
 * @param instance - name of the installation; the label is omitted if the name is longer than a label can be
 * @param component - role in the installation, like `model-server`
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
 */
export const recommendedLabels = (
  software: string,
  instance: string,
  component: string,
): Record<string, string> => ({
  [APP_NAME_LABEL]: software,
  ...(labelValue(instance) === undefined && { [APP_INSTANCE_LABEL]: instance }),
  [APP_COMPONENT_LABEL]: component,
});

/** The component that converts a checkpoint once, before servers can load it. */
export const CHECKPOINT_CONVERTER = 'checkpoint-converter';

/**
 * Returns the labels of a Ray service: the recommended ones except `app.kubernetes.io/name`. KubeRay sets it on Ray pods, and the TPU
 * webhook finds them by its value.
 */
export const rayLabels = (instance: string): Record<string, string> => ({
  [APP_INSTANCE_LABEL]: instance,
  [APP_COMPONENT_LABEL]: 'model-server',
  [INFERENCE_SERVER_LABEL]: 'ray-serve',
});

/**
 * Returns the recommended labels of a server, and the labels that GKE uses to recognize an inference server.
 *
 * @param server - the server's software, like `vllm`
 * @param instance - name of the installation
 * @param model - the model that is served, as a Hugging Face id or a path: the part after the last slash becomes a label if it is valid
 */
export function serverLabels(server: string, instance: string, model?: string): Record<string, string> {
  const short = model?.replace(/\/+$/, '').split('/').pop();
  return {
    ...recommendedLabels(server, instance, 'model-server'),
    [INFERENCE_SERVER_LABEL]: server,
    ...(short !== undefined &&
      short !== '' &&
      labelValue(short) === undefined && { [INFERENCE_MODEL_LABEL]: short }),
  };
}
