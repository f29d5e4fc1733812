import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type ComputeClassProps, type ComputeClassSpecPriorities } from '../../imports/cloud.google.com';
import { FLEX_START_RUN_SECONDS } from '../facts/durations';
import { type Capacity, capacityProblem, capacityType, computeClassName } from '../pod/capacity';
import { brand } from '../problems/brand';
import { dnsLabel } from '../problems/grammar';
import { type Problem } from '../problems/problems';
import {
  boolean,
  essential,
  integer,
  list,
  oneOf,
  optional,
  readNamed,
  type Schema,
  string,
} from '../problems/schema';
import { sliceType, type TpuSlice } from '../tpu/slice';
import { checkAtSynth } from '../synth/at-synth';
import { recommendedLabels } from '../workload/labels';
import { clusterObject } from '../workload/objects';
import { describeOperations, type Operations } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';
import { workloadPolicyCommand } from './node-pool';
import { KINDS } from '../facts/rendered';
import { manifest, type Plain } from '../workload/plain';

/** Properties of a ComputeClass for a TPU slice. */
export interface TpuComputeClassProps {
  /** Name of the ComputeClass, unique in the cluster. @default - the construct's id */
  readonly name?: string;
  /** The slice that every priority provides. */
  readonly slice: TpuSlice;
  /**
   * How the slice is bought, the first choice first: `Capacity.reservation(…)`, `.onDemand()`, `.flexStart(…)` or `.spot()`. The
   * `maxRunDurationSeconds` of flex-start is part of its priority and is not set on pods.
   */
  readonly priorities: readonly Capacity[];
  /**
   * Whether GKE creates and deletes the node pools. If `false`, the node pools must exist, with the label and taint of the class.
   *
   * @default true
   */
  readonly nodePoolAutoCreation?: boolean;
  /**
   * Handling of pods if no priority is available: with `DoNotScaleUp` they wait; with `ScaleUpAnyway` GKE creates other nodes, which
   * have no TPUs.
   *
   * @default 'DoNotScaleUp'
   */
  readonly whenUnsatisfiable?: 'DoNotScaleUp' | 'ScaleUpAnyway';
  /**
   * Whether GKE evicts running pods to move them when a higher priority becomes available again. A moved server loads and compiles its
   * model again.
   *
   * @default false
   */
  readonly optimizeRulePriority?: boolean;
  /**
   * How long before the end of their run GKE replaces flex-start nodes, in seconds: 1 to 604800, and less than `maxRunDurationSeconds`.
   *
   * @default - GKE does not replace the nodes, and pods end with their nodes
   */
  readonly nodeRecyclingLeadTimeSeconds?: number;
  /** Size of each node's boot disk, in GB, 10 to 65536, like `diskSizeGb` of a `NodePool`. @default - GKE's default, 100 */
  readonly bootDiskSize?: number;
  /**
   * Name of the workload policy, `--placement-policy`, for a multi-host tpu7x slice. The policy must have the topology of the slice.
   *
   * @default - none; required for multi-host tpu7x slices, not allowed for other slices
   */
  readonly placementPolicyName?: string;
}

/**
 * First GKE version in which a class creates node pools in a Standard cluster without node auto-provisioning.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 */
const AUTO_CREATION_GKE_VERSION = '1.33.3-gke.1136000';

/**
 * A ComputeClass for one TPU slice: a list of ways to buy the slice, of which GKE uses the first available one. Servers and Jobs refer to
 * it with `capacity: Capacity.computeClass(…)`, and then select the class instead of accelerator and topology. A ComputeClass has no
 * namespace. Ray cannot use one, because its TPU webhook reads the topology from the pods.
 *
 * @throws InvalidInputError listing every prop that is out of range, contradicts another prop, or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 * @see https://cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
 */
export class TpuComputeClass extends Construct {
  /** The ComputeClass. */
  readonly computeClass: ApiObject;
  /** Name of the ComputeClass: the value of the node label `cloud.google.com/compute-class`. */
  readonly computeClassName: string;
  /** The slice that every priority provides. */
  readonly slice: TpuSlice;
  /** How the slice is bought, the first choice first. */
  readonly priorities: readonly Capacity[];

  constructor(scope: Construct, id: string, props: TpuComputeClassProps) {
    super(scope, id);
    checkAtSynth(this);
    const read = readNamed(PROPS, props, this.node);
    this.computeClassName = read.name;
    this.slice = read.slice;
    this.priorities = read.priorities;

    this.computeClass = clusterObject(
      this,
      'Resource',
      manifest<ComputeClassProps>(KINDS.ComputeClass, {
        metadata: {
          name: this.computeClassName,
          labels: recommendedLabels('compute-class', this.computeClassName, 'capacity'),
        },
        spec: {
          nodePoolAutoCreation: { enabled: read.nodePoolAutoCreation ?? true },
          whenUnsatisfiable: read.whenUnsatisfiable ?? 'DoNotScaleUp',
          activeMigration: { optimizeRulePriority: read.optimizeRulePriority ?? false },
          priorities: read.priorities.map((capacity) => priority(capacity, read)),
        },
      }),
    );
    describeOperations(this, () => operations(this, read));
  }
}

brand(TpuComputeClass, 'TpuComputeClass');

/** Returns the priority for one way to buy the slice. */
function priority(capacity: Capacity, props: TpuComputeClassProps): Plain<ComputeClassSpecPriorities> {
  const { slice, placementPolicyName, bootDiskSize, nodeRecyclingLeadTimeSeconds: leadTimeSeconds } = props;
  return {
    machineType: slice.machineType,
    tpu: { type: slice.accelerator, count: slice.chipsPerHost, topology: slice.topology },
    placement: placementPolicyName === undefined ? undefined : { policyName: placementPolicyName },
    storage: bootDiskSize === undefined ? undefined : { bootDiskSize },
    spot: capacity.type === 'spot' ? true : undefined,
    ...(capacity.type === 'flex-start' && {
      flexStart: {
        enabled: true,
        nodeRecycling: leadTimeSeconds === undefined ? undefined : { leadTimeSeconds },
      },
      maxRunDurationSeconds: capacity.maxRunDurationSeconds,
    }),
    ...(capacity.reservationName !== undefined && {
      reservations: {
        affinity: 'Specific',
        specific: [{ name: capacity.reservationName }],
      },
    }),
  };
}

/** Returns the requirements and runbook steps of the class. */
const operations = (
  { computeClassName: name, priorities, slice }: TpuComputeClass,
  { nodePoolAutoCreation, placementPolicyName }: TpuComputeClassProps,
): Operations => ({
  computeClass: { name, priorities },
  gkeVersions:
    nodePoolAutoCreation === false
      ? []
      : [
          {
            version: AUTO_CREATION_GKE_VERSION,
            because: 'ComputeClasses that create node pools without node auto-provisioning',
            mode: 'standard',
          },
        ],
  before:
    placementPolicyName === undefined
      ? []
      : [
          {
            text: 'Create the workload policy that connects the hosts of a slice.',
            commands: [workloadPolicyCommand(placementPolicyName, slice, 'REGION')],
          },
        ],
  steps: {
    verify: [
      {
        text: 'Check the status of the ComputeClass.',
        commands: [new ShellCommand(['kubectl', 'get', 'computeclass', name])],
      },
    ],
  },
});

// ---- what the props can be --------------------------------------------------------------------------------------

const PROPS: Schema<TpuComputeClassProps> = {
  properties: {
    name: optional(string(computeClassName)),
    slice: essential(sliceType, "TpuSlice.of('ct6e-standard-8t')"),
    priorities: essential(
      list(capacityType, { min: 1, what: 'a list like [Capacity.reservation(…), Capacity.onDemand()]' }),
      '[Capacity.onDemand()]',
    ),
    nodePoolAutoCreation: optional(boolean()),
    whenUnsatisfiable: optional(oneOf('DoNotScaleUp', 'ScaleUpAnyway')),
    optimizeRulePriority: optional(boolean()),
    nodeRecyclingLeadTimeSeconds: optional(integer(1, FLEX_START_RUN_SECONDS.max)),
    bootDiskSize: optional(integer(10, 65_536)),
    placementPolicyName: optional(string(dnsLabel())),
  },
  rules: [priorityProblems, leadTimeProblems, placementProblems],
};

function* priorityProblems(props: TpuComputeClassProps): Iterable<Problem | undefined> {
  const { priorities, slice } = props;
  const written = priorities.map((one) => JSON.stringify(priority(one, props)));
  for (const [index, capacity] of priorities.entries()) {
    const path = `priorities[${String(index)}]`;
    const { type: value, queueName } = capacity;
    if (value === 'compute-class' || queueName !== undefined) {
      yield {
        path,
        value,
        problem: `refers to ${value === 'compute-class' ? 'a ComputeClass' : `Kueue queue '${queueName ?? ''}'`}, which a ComputeClass cannot use`,
        use: 'Capacity.onDemand(), .spot(), .flexStart() or .reservation(…)',
      };
      continue;
    }
    const problem = capacityProblem(capacity, slice);
    yield problem && { ...problem, path };
    const first = written.indexOf(written[index] ?? '');
    if (first !== index)
      yield { path, value, problem: `is the same as priorities[${String(first)}]`, use: 'to omit it' };
  }
}

function* leadTimeProblems({
  priorities,
  nodeRecyclingLeadTimeSeconds: value,
}: TpuComputeClassProps): Iterable<Problem> {
  if (value === undefined) return;
  const path = 'nodeRecyclingLeadTimeSeconds';
  const flexStart = priorities.filter(({ type }) => type === 'flex-start');
  if (flexStart.length === 0)
    yield {
      path,
      value,
      problem: 'is set, but no priority is flex-start',
      use: 'to add Capacity.flexStart(), or omit it',
    };
  const shortest = Math.min(
    ...flexStart.map(({ maxRunDurationSeconds }) => maxRunDurationSeconds ?? FLEX_START_RUN_SECONDS.max),
  );
  if (value >= shortest)
    yield {
      path,
      value,
      problem: `is not less than the ${String(shortest)} seconds that the nodes run`,
      use: `at most ${String(shortest - 1)}`,
    };
}

function* placementProblems(
  { slice, placementPolicyName: value }: TpuComputeClassProps,
  given: { readonly placementPolicyName?: unknown },
): Iterable<Problem> {
  const path = 'placementPolicyName';
  const needsPolicy = slice.generation === 'tpu7x' && slice.multiHost;
  if (needsPolicy && given.placementPolicyName === undefined)
    yield {
      path,
      problem: `required for slice '${slice.toString()}'`,
      use: `the NAME of a workload policy, from: ${workloadPolicyCommand('NAME', slice, 'REGION').args.join(' ')}`,
    };
  if (!needsPolicy && value !== undefined)
    yield {
      path,
      value,
      problem: `is set for slice '${slice.toString()}', but only multi-host tpu7x slices have a placement policy`,
      use: 'to omit it',
    };
}
