import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONTROLLERS } from '../../lib';
import { type Api, isSuccess, messageOf } from './harness/api';
import { cluster } from './harness/context';
import { startControlPlane } from './harness/control-plane';
import { documentsOf, install } from './harness/install';
import { MANIFESTS } from './harness/manifests';
import { removeAtEnd, type Running } from './harness/process';
import { moduleFolder, pinnedVersion } from './harness/tools';

// dist/ against the CRDs of the oldest releases that the library supports, on an API server of its own.

const OLDEST = [
  {
    tool: 'oldest-jobset',
    crds: 'config/components/crd/bases',
    kind: 'JobSet',
    minimum: CONTROLLERS.jobSet.minimumVersion,
  },
  {
    tool: 'oldest-kuberay',
    crds: 'config/crd/bases',
    kind: 'RayService',
    minimum: CONTROLLERS.kubeRay.minimumVersion,
  },
] as const;

// v0.9.0 and v0.10.0 of JobSet cannot be had as Go modules
const NEAREST: Readonly<Record<string, string>> = { 'v0.9.0': 'v0.10.1' };

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
    await install(api, documentsOf(path.join(moduleFolder(tool), crds)));
    const objects = MANIFESTS.flatMap((manifest) => manifest.objects).filter((one) => one.kind === kind);
    expect(objects).not.toEqual([]);
    for (const object of objects) {
      const answer = await api.create(object, 'default', 'dryRun=All&fieldValidation=Strict');
      expect(isSuccess(answer) ? answer.warnings : messageOf(answer)).toEqual([]);
    }
  });
});
