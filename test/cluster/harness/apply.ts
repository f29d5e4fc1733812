import { isSuccess, type KubernetesObject, messageOf } from './api';
import { api } from './context';

/** The values of a key at any depth of an object. */
function valuesOf(key: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(key, item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    name === key && typeof child === 'string' ? [child] : valuesOf(key, child),
  );
}

/** Names of objects that pods refer to by a key and that the user must create, with their namespaces. */
function missing(
  objects: readonly KubernetesObject[],
  namespace: string,
  kind: string,
  key: string,
): readonly { readonly name: string; readonly namespace: string }[] {
  const home = ({ metadata }: KubernetesObject): string => metadata.namespace ?? namespace;
  const known = new Set(
    objects.filter((one) => one.kind === kind).map((one) => `${home(one)}/${one.metadata.name}`),
  );
  return objects
    .flatMap((one) => valuesOf(key, one['spec']).map((name) => ({ name, namespace: home(one) })))
    .filter(({ name, namespace: where }) => !known.has(`${where}/${name}`) && known.add(`${where}/${name}`));
}

/** The ServiceAccounts that objects expect. */
const accountsFor = (objects: readonly KubernetesObject[], namespace: string): readonly KubernetesObject[] =>
  missing(objects, namespace, 'ServiceAccount', 'serviceAccountName')
    .filter(({ name }) => name !== 'default')
    .map((metadata) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }));

/** The claims that objects expect, each with its own volume. */
const claimsFor = (objects: readonly KubernetesObject[], namespace: string): readonly KubernetesObject[] =>
  missing(objects, namespace, 'PersistentVolumeClaim', 'claimName').flatMap((metadata) => {
    const volumeName = `${metadata.namespace}-${metadata.name}`;
    const shared = { accessModes: ['ReadWriteMany'], storageClassName: '' };
    return [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volumeName },
        spec: { ...shared, capacity: { storage: '1Ti' }, hostPath: { path: '/tmp' } },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata,
        spec: { ...shared, volumeName, resources: { requests: { storage: '1Ti' } } },
      },
    ];
  });

/** Creates objects, and the ServiceAccounts and claims that they expect; throws if the server refuses one. */
export async function createAll(objects: readonly KubernetesObject[], namespace: string): Promise<void> {
  const expected = [...accountsFor(objects, namespace), ...claimsFor(objects, namespace)];
  for (const object of [...expected, ...objects]) {
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
