import { isSuccess, type KubernetesObject, messageOf } from './api';
import { api } from './context';

/** The ServiceAccounts that pods name in an object of any kind. */
function accountsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(accountsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === 'serviceAccountName' && typeof child === 'string' ? [child] : accountsIn(child),
  );
}

/** The ServiceAccounts that objects need and do not contain: in a cluster, somebody has created them before. */
function missingAccounts(
  objects: readonly KubernetesObject[],
  namespace: string,
): readonly KubernetesObject[] {
  const home = ({ metadata }: KubernetesObject): string => metadata.namespace ?? namespace;
  const known = new Set(
    objects.filter(({ kind }) => kind === 'ServiceAccount').map((one) => `${home(one)}/${one.metadata.name}`),
  );
  const needed = objects.flatMap((one) => accountsIn(one['spec']).map((name) => [home(one), name] as const));
  return needed.flatMap(([where, name]): KubernetesObject[] => {
    const place = `${where}/${name}`;
    if (name === 'default' || known.has(place)) return [];
    known.add(place);
    return [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: where } }];
  });
}

/** Creates objects, and the ServiceAccounts that they expect; throws if the server refuses one. */
export async function createAll(objects: readonly KubernetesObject[], namespace: string): Promise<void> {
  for (const object of [...missingAccounts(objects, namespace), ...objects]) {
    const answer = await api.create(object, namespace, 'fieldValidation=Strict');
    if (!isSuccess(answer)) throw new Error(`${object.kind} ${object.metadata.name}: ${messageOf(answer)}`);
  }
}

/** Applies an object as `kubectl apply --server-side` does. */
export async function serverSideApply(
  object: KubernetesObject,
  namespace: string,
): Promise<KubernetesObject> {
  const target = await api.pathOf(object, namespace);
  return api.demand(
    'PATCH',
    `${target?.object ?? ''}?fieldManager=kubectl&fieldValidation=Strict`,
    object,
    'application/apply-patch+yaml',
  );
}
