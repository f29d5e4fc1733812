import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import {
  ComputeClass,
  type ComputeClassSpecPriorities,
  ComputeClassSpecPrioritiesReservationsAffinity,
  ComputeClassSpecWhenUnsatisfiable,
} from '../../imports/cloud.google.com';
import { type Capacity, capacityProblem, computeClassName, type ClassOfSlice } from '../pod/capacity';
import { dnsLabel, integer, oneOf, quoted } from '../problems/validators';
import { Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { recommendedLabels } from '../workload/labels';
import { clusterObject } from '../workload/objects';
import { describeOperations } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';
import { workloadPolicyCommand } from './node-pool';

/** Properties of a ComputeClass for a TPU slice. */
export interface TpuComputeClassProps {
  /** Name of the ComputeClass; the cluster has one of a name. @default - the construct's id */
  readonly name?: string;
  /** The slice that every rule makes. */
  readonly slice: TpuSlice;
  /**
   * How the slice is bought, the first choice first: `Capacity.reservation(…)`, `.onDemand()`, `.flexStart(…)`, `.spot()`. What
   * flex-start says of `maxRunDurationSeconds` stands in its rule alone; pods do not repeat it.
   */
  readonly priorities: readonly Capacity[];
  /** Whether GKE makes and removes the node pools; without it they must be there and bear the class's label and taint. @default true */
  readonly nodePoolAutoCreation?: boolean;
  /**
   * What happens to pods that no rule can place: `DoNotScaleUp` lets them wait, `ScaleUpAnyway` may make nodes of other kinds, which
   * have no TPUs.
   *
   * @default 'DoNotScaleUp'
   */
  readonly whenUnsatisfiable?: 'DoNotScaleUp' | 'ScaleUpAnyway';
  /**
   * Whether running pods are moved, by ending them, once a rule of higher priority can be met again. A server then loads and compiles
   * anew.
   *
   * @default false
   */
  readonly optimizeRulePriority?: boolean;
  /**
   * How long before the end of their run flex-start nodes are replaced, in seconds: 1 to 604800, and less than they run.
   *
   * @default - they are not: pods end with their nodes
   */
  readonly nodeRecyclingLeadTimeSeconds?: number;
  /** Boot disk of each node, in GB, 10 to 65536; as `diskSizeGb` of a `NodePool`. @default - GKE's: 100 */
  readonly bootDiskSize?: number;
  /**
   * Name of the workload policy, `--placement-policy`, that a tpu7x slice of several hosts is placed by; its accelerator topology is
   * that of the slice.
   *
   * @default - none; required for tpu7x slices of several hosts, refused elsewhere
   */
  readonly placementPolicyName?: string;
}

/**
 * First GKE version in which a class makes node pools of a Standard cluster by itself.
 *
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 */
const AUTO_CREATION_GKE_VERSION = '1.33.3-gke.1136000';

/** How long flex-start nodes run where nothing is said. */
const SEVEN_DAYS = 604_800;

/**
 * A ComputeClass for one TPU slice: a ladder of ways to buy it, which GKE climbs down until one of them has capacity. Servers and Jobs
 * take it as `capacity: Capacity.computeClass(…)`, and then select the class instead of accelerator and topology. It belongs to no
 * namespace. Not for Ray, whose TPU webhook reads the topology from the pods.
 *
 * @throws InvalidInputError listing every prop that is out of range, contradicts another or does not fit the slice
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-custom-compute-classes
 * @see https://cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
 */
export class TpuComputeClass extends Construct implements ClassOfSlice {
  /** The ComputeClass. */
  readonly computeClass: ApiObject;
  /** Its name: the value of the node label `cloud.google.com/compute-class`. */
  readonly computeClassName: string;
  /** The slice that every rule makes. */
  readonly slice: TpuSlice;
  /** How the slice is bought, the first choice first. */
  readonly priorities: readonly Capacity[];

  constructor(scope: Construct, id: string, props: TpuComputeClassProps) {
    super(scope, id);
    checkAtSynth(this);
    this.computeClassName = props.name ?? id;
    this.slice = props.slice;
    this.priorities = [...props.priorities];
    const rules = props.priorities.map((capacity) => rule(capacity, props));
    const problems = new Problems();
    checkProps(props, this.computeClassName, rules, problems);
    problems.throwIfAny(this.node.path);

    this.computeClass = clusterObject(
      this,
      'Resource',
      ComputeClass.manifest({
        metadata: {
          name: this.computeClassName,
          labels: recommendedLabels('compute-class', this.computeClassName, 'capacity'),
        },
        spec: {
          nodePoolAutoCreation: { enabled: props.nodePoolAutoCreation ?? true },
          whenUnsatisfiable: WHEN_UNSATISFIABLE[props.whenUnsatisfiable ?? 'DoNotScaleUp'],
          activeMigration: { optimizeRulePriority: props.optimizeRulePriority ?? false },
          priorities: rules,
        },
      }),
    );
    describeOperations(this, () => ({
      computeClass: { name: this.computeClassName, priorities: this.priorities },
      gkeVersions:
        props.nodePoolAutoCreation === false
          ? []
          : [
              {
                version: AUTO_CREATION_GKE_VERSION,
                because: 'ComputeClasses that make node pools without node auto-provisioning',
                mode: 'standard',
              },
            ],
      before:
        props.placementPolicyName === undefined
          ? []
          : [
              {
                text: 'Make the workload policy that connects the hosts of a slice.',
                commands: [workloadPolicyCommand(props.placementPolicyName, this.slice, 'REGION')],
              },
            ],
      steps: {
        verify: [
          {
            text: 'Look at the ComputeClass.',
            commands: [new ShellCommand(['kubectl', 'get', 'computeclass', this.computeClassName])],
          },
        ],
      },
    }));
  }
}

const WHEN_UNSATISFIABLE = {
  DoNotScaleUp: ComputeClassSpecWhenUnsatisfiable.DO_NOT_SCALE_UP,
  ScaleUpAnyway: ComputeClassSpecWhenUnsatisfiable.SCALE_UP_ANYWAY,
};

/** One rung of the ladder: the slice, the same in each, and how it is bought. */
function rule(capacity: Capacity, props: TpuComputeClassProps): ComputeClassSpecPriorities {
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
        affinity: ComputeClassSpecPrioritiesReservationsAffinity.SPECIFIC,
        specific: [{ name: capacity.reservationName }],
      },
    }),
  };
}

function checkProps(
  props: TpuComputeClassProps,
  name: string,
  rules: readonly ComputeClassSpecPriorities[],
  problems: Problems,
): void {
  const { slice, priorities, nodeRecyclingLeadTimeSeconds: leadTime, placementPolicyName } = props;
  problems.add(
    ...[computeClassName(name)].map((wrong) => wrong && { path: 'name', value: name, ...wrong }),
    props.bootDiskSize === undefined ? undefined : integer('bootDiskSize', props.bootDiskSize, 10, 65_536),
  );
  problems.check(
    priorities.length > 0,
    'priorities has no rule, expected at least one way to buy the slice, like Capacity.onDemand()',
  );
  const written = rules.map((one) => JSON.stringify(one));
  for (const [index, capacity] of priorities.entries()) {
    const at = `priorities[${String(index)}]`;
    const first = written.indexOf(written[index] ?? '');
    if (capacity.type === 'compute-class' || capacity.type === 'flex-start-queued') {
      problems.add(
        `${at} is ${capacity.type}, expected one of on-demand, spot, flex-start and reservation: a class does not refer to ${capacity.type === 'compute-class' ? 'another one' : 'a queue'}`,
      );
      continue;
    }
    const unavailable = capacityProblem(capacity, slice);
    problems.add(unavailable && { ...unavailable, path: at });
    problems.check(
      first === index,
      `${at} '${capacity.type}' is the same as priorities[${String(first)}], expected each rule once: what could not be had will not be had the second time`,
    );
  }
  if (props.whenUnsatisfiable !== undefined)
    problems.add(oneOf('whenUnsatisfiable', props.whenUnsatisfiable, Object.keys(WHEN_UNSATISFIABLE)));

  if (leadTime !== undefined) {
    problems.add(integer('nodeRecyclingLeadTimeSeconds', leadTime, 1, SEVEN_DAYS));
    const flexStart = priorities.filter(({ type }) => type === 'flex-start');
    problems.check(
      flexStart.length > 0,
      `nodeRecyclingLeadTimeSeconds '${String(leadTime)}' is set without flex-start among the priorities, expected Capacity.flexStart() there, whose nodes alone come to an end`,
    );
    const shortest = Math.min(
      ...flexStart.map(({ maxRunDurationSeconds }) => maxRunDurationSeconds ?? SEVEN_DAYS),
    );
    problems.check(
      !(leadTime >= shortest),
      `nodeRecyclingLeadTimeSeconds '${String(leadTime)}' is not less than the '${String(shortest)}' seconds that the nodes run, expected fewer; nearest: ${String(shortest - 1)}`,
    );
  }

  const takesPolicy = slice.generation === 'tpu7x' && slice.multiHost;
  problems.check(
    !takesPolicy || placementPolicyName !== undefined,
    `placementPolicyName is missing, expected the workload policy of slice '${slice.toString()}': gcloud compute resource-policies create workload-policy NAME --type HIGH_THROUGHPUT --accelerator-topology ${slice.topology}`,
  );
  if (placementPolicyName === undefined) return;
  problems.check(
    takesPolicy,
    `placementPolicyName ${quoted(placementPolicyName)} is set for slice '${slice.toString()}', expected none: only tpu7x slices of several hosts are placed by one`,
  );
  problems.add(dnsLabel('placementPolicyName', placementPolicyName));
}
