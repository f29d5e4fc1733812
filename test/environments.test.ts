import { textOf } from '../lib/problems/problems';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type App, Testing } from 'cdk8s';
import fc from './fast-check';
import { addEnvironments, Llama } from '../examples/environments';
import { readEnvironments } from '../examples/environments/config';
import { InvalidInputError } from '../lib';
import { findingsIn } from '../lib/checks/check';
import { type Json, manifestObject } from '../lib/manifest/manifest';

/** The manifests of an environment, by kind and name. */
function rendered(app: App | undefined): Record<string, Json> {
  const [chart] = app?.charts ?? [];
  if (!chart) throw new Error('there is no chart');
  return Object.fromEntries(
    (Testing.synth(chart) as Json[]).map((manifest) => [manifestObject(manifest).id, manifest]),
  );
}

/** The paths at which two values differ. */
function differences(a: unknown, b: unknown, at = ''): readonly string[] {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b ? [] : [at];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differences((a as Json)[key], (b as Json)[key], at === '' ? key : `${at}.${key}`),
  );
}

describe('dev and prod', () => {
  const folders: string[] = [];
  const apps = addEnvironments((folder) => {
    folders.push(folder);
    return Testing.app();
  });
  const [dev, prod] = [rendered(apps['environments/dev']), rendered(apps['environments/prod'])];

  test('render into separate folders', () => {
    expect(folders).toEqual(['environments/dev', 'environments/prod']);
    expect(Object.keys(apps)).toEqual(folders);
  });

  test('have the same objects; prod scales, and keeps replicas running', () => {
    const names = Object.keys(dev);
    expect(names).toEqual([
      'ServiceAccount/llama',
      'Deployment/llama',
      'Service/llama',
      'PodMonitoring/llama',
    ]);
    expect(Object.keys(prod).filter((name) => !names.includes(name))).toEqual([
      'HorizontalPodAutoscaler/llama',
      'PodDisruptionBudget/llama',
    ]);
  });

  test('differ only in the values of the file and the values that follow from them', () => {
    const pod = 'spec.template.spec';
    const found = Object.keys(dev).flatMap((name) => differences(dev[name], prod[name], name));
    expect(found.sort()).toEqual(
      [
        // namespace
        'ServiceAccount/llama.metadata.namespace',
        'Deployment/llama.metadata.namespace',
        // minReplicas and maxReplicas
        'Deployment/llama.spec.replicas',
        // slice
        `Deployment/llama.${pod}.containers.0.args.2`,
        // spot: no time for a graceful shutdown of the engine
        `Deployment/llama.${pod}.containers.0.args.6`,
        // spot: less time to end
        `Deployment/llama.${pod}.containers.0.lifecycle.preStop.exec.command.1`,
        // slice
        `Deployment/llama.${pod}.containers.0.resources.limits.google.com/tpu`,
        `Deployment/llama.${pod}.containers.0.resources.requests.google.com/tpu`,
        `Deployment/llama.${pod}.containers.0.resources.requests.memory`,
        `Deployment/llama.${pod}.nodeSelector.cloud.google.com/gke-spot`,
        `Deployment/llama.${pod}.nodeSelector.cloud.google.com/gke-tpu-topology`,
        // capacity
        `Deployment/llama.${pod}.nodeSelector.cloud.google.com/reservation-affinity`,
        `Deployment/llama.${pod}.nodeSelector.cloud.google.com/reservation-name`,
        `Deployment/llama.${pod}.terminationGracePeriodSeconds`,
        `Deployment/llama.${pod}.topologySpreadConstraints`,
        // bucketName
        `Deployment/llama.${pod}.volumes.0.csi.volumeAttributes.bucketName`,
        'Service/llama.metadata.namespace',
        'PodMonitoring/llama.metadata.namespace',
      ].sort(),
    );
  });

  test('pass the checks, separately and together', () => {
    const objects = [...Object.values(dev), ...Object.values(prod)].map((manifest) =>
      manifestObject(manifest),
    );
    expect(findingsIn(objects).filter(({ severity }) => severity !== 'note')).toEqual([]);
  });

  test('have no object in common', () => {
    const [devObjects, prodObjects] = [dev, prod].map((objects) =>
      Object.values(objects).map((manifest) => {
        const { namespace, id } = manifestObject(manifest);
        return `${namespace} ${id}`;
      }),
    );
    expect(devObjects?.filter((name) => prodObjects?.includes(name))).toEqual([]);
  });
});

describe('a file of environments', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'environments-'));
  const file = path.join(folder, 'environments.yaml');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const legal = {
    namespace: 'llama-test',
    projectId: 'my-project',
    projectNumber: '123456789012',
    bucketName: 'my-models',
    slice: 'ct6e-standard-8t',
    capacity: 'on-demand',
    minReplicas: 1,
    maxReplicas: 2,
  };
  const read = (environments: unknown): ReturnType<typeof readEnvironments> => {
    writeFileSync(file, JSON.stringify(environments));
    return readEnvironments(file);
  };

  /** What is said of a file, without its name. */
  function refusal(environments: unknown): readonly string[] {
    try {
      read(environments);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      expect(error.message).toBe(error.problems.map((problem) => `${file} ${textOf(problem)}`).join('\n'));
      return error.problems.map(textOf);
    }
    throw new Error('it was not refused');
  }

  test('is read into the values of the constructs', () => {
    const [environment] = read({ test: legal });
    expect(environment).toMatchObject({
      ...legal,
      name: 'test',
      slice: { chips: 8 },
      capacity: { type: 'on-demand' },
    });
  });

  test.each<[Readonly<Record<string, unknown>>, string]>([
    [
      { slice: 'v6e-9' },
      "staging.slice: 'v6e-9' is not a slice, because no slice of v6e has 9 chips; use 'v6e-8' or 'v6e-16'",
    ],
    [{ slice: undefined }, 'staging.slice: required; use a string in quotes'],
    [
      { capacity: 'reservation' },
      "staging.capacity: 'reservation' is not a capacity; use 'on-demand', 'spot' or 'reservation/NAME'",
    ],
    [
      { capacity: 'reservation/A' },
      "staging.capacity: 'A' is not a DNS label; use lower-case letters, digits and '-', starting with a letter and not ending with '-', for example 'a'",
    ],
    [
      { projectNumber: 123456789012 },
      "staging.projectNumber: '123456789012' is not a string; use a string in quotes",
    ],
    [
      { minReplicas: '1' },
      "staging.minReplicas: '1' is not a whole number; use a whole number without quotes",
    ],
    [
      { toString: 1 },
      'staging.toString: unknown key; use one of namespace, projectId, projectNumber, bucketName, slice, capacity, minReplicas, maxReplicas',
    ],
    [
      { replicas: 3 },
      'staging.replicas: unknown key; use one of namespace, projectId, projectNumber, bucketName, slice, capacity, minReplicas, maxReplicas',
    ],
  ])('%j is rejected: %s', (change, sentence) => {
    expect(refusal({ test: legal, staging: { ...legal, ...change } })).toEqual([sentence]);
  });

  test.each(['../prod', 'Prod', '0'])('the name %s of an environment is rejected', (name) => {
    expect(refusal({ [name]: legal })).toEqual([
      `${name}: is not the name of an environment; use lower-case letters, digits and '-'`,
    ]);
  });

  test('reports all problems at once', () => {
    const keys = refusal({ test: { ...legal, slice: '' }, staging: null }).map(
      (problem) => problem.split(':')[0],
    );
    expect(keys).toEqual(['test.slice', ...Object.keys(legal).map((key) => `staging.${key}`)]);
  });

  test('accepts any slice and any capacity', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'ct6e-standard-4t',
          'ct6e-standard-8t',
          'ct5p-hightpu-4t',
          'ct6e-standard-8t/2x4',
          'tpu-v6e-slice/1x1',
        ),
        fc.constantFrom('on-demand', 'spot', 'reservation/mine'),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 3 }),
        (slice, capacity, minReplicas, more) => {
          const environments = read({
            test: { ...legal, slice, capacity, minReplicas, maxReplicas: minReplicas + more },
          });
          const [rendered] = environments.map(
            (one) => Testing.synth(new Llama(Testing.app(), one)) as Json[],
          );
          const kinds = rendered?.map((manifest) => manifest['kind']);
          expect(kinds?.includes('HorizontalPodAutoscaler')).toBe(more > 0);
          expect(rendered?.every((manifest) => manifestObject(manifest).namespace === 'llama-test')).toBe(
            true,
          );
        },
      ),
      { numRuns: 30 },
    );
  });
});
