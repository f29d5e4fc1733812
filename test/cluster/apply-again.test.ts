import { type KubernetesObject } from './harness/api';
import { api, cluster, runKubectl } from './harness/context';
import { MANIFESTS } from './harness/manifests';
import { createNamespacesOf, deleteNamedNamespaces, deleteObjects } from './harness/namespaces';
import { untilScaled } from './harness/systems';
import { eventually } from './harness/wait';

// dist/ is applied as a user applies it, and once more while the controllers run: the second time changes nothing.

const OBJECTS = MANIFESTS.flatMap(({ objects }) => objects);
const FILES = MANIFESTS.flatMap(({ file }) => ['-f', file]);

const live = async (object: KubernetesObject): Promise<KubernetesObject> =>
  api.get(object.apiVersion, object.kind, object.metadata.name, object.metadata.namespace ?? 'default');

const nameOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${metadata.namespace ?? 'default'}/${metadata.name}`;

/** The generation of each object that has one. */
async function generations(): Promise<Readonly<Record<string, number | undefined>>> {
  const objects = await Promise.all(OBJECTS.map(live));
  return Object.fromEntries(objects.map((object) => [nameOf(object), object.metadata.generation]));
}

/** Throws while a controller has something to do that may write into an object that a user applies. */
function settled({ kind, metadata, spec, status }: KubernetesObject): void {
  const seen =
    kind === 'Deployment'
      ? status?.observedGeneration === metadata.generation
      : kind === 'HorizontalPodAutoscaler'
        ? status?.conditions !== undefined
        : kind === 'PodDisruptionBudget'
          ? status?.observedGeneration === metadata.generation
          : kind === 'JobSet' || kind === 'RayService' || kind === 'LeaderWorkerSet'
            ? status !== undefined
            : kind === 'Job'
              ? spec.suspend === true || status?.startTime !== undefined
              : true;
  if (!seen) throw new Error(`no controller has seen ${nameOf({ kind, metadata } as KubernetesObject)}`);
}

/** Waits until the controllers have seen all objects. */
async function untilSettled(): Promise<void> {
  if (!cluster.controllers) return;
  await untilScaled(OBJECTS, 'default');
  for (const object of OBJECTS) await eventually(() => live(object), settled);
}

describe.each([
  { way: 'client-side', flags: [] },
  { way: 'server-side', flags: ['--server-side'] },
])('$way', ({ flags }) => {
  let further: readonly string[];
  let first: Readonly<Record<string, number | undefined>>;

  beforeAll(async () => {
    further = await createNamespacesOf(OBJECTS);
    const { status, stderr } = await runKubectl('apply', ...flags, ...FILES);
    if (status !== 0 || stderr !== '') throw new Error(stderr);
    await untilSettled();
    first = await generations();
  });

  afterAll(async () => {
    await deleteObjects(OBJECTS, 'default');
    await deleteNamedNamespaces(...further);
    for (const object of OBJECTS.filter(({ metadata }) => metadata.namespace === undefined))
      await eventually(async () => {
        const target = await api.pathOf(object);
        const answer = await api.send('GET', target?.object ?? '');
        if (answer.status !== 404) throw new Error(`${nameOf(object)} remains`);
      });
  });

  test('a diff finds nothing', async () => {
    const { status, stdout, stderr } = await runKubectl('diff', ...flags, ...FILES);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('the second apply has no conflict and makes no new generation', async () => {
    const { status, stderr } = await runKubectl('apply', ...flags, ...FILES);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(await generations()).toEqual(first);
    await untilSettled();
    expect(await generations()).toEqual(first);
  });
});
