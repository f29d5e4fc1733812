/** Facts about one TPU generation. The source of every fact is next to it in `GENERATIONS`. */
export interface TpuGenerationFacts {
  /** Value of the node label `cloud.google.com/gke-tpu-accelerator`. */
  readonly accelerator: string;
  /** Number of dimensions of its topologies. */
  readonly dimensions: 2 | 3;
  /** High-bandwidth memory of one chip, in GiB. */
  readonly hbmGiBPerChip: number;
  /** TensorCores of one chip. */
  readonly coresPerChip: number;
  /** Devices that JAX, and therefore vLLM's tensor parallelism, sees on one chip. */
  readonly devicesPerChip: number;
  /** Largest slice of a 3D generation, in cubes of 4x4x4 chips. */
  readonly maxCubes?: number;
  /** Whether flex-start provisioning is available. */
  readonly flexStart: boolean;
  /** First GKE version that supports the generation, if a source confirms one. */
  readonly minimumGkeVersion?: { readonly standard: string; readonly autopilot: string };
  /** First parts of Cloud TPU's names for slices: `v5litepod` in `v5litepod-16`. */
  readonly names: readonly string[];
  /** Whether the number in these names counts chips or TensorCores. */
  readonly nameCounts: 'chips' | 'cores';
}

/**
 * The TPU generations.
 *
 * Sources: labels are from GKE's own autoscaler (`labels/system_labels.go`); HBM and cores are from the Cloud TPU architecture page of
 * each generation; flex-start follows from `dwsDisabled` in the autoscaler's machine table; 3D limits are from xpk's topology generator
 * (`src/xpk/core/system_characteristics.py`), which counts cubes of 4x4x4 chips.
 *
 * @see https://github.com/GoogleCloudPlatform/cluster-autoscaler/tree/7d25050/pkg/cloudprovider/gke/labels
 * @see https://github.com/AI-Hypercomputer/xpk/blob/367c838/src/xpk/core/system_characteristics.py
 */
export const GENERATIONS = {
  v4: {
    accelerator: 'tpu-v4-podslice',
    dimensions: 3,
    // https://cloud.google.com/tpu/docs/v4
    hbmGiBPerChip: 32,
    coresPerChip: 2,
    devicesPerChip: 1,
    maxCubes: 64,
    // ct4p is marked dwsDisabled; the flex-start page excludes v3 and v4.
    flexStart: false,
    names: ['v4'],
    nameCounts: 'cores',
  },
  v5e: {
    accelerator: 'tpu-v5-lite-podslice',
    dimensions: 2,
    // https://cloud.google.com/tpu/docs/v5e
    hbmGiBPerChip: 16,
    coresPerChip: 1,
    devicesPerChip: 1,
    flexStart: true,
    // https://cloud.google.com/kubernetes-engine/docs/tutorials/tpu-multihost-saxml
    minimumGkeVersion: { standard: '1.27.2-gke.2100', autopilot: '1.27.2-gke.2100' },
    names: ['v5litepod', 'v5e'],
    nameCounts: 'chips',
  },
  v5p: {
    accelerator: 'tpu-v5p-slice',
    dimensions: 3,
    // https://cloud.google.com/tpu/docs/v5p
    hbmGiBPerChip: 95,
    coresPerChip: 2,
    devicesPerChip: 1,
    // xpk and the pod itself; the v5p page names 16x16x24 (96 cubes) as the largest single job.
    maxCubes: 140,
    flexStart: true,
    names: ['v5p'],
    nameCounts: 'cores',
  },
  v6e: {
    accelerator: 'tpu-v6e-slice',
    dimensions: 2,
    // https://cloud.google.com/tpu/docs/v6e
    hbmGiBPerChip: 32,
    coresPerChip: 1,
    devicesPerChip: 1,
    flexStart: true,
    // https://cloud.google.com/kubernetes-engine/docs/tutorials/serve-vllm-tpu
    minimumGkeVersion: { standard: '1.31.2-gke.1115000', autopilot: '1.31.2-gke.1115000' },
    names: ['v6e'],
    nameCounts: 'chips',
  },
  tpu7x: {
    accelerator: 'tpu7x',
    dimensions: 3,
    // https://cloud.google.com/kubernetes-engine/docs/concepts/tpu-ironwood
    hbmGiBPerChip: 192,
    coresPerChip: 2,
    // The Ironwood vLLM recipes count two devices per chip: https://github.com/AI-Hypercomputer/tpu-recipes/tree/main/inference/ironwood/vLLM
    devicesPerChip: 2,
    maxCubes: 144,
    flexStart: true,
    // https://cloud.google.com/kubernetes-engine/docs/concepts/tpu-ironwood
    minimumGkeVersion: { standard: '1.34.0-gke.2201000', autopilot: '1.34.1-gke.3084001' },
    names: ['tpu7x'],
    nameCounts: 'cores',
  },
} as const satisfies Record<string, TpuGenerationFacts>;

/**
 * First GKE version with flex-start for TPUs.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/dws
 */
export const FLEX_START_MINIMUM_GKE_VERSION = '1.33.0-gke.1712000';

/** Facts about one TPU machine type. */
export interface TpuMachineFacts {
  /** The generation of its chips. */
  readonly generation: TpuGeneration;
  /** TPU chips of one host. A pod on it must request all of them. */
  readonly chips: 1 | 4 | 8;
  /** Virtual CPUs of one host. */
  readonly vCpus: number;
  /** Memory of one host in GB. */
  readonly memoryGB: number;
  /** Topology of a slice of one host. */
  readonly singleHostTopology: string;
  /**
   * Multi-host topologies: a list, or all that the 3D rule allows. Machines with 8 chips or 1 chip have none: no source shows a node pool
   * with several of them.
   */
  readonly multiHostTopologies: readonly string[] | '3D rule';
  /** Whether only the full name selects the machine type. A short name like `tpu7x-8` does not. */
  readonly onlyWhenNamed?: true;
}

const SEVERAL_2D = ['2x4', '4x4', '4x8', '8x8', '8x16', '16x16'] as const;

/**
 * The TPU machine types.
 *
 * Chips, vCPUs, memory and the single-host topology are from GKE's own autoscaler
 * (`machinetypes/deprecated_machine_types_config.go`), multi-host topologies from xpk and the Cloud TPU pages of each generation.
 *
 * @see https://github.com/GoogleCloudPlatform/cluster-autoscaler/tree/7d25050/pkg/cloudprovider/gke/machinetypes
 */
export const MACHINE_TYPES = {
  'ct4p-hightpu-4t': {
    generation: 'v4',
    chips: 4,
    vCpus: 240,
    memoryGB: 407,
    singleHostTopology: '2x2x1',
    multiHostTopologies: '3D rule',
  },
  'ct5lp-hightpu-1t': {
    generation: 'v5e',
    chips: 1,
    vCpus: 24,
    memoryGB: 48,
    singleHostTopology: '1x1',
    multiHostTopologies: [],
  },
  'ct5lp-hightpu-4t': {
    generation: 'v5e',
    chips: 4,
    vCpus: 112,
    memoryGB: 192,
    singleHostTopology: '2x2',
    multiHostTopologies: SEVERAL_2D,
  },
  'ct5lp-hightpu-8t': {
    generation: 'v5e',
    chips: 8,
    vCpus: 224,
    memoryGB: 384,
    singleHostTopology: '2x4',
    multiHostTopologies: [],
  },
  'ct5p-hightpu-4t': {
    generation: 'v5p',
    chips: 4,
    vCpus: 208,
    memoryGB: 448,
    singleHostTopology: '2x2x1',
    multiHostTopologies: '3D rule',
  },
  'ct6e-standard-1t': {
    generation: 'v6e',
    chips: 1,
    vCpus: 44,
    // the autoscaler, and https://docs.cloud.google.com/compute/docs/tpus/tpu-machines
    memoryGB: 176,
    singleHostTopology: '1x1',
    multiHostTopologies: [],
  },
  'ct6e-standard-4t': {
    generation: 'v6e',
    chips: 4,
    vCpus: 180,
    memoryGB: 720,
    singleHostTopology: '2x2',
    multiHostTopologies: SEVERAL_2D,
  },
  'ct6e-standard-8t': {
    generation: 'v6e',
    chips: 8,
    vCpus: 180,
    memoryGB: 1440,
    singleHostTopology: '2x4',
    multiHostTopologies: [],
  },
  'tpu7x-standard-1t': {
    generation: 'tpu7x',
    chips: 1,
    vCpus: 56,
    memoryGB: 248,
    singleHostTopology: '1x1x1',
    multiHostTopologies: [],
  },
  'tpu7x-standard-4t': {
    generation: 'tpu7x',
    chips: 4,
    vCpus: 224,
    // another source says 960
    memoryGB: 992,
    singleHostTopology: '2x2x1',
    multiHostTopologies: '3D rule',
  },
  'tpu7x-ultranet-4t': {
    generation: 'tpu7x',
    chips: 4,
    vCpus: 224,
    memoryGB: 992,
    singleHostTopology: '2x2x1',
    multiHostTopologies: '3D rule',
    onlyWhenNamed: true,
  },
} as const satisfies Record<string, TpuMachineFacts & { readonly generation: keyof typeof GENERATIONS }>;

/** A TPU generation: `v4`, `v5e`, `v5p`, `v6e` (Trillium), `tpu7x` (Ironwood). */
export type TpuGeneration = keyof typeof GENERATIONS;

/** A Compute Engine machine type with TPU chips, the `--machine-type` of a node pool. */
export type TpuMachineType = keyof typeof MACHINE_TYPES;
