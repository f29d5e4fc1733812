import { Problems } from '../problems/problems';
import { string } from '../problems/schema';
import { type WeightFormat } from './models';

/** The size of a model, guessed from its name. */
export interface ModelByName {
  /** Parameters of the model. */
  readonly parameters: number;
  /** How the weights are stored. */
  readonly weights: WeightFormat;
}

/**
 * Guesses parameters and weight format from a model's name: `meta-llama/Llama-3.1-70B` has 70e9 parameters in bf16, `Qwen3-32B-FP8` has
 * 32e9 in fp8. Names contain rounded numbers (gemma-7b has 8.5e9 parameters), and a name without a quantization means bf16.
 *
 * @returns numbers for `TpuSlice.forModel`; undefined if the name has no number of parameters
 * @throws InvalidInputError if `model` is not a string
 */
export function modelByName(model: string): ModelByName | undefined {
  const problems = new Problems();
  string().read(model, 'model', problems);
  problems.throwIfAny();
  // The folders of a path can have any name.
  const name = model.replace(/\/+$/, '').replace(/^.*\//, '');
  const [, digits, unit = ''] = /(?:^|[-_])(\d+(?:\.\d+)?)([bm])(?=$|[-_])/i.exec(name) ?? [];
  if (digits === undefined || ACTIVE_ONLY.test(model)) return undefined;
  const [, weights = 'bf16'] = FORMATS_BY_NAME.find(([word]) => word.test(model)) ?? [];
  return { parameters: Math.round(Number(digits) * (unit.toLowerCase() === 'b' ? 1e9 : 1e6)), weights };
}

/** Names like `Llama-4-Scout-17B-16E`, which have the active parameters and the number of experts, but not all parameters. */
const ACTIVE_ONLY = /[-_]\d+e(?=$|[-_])/i;

/** Weight formats in names; the first match wins. */
const FORMATS_BY_NAME: readonly (readonly [RegExp, WeightFormat])[] = [
  [/fp8/i, 'fp8'],
  [/int8|w8a|8bit/i, 'int8'],
  [/fp4/i, 'fp4'],
  [/int4|w4a|4bit|awq|gptq/i, 'int4'],
  [/quantized/i, 'int8'],
  [/fp32|float32/i, 'float32'],
];
