import { manifestSet } from '../../lib/manifest/set';
import { manifestObject } from '../../lib/manifest/manifest';
import { broken, found, setOf, rulesOf } from './found';

const STARTUP_RULES = rulesOf(/^TPU3[01]/);

const places = (...documents: readonly string[]): readonly string[] =>
  found(STARTUP_RULES, setOf(...documents), ({ path }) => path);
const sentences = (...documents: readonly string[]): string =>
  found(STARTUP_RULES, setOf(...documents), ({ message, fix }) => `${message}; ${fix}`).join('\n');

const CHIPS = 'resources: {limits: {google.com/tpu: "8"}}';
const HEALTH = 'httpGet: {path: /health, port: 8000}';
const STARTUP = `startupProbe: {${HEALTH}, failureThreshold: 50, timeoutSeconds: 5}`;
const PORTS = 'ports: [{name: http, containerPort: 8000}]';

/** A pod template with some containers. */
const template = (containers: string, spec = ''): string =>
  `{metadata: {labels: {app: llama}}, spec: {${spec}containers: [${containers}]}}`;
const container = (...fields: readonly string[]): string =>
  `{${['name: main', CHIPS, ...fields].join(', ')}}`;
const object = (apiVersion: string, kind: string, spec: string): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: llama}, spec: {${spec}}}`;
const deployment = (containers: string, fields = 'strategy: {type: Recreate}', pod = ''): string =>
  object('apps/v1', 'Deployment', `${fields}, template: ${template(containers, pod)}`);
const main = 'spec.template.spec.containers[main]';

describe('a startupProbe is needed', () => {
  const server = container(PORTS);
  const missing = 'TPU301 note';

  test.each([
    ['by a Deployment with a port', deployment(server), [`${missing} ${main}.startupProbe`]],
    [
      'by a StatefulSet with a port',
      object('apps/v1', 'StatefulSet', `template: ${template(server)}`),
      [`${missing} ${main}.startupProbe`],
    ],
    [
      'by the pods of a LeaderWorkerSet without a leader template',
      object(
        'leaderworkerset.x-k8s.io/v1',
        'LeaderWorkerSet',
        `leaderWorkerTemplate: {workerTemplate: ${template(server)}}`,
      ),
      [`${missing} spec.leaderWorkerTemplate.workerTemplate.spec.containers[main].startupProbe`],
    ],
    [
      'only by the leader of a LeaderWorkerSet with a leader template',
      object(
        'leaderworkerset.x-k8s.io/v1',
        'LeaderWorkerSet',
        `leaderWorkerTemplate: {leaderTemplate: ${template(server)}, workerTemplate: ${template(server)}}`,
      ),
      [`${missing} spec.leaderWorkerTemplate.leaderTemplate.spec.containers[main].startupProbe`],
    ],
    [
      'by nothing if any container has a readinessProbe',
      deployment(`${container()}, {name: http, ${PORTS}, readinessProbe: {${HEALTH}}}`),
      [],
    ],
    [
      'by nothing if a sidecar has a startupProbe',
      deployment(`${container('ports: [{containerPort: 9000}]')}, {name: http, ${PORTS}, ${STARTUP}}`),
      [],
    ],
    [
      'by nothing with only the ports of the TPU runtime',
      deployment(container('ports: [{containerPort: 8471}, {containerPort: 8476}, {containerPort: 8431}]')),
      [],
    ],
    ['by nothing without a port', deployment(container()), []],
    ['by nothing without chips', deployment(`{name: main, ${PORTS}}`), []],
    [
      'by nothing with zero chips',
      deployment(`{name: main, ${PORTS}, resources: {limits: {google.com/tpu: 0}}}`),
      [],
    ],
    [
      'by nothing with chips only in an init container',
      object(
        'apps/v1',
        'Deployment',
        `strategy: {type: Recreate}, template: {spec: {initContainers: [${server}], containers: [{name: main, ${PORTS}}]}}`,
      ),
      [],
    ],
    ['by no Job', object('batch/v1', 'Job', `template: ${template(server)}`), []],
    [
      'by no Pod',
      `{apiVersion: v1, kind: Pod, metadata: {name: llama}, spec: {containers: [${server}]}}`,
      [],
    ],
  ])('%s', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test('a pod without ports counts as a server if a Service selects it', () => {
    const service = object('v1', 'Service', 'selector: {app: llama}, ports: [{port: 80}]');
    expect(places(deployment(container()), service)).toEqual([`TPU301 warning ${main}.startupProbe`]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['is a warning if it restarts an unknown program too early', [], [`TPU301 warning ${main}.startupProbe`]],
    [
      'is an error if it restarts vLLM too early',
      ['command: [vllm, serve]'],
      [`TPU301 error ${main}.startupProbe`],
    ],
    ['is accepted if it waits half an hour', ['command: [vllm, serve]', 'SLOW'], []],
  ])('a livenessProbe %s', (_, fields, expected) => {
    const [command = 'image: x', slow] = fields;
    const probe = `livenessProbe: {${HEALTH}, timeoutSeconds: 5${slow === undefined ? '' : ', initialDelaySeconds: 1770'}}`;
    expect(places(deployment(container(PORTS, command, probe)))).toEqual(expected);
  });

  test('the message states when the livenessProbe restarts the server', () => {
    expect(sentences(deployment(container(PORTS, `livenessProbe: {${HEALTH}, timeoutSeconds: 5}`)))).toBe(
      "TPU301 warning no startup probe: the livenessProbe of container 'main' restarts the container 30 seconds after its start, even if it is still starting; add a startupProbe to container 'main' with the handler of the livenessProbe, periodSeconds: 10, timeoutSeconds: 10 and failureThreshold: 360 (one hour)",
    );
  });
});

describe('the probe rules check', () => {
  const tcp = 'tcpSocket: {port: 8000}';
  const SAXML = 'image: example/sax-model-server:v1';

  test.each([
    [
      'a tcpSocket probe of Saxml without a startupProbe',
      [SAXML, `readinessProbe: {${tcp}}`],
      [`TPU302 warning ${main}.readinessProbe.tcpSocket`],
    ],
    [
      'a tcpSocket probe of Saxml after a startupProbe that queries the server',
      [SAXML, STARTUP, `readinessProbe: {${tcp}}`],
      [],
    ],
    [
      'a tcpSocket startupProbe of Saxml',
      [SAXML, `startupProbe: {${tcp}}`, `readinessProbe: {${HEALTH}}`],
      [`TPU302 warning ${main}.startupProbe.tcpSocket`],
    ],
    ['a tcpSocket probe of vLLM', ['command: [vllm, serve]', `readinessProbe: {${tcp}}`], []],
    ['a tcpSocket livenessProbe', [STARTUP, `livenessProbe: {${tcp}}`], []],
    [
      'a named port of the probed container',
      [PORTS, 'startupProbe: {httpGet: {port: http}, timeoutSeconds: 2}'],
      [],
    ],
    [
      'a name that no container declares',
      [PORTS, 'startupProbe: {httpGet: {port: web}, timeoutSeconds: 2}'],
      [`TPU303 error ${main}.startupProbe.httpGet.port`],
    ],
    [
      'a name in a container without ports',
      ['startupProbe: {httpGet: {port: web}, timeoutSeconds: 2}'],
      [`TPU303 error ${main}.startupProbe.httpGet.port`],
    ],
    [
      'a number that no container declares',
      [PORTS, 'startupProbe: {grpc: {port: 9000}, timeoutSeconds: 2}'],
      [`TPU303 warning ${main}.startupProbe.grpc.port`],
    ],
    ['a number in a container without ports', ['startupProbe: {grpc: {port: 9000}, timeoutSeconds: 2}'], []],
    [
      'a probe of another host',
      [PORTS, 'startupProbe: {httpGet: {port: 9000, host: example.com}, timeoutSeconds: 2}'],
      [],
    ],
    [
      'the default timeout of one second',
      ['startupProbe: {grpc: {port: 9000}}', 'livenessProbe: {exec: {command: [ls]}}'],
      [
        `TPU304 note ${main}.startupProbe.timeoutSeconds`,
        `TPU304 warning ${main}.livenessProbe.timeoutSeconds`,
      ],
    ],
    [
      'a timeout of one second',
      ['startupProbe: {grpc: {port: 9000}, timeoutSeconds: 1}'],
      [`TPU304 note ${main}.startupProbe.timeoutSeconds`],
    ],
    ['a readinessProbe with a timeout of one second', [STARTUP, `readinessProbe: {${HEALTH}}`], []],
    ['a timeout that is not a number', ['startupProbe: {grpc: {port: 9000}, timeoutSeconds: "5"}'], []],
  ])('%s', (_, fields, expected) => {
    expect(places(deployment(container(...fields)))).toEqual(expected);
  });

  test.each([
    ['a port number of another container', 8000, 'note'],
    ['a port name of another container', 'http', 'error'],
  ])('%s', (_, port, severity) => {
    const probe = `readinessProbe: {httpGet: {port: ${String(port)}}}`;
    expect(
      places(
        deployment(
          `${container(STARTUP.replace('8000', '9000'), probe, 'ports: [{containerPort: 9000}]')}, {name: http, ${PORTS}}`,
        ),
      ),
    ).toEqual([`TPU303 ${severity} ${main}.readinessProbe.httpGet.port`]);
  });

  test.each([
    ['a number on a Ray worker', 8000, []],
    ['a port name that KubeRay adds', 'metrics', []],
    [
      'a name that no container declares',
      'web',
      ['TPU303 error spec.workerGroupSpecs[tpu].template.spec.containers[main].livenessProbe.httpGet.port'],
    ],
  ])('%s', (_, port, expected) => {
    const worker = container(
      `livenessProbe: {httpGet: {port: ${String(port)}}}`,
      'ports: [{containerPort: 1}]',
    );
    expect(
      places(
        object(
          'ray.io/v1',
          'RayCluster',
          `workerGroupSpecs: [{groupName: tpu, template: ${template(worker)}}]`,
        ),
      ),
    ).toEqual(expected);
  });
});

describe('the rollout rules', () => {
  const rolling = (fields: string): string => deployment(container(), fields);
  const surge = 'TPU305 warning spec.strategy.rollingUpdate.maxSurge';

  test.each([
    ['the default surge', rolling('replicas: 1'), [surge]],
    ['a surge that is a number', rolling('strategy: {rollingUpdate: {maxSurge: 2}}'), [surge]],
    ['a surge that is a percentage', rolling('strategy: {rollingUpdate: {maxSurge: 1%}}'), [surge]],
    ['the surge of zero replicas', rolling('replicas: 0'), [surge]],
    ['no surge', rolling('strategy: {rollingUpdate: {maxSurge: 0}}'), []],
    ['a surge of 0%', rolling('strategy: {rollingUpdate: {maxSurge: 0%}}'), []],
    ['strategy Recreate', rolling('strategy: {type: Recreate}'), []],
    ['a surge that is not valid', rolling('strategy: {rollingUpdate: {maxSurge: much}}'), []],
    [
      'a LeaderWorkerSet with a surge, once',
      object(
        'leaderworkerset.x-k8s.io/v1',
        'LeaderWorkerSet',
        `rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 1}}, leaderWorkerTemplate: {leaderTemplate: ${template(container())}, workerTemplate: ${template(container())}}`,
      ),
      ['TPU305 warning spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge'],
    ],
    [
      'a LeaderWorkerSet without a surge',
      object(
        'leaderworkerset.x-k8s.io/v1',
        'LeaderWorkerSet',
        `leaderWorkerTemplate: {workerTemplate: ${template(container())}}`,
      ),
      [],
    ],
  ])('check %s', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });

  test('the message states how many replicas wait', () => {
    expect(sentences(rolling('replicas: 8'))).toContain(
      "maxSurge '25%' (the default) starts 2 new replicas in addition to the running replicas, and they wait until as many slices are free",
    );
  });

  const group = (worker: string): string =>
    `rayClusterConfig: {workerGroupSpecs: [{groupName: tpu, template: ${template(worker)}}]}`;
  const upgrade = ['TPU306 warning spec.upgradeStrategy.type'];
  test.each([
    ['no type', 'upgradeStrategy: {}', upgrade],
    ['NewCluster', 'upgradeStrategy: {type: NewCluster}', upgrade],
    [
      'NewClusterWithIncrementalUpgrade',
      'upgradeStrategy: {type: NewClusterWithIncrementalUpgrade}',
      upgrade,
    ],
    ['None', 'upgradeStrategy: {type: None}', []],
  ])('check a RayService upgrade with %s', (_, strategy, expected) => {
    expect(places(object('ray.io/v1', 'RayService', `${strategy}, ${group(container())}`))).toEqual(expected);
    expect(places(object('ray.io/v1', 'RayService', `${strategy}, ${group('{name: cpu}')}`))).toEqual([]);
  });

  const deadline = 'TPU307 warning spec.progressDeadlineSeconds';
  test.each([
    ['a default that is too short', '', [deadline]],
    ['a value that is too short', 'progressDeadlineSeconds: 1029', [deadline]],
    ['a value that is long enough', 'progressDeadlineSeconds: 1030', []],
    ['a string', 'progressDeadlineSeconds: "10"', []],
  ])('check progressDeadlineSeconds with %s', (_, field, expected) => {
    const probe = `startupProbe: {${HEALTH}, initialDelaySeconds: 30, failureThreshold: 100, timeoutSeconds: 5}`;
    expect(
      places(deployment(container(probe), ['strategy: {type: Recreate}', field].filter(Boolean).join(', '))),
    ).toEqual(expected);
  });
});

describe('the rule about preStop hooks', () => {
  const hook = `TPU308 warning ${main}.lifecycle.preStop`;
  test.each([
    ['sleeps for the default grace period', 'exec: {command: [sleep, "30"]}', '', [hook]],
    [
      'sleeps in a shell',
      'exec: {command: [sh, -c, "curl localhost; sleep 2m"]}',
      'terminationGracePeriodSeconds: 60, ',
      [hook],
    ],
    [
      'sleeps for hours',
      'exec: {command: [sh, -c, "sleep 1h"]}',
      'terminationGracePeriodSeconds: 60, ',
      [hook],
    ],
    ['sleeps twice', 'exec: {command: [sh, -c, "sleep 20 && sleep 20s"]}', '', [hook]],
    ['sleeps with the sleep action', 'sleep: {seconds: 30}', '', [hook]],
    [
      'sleeps longer than the API server allows',
      'sleep: {seconds: 31}',
      '',
      [hook.replace('warning', 'error')],
    ],
    [
      'leaves time after its sleep',
      'exec: {command: [sleep, "30"]}',
      'terminationGracePeriodSeconds: 60, ',
      [],
    ],
    ['sleeps for the value of a variable', 'exec: {command: [sh, -c, "sleep $SECONDS"]}', '', []],
    ['calls the server', 'httpGet: {port: 8000}', '', []],
  ])('checks a hook that %s', (_, preStop, grace, expected) => {
    expect(places(deployment(container(`lifecycle: {preStop: {${preStop}}}`), undefined, grace))).toEqual(
      expected,
    );
  });
});

describe('the rule about livenessProbes checks', () => {
  const jobs = (...fields: readonly string[]): string =>
    object(
      'jobset.x-k8s.io/v1alpha2',
      'JobSet',
      `replicatedJobs: [{name: a, template: {spec: {template: ${template(container(...fields))}}}}]`,
    );
  const early = [
    'TPU309 warning spec.replicatedJobs[a].template.spec.template.spec.containers[main].livenessProbe',
  ];

  test.each([
    ['an httpGet that fails too early', [`livenessProbe: {${HEALTH}}`], early],
    [
      'a grpc check that fails too early',
      ['livenessProbe: {grpc: {port: 8000}, initialDelaySeconds: 300}'],
      early,
    ],
    [
      'a known server that is restarted too early',
      ['command: [vllm, serve]', `livenessProbe: {${HEALTH}}`],
      early.map((one) => one.replace('warning', 'error')),
    ],
    ['an httpGet that waits ten minutes', [`livenessProbe: {${HEALTH}, initialDelaySeconds: 570}`], []],
    ['a tcpSocket check', ['livenessProbe: {tcpSocket: {port: 8000}}'], []],
    ['a container with a startupProbe', [STARTUP, `livenessProbe: {${HEALTH}}`], []],
  ])('%s', (_, fields, expected) => {
    expect(places(jobs(...fields))).toEqual(expected);
  });

  test('a server whose startupProbe is on another container', () => {
    const yaml = deployment(
      `${container(`livenessProbe: {${HEALTH}, timeoutSeconds: 5}`)}, {name: http, ${STARTUP}}`,
    );
    expect(places(yaml)).toEqual([`TPU309 warning ${main}.livenessProbe`]);
  });
});

describe('TPU310: Jobs on temporary nodes', () => {
  const job = (selector: string, spec = '', chips = CHIPS): readonly string[] =>
    places(
      object(
        'batch/v1',
        'Job',
        `template: ${template(`{name: main, ${chips}}`, `nodeSelector: {${selector}}, ${spec}`)}`,
      ),
    );
  const missing = ['TPU310 note spec.template.spec.terminationGracePeriodSeconds'];

  test.each([
    ['cloud.google.com/gke-spot: "true"', missing],
    ['cloud.google.com/gke-flex-start: "true"', missing],
    ['cloud.google.com/gke-queued: "true"', missing],
    ['cloud.google.com/gke-max-run-duration-seconds: "3600"', missing],
    ['cloud.google.com/gke-nodepool: mine', []],
  ])('checks Jobs that select %s', (selector, expected) => {
    expect(job(selector)).toEqual(expected);
    expect(job(selector, 'terminationGracePeriodSeconds: 30, ')).toEqual([]);
    expect(job(selector, '', 'image: x')).toEqual([]);
  });
});

describe('TPU311: the shutdown of Ray pods', () => {
  const ray = ({ pod = '', fields = '', config = '' }, worker = `{name: main, ${CHIPS}${fields}}`): string =>
    object(
      'ray.io/v1',
      'RayService',
      `upgradeStrategy: {type: None}, serveConfigV2: '${config}', rayClusterConfig: {headGroupSpec: {template: ${template('{name: head}')}}, workerGroupSpecs: [{groupName: g, template: ${template(worker, pod)}}]}`,
    );
  const slow = (seconds: number): string =>
    `applications: [{name: a, import_path: a:b, deployments: [{name: A}, {name: B, graceful_shutdown_timeout_s: ${String(seconds)}}]}]`;
  const hook = (seconds: number): string =>
    `, lifecycle: {preStop: {exec: {command: [sleep, "${String(seconds)}"]}}}`;
  const env = (value: string): string =>
    `, env: [{name: RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S, value: "${value}"}]`;
  const [head, group] = [
    'TPU311 warning spec.rayClusterConfig.headGroupSpec.template.spec.terminationGracePeriodSeconds',
    'TPU311 warning spec.rayClusterConfig.workerGroupSpecs[g].template.spec.terminationGracePeriodSeconds',
  ];

  test.each([
    ['default timeouts', {}, []],
    ['a shutdown timeout below the grace period', { config: slow(20) }, []],
    ['a shutdown timeout above the grace period', { config: slow(40) }, [head, group]],
    [
      'a worker group whose grace period covers the shutdown timeout',
      { config: slow(40), pod: 'terminationGracePeriodSeconds: 60, ' },
      [head],
    ],
    [
      'a preStop hook that uses a part of the grace period',
      { config: slow(20), fields: hook(30), pod: 'terminationGracePeriodSeconds: 45, ' },
      [group],
    ],
    ['a drain timeout above the grace period', { fields: env('60') }, [group]],
    ['a drain timeout of zero', { fields: env('0') }, []],
    ['a drain timeout that is not a number', { fields: env('long') }, []],
    ['a Serve configuration that is not valid YAML', { config: 'applications: [' }, []],
    [
      'spot nodes, which ignore the grace period',
      { fields: env('60'), pod: 'nodeSelector: {cloud.google.com/gke-spot: "true"}, ' },
      [],
    ],
  ])('checks %s', (_, parts, expected) => {
    expect(places(ray(parts))).toEqual(expected);
  });

  test('the message states both times', () => {
    expect(sentences(ray({ fields: `${env('60')}${hook(10)}` }))).toBe(
      "TPU311 warning replicas can need 60 seconds to shut down, but Kubernetes kills container 'main' 20 seconds after it sends SIGTERM; set terminationGracePeriodSeconds: 80",
    );
  });
});

test('the startup rules never throw on a malformed manifest', () => {
  const manifests = [
    deployment(
      container(
        PORTS,
        STARTUP,
        `livenessProbe: {${HEALTH}}`,
        `readinessProbe: {tcpSocket: {port: 1}}`,
        'lifecycle: {preStop: {exec: {command: [sleep, "1"]}}}',
      ),
      'replicas: 1, progressDeadlineSeconds: 1, strategy: {rollingUpdate: {maxSurge: 1}}',
    ),
    object(
      'ray.io/v1',
      'RayService',
      `upgradeStrategy: {type: None}, rayClusterConfig: {workerGroupSpecs: [{template: ${template(container())}}]}`,
    ),
  ];
  const all = setOf(...manifests).objects.flatMap(({ manifest }) => [...broken(manifest)]);
  expect(() => {
    for (const manifest of all)
      found(STARTUP_RULES, manifestSet([manifestObject(manifest)]), ({ message }) => message);
  }).not.toThrow();
});

describe('the rule about startup budgets checks a startupProbe', () => {
  const long = (probe: string): readonly string[] =>
    places(deployment(container(PORTS, `startupProbe: {${HEALTH}, timeoutSeconds: 10, ${probe}}`))).filter(
      (place) => place.startsWith('TPU312'),
    );

  test.each([
    ['of four hours', 'periodSeconds: 10, failureThreshold: 1440', []],
    ['of four hours after a delay', 'initialDelaySeconds: 15, periodSeconds: 30, failureThreshold: 480', []],
    ['of 36 hours', 'periodSeconds: 10, failureThreshold: 12960', [`TPU312 warning ${main}.startupProbe`]],
    ['with the default period', 'failureThreshold: 1441', [`TPU312 warning ${main}.startupProbe`]],
  ])('%s', (_, probe, wanted) => {
    expect(long(probe)).toEqual(wanted);
  });
});
