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
   * How the slice is bought, first choice first: `Capacity.reservation(…)`, `.onDemand()`, `.flexStart(…)`, `.spot()`. The
   * `maxRunDurationSeconds` of flex-start becomes part of its priority; pods do not repeat it.
   */
  readonly priorities: readonly Capacity[];
  /** Whether GKE creates and deletes the node pools. If not, they must exist and have the class's label and taint. @default true */
  readonly nodePoolAutoCreation?: boolean;
  /**
   * What happens to pods for which no priority is available: `DoNotScaleUp` lets them wait; `ScaleUpAnyway` lets GKE create nodes of
   * other kinds, which have no TPUs.
   *
   * @default 'DoNotScaleUp'
   */
  readonly whenUnsatisfiable?: 'DoNotScaleUp' | 'ScaleUpAnyway';
  /**
   * Whether GKE moves running pods, by evicting them, when a higher priority becomes available again. A server then loads and compiles
   * its model again.
   *
   * @default false
   */
  readonly optimizeRulePriority?: boolean;
  /**
   * How long before the end of their run GKE replaces flex-start nodes, in seconds: 1 to 604800, and less than they run.
   *
   * @default - GKE does not replace them: pods end with their nodes
   */
  readonly nodeRecyclingLeadTimeSeconds?: number;
  /** Boot disk of each node, in GB, 10 to 65536; the same as `diskSizeGb` of a `NodePool`. @default - GKE's: 100 */
  readonly bootDiskSize?: number;
  /**
   * Name of the workload policy, `--placement-policy`, for a tpu7x slice of several hosts; its accelerator topology is that of the
   * slice.
   *
   * @default - none; required for tpu7x slices of several hosts, refused for all others
   */
  readonly placementPolicyName?: string;
}

/**
 * First GKE version in which a class creates node pools of a Standard cluster without node auto-provisioning.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 */
const AUTO_CREATION_GKE_VERSION = '1.33.3-gke.1136000';

/**
 * A ComputeClass for one TPU slice: a list of ways to buy it, of which GKE uses the first that is available. Servers and Jobs use it as
 * `capacity: Capacity.computeClass(…)`, and then select the class instead of accelerator and topology. It has no namespace. Not for
 * Ray, whose TPU webhook reads the topology from the pods.
 *
 * @throws InvalidInputError listing every prop that is out of range, contradicts another or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 * @see https://cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
 */
export class TpuComputeClass extends Construct {
  /** The ComputeClass. */
  readonly computeClass: ApiObject;
  /** Its name: the value of the node label `cloud.google.com/compute-class`. */
  readonly computeClassName: string;
  /** The slice that every priority provides. */
  readonly slice: TpuSlice;
  /** How the slice is bought, first choice first. */
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

/** One way to buy the slice. */
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

/** What the class needs and what to run for it. */
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
            because: 'ComputeClasses that make node pools without node auto-provisioning',
            mode: 'standard',
          },
        ],
  before:
    placementPolicyName === undefined
      ? []
      : [
          {
            text: 'Make the workload policy that connects the hosts of a slice.',
            commands: [workloadPolicyCommand(placementPolicyName, slice, 'REGION')],
          },
        ],
  steps: {
    verify: [
      {
        text: 'Look at the ComputeClass.',
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
        problem: `refers to ${value === 'compute-class' ? 'a ComputeClass' : `Kueue queue '${queueName ?? ''}'`}, which a ComputeClass cannot`,
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
      problem: `is set for slice '${slice.toString()}', but only tpu7x slices of several hosts have a placement policy`,
      use: 'to omit it',
    };
}
