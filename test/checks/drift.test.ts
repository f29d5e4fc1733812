import { parse } from 'yaml';
import { manifestSet } from '../../lib/manifest/set';
import { isRecord, manifestObject } from '../../lib/manifest/manifest';
import { NOTHING_FOUND, broken, found, setOf, rulesOf } from './found';

const DRIFT_RULES = rulesOf(/^TPU8/);

const places = (...documents: readonly string[]): readonly string[] =>
  found(DRIFT_RULES, setOf(...documents), ({ path }) => path);
const sentences = (...documents: readonly string[]): string =>
  found(DRIFT_RULES, setOf(...documents), ({ message, fix }) => `${message}; ${fix}`).join('\n');

/** A JobSet without drift, with parts replaced. */
const jobSet = (...changes: readonly (readonly [string, string])[]): string =>
  changes.reduce(
    (yaml, [from, to]) => yaml.replaceAll(from, to),
    `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: sax}
spec:
  network: {enableDNSHostnames: true, publishNotReadyAddresses: true}
  startupPolicy: {startupPolicyOrder: AnyOrder}
  successPolicy: {operator: All}
  failurePolicy: {maxRestarts: 4, restartStrategy: Recreate}
  replicatedJobs:
    - name: workers
      groupName: default
      template:
        metadata: {}
        spec:
          completionMode: Indexed
          template:
            metadata: {}
            spec:
              restartPolicy: OnFailure
              containers:
                - name: main
                  image: example/server:v1
                  ports: [{containerPort: 8471, protocol: TCP}]
                  resources: {requests: {google.com/tpu: '4'}, limits: {google.com/tpu: '4'}}
`,
  );

/** A RayService without drift, with parts replaced. */
const rayService = (...changes: readonly (readonly [string, string])[]): string =>
  changes.reduce(
    (yaml, [from, to]) => yaml.replaceAll(from, to),
    `
apiVersion: ray.io/v1
kind: RayService
metadata: {name: chat}
spec:
  rayClusterConfig:
    headGroupSpec:
      template:
        metadata: {labels: {a: b}}
        spec:
          containers: [{name: head, image: 'r:1', ports: [{containerPort: 8265, protocol: TCP}]}]
    workerGroupSpecs:
      - groupName: tpu
        scaleStrategy: {}
        template:
          metadata: {}
          spec:
            containers: [{name: worker, image: 'r:1', resources: {limits: {google.com/tpu: '4'}}}]
            volumes: [{name: v, emptyDir: {sizeLimit: 16Gi}}]
`,
  );
const job = 'spec.replicatedJobs[workers]';
const inJob = `${job}.template.spec.template.spec.containers[main]`;
const cluster = 'spec.rayClusterConfig';
const worker = `${cluster}.workerGroupSpecs[tpu]`;

test('the drift rules accept manifests that set all defaults', () => {
  expect(places(jobSet(), rayService())).toEqual([]);
});

describe('TPU801', () => {
  test.each([
    ['enableDNSHostnames: true, ', '', 'network.enableDNSHostnames: true'],
    [', publishNotReadyAddresses: true', '', 'network.publishNotReadyAddresses: true'],
    ['  startupPolicy: {startupPolicyOrder: AnyOrder}\n', '', 'startupPolicy.startupPolicyOrder: AnyOrder'],
    ['operator: All', '', 'successPolicy.operator: All'],
    [', restartStrategy: Recreate', '', 'failurePolicy.restartStrategy: Recreate'],
  ])('reports a JobSet without %s%s: %s', (from, to, line) => {
    expect(places(jobSet([from, to]))).toEqual(['TPU801 warning spec']);
    expect(sentences(jobSet([from, to]))).toContain(
      `1 field that the webhook filled in; in spec, set ${line}`,
    );
  });

  test.each([
    ['      groupName: default\n', '', 'groupName: default'],
    ['          completionMode: Indexed\n', '', 'template.spec.completionMode: Indexed'],
    ['restartPolicy: OnFailure', 'restartPolicy:', 'template.spec.template.spec.restartPolicy: OnFailure'],
  ])('reports a JobSet without %s%s: %s', (from, to, line) => {
    expect(places(jobSet([from, to]))).toEqual([`TPU801 warning ${job}`]);
    expect(sentences(jobSet([from, to]))).toContain(`in ${job}, set ${line}`);
  });

  test('does not require a failure policy, and accepts other values', () => {
    expect(places(jobSet(['  failurePolicy: {maxRestarts: 4, restartStrategy: Recreate}\n', '']))).toEqual(
      [],
    );
    expect(
      places(
        jobSet(
          ['AnyOrder', 'InOrder'],
          ['OnFailure', 'Never'],
          ['enableDNSHostnames: true', 'enableDNSHostnames: false'],
        ),
      ),
    ).toEqual([]);
  });

  test('reports all missing defaults in one finding', () => {
    expect(
      places(jobSet([/ {2}network.*\n/.exec(jobSet())?.[0] ?? '', ''], ['      groupName: default\n', ''])),
    ).toEqual(['TPU801 warning spec']);
    expect(
      sentences(jobSet(['enableDNSHostnames: true, ', ''], ['      groupName: default\n', ''])),
    ).toContain(
      `2 fields that the webhook filled in; in spec, set network.enableDNSHostnames: true, and in ${job}, set groupName: default`,
    );
  });

  test('ignores a JobSet of another API group', () => {
    expect(places(jobSet(['jobset.x-k8s.io/v1alpha2', 'example.com/v1'], ['operator: All', '']))).toEqual([]);
  });
});

describe('TPU802: fields that KubeRay adds', () => {
  test.each([
    [['        scaleStrategy: {}\n', ''], 'scaleStrategy: {}'],
    [['          metadata: {}\n', ''], 'template.metadata: {}'],
  ] as const)('%s', (change, line) => {
    expect(places(rayService(change))).toEqual([`TPU802 warning ${worker}`]);
    expect(sentences(rayService(change))).toContain(`in ${worker}, set ${line}`);
  });

  test('does not apply to a RayCluster', () => {
    expect(
      places(
        '{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: c}, spec: {workerGroupSpecs: [{groupName: w, template: {spec: {containers: []}}}]}}',
      ),
    ).toEqual([]);
  });
});

describe('TPU803', () => {
  test.each([
    [
      rayService(["google.com/tpu: '4'", 'google.com/tpu: 4']),
      `${worker}.template.spec.containers[worker].resources.limits[google.com/tpu]`,
    ],
    [rayService(['16Gi', '1000']), `${worker}.template.spec.volumes[v].emptyDir.sizeLimit`],
    [
      '{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: l}, spec: {leaderWorkerTemplate: {workerTemplate: {spec: {overhead: {cpu: 1}, containers: [{name: a, resources: {limits: {google.com/tpu: "4"}}}]}}}}}',
      'spec.leaderWorkerTemplate.workerTemplate.spec.overhead[cpu]',
    ],
  ])('%s', (manifest, path) => {
    expect(places(manifest)).toEqual([`TPU803 warning ${path}`]);
  });

  test('reports numbers of a JobSet if its webhook fills in defaults', () => {
    const number: readonly [string, string] = ["google.com/tpu: '4'", 'google.com/tpu: 4'];
    expect(places(jobSet(number))).toEqual([]);
    expect(places(jobSet(number, ['      groupName: default\n', '']))).toContain(
      `TPU803 warning ${inJob}.resources.requests[google.com/tpu]`,
    );
  });

  test('ignores numbers of a RayCluster, which nothing converts', () => {
    expect(
      places(
        '{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: c}, spec: {workerGroupSpecs: [{groupName: w, template: {spec: {containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}}}]}}',
      ),
    ).toEqual([]);
  });

  test('ignores numbers of a Deployment', () => {
    expect(
      places(
        '{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: {containers: [{name: a, resources: {limits: {google.com/tpu: 4}}}]}}}}',
      ),
    ).toEqual([]);
  });

  test('states the number and the string', () => {
    expect(sentences(rayService(["google.com/tpu: '4'", 'google.com/tpu: 4']))).toBe(
      'TPU803 warning the KubeRay operator stores these numbers as strings, so every apply changes the object and its generation: google.com/tpu: 4; put it in quotes, like google.com/tpu: "4"',
    );
  });
});

describe('TPU804: values that the controller removes', () => {
  const EMPTY = [
    'image: example/server:v1',
    'image: example/server:v1\n                  env: [{name: A, value: ""}, {name: B}]',
  ] as const;

  test.each([
    [jobSet(EMPTY), `${inJob}.env[A].value`, 'remove the value of A'],
    [
      rayService(["image: 'r:1', resources", "image: 'r:1', env: [{name: A, value: ''}], resources"]),
      `${worker}.template.spec.containers[worker].env[A].value`,
      'remove the value of A',
    ],
    [
      rayService(['            volumes', '            hostNetwork: false\n            volumes']),
      `${worker}.template.spec.hostNetwork`,
      'remove hostNetwork',
    ],
  ])('%s', (manifest, path, words) => {
    expect(places(manifest)).toEqual([`TPU804 warning ${path}`]);
    expect(sentences(manifest)).toContain(words);
  });

  test('reports hostNetwork: false only in a RayService', () => {
    expect(
      places(
        jobSet(['restartPolicy: OnFailure', 'restartPolicy: OnFailure\n              hostNetwork: false']),
      ),
    ).toEqual([]);
  });
});

describe('TPU805: fields that the cluster adds', () => {
  test.each([
    [
      jobSet(['        metadata: {}\n        spec', '        spec']),
      `${job}.template`,
      `set metadata: {} in ${job}.template`,
    ],
    [
      jobSet(['            metadata: {}\n', '']),
      `${job}.template.spec.template`,
      `set metadata: {} in ${job}.template.spec.template`,
    ],
    [jobSet([', protocol: TCP', '']), `${inJob}.ports`, "set protocol: TCP on the ports of container 'main'"],
    [
      rayService(['        metadata: {labels: {a: b}}\n', ''], [', protocol: TCP', '']),
      `${cluster}.headGroupSpec.template`,
      `set metadata: {} in ${cluster}.headGroupSpec.template, set protocol: TCP on the ports of container 'head'`,
    ],
  ])('%s', (manifest, path, words) => {
    expect(places(manifest)).toEqual([`TPU805 note ${path}`]);
    expect(sentences(manifest)).toContain(words);
  });
});

test('TPU805 waits for the fix of TPU802, and ignores objects without TPUs', () => {
  const bare = ['        metadata: {labels: {a: b}}\n', ''] as const;
  expect(places(rayService(bare))).toEqual([`TPU805 note ${cluster}.headGroupSpec.template`]);
  expect(places(rayService(bare, ['scaleStrategy: {}', 'suspend: false']))).toEqual([
    `TPU802 warning ${worker}`,
  ]);
  expect(places(rayService(bare).replaceAll('google.com/tpu', 'example.com/chip'))).toEqual([]);
});

test('the drift rules never throw on a malformed manifest', () => {
  for (const manifest of [parse(jobSet()), parse(rayService())].filter(isRecord))
    for (const one of broken(manifest))
      for (const rule of DRIFT_RULES)
        expect(() => [...rule.check(manifestSet([manifestObject(one)]), NOTHING_FOUND)]).not.toThrow();
});
