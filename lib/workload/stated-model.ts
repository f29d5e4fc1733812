import { type ApiObject } from 'cdk8s';
import { MODEL_ANNOTATION } from '../facts/labels';
import { quantityOf } from '../problems/grammar';
import { type ModelFacts } from '../tpu/model-facts';

/** Limits of the bytes in the annotation. */
const BYTES = { least: 1e6, most: 1e15 };

/** Returns a model of which only the size is known, as a quantity like `140G`. */
export const modelOfSize = (modelSize: string | undefined): ModelFacts | undefined =>
  modelSize === undefined
    ? undefined
    : { bytes: Math.min(BYTES.most, Math.max(BYTES.least, quantityOf(modelSize))) };

/** Returns annotations with the numbers of a model that the manifest does not otherwise contain. */
export const modelAnnotations = (model: ModelFacts): Readonly<Record<string, string>> => ({
  [MODEL_ANNOTATION]: JSON.stringify(model),
});

/** Annotates an object with the numbers of its model, which TPU119 and `plan` read. */
export function stateModel(object: ApiObject, model: ModelFacts | undefined): void {
  for (const [key, value] of Object.entries(model ? modelAnnotations(model) : {}))
    object.metadata.addAnnotation(key, value);
}
