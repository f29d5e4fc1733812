import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONTROLLERS } from '../../lib/facts/controllers';
import { type Api, isSuccess, messageOf } from './harness/api';
import { cluster } from './harness/context';
import { startControlPlane } from './harness/control-plane';
import { crdsOf, install } from './harness/install';
import { MANIFESTS } from './harness/manifests';
import { removeAtEnd, type Running } from './harness/process';
import { moduleFolder, pinnedVersion } from './harness/tools';
import { eventually } from './harness/wait';

// dist/ against the CRDs of other releases than those that run here, on a separate API server: the oldest ones that the library
// supports, and those of CRD_DIR.

const OLDEST = [
  {
    tool: 'oldest-jobset',
    crds: 'config/components/crd/bases',
    kind: 'JobSet',
    minimum: CONTROLLERS.jobSet.minimumVersion,
  },
  ...(
    [
      ['oldest-rayservice', 'RayService', CONTROLLERS.rayService],
      ['oldest-raycluster', 'RayCluster', CONTROLLERS.rayCluster],
      ['oldest-rayjob', 'RayJob', CONTROLLERS.retriedRayJob],
    ] as const
  ).map(([tool, kind, { minimumVersion }]) => ({
    tool,
    crds: 'config/crd/bases',
    kind,
    minimum: minimumVersion,
  })),
] as const;

// v0.9.0 and v0.10.0 of JobSet and v1.2.0 of KubeRay cannot be had as Go modules
const NEAREST: Readonly<Record<string, string>> = { 'v0.9.0': 'v0.10.1', 'v1.2.0': 'v1.2.1' };

const running: Running[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'cluster-test-'));
const janitor = removeAtEnd(folder);
let api: Api;

beforeAll(async () => {
  ({ api } = await startControlPlane(folder, cluster.programs, [], running));
});

afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  janitor.stop();
});

describe.each(OLDEST)('$kind', ({ tool, crds, kind, minimum }) => {
  test('is pinned at the oldest release that the library supports', () => {
    expect(pinnedVersion(tool)).toBe(NEAREST[minimum] ?? minimum);
  });

  test('every object passes a strict dry run', async () => {
    await replaceCrd(path.join(moduleFolder(tool), crds), kind);
    expect(await refusals(kind)).toEqual([]);
  });

  if (process.env['CRD_DIR'] !== undefined)
    test('every object passes a strict dry run with the CRD of CRD_DIR', async () => {
      await replaceCrd(process.env['CRD_DIR'] ?? '', kind);
      expect(await refusals(kind)).toEqual([]);
    });
});

/** Installs the CRD of a kind that a folder has. The one before it is deleted, so that it cannot answer for the new one. */
async function replaceCrd(folder: string, kind: string): Promise<void> {
  const [crd, ...others] = crdsOf(folder, (one) => one === kind);
  if (!crd || others.length > 0) throw new Error(`expected one CRD of ${kind} in ${folder}`);
  const target = await api.pathOf(crd);
  await api.send('DELETE', target?.object ?? '');
  await eventually(async () => {
    const { status } = await api.send('GET', target?.object ?? '');
    if (status !== 404) throw new Error(`the CRD of ${kind} remains`);
  });
  await install(api, [crd]);
}

/** What the server says against the objects of a kind in dist/. */
async function refusals(kind: string): Promise<readonly string[]> {
  const objects = MANIFESTS.flatMap((manifest) => manifest.objects).filter((one) => one.kind === kind);
  if (objects.length === 0) throw new Error(`dist/ has no ${kind}`);
  const answers = await Promise.all(
    objects.map((object) => api.create(object, 'default', 'dryRun=All&fieldValidation=Strict')),
  );
  return answers.flatMap((answer) => (isSuccess(answer) ? answer.warnings : [messageOf(answer)]));
}
