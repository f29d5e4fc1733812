import { Chart } from 'cdk8s';
import { type IConstruct } from 'constructs';
import { type Capacity } from '../pod/capacity';
import { type TpuSlice } from '../tpu/slice';
import { type ControllerRequirement } from '../facts/controllers';
import { attachment } from '../problems/attached';
import { ShellCommand } from './shell-command';

/** A step of a runbook: an instruction and its commands. */
export interface RunbookStep {
  /** The instruction, one or two sentences in Markdown. */
  readonly text: string;
  /** Commands, or lines of shell. */
  readonly commands: readonly (ShellCommand | string)[];
  /** Meanings of placeholders in the commands, by placeholder. @default - only the placeholders of all runbooks */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** Output and duration of the last command if it succeeds, in Markdown. @default - by the kind of the command */
  readonly expect?: string;
}

/** The section of a runbook that a step belongs to. */
export type OperationPhase = 'verify' | 'call' | 'load' | 'scale' | 'change' | 'troubleshoot' | 'clean-up';

/** Slices that a construct runs on. */
export interface SliceDemand {
  readonly slice: TpuSlice;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity | undefined;
  /** Largest number of slices at a time. */
  readonly replicas: number;
  /** Smallest number of slices, if an autoscaler changes it. @default - `replicas` */
  readonly minReplicas?: number;
  /** Name of the workload, if an autoscaler outside of its construct can set its replicas. @default - none */
  readonly scaledFromOutside?: string;
}

/** Roles on a bucket that pods need in addition to those of their volumes. */
export interface BucketRoles {
  readonly bucketName: string;
  readonly roles: readonly string[];
  /** ServiceAccount of the pods. @default 'default' */
  readonly serviceAccountName?: string | undefined;
  /** Whether pods act as the service account of their nodes, which then also needs the roles. @default false */
  readonly asNodes?: boolean;
}

/** A version of GKE that a feature requires. */
export interface GkeRequirement {
  readonly version: string;
  readonly because: string;
  /** The cluster mode with the requirement. @default - both */
  readonly mode?: 'standard' | 'autopilot';
}

/** The account on Google Cloud that pods act as. */
export interface WorkloadAccount {
  readonly serviceAccountName: string;
  readonly namespace: string;
  readonly projectId: string;
  readonly projectNumber: string | undefined;
  /** Domain of the workload identity pool. */
  readonly workloadPoolDomain: string;
  /** The member to grant roles to. */
  readonly member: string;
  /** The ServiceAccount as a member in the policy of the IAM service account. */
  readonly kubernetesMember: string;
  /** Name and e-mail address of the IAM service account, if the account has one. */
  readonly iamServiceAccount?: { readonly name: string; readonly email: string };
}

/** Requirements and steps of a construct, except those that a runbook reads from its objects. */
export interface Operations {
  readonly slices?: readonly SliceDemand[];
  readonly addOns?: readonly 'RayOperator'[];
  readonly controllers?: readonly ControllerRequirement[];
  readonly gkeVersions?: readonly GkeRequirement[];
  readonly roles?: readonly BucketRoles[];
  readonly account?: WorkloadAccount;
  /** Types of capacity, in order of preference. */
  readonly computeClass?: { readonly name: string; readonly priorities: readonly Capacity[] };
  /** Images that the user chose, which nodes must be able to pull. */
  readonly images?: readonly string[];
  /** Machine type of the cluster's own nodes, for pods without TPUs that do not fit on GKE's default; undefined if none is known. */
  readonly ownNodes?: { readonly machineType: string | undefined; readonly because: string };
  /** Facts to know before the apply, one sentence each. */
  readonly notes?: readonly string[];
  /** Steps before the node pools are created. */
  readonly before?: readonly RunbookStep[];
  /** KEDA's part: the name of what it scales, and the project whose metrics it reads with its own credentials. */
  readonly keda?: { readonly scales: string; readonly monitoredProject: string | undefined };
  /** Folder of a bucket that must contain the weights before the pods start, like `gs://my-models/Qwen3-32B`. */
  readonly readsFolder?: string;
  /** Folder of a bucket that the construct fills, so that the reader does not upload anything. */
  readonly writesFolder?: string;
  /** A Gateway. The runbook prepares the project, the network and the cluster for it. */
  readonly gateway?: {
    readonly className: string;
    /** Range of the proxy-only subnet; undefined if the reader chooses it. */
    readonly proxyOnlySubnet: string | undefined;
  };
  /** Steps that install CRDs for Gateways and InferencePools. */
  readonly crds?: readonly RunbookStep[];
  /** Steps that create Secrets that no pod of the chart reads. */
  readonly secrets?: readonly RunbookStep[];
  readonly steps?: Partial<Readonly<Record<OperationPhase, readonly RunbookStep[]>>>;
}

/** Returns a kubectl command in the namespace of the chart. */
export type Kubectl = (...args: readonly string[]) => ShellCommand;

/** Returns kubectl commands in a namespace. */
export function kubectlIn(namespace: string): Kubectl {
  const where = namespace === 'default' ? [] : ['-n', namespace];
  return (...args) => new ShellCommand(['kubectl', ...args, ...where]);
}

/** A key of a Secret. */
export interface SecretKeyRef {
  readonly secretName: string;
  readonly key: string;
}

/** Returns a line of shell that sets `$API_KEY` to the value of a Secret. */
export function keyLine(kubectl: Kubectl, { secretName, key }: SecretKeyRef): string {
  const field = `jsonpath={.data.${key.replaceAll('.', '\\.')}}`;
  return `export API_KEY=$(${kubectl('get', 'secret', secretName, '-o', field).toString()} | base64 --decode)`;
}

const described = attachment<(kubectl: Kubectl) => Operations>('operations');

/** Registers the operations of a construct. Only a runbook calls the function. */
export function describeOperations(
  construct: IConstruct,
  operations: (kubectl: Kubectl) => Operations,
): void {
  described.attach(construct, operations);
}

/** Returns the operations of all constructs of a chart, in the order of their creation. */
export function operationsIn(chart: Chart, namespace: string): readonly Operations[] {
  const kubectl = kubectlIn(namespace);
  return constructsIn(chart).flatMap((one) => {
    const operations = described.of(one)?.(kubectl);
    return operations === undefined ? [] : [operations];
  });
}

/** Whether a construct of a chart has operations. */
export const hasOperations = (chart: Chart): boolean =>
  constructsIn(chart).some((one) => described.of(one) !== undefined);

const constructsIn = (chart: Chart): readonly IConstruct[] =>
  chart.node.findAll().filter((one) => Chart.of(one) === chart);
