// vLLM on several hosts of a slice: Ray inside the group of a LeaderWorkerSet.
import { RAY_PORTS } from '../../facts/ports';
import { LWS_GROUP_SIZE, LWS_LEADER_ADDRESS, MULTIHOST_BACKEND } from '../../facts/variables';
import { MULTI_HOST_GENERATIONS } from '../../facts/vllm-platform';
import { type MainContainer } from '../../pod/fragment';
import { type Problem } from '../../problems/problems';
import { type TpuSlice } from '../../tpu/slice';
import { type WorkerProgram } from '../server';

/**
 * Counts the hosts that have joined until all have. The startup probe ends a wait that takes too long.
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

/** The first host starts Ray and waits for the others. The words after the script are the program that it starts then. */
const LEADER_SCRIPT = `ray start --head --port=${String(RAY_PORTS.gcs)}
python3 -c '${WAIT_FOR_HOSTS}'
exec "$@"`;

/** Each other host joins as soon as the first one listens. Its container ends with its part of Ray, and the group starts again. */
const WORKER_SCRIPT = `until timeout 5 bash -c "exec 3<>/dev/tcp/$${LWS_LEADER_ADDRESS}/${String(RAY_PORTS.gcs)}" 2>/dev/null; do
  echo "waiting for $${LWS_LEADER_ADDRESS}"
  sleep 5
done
exec ray start --address="$${LWS_LEADER_ADDRESS}:${String(RAY_PORTS.gcs)}" --block`;

/** Command of the first host around the command of the server. */
export const leaderCommand = (command: readonly string[]): string[] => [
  'bash',
  '-ec',
  LEADER_SCRIPT,
  'leader',
  ...command,
];

/** Variables by which vLLM uses all hosts. The platforms of JAX are those that it finds, as in upstream's tests of several hosts. */
export const HOSTS_ENV: NonNullable<MainContainer['env']> = [
  { name: MULTIHOST_BACKEND, value: 'ray' },
  { name: 'JAX_PLATFORMS', value: '' },
];

/** Port at which the other hosts join. */
export const RAY_PORT: NonNullable<MainContainer['ports']>[number] = {
  name: 'ray-gcs',
  containerPort: RAY_PORTS.gcs,
  protocol: 'TCP',
};

/** What each host of a slice but the first runs. */
export const WORKER_PROGRAM: WorkerProgram = { command: ['bash', '-ec', WORKER_SCRIPT] };

/** Ports that Ray takes on the first host, beside those that it chooses: https://docs.ray.io/en/latest/ray-core/configure.html */
export const raysPorts = (slice: TpuSlice): readonly number[] =>
  slice.multiHost ? [RAY_PORTS.gcs, RAY_PORTS.dashboard, RAY_PORTS.client] : [];

/** What is wrong with props of a server on several hosts. */
export function* hostsProblems(props: {
  readonly slice: TpuSlice;
  readonly port: number;
  readonly pipelineParallelSize: number;
}): Iterable<Problem> {
  const { slice, port, pipelineParallelSize: stages } = props;
  if (!slice.multiHost) return;
  if (raysPorts(slice).includes(port))
    yield { path: 'port', value: port, problem: 'is a port of Ray on several hosts', use: 'another port' };
  if (stages !== 1 && stages !== slice.hosts)
    yield {
      path: 'pipelineParallelSize',
      value: stages,
      problem: `is neither 1 nor the number of hosts, ${String(slice.hosts)}`,
      use: '1',
    };
}

/** What to know about several hosts of a generation. */
export const hostsNotes = ({ multiHost, generation }: TpuSlice): readonly string[] =>
  !multiHost || MULTI_HOST_GENERATIONS.includes(generation)
    ? []
    : [
        `No release of vLLM is tested on several hosts of ${generation}: its support matrix for several hosts passes on ${MULTI_HOST_GENERATIONS.join(', ')} only. Test the server before you rely on it.`,
      ];
