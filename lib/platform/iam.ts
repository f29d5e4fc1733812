import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import * as iam from '../../imports/iam.cnrm.cloud.google.com';
import { bucketName as bucketRule, dnsSubdomain, quoted } from '../problems/validators';
import { Problems } from '../problems/problems';
import { iamAccount, iamRole, projectId as projectRule } from '../problems/google-cloud';
import { WORKLOAD_IDENTITY_USER, workloadPrincipal, type WorkloadIdentityProps } from './workload-identity';
import { object } from '../workload/objects';
import { resourceLabels, resourceMetadata, StorageBucket } from './config-connector';

/** Properties of an IAM service account. */
export interface IamServiceAccountProps {
  /** Name of the account: its address before the `@`. @default - the construct's id */
  readonly name?: string;
  /** ID of the project that it is in. */
  readonly projectId: string;
  /** What people read. @default - none */
  readonly displayName?: string;
}

/**
 * An IAM service account, made by Config Connector.
 *
 * @throws InvalidInputError listing every prop that is malformed
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iamserviceaccount
 */
export class IamServiceAccount extends Construct {
  /** The IAMServiceAccount. */
  readonly serviceAccount: ApiObject;

  constructor(scope: Construct, id: string, props: IamServiceAccountProps) {
    super(scope, id);
    checkAtSynth(this);
    const { name = id, projectId, displayName } = props;
    const problems = new Problems();
    problems.add(iamAccount('name', name), projectRule('projectId', projectId));
    problems.throwIfAny(this.node.path);
    this.serviceAccount = object(
      this,
      'Resource',
      iam.IamServiceAccount.manifest({ metadata: resourceMetadata(name, projectId), spec: { displayName } }),
    );
  }
}

/** What a role is granted on: a resource that Config Connector makes too, or a project or a bucket that is there already. */
export type IamResource =
  StorageBucket | IamServiceAccount | { readonly projectId: string } | { readonly bucketName: string };

/** Properties of a role's grant. */
export interface IamPolicyMemberProps {
  /** Name of the object. @default - the construct's id */
  readonly name?: string;
  /** Whom the role is granted to: `principal://…`, `serviceAccount:…`, `group:…`. */
  readonly member: string;
  /** The role, like `roles/storage.objectUser`. */
  readonly role: string;
  /** What it is granted on. */
  readonly resource: IamResource;
}

/**
 * The grant of one role to one member, made by Config Connector. It cannot be changed: another grant is another object.
 *
 * @throws InvalidInputError listing every prop that is malformed
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember
 */
export class IamPolicyMember extends Construct {
  /** The IAMPolicyMember. */
  readonly policyMember: ApiObject;

  constructor(scope: Construct, id: string, props: IamPolicyMemberProps) {
    super(scope, id);
    checkAtSynth(this);
    const { name = id, member, role, resource } = props;
    const problems = new Problems();
    problems.add(dnsSubdomain('name', name), iamRole('role', role), resourceProblem(resource));
    problems.check(
      /^(principal(Set)?:\/\/\S+|[a-z][A-Za-z]*:[^/\s]\S*)$/.test(member),
      `member ${quoted(member)} is not one member, expected 'principal://…', 'serviceAccount:…', 'group:…' or 'user:…'`,
    );
    problems.throwIfAny(this.node.path);
    this.policyMember = object(
      this,
      'Resource',
      iam.IamPolicyMember.manifest({
        metadata: { name, labels: resourceLabels(name) },
        spec: { member, role, resourceRef: resourceRef(resource) },
      }),
    );
  }
}

function resourceProblem(resource: IamResource): string | undefined {
  if (resource instanceof StorageBucket || resource instanceof IamServiceAccount) return undefined;
  return 'bucketName' in resource
    ? bucketRule('resource bucketName', resource.bucketName)
    : projectRule('resource projectId', resource.projectId);
}

function resourceRef(resource: IamResource): iam.IamPolicyMemberSpecResourceRef {
  if (resource instanceof StorageBucket || resource instanceof IamServiceAccount) {
    const { apiVersion, kind, name } =
      resource instanceof StorageBucket ? resource.bucket : resource.serviceAccount;
    return { apiVersion, kind, name };
  }
  return 'bucketName' in resource
    ? {
        apiVersion: 'storage.cnrm.cloud.google.com/v1beta1',
        kind: 'StorageBucket',
        external: resource.bucketName,
      }
    : {
        apiVersion: 'resourcemanager.cnrm.cloud.google.com/v1beta1',
        kind: 'Project',
        external: `projects/${resource.projectId}`,
      };
}

/** Properties of a workload's roles; those of its `WorkloadIdentity` say whose. */
export interface WorkloadRolesProps extends WorkloadIdentityProps {
  /** Name of the workload's ServiceAccount; the objects are named after it and the role. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the ServiceAccount, in the workload's cluster. @default 'default' */
  readonly namespace?: string;
  /** The roles, like `roles/storage.objectUser`. */
  readonly roles: readonly string[];
  /** What they are granted on. @default - the project */
  readonly on?: StorageBucket | { readonly bucketName: string } | { readonly projectId: string };
}

/**
 * The roles of a workload on Google Cloud, made by Config Connector: with the props of its `WorkloadIdentity`, which renders the
 * ServiceAccount for the workload's own cluster, what `bindingCommands` would do. Roles go to the ServiceAccount directly, or, where
 * `iamServiceAccount` is given, to that account, which is made, and which the ServiceAccount may act as.
 *
 * @throws InvalidInputError listing every prop that is malformed, as `WorkloadIdentity` does
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
 */
export class WorkloadRoles extends Construct {
  /** The grants of the roles, in their order. */
  readonly policyMembers: readonly ApiObject[];
  /** The IAM service account; only with `iamServiceAccount`. */
  readonly iamServiceAccount: ApiObject | undefined;
  /** Lets the ServiceAccount act as that account. */
  readonly workloadIdentityUser: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: WorkloadRolesProps) {
    super(scope, id);
    checkAtSynth(this);
    const { name = id, namespace = 'default', projectId, roles, on = { projectId } } = props;
    const problems = new Problems();
    const { member, kubernetesMember } = workloadPrincipal(props, name, namespace, problems);
    problems.check(roles.length > 0, "roles is empty, expected one like 'roles/storage.objectUser'");
    problems.check(
      new Set(roles).size === roles.length,
      `roles '${roles.join(', ')}' names a role twice, expected each once`,
    );
    problems.add(
      ...roles.map((role) => iamRole('roles', role)),
      on instanceof StorageBucket ? undefined : resourceProblem(on),
    );
    problems.throwIfAny(this.node.path);

    this.policyMembers = roles.map((role) => {
      const short = roleInName(role);
      const grant = { name: `${name}-${short}`, member, role, resource: on };
      return new IamPolicyMember(this, short, grant).policyMember;
    });
    if (props.iamServiceAccount === undefined) return;
    const account = new IamServiceAccount(this, 'IamServiceAccount', {
      name: props.iamServiceAccount,
      projectId,
    });
    this.iamServiceAccount = account.serviceAccount;
    this.workloadIdentityUser = new IamPolicyMember(this, 'WorkloadIdentityUser', {
      name: `${name}-workload-identity-user`,
      member: kubernetesMember,
      role: WORKLOAD_IDENTITY_USER,
      resource: account,
    }).policyMember;
  }
}

/** `roles/storage.objectUser` as `storage-object-user`. */
const roleInName = (role: string): string =>
  role
    .replace(/^.*roles\//, '')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
