import { randomBytes } from 'node:crypto';
import { isSuccess, type KubernetesObject } from './api';
import { api, cluster } from './context';
import { eventually } from './wait';

/** Creates a namespace, under a name of its own unless one is given. */
export async function createNamespace(
  name = `test-${randomBytes(4).toString('hex')}`,
  labels: Readonly<Record<string, string>> = {},
): Promise<string> {
  const metadata = { name, labels };
  const answer = await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
  if (!isSuccess(answer) && answer.status !== 409)
    throw new Error(`namespace ${name}: ${String(answer.status)}`);
  return name;
}

/** Creates the namespaces that objects name. */
export async function createNamespacesOf(objects: readonly KubernetesObject[]): Promise<readonly string[]> {
  const names = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  await Promise.all([...names].map((name) => createNamespace(name)));
  return [...names];
}

/** Deletes namespaces and waits until their pods are gone. Without controllers nothing empties a namespace, so it stays. */
export async function deleteNamespaces(...names: readonly string[]): Promise<void> {
  if (!cluster.controllers) return;
  for (const name of names) await api.send('DELETE', `/api/v1/namespaces/${name}`);
  for (const name of names)
    await eventually(async () => {
      const pods = await api.list('v1', 'Pod', name);
      if (pods.length > 0) throw new Error(`${String(pods.length)} pods remain in ${name}`);
    });
}

/** Deletes namespaces whose names are used again, and waits until they are gone. */
export async function deleteNamedNamespaces(...names: readonly string[]): Promise<void> {
  await deleteNamespaces(...names);
  if (!cluster.controllers) return;
  for (const name of names)
    await eventually(async () => {
      const answer = await api.send('GET', `/api/v1/namespaces/${name}`);
      if (isSuccess(answer))
        throw new Error(`namespace ${name} remains: ${JSON.stringify(answer.body['status'])}`);
    });
}

/** Deletes objects, and what their controllers made for them. */
export async function deleteObjects(objects: readonly KubernetesObject[], namespace: string): Promise<void> {
  for (const object of objects) {
    const target = await api.pathOf(object, namespace);
    if (target) await api.send('DELETE', `${target.object}?propagationPolicy=Background`);
  }
}
