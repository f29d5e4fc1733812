import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type * as iam from '../../imports/iam.cnrm.cloud.google.com';
import { CNRM_RESOURCE_MANAGER_API, CNRM_STORAGE_API } from '../facts/labels';
import { BUCKET_READER } from '../facts/roles';
import { brand, isBranded } from '../problems/brand';
import { iamAccount, iamRole, projectId as projectRule } from '../problems/google-cloud';
import {
  bucketFolder,
  bucketName as bucketRule,
  bucketOfFolder,
  dnsSubdomain,
  type Grammar,
} from '../problems/grammar';
import { type Problem } from '../problems/problems';
import {
  either,
  essential,
  instance,
  list,
  object as objectOf,
  optional,
  readNamed,
  required,
  type Schema,
  string,
  type Type,
} from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { object } from '../workload/objects';
import { resourceLabels, resourceMetadata, type StorageBucket } from './config-connector';
import {
  WORKLOAD_IDENTITY,
  WORKLOAD_IDENTITY_USER,
  workloadPrincipal,
  type WorkloadIdentityProps,
} from './workload-identity';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** Properties of an IAM service account. */
export interface IamServiceAccountProps {
  /** Name of the account: the part of its address before the `@`. @default - the construct's id */
  readonly name?: string;
  /** ID of the project that contains the account. */
  readonly projectId: string;
  /** Name of the account in the Google Cloud console. @default - none */
  readonly displayName?: string;
}

const ACCOUNT: Schema<IamServiceAccountProps> = {
  properties: {
    name: optional(string(iamAccount)),
    projectId: required(string(projectRule), 'my-project'),
    displayName: optional(string()),
  },
};

/**
 * An IAM service account that Config Connector creates.
 *
 * @throws InvalidInputError listing every invalid prop
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iamserviceaccount
 */
export class IamServiceAccount extends Construct {
  /** The IAMServiceAccount. */
  readonly serviceAccount: ApiObject;

  constructor(scope: Construct, id: string, props: IamServiceAccountProps) {
    super(scope, id);
    checkAtSynth(this);
    const { name, projectId, displayName } = readNamed(ACCOUNT, props, this.node);
    this.serviceAccount = object(
      this,
      'Resource',
      manifest<iam.IamServiceAccountProps>(KINDS.IAMServiceAccount, {
        metadata: resourceMetadata(name, projectId),
        spec: { displayName },
      }),
    );
  }
}
brand(IamServiceAccount, 'IamServiceAccount');

/** The resource that a role is granted on: one that Config Connector also creates, or an existing project or bucket. */
export type IamResource =
  | StorageBucket
  | IamServiceAccount
  | {
      /** ID of a project that exists already. */
      readonly projectId: string;
    }
  | {
      /** Name of a bucket that exists already. */
      readonly bucketName: string;
    };

/** Properties of the grant of a role. */
export interface IamPolicyMemberProps {
  /** Name of the object. @default - the construct's id */
  readonly name?: string;
  /** The member that receives the role, like `principal://…`, `serviceAccount:…` or `group:…`. */
  readonly member: string;
  /** The role, like `roles/storage.objectUser`. */
  readonly role: string;
  /** The resource that the role is granted on. */
  readonly resource: IamResource;
}

const isBucket = (value: unknown): value is StorageBucket => isBranded(value, 'StorageBucket');
const isAccount = (value: unknown): value is IamServiceAccount => isBranded(value, 'IamServiceAccount');

const bucketType: Type<{ readonly bucketName: string }> = objectOf({
  properties: { bucketName: required(string(bucketRule), 'my-models') },
});
const projectType: Type<{ readonly projectId: string }> = objectOf({
  properties: { projectId: required(string(projectRule), 'my-project') },
});
/** The type of an existing bucket or project. */
const existing = either(
  (value) => typeof value === 'object' && value !== null && 'bucketName' in value,
  bucketType,
  projectType,
);
const RESOURCES = "a StorageBucket, { bucketName: 'my-models' } or { projectId: 'my-project' }";
const resourceType: Type<Exclude<IamResource, IamServiceAccount>> = {
  what: RESOURCES,
  read: (value, path, problems) =>
    isBucket(value)
      ? value
      : typeof value === 'object' && value !== null && !Array.isArray(value)
        ? existing.read(value, path, problems)
        : instance<StorageBucket>('StorageBucket', RESOURCES).read(value, path, problems),
};
const resourceOrAccount = either(
  isAccount,
  instance<IamServiceAccount>('IamServiceAccount', 'an IamServiceAccount'),
  resourceType,
);

const memberRule: Grammar = (value) =>
  /^(principal(Set)?:\/\/\S+|[a-z][A-Za-z]*:[^/\s]\S*)$/.test(value)
    ? undefined
    : {
        problem: 'is not a member',
        use: "a member like 'principal://…', 'serviceAccount:…', 'group:…' or 'user:…'",
      };

const POLICY_MEMBER: Schema<IamPolicyMemberProps> = {
  properties: {
    name: optional(string(dnsSubdomain)),
    member: required(string(memberRule), 'group:my-team@example.com'),
    role: required(string(iamRole), 'roles/storage.objectUser'),
    resource: essential(resourceOrAccount, "{ bucketName: 'my-models' }"),
  },
};

/**
 * The grant of one role to one member, which Config Connector creates. It cannot be changed: create another object for another grant.
 *
 * @throws InvalidInputError listing every invalid prop
 * @see https://cloud.google.com/config-connector/docs/reference/resource-docs/iam/iampolicymember
 */
export class IamPolicyMember extends Construct {
  /** The IAMPolicyMember. */
  readonly policyMember: ApiObject;

  constructor(scope: Construct, id: string, props: IamPolicyMemberProps) {
    super(scope, id);
    checkAtSynth(this);
    const { name, member, role, resource } = readNamed(POLICY_MEMBER, props, this.node);
    this.policyMember = object(
      this,
      'Resource',
      manifest<iam.IamPolicyMemberProps>(KINDS.IAMPolicyMember, {
        metadata: { name, labels: resourceLabels(name) },
        spec: { member, role, resourceRef: resourceRef(resource) },
      }),
    );
  }
}

function resourceRef(resource: IamResource): iam.IamPolicyMemberSpecResourceRef {
  if (isBucket(resource) || isAccount(resource)) {
    const { apiVersion, kind, name } = isBucket(resource) ? resource.bucket : resource.serviceAccount;
    return { apiVersion, kind, name };
  }
  return 'bucketName' in resource
    ? { apiVersion: CNRM_STORAGE_API, kind: 'StorageBucket', external: resource.bucketName }
    : {
        apiVersion: CNRM_RESOURCE_MANAGER_API,
        kind: 'Project',
        external: `projects/${resource.projectId}`,
      };
}

/** Properties of the roles of a workload. The properties of `WorkloadIdentity` determine the member that receives the roles. */
export interface WorkloadRolesProps extends WorkloadIdentityProps {
  /** Name of the workload's ServiceAccount. The names of the objects consist of it and the role. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the ServiceAccount in the workload's cluster: its name, or a `Namespace` of cdk8s-plus. @default 'default' */
  readonly namespace?: WorkloadIdentityProps['namespace'];
  /** The roles, like `roles/storage.objectUser`. @default - none; required without `model` */
  readonly roles?: readonly string[];
  /** The resource that `roles` are granted on. @default - the project */
  readonly on?: StorageBucket | { readonly bucketName: string } | { readonly projectId: string };
  /**
   * The `model` that a `VllmServer` streams, like `gs://my-models/Qwen3-32B`. The workload receives `roles/storage.objectViewer` on its
   * bucket, which the server requires.
   *
   * @default - none
   */
  readonly model?: string;
}

const ROLES: Schema<WorkloadRolesProps> = {
  properties: {
    ...WORKLOAD_IDENTITY.properties,
    roles: optional(
      list(string(iamRole), { min: 1, what: "a list of roles, like ['roles/storage.objectUser']" }),
    ),
    on: optional(resourceType),
    model: optional(string(bucketFolder)),
  },
  rules: [
    ...(WORKLOAD_IDENTITY.rules ?? []),
    function* ({ roles = [] }, given): Iterable<Problem> {
      if (given.roles === undefined && given.model === undefined)
        yield {
          path: 'roles',
          problem: "required, for example ['roles/storage.objectUser']",
          use: "roles, or the model that a server streams, like 'gs://my-models/Qwen3-32B'",
        };
      if (new Set(roles).size < roles.length)
        yield {
          path: 'roles',
          value: roles.join(', '),
          problem: 'lists a role twice',
          use: 'to list each role once',
        };
    },
  ],
};

/**
 * The roles of a workload on Google Cloud, which Config Connector grants. Pass the props of the workload's `WorkloadIdentity`, which
 * renders the ServiceAccount; the result is the same as with its `bindingCommands`. The ServiceAccount receives the roles directly. With
 * `iamServiceAccount`, Config Connector creates that account, grants it the roles, and lets the ServiceAccount act as the account.
 *
 * @throws InvalidInputError listing every invalid prop, by the rules of `WorkloadIdentity`
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
 */
export class WorkloadRoles extends Construct {
  /** The grants, in the order of the roles. */
  readonly policyMembers: readonly ApiObject[];
  /** The IAM service account; undefined without `iamServiceAccount`. */
  readonly iamServiceAccount: ApiObject | undefined;
  /** Lets the ServiceAccount act as the IAM service account; undefined without `iamServiceAccount`. */
  readonly workloadIdentityUser: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: WorkloadRolesProps) {
    super(scope, id);
    checkAtSynth(this);
    const read = readNamed(ROLES, props, this.node);
    const { name, projectId, roles = [], on = { projectId }, model } = read;
    const { member, kubernetesMember } = workloadPrincipal(read, name);
    const granted = (role: string, short: string, resource: IamResource): ApiObject =>
      new IamPolicyMember(this, short, { name: `${name}-${short}`, member, role, resource }).policyMember;

    const bucketName = model === undefined ? undefined : bucketOfFolder(model);
    this.policyMembers = [
      ...roles.map((role) => granted(role, roleInName(role), on)),
      ...(bucketName === undefined
        ? []
        : [granted(BUCKET_READER, `model-${roleInName(BUCKET_READER)}`, { bucketName })]),
    ];
    if (read.iamServiceAccount === undefined) return;
    const account = new IamServiceAccount(this, 'IamServiceAccount', {
      name: read.iamServiceAccount,
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

/** Returns `roles/storage.objectUser` as `storage-object-user`. */
const roleInName = (role: string): string =>
  role
    .replace(/^.*roles\//, '')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
