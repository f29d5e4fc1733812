import { type ApiObject } from 'cdk8s';
import { type Construct } from 'constructs';
import { type Kind } from '../facts/rendered';
import { clusterObject, object } from './objects';
import { manifest, type Plain } from './plain';

/** A custom resource of a generated type. */
export const custom = <Props>(scope: Construct, id: string, kind: Kind, props: Plain<Props>): ApiObject =>
  object(scope, id, manifest<Props>(kind, props));

/** Objects of Kubernetes' access control, without the code of their types. */
const RBAC = 'rbac.authorization.k8s.io';

/** Permissions for objects of API groups, or for paths of the API server. */
type PolicyRule =
  | {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
      readonly resourceNames?: readonly string[];
    }
  | { readonly nonResourceURLs: readonly string[]; readonly verbs: readonly string[] };

/** A ServiceAccount that gets permissions. */
export interface ServiceAccountSubject {
  readonly name: string;
  readonly namespace: string;
}

interface Grant {
  readonly name: string;
  /** Namespace of the permissions; undefined for the whole cluster. */
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  readonly subjects: readonly ServiceAccountSubject[];
}

/** Grants permissions to ServiceAccounts by a Role and a RoleBinding, or for the whole cluster by a ClusterRole and its binding. */
export function grant(
  scope: Construct,
  id: string,
  { name, namespace, labels, rules, subjects }: Grant,
): void {
  const apiVersion = `${RBAC}/v1`;
  const [kind, make] =
    namespace === undefined ? (['ClusterRole', clusterObject] as const) : (['Role', object] as const);
  const metadata = { name, ...(namespace !== undefined && { namespace }), labels };
  make(scope, `${id}${kind}`, { apiVersion, kind, metadata, rules });
  make(scope, `${id}${kind}Binding`, {
    apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: subjects.map((subject) => ({ kind: 'ServiceAccount', ...subject })),
  });
}
