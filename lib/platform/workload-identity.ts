import { type ApiObject, Chart } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import { Problems } from '../problems/problems';
import { bucketName as bucketRule, dnsSubdomain, podLabel, quoted } from '../problems/validators';
import {
  cloudDomain,
  iamAccount,
  iamRole,
  projectId as projectRule,
  projectNumber as numberRule,
  WORKLOAD_POOL_DOMAIN,
} from '../problems/google-cloud';
import { recommendedLabels } from '../workload/labels';
import { object } from '../workload/objects';
import { describeOperations } from '../operations/operations';

/** Properties of a workload's identity. */
export interface WorkloadIdentityProps {
  /** Name of the ServiceAccount. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the ServiceAccount. @default - the chart's, or `default` */
  readonly namespace?: string;
  /** ID of the project that the cluster is in. */
  readonly projectId: string;
  /** Number of that project; a direct binding names it, one to an `iamServiceAccount` does not. @default - none: only with `iamServiceAccount` */
  readonly projectNumber?: string;
  /** Name of an IAM service account to act as, the older way. @default - none: roles are bound to the ServiceAccount directly */
  readonly iamServiceAccount?: string;
  /** Domain of the workload identity pool; `s3ns.svc.id.goog` in a sovereign cloud. @default 'svc.id.goog' */
  readonly workloadPoolDomain?: string;
  /** Domain of IAM service accounts; `s3ns.iam.gserviceaccount.com` in a sovereign cloud. @default 'iam.gserviceaccount.com' */
  readonly serviceAccountDomain?: string;
}

/**
 * A ServiceAccount whose pods act on Google Cloud: with roles bound to it directly, or, where `iamServiceAccount` is given, as that
 * account. It renders the ServiceAccount; the bindings are made with `bindingCommands`.
 *
 * @throws InvalidInputError when a name, project or domain is malformed, or a direct binding lacks the project's number
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
 */
export class WorkloadIdentity extends Construct {
  /** The ServiceAccount. */
  readonly serviceAccount: ApiObject;
  /** Name of the ServiceAccount: what the `serviceAccountName` of a server takes. */
  readonly serviceAccountName: string;
  /** Namespace of the ServiceAccount. */
  readonly namespace: string;
  /** Whom roles are granted to: `principal://…` or `serviceAccount:…`. */
  readonly member: string;

  private readonly props: WorkloadIdentityProps;
  private readonly principal: WorkloadPrincipal;

  constructor(scope: Construct, id: string, props: WorkloadIdentityProps) {
    super(scope, id);
    checkAtSynth(this);
    this.props = props;
    this.serviceAccountName = props.name ?? id;
    this.namespace = props.namespace ?? Chart.of(this).namespace ?? 'default';
    const problems = new Problems();
    this.principal = workloadPrincipal(props, this.serviceAccountName, this.namespace, problems);
    problems.throwIfAny(this.node.path);
    this.member = this.principal.member;
    this.serviceAccount = object(
      this,
      'Resource',
      k8s.KubeServiceAccount.manifest({
        metadata: {
          name: this.serviceAccountName,
          namespace: props.namespace,
          labels: recommendedLabels('workload-identity', this.serviceAccountName, 'identity'),
          annotations:
            this.principal.email === undefined
              ? undefined
              : { 'iam.gke.io/gcp-service-account': this.principal.email },
        },
      }),
    );
    describeOperations(this, () => ({
      account: {
        serviceAccountName: this.serviceAccountName,
        namespace: this.namespace,
        projectId: props.projectId,
        projectNumber: props.projectNumber,
        workloadPoolDomain: props.workloadPoolDomain ?? WORKLOAD_POOL_DOMAIN,
        member: this.member,
        kubernetesMember: this.principal.kubernetesMember,
        ...(props.iamServiceAccount !== undefined &&
          this.principal.email !== undefined && {
            iamServiceAccount: { name: props.iamServiceAccount, email: this.principal.email },
          }),
      },
    }));
  }

  /**
   * The gcloud commands that let the pods use a bucket.
   *
   * @param bucketName - the bucket, without `gs://`
   * @param role - the role on it; `roles/storage.objectViewer` is enough to read
   * @throws InvalidInputError when the bucket or the role is malformed
   */
  bindingCommands(bucketName: string, role = 'roles/storage.objectUser'): readonly string[] {
    const problems = new Problems();
    problems.add(bucketRule('bucketName', bucketName), iamRole('role', role));
    problems.throwIfAny(this.node.path);
    const { email, kubernetesMember } = this.principal;
    const grant = `gcloud storage buckets add-iam-policy-binding gs://${bucketName} --member "${this.member}" --role "${role}"`;
    if (email === undefined) return [grant];
    return [
      `gcloud iam service-accounts create ${this.props.iamServiceAccount ?? ''} --project ${this.props.projectId}`,
      grant,
      `gcloud iam service-accounts add-iam-policy-binding ${email} --role ${WORKLOAD_IDENTITY_USER} --member "${kubernetesMember}"`,
    ];
  }
}

/** Role by which a Kubernetes ServiceAccount acts as an IAM service account. */
export const WORKLOAD_IDENTITY_USER = 'roles/iam.workloadIdentityUser';

/** A ServiceAccount as a member that roles are granted to directly, in the workload identity pool `PROJECT_ID.svc.id.goog`. */
export const directMember = (projectNumber: string, pool: string, namespace: string, name: string): string =>
  `principal://iam.googleapis.com/projects/${projectNumber}/locations/global/workloadIdentityPools/${pool}/subject/ns/${namespace}/sa/${name}`;

/** Whom a workload acts as. */
export interface WorkloadPrincipal {
  /** Whom roles are granted to: `principal://…` or `serviceAccount:…`. */
  readonly member: string;
  /** The ServiceAccount as a member of the IAM service account that it acts as. */
  readonly kubernetesMember: string;
  /** E-mail address of that account, if any. */
  readonly email: string | undefined;
}

/** Whom a ServiceAccount acts as; what is wrong with the props is recorded. */
export function workloadPrincipal(
  props: WorkloadIdentityProps,
  name: string,
  namespace: string,
  problems: Problems,
): WorkloadPrincipal {
  const { projectId, projectNumber, iamServiceAccount } = props;
  const poolDomain = props.workloadPoolDomain ?? WORKLOAD_POOL_DOMAIN;
  const accountDomain = props.serviceAccountDomain ?? 'iam.gserviceaccount.com';
  problems.add(
    dnsSubdomain('name', name),
    podLabel('namespace', namespace),
    projectRule('projectId', projectId),
  );
  problems.add(
    projectNumber === undefined ? undefined : numberRule('projectNumber', projectNumber, projectId),
  );
  problems.check(
    iamServiceAccount !== undefined || projectNumber !== undefined,
    `projectNumber is missing, expected the number of project '${projectId}' for a direct binding, or iamServiceAccount`,
  );
  problems.add(
    iamServiceAccount === undefined ? undefined : iamAccount('iamServiceAccount', iamServiceAccount),
  );
  // No source says what the e-mail address of such an account is.
  problems.check(
    iamServiceAccount === undefined || !projectId.includes(':'),
    `iamServiceAccount ${quoted(iamServiceAccount)} is in project '${projectId}' of a domain, expected projectNumber instead: roles bound directly`,
  );
  problems.add(
    cloudDomain('workloadPoolDomain', poolDomain, 's3ns.svc.id.goog'),
    cloudDomain('serviceAccountDomain', accountDomain, 's3ns.iam.gserviceaccount.com'),
  );
  const pool = `${projectId}.${poolDomain}`;
  const email = iamServiceAccount && `${iamServiceAccount}@${projectId}.${accountDomain}`;
  return {
    member:
      email === undefined
        ? directMember(projectNumber ?? '', pool, namespace, name)
        : `serviceAccount:${email}`,
    kubernetesMember: `serviceAccount:${pool}[${namespace}/${name}]`,
    email,
  };
}
