import { type ApiObject, Chart } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { Problems } from '../problems';
import { dnsLabel, quoted } from '../pod/rules';
import { object } from './objects';

/** Properties of a workload's identity. */
export interface WorkloadIdentityProps {
  /** Name of the ServiceAccount. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the ServiceAccount. @default - the chart's, or `default` */
  readonly namespace?: string;
  /** ID of the project that the cluster is in. */
  readonly projectId: string;
  /** Number of that project; a direct binding names it. @default - none: only with `iamServiceAccount` */
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
  private readonly pool: string;
  private readonly email: string | undefined;

  constructor(scope: Construct, id: string, props: WorkloadIdentityProps) {
    super(scope, id);
    const { projectId, projectNumber, iamServiceAccount } = props;
    const poolDomain = props.workloadPoolDomain ?? 'svc.id.goog';
    const accountDomain = props.serviceAccountDomain ?? 'iam.gserviceaccount.com';
    this.props = props;
    this.serviceAccountName = props.name ?? id;
    this.namespace = props.namespace ?? Chart.of(this).namespace ?? 'default';

    const problems = new Problems();
    problems.add(dnsLabel('name', this.serviceAccountName), dnsLabel('namespace', this.namespace));
    problems.check(
      /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(projectId),
      `projectId ${quoted(projectId)} is not a project ID, expected 6 to 30 lower-case letters, digits and '-', first a letter`,
    );
    problems.check(
      projectNumber === undefined || /^[0-9]{6,19}$/.test(projectNumber),
      `projectNumber ${quoted(projectNumber)} is not a project number, expected digits alone: gcloud projects describe ${projectId} --format='value(projectNumber)'`,
    );
    problems.check(
      iamServiceAccount !== undefined || projectNumber !== undefined,
      `projectNumber is missing, expected the number of project '${projectId}' for a direct binding, or iamServiceAccount`,
    );
    problems.check(
      iamServiceAccount === undefined || /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(iamServiceAccount),
      `iamServiceAccount ${quoted(iamServiceAccount)} is not the name of an IAM service account, expected 6 to 30 lower-case letters, digits and '-' without the part after '@'`,
    );
    for (const [prop, domain] of [
      ['workloadPoolDomain', poolDomain],
      ['serviceAccountDomain', accountDomain],
    ] as const)
      problems.check(
        /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain),
        `${prop} ${quoted(domain)} is not a domain, expected one like 's3ns.svc.id.goog'`,
      );
    problems.throwIfAny(this.node.path);

    this.pool = `${projectId}.${poolDomain}`;
    this.email = iamServiceAccount && `${iamServiceAccount}@${projectId}.${accountDomain}`;
    this.member =
      this.email === undefined
        ? `principal://iam.googleapis.com/projects/${projectNumber ?? ''}/locations/global/workloadIdentityPools/${this.pool}/subject/ns/${this.namespace}/sa/${this.serviceAccountName}`
        : `serviceAccount:${this.email}`;
    this.serviceAccount = object(
      this,
      'Resource',
      k8s.KubeServiceAccount.manifest({
        metadata: {
          name: this.serviceAccountName,
          namespace: props.namespace,
          annotations:
            this.email === undefined ? undefined : { 'iam.gke.io/gcp-service-account': this.email },
        },
      }),
    );
  }

  /**
   * The gcloud commands that let the pods use a bucket.
   *
   * @param bucketName - the bucket, without `gs://`
   * @param role - the role on it; `roles/storage.objectViewer` is enough to read
   */
  bindingCommands(bucketName: string, role = 'roles/storage.objectUser'): readonly string[] {
    const grant = `gcloud storage buckets add-iam-policy-binding gs://${bucketName} --member "${this.member}" --role "${role}"`;
    if (this.email === undefined) return [grant];
    return [
      `gcloud iam service-accounts create ${this.props.iamServiceAccount ?? ''} --project ${this.props.projectId}`,
      grant,
      `gcloud iam service-accounts add-iam-policy-binding ${this.email} --role roles/iam.workloadIdentityUser --member "serviceAccount:${this.pool}[${this.namespace}/${this.serviceAccountName}]"`,
    ];
  }
}
