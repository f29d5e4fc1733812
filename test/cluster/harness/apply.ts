import { isSuccess, type KubernetesObject, messageOf } from './api';
import { api } from './context';

/** Creates objects; throws if the server refuses one. */
export async function createAll(objects: readonly KubernetesObject[], namespace: string): Promise<void> {
  for (const object of objects) {
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
