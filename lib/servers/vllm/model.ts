import { weightsOf } from '../../tpu/memory';
import { type ModelFacts } from '../../tpu/model-facts';
import { modelNamed } from '../../tpu/models';
import { modelSizeByName } from '../../pod/startup-budget';
import { modelOfSize } from '../../workload/stated-model';

/** Props that determine the size of the model. */
interface ModelProps {
  readonly model: string;
  readonly modelConfiguration?: ModelFacts | undefined;
  readonly modelSize?: string | undefined;
}

/** Returns the numbers of the model: stated in props, or known to the library. */
export const modelFactsOf = (props: ModelProps): ModelFacts | undefined =>
  props.modelConfiguration ?? modelNamed(props.model);

/** Returns the numbers of the model that only the props contain, which the manifest must state. */
export function statedModelOf(props: ModelProps): ModelFacts | undefined {
  const { modelConfiguration, modelSize, model } = props;
  if (modelConfiguration !== undefined || modelSize === undefined) return modelConfiguration;
  return modelNamed(model) === undefined ? modelOfSize(modelSize) : undefined;
}

/** Returns the size of the weights as a quantity: as stated, computed from the numbers of the model, or estimated from its name. */
export function modelSizeOf(props: ModelProps): string | undefined {
  const { modelConfiguration, modelSize, model } = props;
  if (modelSize !== undefined) return modelSize;
  return modelConfiguration === undefined
    ? modelSizeByName(model)
    : `${String(Math.ceil(weightsOf(modelConfiguration).expected / 1e9))}G`;
}
