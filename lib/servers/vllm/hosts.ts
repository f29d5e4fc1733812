// vLLM on a multi-host slice: a Ray cluster inside each group of a LeaderWorkerSet.
import { RAY_PORTS } from '../../facts/ports';
import { LWS_GROUP_SIZE, LWS_LEADER_ADDRESS, MULTIHOST_BACKEND } from '../../facts/variables';
import { MULTI_HOST_GENERATIONS } from '../../facts/vllm-platform';
import { type MainContainer } from '../../pod/fragment';
import { type Problem } from '../../problems/problems';
import { type TpuSlice } from '../../tpu/slice';
import { type WorkerProgram } from '../server';

/**
 * Waits until all hosts have joined. If that takes too long, the startup probe restarts the container.
 *
 * @see https://docs.ray.io/en/latest/ray-core/api/doc/ray.nodes.html
 */
const WAIT_FOR_HOSTS = `import os, ray, time
size = int(os.environ["${LWS_GROUP_SIZE}"])
ray.init(address="auto")
joined = 0
while joined < size:
    joined = sum(1 for node in ray.nodes() if node["Alive"])
    print(f"{joined} of {size} hosts have joined", flush=True)
    time.sleep(2)`;

/** The first host starts Ray, waits for the other hosts, and then runs the script's arguments as the server. */
const LEADER_SCRIPT = `ray start --head --port=${String(RAY_PORTS.gcs)}
python3 -c '${WAIT_FOR_HOSTS}'
exec "$@"`;

/** Each other host joins when the first host listens. If Ray ends on a host, its container ends, and the group restarts. */
const WORKER_SCRIPT = `until timeout 5 bash -c "exec 3<>/dev/tcp/$${LWS_LEADER_ADDRESS}/${String(RAY_PORTS.gcs)}" 2>/dev/null; do
  echo "waiting for $${LWS_LEADER_ADDRESS}"
  sleep 5
done
exec ray start --address="$${LWS_LEADER_ADDRESS}:${String(RAY_PORTS.gcs)}" --block`;

/** Returns the first host's command, which wraps the command of the server. */
export const leaderCommand = (command: readonly string[]): string[] => [
  'bash',
  '-ec',
  LEADER_SCRIPT,
  'leader',
  ...command,
];

/** Variables that make vLLM use all hosts. JAX detects its platforms, as in upstream's multi-host tests. */
export const HOSTS_ENV: NonNullable<MainContainer['env']> = [
  { name: MULTIHOST_BACKEND, value: 'ray' },
  { name: 'JAX_PLATFORMS', value: '' },
];

/** Port on which the other hosts join. */
export const RAY_PORT: NonNullable<MainContainer['ports']>[number] = {
  name: 'ray-gcs',
  containerPort: RAY_PORTS.gcs,
  protocol: 'TCP',
};

/** Program of all hosts of a slice except the first one. */
export const WORKER_PROGRAM: WorkerProgram = { command: ['bash', '-ec', WORKER_SCRIPT] };

/** Fixed ports of Ray on the first host: https://docs.ray.io/en/latest/ray-core/configure.html */
export const raysPorts = (slice: TpuSlice): readonly number[] =>
  slice.multiHost ? [RAY_PORTS.gcs, RAY_PORTS.dashboard, RAY_PORTS.client] : [];

/** Yields the problems of a server on a multi-host slice. */
export function* hostsProblems(props: {
  readonly slice: TpuSlice;
  readonly port: number;
  readonly pipelineParallelSize: number;
}): Iterable<Problem> {
  const { slice, port, pipelineParallelSize: stages } = props;
  if (!slice.multiHost) return;
  if (raysPorts(slice).includes(port))
    yield {
      path: 'port',
      value: port,
      problem: 'is a port of Ray on multi-host slices',
      use: 'another port',
    };
  if (stages !== 1 && stages !== slice.hosts)
    yield {
      path: 'pipelineParallelSize',
      value: stages,
      problem: `is neither 1 nor the number of hosts, ${String(slice.hosts)}`,
      use: '1',
    };
}

/** Returns a note for multi-host slices of a generation on which vLLM is not tested. */
export const hostsNotes = ({ multiHost, generation }: TpuSlice): readonly string[] =>
  !multiHost || MULTI_HOST_GENERATIONS.includes(generation)
    ? []
    : [
        `No release of vLLM is tested on multi-host slices of ${generation}: in vLLM's support matrix, multi-host tests pass on ${MULTI_HOST_GENERATIONS.join(', ')} only. Test the server before you rely on it.`,
      ];
