import { BYTES_PER_PARAMETER, type ModelDtype } from '../../../tpu/sizing';
import { count, machineFacts, machineTypes } from '../../../tpu/topology';
import { defineRule, type Violation } from '../../rule';
import { memoryFindings } from '../../../tpu/memory';
import { type ServedModel, servedModelOf } from '../../../manifest/model-memory';
import { type ContainerView } from '../../../manifest/pods';
import { eachPod } from '../each-pod';
import { modelServerOf, namedModelOf } from '../../../manifest/model-servers';
import { possibleSlices, slicesLike, tpuContainers } from '../../../manifest/slices';
import { type TpuSlice } from '../../../tpu/slice';

export const TPU119 = defineRule({
  code: 'TPU119',
  title: 'the model that a server names fits its slice',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods'],
  check: eachPod(function* (pod) {
    const [slice, ...others] = possibleSlices(pod);
    if (slice === undefined || others.length > 0) return;
    for (const one of tpuContainers(pod)) {
      const found = violation(one, slice, pod.runs === 'Deployment');
      if (found) yield { object: pod.object, path: `${one.path}.args`, ...found };
    }
  }),
});

type Found = Pick<Violation<'error' | 'warning' | 'note'>, 'message' | 'fix' | 'severity'>;

const violation = (one: ContainerView, slice: TpuSlice, oneHost: boolean): Found | undefined => {
  const served = servedModelOf(one);
  return served ? knownViolation(served, slice, oneHost) : guessedViolation(one, slice, oneHost);
};

/** A model whose configuration is known: the lower bound is certain, the estimate is not. */
function knownViolation(
  { name, configuration, options }: ServedModel,
  slice: TpuSlice,
  oneHost: boolean,
): Found | undefined {
  // a pipeline may go through several slices
  if ((options.pipelineParallelSize ?? 1) > 1 && !oneHost) return undefined;
  const { problem, warning } = memoryFindings(slice, `model '${name}'`, configuration, {
    ...options,
    hosts: oneHost ? 'one' : 'any',
  });
  const found = problem ?? warning;
  if (!found) return undefined;
  const { path, value, use } = found;
  const subject =
    path === 'slice'
      ? `slice '${slice.toString()}'`
      : `--max-model-len${typeof value === 'number' ? ` ${String(value)}` : ''}`;
  return {
    message: `${subject} ${found.problem}`,
    fix: use === undefined ? 'serve a smaller model' : `use ${use}`,
    severity: problem ? 'error' : 'warning',
  };
}

/** A model whose size only its name or its flags tell. */
function guessedViolation(one: ContainerView, slice: TpuSlice, oneHost: boolean): Found | undefined {
  const server = modelServerOf(one);
  const model = server && namedModelOf(server);
  // a pipeline may go through several slices
  if (!server || !model || Number(server.flag('--pipeline-parallel-size', '-pp') ?? 1) > 1) return undefined;
  const certain = model.stated && model.dtype !== 'int8';
  const smallest: ModelDtype = certain ? model.dtype : 'int4';
  const fits = (dtype: ModelDtype): boolean => weightsFit(slice, bytesOf(model, dtype));
  if (fits(model.dtype)) return undefined;
  const never = !fits(smallest);
  const dtype = never ? smallest : model.dtype;
  return {
    message: weightsInWords(model, dtype, slice),
    fix: largerSlices(slice, bytesOf(model, dtype), oneHost),
    // a name is a guess, and so is what its weights are quantized to
    severity: !never ? 'note' : model.stated ? 'error' : 'warning',
  };
}

type NamedModel = NonNullable<ReturnType<typeof namedModelOf>>;

const GIB = 2 ** 30;

const bytesOf = ({ parameters }: NamedModel, dtype: ModelDtype): number =>
  parameters * BYTES_PER_PARAMETER[dtype];

/** Whether weights fit the memory of a slice; KV cache and headroom are not counted. */
const weightsFit = (slice: TpuSlice, bytes: number): boolean => bytes <= slice.hbmGiB * GIB;

const weightsInWords = (model: NamedModel, dtype: ModelDtype, slice: TpuSlice): string =>
  `the weights of model '${model.name}' take ${(bytesOf(model, dtype) / GIB).toFixed(1)} GiB at ${String(BYTES_PER_PARAMETER[dtype] * 8)} bits per parameter, and slice '${slice.toString()}' has ${String(slice.hbmGiB)} GiB of memory`;

/** Names the smallest slice of the same generation that holds weights, or of another generation if it has none. */
function largerSlices(slice: TpuSlice, bytes: number, oneHost: boolean): string {
  const types = machineTypes().filter((type) => !machineFacts(type).onlyWhenNamed);
  const fitting = slicesLike(types, undefined, undefined)
    .filter((other) => weightsFit(other, bytes) && (!oneHost || !other.multiHost))
    .sort((a, b) => a.chips - b.chips || a.hosts - b.hosts);
  const same = fitting.filter(({ generation }) => generation === slice.generation);
  const [near] = same.length > 0 ? same : fitting;
  return near === undefined
    ? 'serve a smaller model'
    : `use '${near.toString()}' (${count(near.hosts, 'host')}), or serve a smaller model`;
}
