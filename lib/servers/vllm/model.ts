import { weightsOf } from '../../tpu/memory';
import { type ModelFacts } from '../../tpu/model-facts';
import { modelNamed } from '../../tpu/models';
import { modelSizeByName } from '../../pod/startup-budget';
import { modelOfSize } from '../../workload/stated-model';

/** Props that tell how large the model is. */
interface ModelProps {
  readonly model: string;
  readonly modelConfiguration?: ModelFacts | undefined;
  readonly modelSize?: string | undefined;
}

/** The numbers of the model that are known or stated. */
export const modelFactsOf = (props: ModelProps): ModelFacts | undefined =>
  props.modelConfiguration ?? modelNamed(props.model);

/** The numbers of the model that only the props tell, so that manifests have to repeat them. */
export function statedModelOf(props: ModelProps): ModelFacts | undefined {
  const { modelConfiguration, modelSize, model } = props;
  if (modelConfiguration !== undefined || modelSize === undefined) return modelConfiguration;
  return modelNamed(model) === undefined ? modelOfSize(modelSize) : undefined;
}

/** Size of the weights as a quantity: as stated, or from the numbers of the model, or a guess by its name. */
export function modelSizeOf(props: ModelProps): string | undefined {
  const { modelConfiguration, modelSize, model } = props;
  if (modelSize !== undefined) return modelSize;
  return modelConfiguration === undefined
    ? modelSizeByName(model)
    : `${String(Math.ceil(weightsOf(modelConfiguration).expected / 1e9))}G`;
}
