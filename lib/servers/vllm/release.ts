import { platformProblems } from '../../facts/vllm-platform';
import { defectProblem, flagKnown, type ImageRelease, releaseProblem } from '../../facts/vllm-releases';
import { type Problem } from '../../problems/problems';
import { type ModelFacts } from '../../tpu/model-facts';
import { furtherArgs, isFlag } from '../flags';
import { modelFactsOf } from './model';
import {
  furtherFlags,
  jsonField,
  plainVariables,
  releaseOfProps,
  startsVllm,
  type StartProps,
} from './flags';

/** A flag that a prop writes: the path of the prop, and the flag. */
type Written = readonly [path: string, flag: string];

/** Returns the flags and variables that the release of the image does not know, or that are broken in that release. */
export function releaseProblems(props: StartProps, written: readonly Written[]): readonly Problem[] {
  if (!startsVllm(props)) return [];
  const release = releaseOfProps(props);
  const flags = [...written, ...furtherArgs(props).filter(([, text]) => isFlag(text))];
  return [
    ...flags.flatMap(
      ([path, text]) =>
        releaseProblem(release, 'flag', text, path) ?? defectProblem(release, 'flag', text, path) ?? [],
    ),
    ...Object.keys(plainVariables(props)).flatMap(
      (name) => releaseProblem(release, 'variable', name, `env.${name}`) ?? [],
    ),
  ];
}

/** Values that vLLM's TPU platform checks when the engine starts. */
export interface PlatformProps extends StartProps {
  readonly model: string;
  readonly modelConfiguration?: ModelFacts | undefined;
  readonly enableLora?: boolean | undefined;
  readonly tensorParallelSize: number;
  readonly pipelineParallelSize: number;
  readonly dataParallelSize: number;
  /** Devices of the main container. */
  readonly devices: number;
}

/** Returns the problems in props, arguments and variables that stop the engine at its start. */
export function startProblems(props: PlatformProps): readonly Problem[] {
  if (!startsVllm(props)) return [];
  const flags = furtherFlags(props);
  const transfer = flags.get('--kv-transfer-config');
  const name = jsonField(transfer, 'kv_connector');
  const module = jsonField(transfer, 'kv_connector_module_path');
  return platformProblems(releaseOfProps(props), {
    devices: props.devices,
    tensorParallelSize: props.tensorParallelSize,
    pipelineParallelSize: props.pipelineParallelSize,
    dataParallelSize: props.dataParallelSize,
    enableLora: props.enableLora ?? flags.has('--enable-lora'),
    dpAttention: hasDpAttention(flags),
    // flags with dots, and files, can also set the field
    mla: modelFactsOf(props)?.attention?.includes('mla') === true && !hasUnreadConfig(flags),
    env: plainVariables(props),
    ...(typeof name === 'string' && {
      connector: { name, ...(typeof module === 'string' && { module }) },
    }),
  });
}

/** Returns whether `--additional-config` turns on attention data parallelism. */
const hasDpAttention = (flags: ReadonlyMap<string, string>): boolean =>
  jsonField(flags.get('--additional-config'), 'sharding', 'sharding_strategy', 'enable_dp_attention') ===
  true;

const hasUnreadConfig = (flags: ReadonlyMap<string, string>): boolean =>
  [...flags.keys()].some((flag) => flag.startsWith('--additional-config.') || flag === '--config');

/** Seconds between vLLM's shutdown timeout and the end of the grace period, so that vLLM ends before Kubernetes kills it. */
const MARGIN_SECONDS = 5;

/**
 * Returns how many seconds vLLM has to finish its requests after the termination signal; undefined if the release does not have the flag,
 * if the user set the flag, or if the grace period is too short.
 *
 * @see https://github.com/vllm-project/vllm/pull/34730
 */
export function shutdownTimeout(
  props: StartProps,
  release: ImageRelease,
  seconds: number,
): number | undefined {
  const timeout = seconds - MARGIN_SECONDS;
  const known = flagKnown(release, '--shutdown-timeout') === 'known';
  return known && timeout > 0 && startsVllm(props) && !furtherFlags(props).has('--shutdown-timeout')
    ? timeout
    : undefined;
}
