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
  /** Name of the account: its address before the `@`. @default - the construct's id */
  readonly name?: string;
  /** ID of the project that contains it. */
  readonly projectId: string;
  /** Name that the console shows. @default - none */
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
 * @throws InvalidInputError listing every prop that is not valid
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

/** What a role is granted on: a resource that Config Connector creates too, or a project or bucket that exists already. */
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

/** Properties of a role's grant. */
export interface IamPolicyMemberProps {
  /** Name of the object. @default - the construct's id */
  readonly name?: string;
  /** The member that gets the role: `principal://…`, `serviceAccount:…`, `group:…`. */
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
/** A bucket or a project that exists already. */
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
        use: "one member, like 'principal://…', 'serviceAccount:…', 'group:…' or 'user:…'",
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
 * The grant of one role to one member, created by Config Connector. It cannot be changed: another grant is another object.
 *
 * @throws InvalidInputError listing every prop that is not valid
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

/** Properties of a workload's roles. The properties of its `WorkloadIdentity` tell who gets them. */
export interface WorkloadRolesProps extends WorkloadIdentityProps {
  /** Name of the workload's ServiceAccount; the objects are named after it and the role. @default - the construct's id */
  readonly name?: string;
  /** Namespace of the ServiceAccount in the workload's cluster: its name, or a `Namespace` of cdk8s-plus. @default 'default' */
  readonly namespace?: WorkloadIdentityProps['namespace'];
  /** The roles, like `roles/storage.objectUser`. @default - none: only with `model` */
  readonly roles?: readonly string[];
  /** The resource that they are granted on. @default - the project */
  readonly on?: StorageBucket | { readonly bucketName: string } | { readonly projectId: string };
  /**
   * The `model` of a server that streams it, like `gs://my-models/Qwen3-32B`: grants `roles/storage.objectViewer` on its bucket, which a
   * `VllmServer` needs.
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
 * The roles of a workload on Google Cloud, created by Config Connector. With the props of its `WorkloadIdentity`, which renders the
 * ServiceAccount for the workload's own cluster, it does the same as `bindingCommands`. The ServiceAccount gets the roles directly; with
 * `iamServiceAccount`, Config Connector creates that account, grants it the roles and lets the ServiceAccount act as it.
 *
 * @throws InvalidInputError listing every prop that is not valid, as `WorkloadIdentity` does
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
