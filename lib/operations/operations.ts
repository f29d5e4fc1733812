import { Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { type TpuSlice } from '../tpu/slice';
import { type ControllerRequirement } from '../facts/controllers';
import { attachment } from '../problems/attached';
import { ShellCommand } from './shell-command';

/** Something to do: what it is for, and what a shell is given. */
export interface RunbookStep {
  /** A sentence or two. */
  readonly text: string;
  /** Commands, and lines of shell where a command alone does not do. */
  readonly commands: readonly (ShellCommand | string)[];
  /** What is to be put in, by the word in capitals that stands for it. @default - nothing but what all runbooks ask for */
  readonly placeholders?: Readonly<Record<string, string>>;
}

/** When the steps of a construct are done. */
export type OperationPhase = 'verify' | 'call' | 'load' | 'scale' | 'clean-up';

/** Slices that a construct runs on. */
export interface SliceDemand {
  readonly slice: TpuSlice;
  /** How they are bought. @default - on demand */
  readonly capacity?: Capacity | undefined;
  /** Slices at a time; where something scales them, the most. */
  readonly replicas: number;
  /** Fewest slices, where something scales them. @default - `replicas` */
  readonly minReplicas?: number;
}

/** Roles on a bucket that a pod needs beside those that its volumes show. */
interface BucketRoles {
  readonly bucketName: string;
  readonly roles: readonly string[];
  /** ServiceAccount of the pods. @default 'default' */
  readonly serviceAccountName?: string | undefined;
  /** Whether pods act as their nodes' service account, which then needs the roles too. @default false */
  readonly asNodes?: boolean;
}

/** A version of GKE that something needs. */
export interface GkeRequirement {
  readonly version: string;
  readonly because: string;
  /** The mode of the cluster that it is about. @default - both */
  readonly mode?: 'standard' | 'autopilot';
}

/** An account that pods act as on Google Cloud. */
export interface WorkloadAccount {
  readonly serviceAccountName: string;
  readonly namespace: string;
  readonly projectId: string;
  readonly projectNumber: string | undefined;
  /** Domain of the workload identity pool. */
  readonly workloadPoolDomain: string;
  /** Whom roles are granted to. */
  readonly member: string;
  /** The ServiceAccount as a member of the IAM service account that it acts as. */
  readonly kubernetesMember: string;
  /** Name and e-mail address of that account, if any. */
  readonly iamServiceAccount?: { readonly name: string; readonly email: string };
}

/** What a construct needs before it runs, and what is done with it; what its objects show by themselves is not repeated. */
export interface Operations {
  readonly slices?: readonly SliceDemand[];
  readonly addOns?: readonly 'RayOperator'[];
  readonly controllers?: readonly ControllerRequirement[];
  readonly gkeVersions?: readonly GkeRequirement[];
  readonly roles?: readonly BucketRoles[];
  readonly account?: WorkloadAccount;
  /** A ladder of ways to buy slices, the first choice first. */
  readonly computeClass?: { readonly name: string; readonly priorities: readonly Capacity[] };
  /** Images that the user chose: nobody else sees to it that they are there. */
  readonly images?: readonly string[];
  /** Machine type for the cluster's own nodes, for pods without TPUs that need more than those of the default; undefined where none is known. */
  readonly ownNodes?: { readonly machineType: string | undefined; readonly because: string };
  /** What to know before it is applied, a sentence each. */
  readonly notes?: readonly string[];
  /** Steps before the objects are applied. */
  readonly before?: readonly RunbookStep[];
  readonly steps?: Partial<Readonly<Record<OperationPhase, readonly RunbookStep[]>>>;
}

/** Makes a kubectl command in the namespace of the chart. */
export type Kubectl = (...args: readonly string[]) => ShellCommand;

const described = attachment<(kubectl: Kubectl) => Operations>('operations');

/** Says what a construct needs, and what is done with it. Nothing is asked until somebody wants a runbook. */
export function describeOperations(
  construct: IConstruct,
  operations: (kubectl: Kubectl) => Operations,
): void {
  described.attach(construct, operations);
}

/** The operations of all constructs of a chart that have some, in the order in which they were made. */
export function operationsIn(chart: Chart, namespace: string): readonly Operations[] {
  const where = namespace === 'default' ? [] : ['-n', namespace];
  const kubectl: Kubectl = (...args) => new ShellCommand(['kubectl', ...args, ...where]);
  return constructsIn(chart).flatMap((one) => {
    const operations = described.of(one)?.(kubectl);
    return operations === undefined ? [] : [operations];
  });
}

/** Whether anything of a chart has operations; none is asked for them. */
export const hasOperations = (chart: Chart): boolean => constructsIn(chart).some((one) => described.of(one) !== undefined);

const constructsIn = (chart: Chart): readonly IConstruct[] =>
  chart.node.findAll().filter((one) => Chart.of(one) === chart);
