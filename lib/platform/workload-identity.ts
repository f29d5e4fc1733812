import { type ApiObject, Chart } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { IAM_SERVICE_ACCOUNT_ANNOTATION } from '../facts/labels';
import { BUCKET_READER } from '../facts/roles';
import { describeOperations } from '../operations/operations';
import {
  cloudDomain,
  iamAccount,
  iamRole,
  projectId as projectRule,
  projectNumber as numberRule,
  SERVICE_ACCOUNT_DOMAIN,
  WORKLOAD_POOL_DOMAIN,
} from '../problems/google-cloud';
import {
  bucketFolder,
  bucketName as bucketRule,
  bucketOfFolder,
  dnsSubdomain,
  podLabel,
} from '../problems/grammar';
import { type Problem, Problems } from '../problems/problems';
import {
  type NamedResource,
  nameOf,
  optional,
  readNamed,
  required,
  resourceName,
  type Schema,
  string,
} from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { recommendedLabels } from '../workload/labels';
import { object } from '../workload/objects';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** Properties of a workload's identity. */
export interface WorkloadIdentityProps {
  /** Name of the ServiceAccount. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the ServiceAccount: its name, or a `Namespace` of cdk8s-plus. @default - the chart's, or `default` */
  readonly namespace?: string | NamedResource;
  /** ID of the project that contains the cluster. */
  readonly projectId: string;
  /** Number of the project. @default - none; required without `iamServiceAccount` */
  readonly projectNumber?: string;
  /**
   * Name of an IAM service account that the pods act as, the older method.
   *
   * @default - none: roles are granted directly to the ServiceAccount
   */
  readonly iamServiceAccount?: string;
  /** Domain of the workload identity pool; `s3ns.svc.id.goog` in a sovereign cloud. @default 'svc.id.goog' */
  readonly workloadPoolDomain?: string;
  /** Domain of IAM service accounts; `s3ns.iam.gserviceaccount.com` in a sovereign cloud. @default 'iam.gserviceaccount.com' */
  readonly serviceAccountDomain?: string;
}

function* accountProblems(
  { iamServiceAccount, projectId }: WorkloadIdentityProps,
  given: { readonly iamServiceAccount?: unknown; readonly projectNumber?: unknown },
): Iterable<Problem> {
  if (given.iamServiceAccount === undefined && given.projectNumber === undefined)
    yield {
      path: 'projectNumber',
      problem: 'required for roles that are granted directly to the ServiceAccount',
      use: `the number of project '${projectId}', or iamServiceAccount`,
    };
  // No source documents the email address of an account in a domain-scoped project.
  if (iamServiceAccount !== undefined && projectId.includes(':'))
    yield {
      path: 'iamServiceAccount',
      value: iamServiceAccount,
      problem: `is in the domain-scoped project '${projectId}', which is not supported`,
      use: 'projectNumber instead, for roles that are granted directly',
    };
}

/** The props of `WorkloadIdentity`, which `WorkloadRoles` extends. */
export const WORKLOAD_IDENTITY: Schema<WorkloadIdentityProps> = {
  properties: {
    name: optional(string(dnsSubdomain)),
    namespace: optional(resourceName(podLabel, 'Namespace')),
    projectId: required(string(projectRule), 'my-project'),
    projectNumber: optional(string(numberRule)),
    iamServiceAccount: optional(string(iamAccount)),
    workloadPoolDomain: optional(string(cloudDomain('s3ns.svc.id.goog'))),
    serviceAccountDomain: optional(string(cloudDomain('s3ns.iam.gserviceaccount.com'))),
  },
  rules: [accountProblems],
};

/**
 * A ServiceAccount whose pods can use Google Cloud, with roles that are granted to it directly, or as the IAM service account
 * `iamServiceAccount`. The construct renders the ServiceAccount, and `bindingCommands` returns the commands that grant the roles.
 *
 * @throws InvalidInputError if a name, project or domain is invalid, or if both `projectNumber` and `iamServiceAccount` are missing
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
 */
export class WorkloadIdentity extends Construct {
  /** The ServiceAccount. */
  readonly serviceAccount: ApiObject;
  /** Name of the ServiceAccount, for the `serviceAccountName` of a server. */
  readonly serviceAccountName: string;
  /** Namespace of the ServiceAccount. */
  readonly namespace: string;
  /** The member that roles are granted to: `principal://…` or `serviceAccount:…`. */
  readonly member: string;

  private readonly principal: WorkloadPrincipal;

  constructor(scope: Construct, id: string, props: WorkloadIdentityProps) {
    super(scope, id);
    checkAtSynth(this);
    const ofChart = Chart.of(this).namespace;
    const read = readNamed(
      WORKLOAD_IDENTITY,
      props,
      this.node,
      ofChart === undefined ? {} : { namespace: ofChart },
    );
    const { name, namespace = 'default', projectId, projectNumber } = read;
    this.serviceAccountName = name;
    this.namespace = nameOf(namespace);
    this.principal = workloadPrincipal(read, name);
    this.member = this.principal.member;
    const { account } = this.principal;
    this.serviceAccount = object(
      this,
      'Resource',
      manifest<k8s.KubeServiceAccountProps>(KINDS.ServiceAccount, {
        metadata: {
          name,
          namespace: props.namespace === undefined ? undefined : this.namespace,
          labels: recommendedLabels('workload-identity', name, 'identity'),
          annotations: account && { [IAM_SERVICE_ACCOUNT_ANNOTATION]: account.email },
        },
      }),
    );
    describeOperations(this, () => ({
      account: {
        serviceAccountName: name,
        namespace: this.namespace,
        projectId,
        projectNumber,
        workloadPoolDomain: read.workloadPoolDomain ?? WORKLOAD_POOL_DOMAIN,
        member: this.member,
        kubernetesMember: this.principal.kubernetesMember,
        ...(account && { iamServiceAccount: account }),
      },
    }));
  }

  /**
   * Returns the gcloud commands that give the pods access to a bucket.
   *
   * @param bucketName - name of the bucket without `gs://`, or the `model` that a server streams, like `gs://my-models/Qwen3-32B`
   * @param role - role on the bucket; the default is `roles/storage.objectUser`, and `roles/storage.objectViewer` for a model
   * @throws InvalidInputError if the bucket, the model or the role is invalid
   */
  bindingCommands(bucketName: string, role?: string): readonly string[] {
    const problems = new Problems();
    const isModel = typeof bucketName === 'string' && /^gs:\/\/[^/]*\/./.test(bucketName);
    string(isModel ? bucketFolder : bucketRule).read(bucketName, 'bucketName', problems);
    if (role !== undefined) string(iamRole).read(role, 'role', problems);
    problems.throwIfAny(this.node.path);
    const bucket = (isModel ? bucketOfFolder(bucketName) : undefined) ?? bucketName;
    const granted = role ?? (isModel ? BUCKET_READER : 'roles/storage.objectUser');
    const { account, kubernetesMember, projectId } = this.principal;
    const grant = `gcloud storage buckets add-iam-policy-binding gs://${bucket} --member "${this.member}" --role "${granted}"`;
    if (account === undefined) return [grant];
    return [
      `gcloud iam service-accounts create ${account.name} --project ${projectId}`,
      grant,
      `gcloud iam service-accounts add-iam-policy-binding ${account.email} --role ${WORKLOAD_IDENTITY_USER} --member "${kubernetesMember}"`,
    ];
  }
}

/** Role that lets a Kubernetes ServiceAccount act as an IAM service account. */
export const WORKLOAD_IDENTITY_USER = 'roles/iam.workloadIdentityUser';

/** Returns the IAM member for a ServiceAccount in the workload identity pool `PROJECT_ID.svc.id.goog`. */
export const directMember = (projectNumber: string, pool: string, namespace: string, name: string): string =>
  `principal://iam.googleapis.com/projects/${projectNumber}/locations/global/workloadIdentityPools/${pool}/subject/ns/${namespace}/sa/${name}`;

/** The IAM identity of a workload. */
export interface WorkloadPrincipal {
  /** The member that roles are granted to: `principal://…` or `serviceAccount:…`. */
  readonly member: string;
  /** The ServiceAccount as a member of the IAM service account that it acts as. */
  readonly kubernetesMember: string;
  /** The IAM service account; undefined if roles are granted directly. */
  readonly account: { readonly name: string; readonly email: string } | undefined;
  /** ID of the project. */
  readonly projectId: string;
}

/** Returns the IAM identity of a workload from valid props. */
export function workloadPrincipal(
  {
    namespace = 'default',
    projectId,
    projectNumber = '',
    iamServiceAccount,
    workloadPoolDomain = WORKLOAD_POOL_DOMAIN,
    serviceAccountDomain = SERVICE_ACCOUNT_DOMAIN,
  }: WorkloadIdentityProps,
  name: string,
): WorkloadPrincipal {
  const pool = `${projectId}.${workloadPoolDomain}`;
  const account =
    iamServiceAccount === undefined
      ? undefined
      : { name: iamServiceAccount, email: `${iamServiceAccount}@${projectId}.${serviceAccountDomain}` };
  return {
    member: account
      ? `serviceAccount:${account.email}`
      : directMember(projectNumber, pool, nameOf(namespace), name),
    kubernetesMember: `serviceAccount:${pool}[${nameOf(namespace)}/${name}]`,
    account,
    projectId,
  };
}
