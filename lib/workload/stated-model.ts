import { type ApiObject } from 'cdk8s';
import { MODEL_ANNOTATION } from '../facts/labels';
import { quantityOf } from '../problems/grammar';
import { type ModelFacts } from '../tpu/model-facts';

/** Numbers of bytes that the annotation can have. */
const BYTES = { least: 1e6, most: 1e15 };

/** A model of which only the size of its weights is stated, as a quantity like `140G`. */
export const modelOfSize = (modelSize: string | undefined): ModelFacts | undefined =>
  modelSize === undefined
    ? undefined
    : { bytes: Math.min(BYTES.most, Math.max(BYTES.least, quantityOf(modelSize))) };

/** Annotations of an object, or of its pods, with the numbers of a model that nothing else in the manifest tells. */
export const modelAnnotations = (model: ModelFacts): Readonly<Record<string, string>> => ({
  [MODEL_ANNOTATION]: JSON.stringify(model),
});

/** Annotates an object with the numbers of its model, so that TPU119 and `plan` know them. */
export function stateModel(object: ApiObject, model: ModelFacts | undefined): void {
  for (const [key, value] of Object.entries(model ? modelAnnotations(model) : {}))
    object.metadata.addAnnotation(key, value);
}
