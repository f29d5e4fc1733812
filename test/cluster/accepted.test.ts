import { isSuccess, type KubernetesObject, messageOf } from './harness/api';
import { api } from './harness/context';
import { MANIFESTS, NOT_RUN } from './harness/manifests';
import {
  createNamespace,
  createNamespacesOf,
  deleteNamedNamespaces,
  deleteNamespaces,
  deleteObjects,
} from './harness/namespaces';

// The API server accepts every file of dist/, with admission webhooks, and warns of nothing.

const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;

/** What the server has against objects: refusals and warnings. */
async function objections(
  objects: readonly KubernetesObject[],
  namespace: string,
  parameters: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const object of objects) {
    const answer = await api.create(object, namespace, parameters);
    if (!isSuccess(answer)) found.push(`${nameOf(object)} is refused: ${messageOf(answer)}`);
    found.push(...answer.warnings.map((warning) => `${nameOf(object)}: ${warning}`));
  }
  return found;
}

beforeAll(() => {
  for (const line of NOT_RUN) console.log(`not run: ${line}`);
});

test('there are manifests', () => {
  expect(MANIFESTS.length).toBeGreaterThan(process.env['CRD_DIR'] === undefined ? 3 : 15);
});

if (process.env['CRD_DIR'] !== undefined)
  test('every kind has a CRD', () => {
    expect(NOT_RUN).toEqual([]);
  });

describe.each(MANIFESTS)('$name', ({ objects }) => {
  let namespace: string;
  let further: readonly string[];

  beforeAll(async () => {
    namespace = await createNamespace();
    further = await createNamespacesOf(objects);
  });

  afterAll(async () => {
    await deleteObjects(objects, namespace);
    await deleteNamespaces(namespace);
    await deleteNamedNamespaces(...further);
  });

  test('passes a strict dry run', async () => {
    expect(await objections(objects, namespace, 'dryRun=All&fieldValidation=Strict')).toEqual([]);
  });

  test('is created without warnings', async () => {
    expect(await objections(objects, namespace, 'fieldValidation=Warn')).toEqual([]);
  });
});
