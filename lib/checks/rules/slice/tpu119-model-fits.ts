import { MODEL_ANNOTATION } from '../../../facts/labels';
import { type ServerSoftware } from '../../../facts/servers';
import { list } from '../../../manifest/manifest';
import { annotatedModel, isCertain, type ServedModel, servedModelOf } from '../../../manifest/model-memory';
import { modelServerOf } from '../../../manifest/model-servers';
import { type ContainerView, type PodView } from '../../../manifest/pods';
import { isTpuPod, possibleSlices, tpuContainers } from '../../../manifest/slices';
import { Problems, textOf } from '../../../problems/problems';
import { memoryFit } from '../../../tpu/memory';
import { memoryFindings } from '../../../tpu/memory-findings';
import { type TpuSlice } from '../../../tpu/slice';
import { BYTES_PER_PARAMETER } from '../../../tpu/weights';
import { defineRule, type Violation } from '../../rule';
import { eachPod } from '../each-pod';

export const TPU119 = defineRule({
  code: 'TPU119',
  title: 'the model of a server fits its slice',
  severities: ['error', 'warning', 'note'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* (pod) {
    // A pod without chips and selectors fits every slice.
    if (!isTpuPod(pod)) return;
    const [slice, ...others] = possibleSlices(pod);
    if (slice === undefined || others.length > 0) return;
    yield* annotationProblems(pod);
    for (const one of tpuContainers(pod)) {
      const served = servedModelOf(one, pod);
      const found = served && violation(served, slice, hostsOf(pod, one));
      if (found) yield { object: pod.object, path: pathOf(pod, one), ...found };
    }
  }),
});

/** The path that names the model: the command or the annotation. */
function pathOf(pod: PodView, { container, path }: ContainerView): string {
  const words = ['args', 'command'].find((key) => list(container, key).length > 0);
  return words === undefined ? annotationPath(pod) : `${path}.${words}`;
}

/** Path of the annotation with the numbers of the model. */
const annotationPath = ({ annotations, path }: PodView): string =>
  `${MODEL_ANNOTATION in annotations ? `${path}.` : ''}metadata.annotations[${MODEL_ANNOTATION}]`;

/** How many hosts a server can use, and how many its object gives it. */
interface Hosts {
  readonly can: 'one' | 'any';
  readonly has: 'one' | 'any';
}

const hostsOf = (pod: PodView, container: ContainerView): Hosts => ({
  can: ONE_HOST.has(modelServerOf(container)?.software) ? 'one' : 'any',
  has: pod.runs === 'Deployment' ? 'one' : 'any',
});

/** Servers that are not known to run on several hosts: https://github.com/AI-Hypercomputer/jetstream-pytorch */
const ONE_HOST: ReadonlySet<ServerSoftware | undefined> = new Set<ServerSoftware>(['jetstream']);

/** Problems in the annotation with the numbers of the model. */
function* annotationProblems(pod: PodView): Generator<Violation<'warning'>> {
  const problems = new Problems();
  annotatedModel(pod, problems);
  for (const problem of problems.all)
    yield {
      object: pod.object,
      path: annotationPath(pod),
      message: `the annotation ${MODEL_ANNOTATION} is not valid and is ignored: ${textOf(problem)}`,
      fix: 'correct the annotation, or remove it',
      severity: 'warning',
    };
}

type Found = Pick<Violation<'error' | 'warning' | 'note'>, 'message' | 'fix' | 'severity'>;

function violation(served: ServedModel, slice: TpuSlice, hosts: Hosts): Found | undefined {
  const { model, options } = served;
  // pipeline parallelism can use several slices
  if ((options.pipelineParallelSize ?? 1) > 1 && hosts.has === 'any') return undefined;
  const impossible = memoryFit(slice, model, options).verdict === 'too large';
  const { problem, warning } = memoryFindings(slice, inWords(served, impossible), model, {
    ...options,
    hosts: hosts.can,
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
    fix: use === undefined ? 'use a smaller model' : `use ${use}, or a smaller model`,
    severity: severityOf(served, impossible),
  };
}

/** Names the model and, if its size is a guess, the source of the guess. */
function inWords(served: ServedModel, impossible: boolean): string {
  const { name, source, parameters = 0, weights = 'bf16' } = served;
  if (name === undefined) return 'the model';
  if (isCertain(served)) return `model '${name}'`;
  const bits = Math.floor(BYTES_PER_PARAMETER[weights] * 8);
  const isExact = source === 'flag' && weights !== 'int8';
  const each = impossible && !isExact ? 'of at least 4 bits' : `of ${String(bits)} bits`;
  return `model '${name}' (${String(parameters / 1e9)}e9 parameters ${each} according to its ${source === 'flag' ? 'flags' : 'name'})`;
}

/** A lower bound is certain if the numbers of the model are certain. An estimate is never certain. */
function severityOf(served: ServedModel, impossible: boolean): 'error' | 'warning' | 'note' {
  if (isCertain(served)) return impossible ? 'error' : 'warning';
  if (!impossible) return 'note';
  return served.source === 'flag' ? 'error' : 'warning';
}
