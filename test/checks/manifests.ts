import { findingsIn } from '../../lib/checks/check';
import { expectFindingDeclared } from './declared';
import { isRecord, type Json, manifestObject } from '../../lib/manifest/manifest';

// Small legal manifests for the tests of the rules, which insert mistakes.

export const ACCELERATOR = 'cloud.google.com/gke-tpu-accelerator';
export const TOPOLOGY = 'cloud.google.com/gke-tpu-topology';

/** The findings of some rules, like `TPU104 error spec.containers[server].resources`. */
export function found(codes: RegExp, ...manifests: readonly Json[]): readonly string[] {
  const objects = manifests.map((manifest) => manifestObject(manifest));
  const findings = findingsIn(objects);
  for (const finding of findings) expectFindingDeclared(finding, objects);
  return findings
    .filter(({ code }) => codes.test(code))
    .map(({ code, severity, path }) => `${code} ${severity} ${path}`);
}

/** The message and the fix of the only finding of a rule. */
export const said = (code: string, ...manifests: readonly Json[]): string =>
  findingsIn(manifests.map((manifest) => manifestObject(manifest)))
    .filter((finding) => finding.code === code)
    .map(({ message, fix }) => `${message}; ${fix}`)
    .join('\n');

export const tpu = (topology?: string, accelerator: string | undefined = 'tpu-v6e-slice'): Json => ({
  ...(accelerator !== '' && { [ACCELERATOR]: accelerator }),
  ...(topology !== undefined && { [TOPOLOGY]: topology }),
});

export const container = (chips?: unknown, more: Json = {}): Json => ({
  name: 'main',
  image: 'example/server:v1',
  ...(chips !== undefined && { resources: { limits: { 'google.com/tpu': chips } } }),
  ...more,
});

/** A pod template with one container. */
export const template = (nodeSelector: Json, chips?: unknown, spec: Json = {}): Json => ({
  metadata: { labels: { app: 'a' } },
  spec: { nodeSelector, containers: [container(chips)], ...spec },
});

export const object = (apiVersion: string, kind: string, spec: Json, metadata: Json = {}): Json => ({
  apiVersion,
  kind,
  metadata: { name: 'a', ...metadata },
  spec,
});

export const pod = (nodeSelector: Json, chips?: unknown, spec: Json = {}, metadata: Json = {}): Json =>
  object('v1', 'Pod', { nodeSelector, containers: [container(chips)], ...spec }, metadata);

export const service = (spec: Json, metadata: Json = {}): Json => object('v1', 'Service', spec, metadata);

export const job = (spec: Json, pods: Json, metadata: Json = {}): Json =>
  object('batch/v1', 'Job', { ...spec, template: pods }, metadata);

export const replicatedJob = (pods: Json, spec: Json, more: Json = {}, metadata: Json = {}): Json => ({
  name: 'j',
  replicas: 1,
  template: { metadata, spec: { ...spec, template: pods } },
  ...more,
});

export const jobSet = (replicatedJobs: readonly Json[], metadata: Json = {}, spec: Json = {}): Json =>
  object('jobset.x-k8s.io/v1alpha2', 'JobSet', { ...spec, replicatedJobs }, metadata);

export const leaderWorkerSet = (group: Json, replicas?: number, metadata: Json = {}): Json =>
  object(
    'leaderworkerset.x-k8s.io/v1',
    'LeaderWorkerSet',
    { replicas, leaderWorkerTemplate: group },
    metadata,
  );

export const apps = (kind: string, pods: Json, spec: Json = {}): Json =>
  object('apps/v1', kind, { selector: { matchLabels: { app: 'a' } }, ...spec, template: pods });

export const rayCluster = (pods: Json, group: Json = {}, more: Json = {}): Json => ({
  headGroupSpec: { template: { spec: { containers: [container()] } } },
  workerGroupSpecs: [{ groupName: 'g', numOfHosts: 1, ...group, template: pods }],
  ...more,
});

export const rayService = (cluster: Json, spec: Json = {}, metadata: Json = {}): Json =>
  object(
    'ray.io/v1',
    'RayService',
    {
      serveConfigV2: 'applications: [{name: n, import_path: m:app}]',
      ...spec,
      rayClusterConfig: cluster,
    },
    metadata,
  );

/** Every set that results from replacing one value of a set of manifests, or removing it. */
export function* mutilatedSets(manifests: readonly Json[]): Generator<readonly Json[]> {
  for (const [index, manifest] of manifests.entries())
    for (const odd of [null, true, 7, -1.5, 'x', '', [], [null], {}, { x: [] }, undefined])
      for (const one of withEach(manifest, odd))
        yield manifests.map((other, place) => (place === index ? one : other));
}

function* withEach(manifest: Json, odd: unknown): Generator<Json> {
  for (const [key, value] of Object.entries(manifest)) {
    yield { ...manifest, [key]: odd };
    if (isRecord(value)) for (const inner of withEach(value, odd)) yield { ...manifest, [key]: inner };
    if (Array.isArray(value))
      for (const inner of withEach(Object.fromEntries(value.entries()), odd))
        yield { ...manifest, [key]: Object.values(inner) };
  }
}

export function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
