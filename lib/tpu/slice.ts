import { brand } from '../problems/brand';
import { nearestWords } from '../problems/nearest';
import { InvalidInputError, type Problem, Problems } from '../problems/problems';
import { instance, string, type Type } from '../problems/schema';
import { either } from '../problems/shown';
import { GENERATIONS, type TpuGeneration, type TpuGenerationFacts, type TpuMachineType } from './generations';
import { type ModelFit, type ModelFitChoice, type ModelFitOptions, smallestFits } from './for-model';
import { type ModelFacts } from './model-facts';
import {
  chipsOf,
  count,
  generationFacts,
  machineFacts,
  machineTypes,
  topologiesOf,
  topologyProblem,
} from './topology';
import { type SuggestedTopology, type TopologyOn } from './topology-types';

/**
 * A TPU slice: chips that work together, on one host or several. It has the two flags of its node pool, `--machine-type` and
 * `--tpu-topology`, and everything that follows from them.
 *
 * Both flags are necessary: on v5e and v6e, `2x4` is one host of 8 chips or two hosts of 4.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus
 */
export class TpuSlice {
  /** The generation, like `v6e`. */
  readonly generation: TpuGeneration;
  /** Value of the node label `cloud.google.com/gke-tpu-accelerator`, like `tpu-v6e-slice`. */
  readonly accelerator: string;
  /** Chips of the whole slice. */
  readonly chips: number;
  /** Chips of one host: the `google.com/tpu` request of each pod. */
  readonly chipsPerHost: number;
  /** Hosts of the slice, with one pod each. */
  readonly hosts: number;
  /** Whether the slice has more than one host. */
  readonly multiHost: boolean;
  /** High-bandwidth memory of the whole slice, in GiB. */
  readonly hbmGiB: number;
  /** TensorCores of the whole slice. */
  readonly tensorCores: number;
  /** Devices that JAX sees in the whole slice, which tensor parallelism counts: two per chip on tpu7x, one on all others. */
  readonly devices: number;
  /** vCPUs of one host. */
  readonly vCpusPerHost: number;
  /** Memory of one host in GB. */
  readonly memoryGBPerHost: number;
  /** Whether flex-start provisioning offers this machine type. */
  readonly flexStart: boolean;

  private constructor(
    /** The machine type of every host, like `ct6e-standard-8t`. */
    readonly machineType: TpuMachineType,
    /** The topology of the slice in chips, like `2x4`. */
    readonly topology: string,
  ) {
    const machine = machineFacts(machineType);
    const generation = generationFacts(machineType);
    this.generation = machine.generation;
    this.accelerator = generation.accelerator;
    this.chips = chipsOf(topology);
    this.chipsPerHost = machine.chips;
    this.hosts = this.chips / machine.chips;
    this.multiHost = this.hosts > 1;
    this.hbmGiB = this.chips * generation.hbmGiBPerChip;
    this.tensorCores = this.chips * generation.coresPerChip;
    this.devices = this.chips * generation.devicesPerChip;
    this.vCpusPerHost = machine.vCpus;
    this.memoryGBPerHost = machine.memoryGB;
    this.flexStart = generation.flexStart;
    Object.freeze(this);
  }

  /**
   * Returns the slice of a machine type and topology. Literals that do not match fail to compile. Use {@link TpuSlice.parse} for strings
   * from configuration.
   *
   * @param machineType - `--machine-type` of the node pool
   * @param topology - `--tpu-topology` of the node pool; default: the topology of one host
   * @throws InvalidInputError if the machine type does not have that topology
   * @example TpuSlice.of('ct5lp-hightpu-4t', '4x8') // 8 hosts of 4 chips
   */
  static of<M extends TpuMachineType, T extends string = string>(
    machineType: M,
    topology?: TopologyOn<M, T> | SuggestedTopology<M>,
  ): TpuSlice {
    return make(machineType, topology);
  }

  /**
   * Returns the slice that a string from configuration names: a machine type (`ct6e-standard-8t`), a machine type or accelerator label
   * with a topology (`ct5lp-hightpu-4t/4x8`, `tpu-v5p-slice/2x2x2`), or Cloud TPU's own name (`v5litepod-16`, `v5p-16`; for v4, v5p and
   * tpu7x these names count TensorCores, two per chip).
   *
   * @throws InvalidInputError if `text` matches no slice, or several, which the message lists
   */
  static parse(text: string): TpuSlice {
    const problems = new Problems();
    string(undefined, "a string like 'ct6e-standard-8t' or 'ct5lp-hightpu-4t/4x8'").read(
      text,
      'slice',
      problems,
    );
    problems.throwIfAny();
    const name = CLOUD_TPU_NAME.exec(text);
    const generation = machineTypes()
      .filter((type) => generationFacts(type).names.includes(name?.[1] ?? ''))
      .map((type) => machineFacts(type).generation)[0];
    if (name && generation) return parseName(text, generation, Number(name[2]));

    const [head = '', topology, ...rest] = text.split('/');
    if (rest.length > 0) throw unreadable(text);
    // The machine type with the most topologies gives the best suggestions.
    const [widest, ...others] = machineTypes()
      .filter((type) => generationFacts(type).accelerator === head)
      .sort((a, b) => topologiesOf(b).length - topologiesOf(a).length);
    if (widest === undefined) {
      if (machineTypes().includes(head as TpuMachineType) || topology !== undefined)
        return make(head, topology);
      throw unreadable(text);
    }
    if (topology === undefined)
      throw refusal(text, 'has no topology', `'${head}/${machineFacts(widest).singleHostTopology}'`);
    const types = [widest, ...others];
    const fitting = candidates(types, (shape) => shape === topology);
    if (fitting.length === 0) {
      const problem = topologyProblem(widest, topology);
      throw problem ? new InvalidInputError([problem]) : unreadable(text);
    }
    return one(text, fitting);
  }

  /**
   * Returns the smallest slice of a generation that holds a model, with the arithmetic: weights and KV cache as vLLM on TPU allocates
   * them, compared with the HBM that it uses. Of several slices with the same number of chips, returns the one with the fewest hosts.
   *
   * @param model - the Hugging Face id of a known model, or the model's numbers
   * @param options - the generation, and how the model is served; `hosts: 'one'` for servers that need a slice of one host
   * @throws InvalidInputError if numbers are out of range or missing, or no slice holds the model
   * @example TpuSlice.forModel('meta-llama/Llama-3.1-70B', { generation: 'v6e', maxModelLen: 4096 }).slice // ct6e-standard-8t/2x4
   */
  static forModel(
    model: ModelFacts | string,
    options: ModelFitOptions & { readonly generation: TpuGeneration },
  ): ModelFit<TpuSlice>;
  /**
   * Returns the smallest slice of each generation that holds a model, least HBM first, with the arithmetic.
   *
   * @param model - the Hugging Face id of a known model, or the model's numbers
   * @param options - the generations, by default all, and how the model is served
   * @throws InvalidInputError if numbers are out of range or missing, or no slice holds the model
   */
  static forModel(
    model: ModelFacts | string,
    options?: ModelFitOptions & { readonly generations?: readonly TpuGeneration[] },
  ): readonly ModelFit<TpuSlice>[];
  static forModel(
    model: ModelFacts | string,
    options: ModelFitChoice = {},
  ): ModelFit<TpuSlice> | readonly ModelFit<TpuSlice>[] | undefined {
    const fits = smallestFits(model, options, (type, topology) => TpuSlice._make(type, topology));
    return options.generation === undefined ? fits : fits[0];
  }

  /** Returns `MACHINE_TYPE/TOPOLOGY`, which {@link TpuSlice.parse} reads. */
  toString(): string {
    return `${this.machineType}/${this.topology}`;
  }

  /** @internal */
  static _make(machineType: TpuMachineType, topology: string): TpuSlice {
    return new TpuSlice(machineType, topology);
  }
}

brand(TpuSlice, 'TpuSlice');

/** A prop `slice`. */
export const sliceType: Type<TpuSlice> = instance(
  'TpuSlice',
  "TpuSlice.of(…), like TpuSlice.of('ct6e-standard-8t')",
  (text) => `TpuSlice.parse('${text}')`,
);

/** Names like `v5litepod-16`. */
const CLOUD_TPU_NAME = /^([a-z0-9]+)-(0|[1-9]\d*)$/;

const refusal = (text: string, problem: string, use: string): InvalidInputError =>
  new InvalidInputError([{ path: 'slice', value: text, problem, use }]);

function make(machineType: unknown, topology: unknown): TpuSlice {
  const problems = new Problems();
  const given = string(undefined, "a machine type, like 'ct6e-standard-8t'").read(
    machineType,
    'machineType',
    problems,
  );
  const shape =
    topology === undefined
      ? undefined
      : string(undefined, "a topology, like '2x4'").read(topology, 'topology', problems);
  const type = machineTypes().find((known) => known === given);
  if (given !== undefined && type === undefined) problems.add(notAMachine(given));
  if (type !== undefined && shape !== undefined) problems.add(topologyProblem(type, shape));
  problems.throwIfAny();
  const made = type && TpuSlice._make(type, shape ?? machineFacts(type).singleHostTopology);
  return problems.settle(made);
}

function notAMachine(given: string): Problem {
  const nearest = nearestWords(given, machineTypes()).slice(0, 3);
  const isText = CLOUD_TPU_NAME.test(given) || given.includes('/');
  return {
    path: 'machineType',
    value: given,
    problem: 'is not a TPU machine type',
    use: isText
      ? `TpuSlice.parse('${given}')`
      : either((nearest.length > 0 ? nearest : machineTypes()).map((one) => `'${one}'`)),
  };
}

/** Returns the slices of several machine types that have the requested topology. */
function candidates(
  types: readonly TpuMachineType[],
  wanted: (topology: string) => boolean,
): readonly TpuSlice[] {
  return types
    .filter((type) => !machineFacts(type).onlyWhenNamed)
    .flatMap((type) =>
      topologiesOf(type)
        .filter(wanted)
        .map((topology) => TpuSlice._make(type, topology)),
    );
}

function parseName(text: string, generation: TpuGeneration, wanted: number): TpuSlice {
  const facts: TpuGenerationFacts = GENERATIONS[generation];
  const family = machineTypes().filter((type) => machineFacts(type).generation === generation);
  const perChip = facts.nameCounts === 'cores' ? facts.coresPerChip : 1;
  const fitting = candidates(family, (topology) => chipsOf(topology) * perChip === wanted);
  if (fitting.length > 0) return one(text, fitting);
  const counts = [
    ...new Set(candidates(family, () => true).map((slice) => (slice.chips * perChip).toString())),
  ].map(Number);
  const below = Math.max(...counts.filter((n) => n < wanted));
  const above = Math.min(...counts.filter((n) => n > wanted));
  const prefix = text.slice(0, text.lastIndexOf('-'));
  const near = [below, above].filter(Number.isFinite).map((n) => `'${prefix}-${String(n)}'`);
  const unit = facts.nameCounts === 'cores' ? 'TensorCore' : 'chip';
  throw refusal(
    text,
    `is not a slice, because no slice of ${prefix} has ${count(wanted, unit)}`,
    either(near),
  );
}

function one(text: string, fitting: readonly TpuSlice[]): TpuSlice {
  const [slice, ...further] = fitting;
  if (slice && further.length === 0) return slice;
  const named = fitting
    .slice(0, 3)
    .map((s) => `'${s.toString()}' (${count(s.hosts, 'host')} of ${count(s.chipsPerHost, 'chip')})`);
  const more = fitting.length - named.length;
  const others = more > 0 ? [`one of ${String(more)} more topologies with as many chips`] : [];
  throw refusal(text, 'is ambiguous', either([...named, ...others]));
}

function unreadable(text: string): InvalidInputError {
  const [head = '', ...rest] = text.split('/');
  const known: readonly string[] = [
    ...machineTypes(),
    ...Object.values(GENERATIONS).map(({ accelerator }) => accelerator),
  ];
  const nearest = rest.length > 0 ? [] : nearestWords(head, known).slice(0, 3);
  return refusal(
    text,
    'is not a slice',
    nearest.length > 0
      ? either(nearest.map((word) => `'${word}'`))
      : "MACHINE_TYPE, MACHINE_TYPE/TOPOLOGY, ACCELERATOR/TOPOLOGY or a name like 'v5litepod-16'",
  );
}
