import { manifestSet } from '../../lib/manifest/set';
import { manifestObject } from '../../lib/manifest/manifest';
import { broken, found, setOf, rulesOf } from './found';

const WIRING_RULES = rulesOf(/^TPU5/);

const places = (...documents: readonly string[]): readonly string[] =>
  found(WIRING_RULES, setOf(...documents), ({ object, path }) => `${object.id} ${path}`);
const sentences = (...documents: readonly string[]): readonly string[] =>
  found(WIRING_RULES, setOf(...documents), ({ message, fix }) => `${message}; ${fix}`);

const object = (apiVersion: string, kind: string, name: string, spec: string, metadata = ''): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}${metadata}}, spec: {${spec}}}`;
const PORTS = 'ports: [{name: http, containerPort: 8000}]';
const template = (labels: string, container = PORTS, spec = ''): string =>
  `template: {metadata: {labels: {${labels}}}, spec: {containers: [{name: main, ${container}}]${spec}}}`;
const deployment = (name: string, labels: string, container = PORTS, metadata = '', spec = ''): string =>
  object('apps/v1', 'Deployment', name, template(labels, container, spec), metadata);
const service = (
  name: string,
  selector: string,
  fields = 'ports: [{port: 80, targetPort: 8000}]',
  metadata = '',
): string => object('v1', 'Service', name, `selector: {${selector}}, ${fields}`, metadata);
const monitoring = (
  name: string,
  selector: string,
  endpoint = 'port: 8000, interval: 15s',
  kind = 'PodMonitoring',
): string =>
  object('monitoring.googleapis.com/v1', kind, name, `selector: {${selector}}, endpoints: [{${endpoint}}]`);
const llama = deployment('llama', 'app: llama');

describe('TPU501 checks a selector that', () => {
  const wrong = ['Service/web spec.selector'].map((place) => `TPU501 error ${place}`);
  const unknown = ['TPU501 note Service/web spec.selector'];

  test.each([
    ['selects pods', [llama, service('web', 'app: llama')], []],
    ['is misspelled', [llama, service('web', 'app: lama')], wrong],
    ['has one label too many', [llama, service('web', 'app: llama, tier: web')], wrong],
    ['has no workload among the manifests', [service('web', 'app: llama')], unknown],
    ['shares no label with the workloads', [llama, service('web', 'component: redis')], unknown],
    [
      'shares no label with workloads that have a Service',
      [llama, service('llama', 'app: llama'), service('web', 'app: redis')],
      unknown,
    ],
    [
      'belongs to a Service with the name of a workload',
      [deployment('web', 'app: llama'), service('llama', 'app: llama'), service('web', 'app: redis')],
      wrong,
    ],
    [
      'is in another namespace',
      [
        deployment('llama', 'app: llama', PORTS, ', namespace: a'),
        service('web', 'app: llama', undefined, ', namespace: b'),
      ],
      unknown,
    ],
    [
      'is in the same namespace',
      [
        deployment('llama', 'app: llama', PORTS, ', namespace: a'),
        service('web', 'app: llama', undefined, ', namespace: a'),
      ],
      [],
    ],
    ['is empty', [llama, service('web', '')], []],
    ['belongs to an ExternalName Service', [service('web', 'app: a', 'type: ExternalName')], []],
    [
      'belongs to a Service of another API group',
      [object('serving.knative.dev/v1', 'Service', 'web', 'selector: {app: lama}')],
      [],
    ],
    ['belongs to a Service without apiVersion', ['{kind: Service, spec: {selector: {app: lama}}}'], []],
  ])('%s', (_, documents, expected) => {
    expect(places(...documents)).toEqual(expected);
  });

  const tpu = 'resources: {limits: {google.com/tpu: 4}}';
  const job = object('batch/v1', 'Job', 'train', template('', tpu));
  const jobSet = object(
    'jobset.x-k8s.io/v1alpha2',
    'JobSet',
    'sax',
    `replicatedJobs: [{name: a, template: {spec: {${template('', tpu)}}}}]`,
  );
  const rayCluster = object(
    'ray.io/v1',
    'RayCluster',
    'ray',
    `headGroupSpec: {${template('', tpu)}}, workerGroupSpecs: [{groupName: g, ${template('app.kubernetes.io/name: own', tpu)}}]`,
  );
  const lws = object(
    'leaderworkerset.x-k8s.io/v1',
    'LeaderWorkerSet',
    'lws',
    `leaderWorkerTemplate: {workerTemplate: ${template('', tpu).replace('template: ', '')}}`,
  );
  const of = (kind: string, apiVersion = 'apps/v1'): string =>
    object(apiVersion, kind, 'a', template('', tpu));

  test.each([
    ['a Job by its name', job, 'job-name: train', true],
    ['a Job by its name with a prefix', job, 'batch.kubernetes.io/job-name: train', true],
    ['a Job by another name', job, 'job-name: other', false],
    ['a Job by its index', job, 'batch.kubernetes.io/job-completion-index: "0"', true],
    [
      'a Job with a generated name',
      job.replace('name: train', 'generateName: train-'),
      'job-name: train-x',
      true,
    ],
    ['a JobSet', jobSet, 'jobset.sigs.k8s.io/jobset-name: sax', true],
    ['another JobSet', jobSet, 'jobset.sigs.k8s.io/jobset-name: other', false],
    ['a Job of a JobSet', jobSet, 'jobset.sigs.k8s.io/replicatedjob-name: a', true],
    ['a Job of a JobSet by its name', jobSet, 'job-name: sax-a-0', true],
    ['a Job of a JobSet without its index', jobSet, 'job-name: sax-a', false],
    ['a Job of another JobSet', jobSet, 'batch.kubernetes.io/job-name: other-a-0', false],
    [
      'a Job of a JobSet with a generated name',
      jobSet.replace('name: sax', 'generateName: sax-'),
      'job-name: sax-x-a-0',
      true,
    ],
    ['the head of a Ray cluster', rayCluster, 'ray.io/node-type: head, ray.io/cluster: x', true],
    [
      'all pods of a Ray cluster',
      rayCluster,
      'ray.io/is-ray-node: "yes", app.kubernetes.io/name: kuberay',
      true,
    ],
    ['pods outside Ray', rayCluster, 'ray.io/is-ray-node: "no"', false],
    ['a label of the manifest of a Ray cluster', rayCluster, 'app.kubernetes.io/name: own', true],
    [
      'a LeaderWorkerSet',
      lws,
      'leaderworkerset.sigs.k8s.io/name: lws, leaderworkerset.sigs.k8s.io/worker-index: "0"',
      true,
    ],
    ['another LeaderWorkerSet', lws, 'leaderworkerset.sigs.k8s.io/name: a', false],
    ['a pod of a StatefulSet', of('StatefulSet'), 'statefulset.kubernetes.io/pod-name: a-0', true],
    ['a ReplicaSet of a Deployment', of('Deployment'), 'pod-template-hash: abc', true],
    ['a Deployment by a label of Jobs', of('Deployment'), 'job-name: a', false],
  ])('TPU501 knows the labels that controllers add to %s', (_, workload, selector, selects) => {
    expect(places(workload, service('web', selector)).length).toBe(selects ? 0 : 1);
  });

  test('the messages state the problem and the fix', () => {
    expect(
      sentences(
        deployment('llama', 'app: llama, tier: web'),
        service('web', 'app: lama'),
        service('other', 'a: b'),
      ),
    ).toEqual([
      "TPU501 error the selector 'app: lama' selects no pod, but the pods of Deployment/llama have the labels 'app: llama, tier: web'; select 'app: llama'",
      "TPU501 note the selector 'a: b' selects no pod among the manifests; check the Service together with the manifests of its pods",
    ]);
  });

  test('the message names the workload with the most equal labels', () => {
    const [sentence] = sentences(
      deployment('a', 'app: lama, tier: webb'),
      deployment('b', 'app: llama, tier: webb'),
      service('web', 'app: llama, tier: web'),
    );
    expect(sentence).toContain('the pods of Deployment/b');
  });
});

describe('TPU502 checks', () => {
  const wrong = ['TPU502 error Service/web spec.ports[0].targetPort'];
  const unlikely = ['TPU502 warning Service/web spec.ports[0].targetPort'];
  const silent = deployment('llama', 'app: llama', 'image: a');
  const sidecar = object(
    'apps/v1',
    'Deployment',
    'llama',
    'template: {metadata: {labels: {app: llama}}, spec: {initContainers: [{name: a, restartPolicy: Always, ports: [{containerPort: 9000}]}, {name: b, ports: [{containerPort: 9001}]}], containers: [{name: main, ports: [{name: http, containerPort: 8000}]}]}}',
  );
  const ray = object('ray.io/v1', 'RayCluster', 'llama', `headGroupSpec: {${template('app: llama')}}`);

  test.each([
    ['a number', llama, 'ports: [{port: 80, targetPort: 8000}]', []],
    ['a name', llama, 'ports: [{port: 80, targetPort: http}]', []],
    ['the default targetPort', llama, 'ports: [{port: 8000}]', []],
    ['a number that is not declared', llama, 'ports: [{port: 80, targetPort: 9000}]', unlikely],
    ['a default targetPort that is not declared', llama, 'ports: [{port: 80}]', unlikely],
    ['a name that is not declared', llama, 'ports: [{port: 80, targetPort: grpc}]', wrong],
    [
      'a number of a headless Service that is not declared',
      llama,
      'clusterIP: None, ports: [{port: 80}]',
      [],
    ],
    [
      'a name of a headless Service that is not declared',
      llama,
      'clusterIP: None, ports: [{port: 80, targetPort: grpc}]',
      wrong,
    ],
    ['a number if no port is declared', silent, 'ports: [{port: 80}]', []],
    ['a name if no port is declared', silent, 'ports: [{port: 80, targetPort: http}]', wrong],
    ['the port of a native sidecar', sidecar, 'ports: [{port: 9000}]', []],
    ['the port of an init container', sidecar, 'ports: [{port: 9001}]', unlikely],
    ['a number in Ray', ray, 'ports: [{port: 80}]', []],
    ['a port name that KubeRay adds', ray, 'ports: [{port: 80, targetPort: metrics}]', []],
    ['a name in Ray that is not declared', ray, 'ports: [{port: 80, targetPort: grpc}]', wrong],
    ['no port', llama, 'ports: [{targetPort: {}}]', []],
  ])('%s', (_, workload, ports, expected) => {
    expect(places(workload, service('web', 'app: llama', ports))).toEqual(expected);
  });

  test('accepts a port that one of several workloads declares', () => {
    expect(
      places(
        llama,
        deployment('b', 'app: llama', 'ports: [{containerPort: 1}]'),
        service('web', 'app: llama'),
      ),
    ).toEqual([]);
  });

  test('the messages state the problem and the fix', () => {
    expect([
      ...sentences(
        deployment('llama', 'app: llama', 'ports: [{containerPort: 8000}, {name: x}]'),
        service('web', 'app: llama', 'ports: [{name: a, port: 1}]'),
      ),
      ...sentences(silent, service('web', 'app: llama', 'ports: [{port: 80, targetPort: http}]')),
    ]).toEqual([
      "TPU502 warning targetPort '1' is not a port of the containers of Deployment/llama; use 8000 (container 'main') or no number ('x' of container 'main')",
      "TPU502 error targetPort 'http' is not a port of the containers of Deployment/llama; declare the port in the ports of the container that listens on it",
    ]);
  });
});

describe('the rules about PodMonitorings check', () => {
  const place = 'PodMonitoring/m spec';
  test.each([
    ['a selector with labels', [llama, monitoring('m', 'matchLabels: {app: llama}')], []],
    [
      'a selector with an expression',
      [llama, monitoring('m', 'matchExpressions: [{key: app, operator: In, values: [a, llama]}]')],
      [],
    ],
    [
      'a selector for any value of a label',
      [llama, monitoring('m', 'matchExpressions: [{key: app, operator: Exists}]')],
      [],
    ],
    [
      'a selector that excludes pods',
      [
        llama,
        monitoring(
          'm',
          'matchExpressions: [{key: app, operator: NotIn, values: [a]}, {key: b, operator: DoesNotExist}]',
        ),
      ],
      [],
    ],
    [
      'a selector with an unknown operator',
      [llama, monitoring('m', 'matchExpressions: [{key: app, operator: Like}, {}]')],
      [],
    ],
    ['a selector for all pods', [llama, monitoring('m', '')], []],
    [
      'an expression that matches no pod',
      [llama, monitoring('m', 'matchExpressions: [{key: app, operator: NotIn, values: [llama]}]')],
      [`TPU503 note ${place}.selector`],
    ],
    [
      'a selector for pods without a label',
      [llama, monitoring('m', 'matchExpressions: [{key: app, operator: DoesNotExist}]')],
      [`TPU503 note ${place}.selector`],
    ],
    [
      'is misspelled',
      [llama, monitoring('m', 'matchLabels: {app: lama}')],
      [`TPU503 error ${place}.selector`],
    ],
    [
      'has no workload among the manifests',
      [monitoring('m', 'matchLabels: {app: llama}')],
      [`TPU503 note ${place}.selector`],
    ],
    [
      'a ClusterPodMonitoring',
      [
        deployment('llama', 'app: llama', PORTS, ', namespace: a'),
        monitoring('m', 'matchLabels: {app: llama}', undefined, 'ClusterPodMonitoring'),
      ],
      [],
    ],
    ['a port by name', [llama, monitoring('m', '', 'port: http, interval: 15s')], []],
    [
      'a port name that no container declares',
      [llama, monitoring('m', '', 'port: web, interval: 15s')],
      [`TPU504 error ${place}.endpoints[0].port`],
    ],
    [
      'a port number that no container declares',
      [llama, monitoring('m', '', 'port: 9090, interval: 15s')],
      [`TPU504 warning ${place}.endpoints[0].port`],
    ],
    ['no port', [llama, monitoring('m', '', 'interval: 15s')], []],
  ])('%s', (_, documents, expected) => {
    expect(places(...documents)).toEqual(expected);
  });

  test.each(['15s', '1m', '1m30s', '500ms', '1h'])('accept interval %s', (interval) => {
    expect(places(llama, monitoring('m', '', `port: 8000, interval: ${interval}`))).toEqual([]);
  });

  test.each([
    ["'15 seconds'", '15s'],
    ["'15'", '15s'],
    ['15', '15s'],
    ["'1 Minute'", '1m'],
    ["'30s1m'", '30s'],
    ["'often'", '15s'],
    ["''", '15s'],
    ['{}', '15s'],
  ])('replace interval %s by %s', (interval, meant) => {
    expect(sentences(llama, monitoring('m', '', `port: 8000, interval: ${interval}`))).toEqual([
      expect.stringMatching(
        `^TPU505 error interval '.*' is not a duration, so no metrics are collected; set interval: ${meant}$`,
      ),
    ]);
  });

  test('the messages state the problem and the fix', () => {
    expect(
      sentences(
        monitoring('m', 'matchExpressions: [{key: app, operator: In, values: [a, b]}]', 'port: 1'),
        monitoring('n', ''),
      ),
    ).toEqual([
      "TPU503 note the selector 'app In a b' selects no pod among the manifests; check the PodMonitoring together with the manifests of its pods",
      "TPU503 note the selector '{}' selects no pod among the manifests; check the PodMonitoring together with the manifests of its pods",
      'TPU505 error interval is missing, and the API server requires it; set interval: 15s',
    ]);
  });
});

const hpa = (fields: string, name = 'hpa', metadata = ''): string =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', name, fields, metadata);
const target = (kind: string, name: string, apiVersion = 'apps/v1'): string =>
  `scaleTargetRef: {apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}}, maxReplicas: 2`;
const METRIC = 'prometheus.googleapis.com|vllm:num_requests_waiting|gauge';
const metric = (name: string, more = '', kind = 'pods'): string =>
  `metrics: [{${kind}: {metric: {name: '${name}'}${more}}}]`;

describe('the rules about autoscalers check a target that', () => {
  const place = 'HorizontalPodAutoscaler/hpa spec.scaleTargetRef';
  test.each([
    ['is among the manifests', [llama, hpa(target('Deployment', 'llama'))], []],
    ['has another name', [llama, hpa(target('Deployment', 'lama'))], [`TPU506 error ${place}.name`]],
    ['has another kind', [llama, hpa(target('StatefulSet', 'llama'))], [`TPU506 error ${place}.kind`]],
    [
      'has another API group',
      [llama, hpa(target('Deployment', 'llama', 'extensions/v1beta1'))],
      [`TPU506 error ${place}.apiVersion`],
    ],
    [
      'has no API group',
      [llama, hpa('scaleTargetRef: {kind: Deployment, name: llama}')],
      [`TPU506 error ${place}.apiVersion`],
    ],
    [
      'has no apiVersion',
      [llama.replace('apiVersion: apps/v1, ', ''), hpa(target('Deployment', 'llama'))],
      [],
    ],
    ['is not among the manifests', [hpa(target('Deployment', 'llama'))], [`TPU506 note ${place}.name`]],
    [
      'is not among the manifests, while other workloads have autoscalers',
      [llama, hpa(target('Deployment', 'llama'), 'other'), hpa(target('Deployment', 'redis'))],
      [`TPU506 note ${place}.name`],
    ],
    [
      'is in another namespace',
      [llama, hpa(target('Deployment', 'llama'), 'hpa', ', namespace: a')],
      [`TPU506 note ${place}.name`],
    ],
    [
      'is a Job',
      [object('batch/v1', 'Job', 'llama', ''), hpa(target('Deployment', 'llama'))],
      [`TPU506 note ${place}.name`],
    ],
    ['is missing', [llama, hpa('maxReplicas: 2')], []],
    [
      'has fixed replicas',
      [object('apps/v1', 'Deployment', 'llama', 'replicas: 1'), hpa(target('Deployment', 'llama'))],
      ['TPU512 warning Deployment/llama spec.replicas'],
    ],
  ])('%s', (_, documents, expected) => {
    expect(places(...documents)).toEqual(expected);
  });

  test('the messages state the problem and the fix', () => {
    expect([
      ...sentences(llama, hpa(target('Deployment', 'lama'))),
      ...sentences(llama, hpa(target('StatefulSet', 'llama'))),
      ...sentences(llama, hpa(target('Deployment', 'llama', 'v1'))),
      ...sentences(hpa(target('Deployment', 'a'))),
    ]).toEqual([
      "TPU506 error target 'Deployment/lama' is not among the manifests, but Deployment/llama is; set name: llama",
      "TPU506 error target 'StatefulSet/llama' is not among the manifests, but Deployment/llama is; set kind: Deployment and apiVersion: apps/v1",
      "TPU506 error apiVersion 'v1' of the target differs from the apiVersion of Deployment/llama, 'apps/v1'; set apiVersion: apps/v1",
      "TPU506 note target 'Deployment/a' is not among the manifests; check the autoscaler together with Deployment/a",
    ]);
  });
});

describe('the metrics of an autoscaler', () => {
  const alone = (fields: string): readonly string[] =>
    sentences(
      llama,
      monitoring('m', 'matchLabels: {app: llama}'),
      hpa(`${target('Deployment', 'llama')}, ${fields}`),
    );

  test.each(
    [
      METRIC,
      'prometheus.googleapis.com|vllm:kv_cache_usage_perc|gauge',
      'prometheus.googleapis.com|jetstream_slots_used_percentage|gauge',
      'prometheus.googleapis.com|mine|unknown',
      'vllm_num_requests_waiting',
      'pubsub.googleapis.com|subscription|num_undelivered_messages',
    ].map((name) => [name, name.endsWith('|unknown') ? 1 : 0] as const),
  )('a valid name is accepted: %s', (name, findings) => {
    expect(alone(metric(name))).toHaveLength(findings);
  });

  test.each([
    [
      'prometheus.googleapis.com/vllm:num_requests_waiting/gauge',
      `TPU507 error metric 'prometheus.googleapis.com/vllm:num_requests_waiting/gauge' contains a slash, which the API server refuses; use '${METRIC}'`,
    ],
    [
      'custom.googleapis.com/mine',
      "TPU507 error metric 'custom.googleapis.com/mine' contains a slash, which the API server refuses; use 'custom.googleapis.com|mine'",
    ],
    [
      'prometheus.googleapis.com|vllm:num_requests_waiting',
      `TPU507 error metric 'prometheus.googleapis.com|vllm:num_requests_waiting' does not name a type; use '${METRIC}'`,
    ],
    [
      'prometheus.googleapis.com|vllm:num_requests_waiting|gage',
      `TPU507 error metric 'prometheus.googleapis.com|vllm:num_requests_waiting|gage' names an unknown type 'gage'; use '${METRIC}'`,
    ],
    [
      'prometheus.googleapis.com',
      "TPU507 error metric 'prometheus.googleapis.com' does not name a type; use 'prometheus.googleapis.com|NAME|gauge'",
    ],
    [
      'prometheus.googleapis.com|vllm:gpu_cache_usage_perc|gauge',
      "TPU508 error current releases of the server do not export metric 'vllm:gpu_cache_usage_perc'; use 'prometheus.googleapis.com|vllm:kv_cache_usage_perc|gauge'",
    ],
    [
      'vllm:gpu_cache_usage_perc',
      "TPU508 error current releases of the server do not export metric 'vllm:gpu_cache_usage_perc'; use 'vllm:kv_cache_usage_perc'",
    ],
    [
      'prometheus.googleapis.com|jetstream_slots_available_percentage|gauge',
      "TPU508 error current releases of the server do not export metric 'jetstream_slots_available_percentage'; use 'prometheus.googleapis.com|jetstream_slots_used_percentage|gauge'",
    ],
    [
      'prometheus.googleapis.com|vllm:num_requests_waiting|counter',
      `TPU509 error metric 'vllm:num_requests_waiting' is a gauge, so the autoscaler does not find it with type 'counter'; use '${METRIC}'`,
    ],
    [
      'prometheus.googleapis.com|mine_total|counter',
      "TPU509 warning the autoscaler reads metric 'mine_total' as a counter, but only gauges can be averaged over replicas; use 'prometheus.googleapis.com|NAME|gauge' with the name of a gauge",
    ],
  ])('a wrong name is reported with its fix: %s', (name, sentence) => {
    expect(alone(metric(name))).toEqual([sentence]);
  });

  const scaled = hpa(`${target('Deployment', 'llama')}, ${metric(METRIC)}`);
  const unread = ['TPU510 note HorizontalPodAutoscaler/hpa spec.metrics[0].pods.metric.name'];
  test.each([
    ['without a PodMonitoring', [llama, scaled], unread],
    [
      'with a PodMonitoring of other pods',
      [llama, deployment('b', 'app: b'), monitoring('m', 'matchLabels: {app: b}'), scaled],
      unread,
    ],
    ['with a PodMonitoring', [llama, monitoring('m', ''), scaled], []],
    [
      'with a ClusterPodMonitoring',
      [llama, monitoring('m', '', undefined, 'ClusterPodMonitoring'), scaled],
      [],
    ],
    [
      'that are External',
      [llama, hpa(`${target('Deployment', 'llama')}, ${metric(METRIC, '', 'external')}`)],
      [],
    ],
    ['of other programs', [llama, hpa(`${target('Deployment', 'llama')}, ${metric('mine')}`)], []],
    ['that do not exist', [llama, hpa(target('Deployment', 'llama'))], []],
    [
      'of a target without pods',
      [
        object('x/v1', 'Rollout', 'llama', ''),
        hpa(`${target('Rollout', 'llama', 'x/v1')}, ${metric(METRIC)}`),
      ],
      [],
    ],
  ])('TPU510 checks metrics %s', (_, documents, expected) => {
    expect(places(...documents)).toEqual(expected);
  });

  const value = (key: string): readonly string[] => [
    expect.stringContaining(`TPU511 error ${key}`) as string,
  ];
  test.each([
    ['maxReplicas: 1', []],
    ['minReplicas: 2, maxReplicas: 1', value('maxReplicas')],
    ['maxReplicas: 0', value("maxReplicas '0' is below 1")],
    ['minReplicas: 0, maxReplicas: 1', []],
    [metric('a', ', target: {averageValue: "10"}'), []],
    [metric('a', ', target: {averageValue: 500m}'), []],
    [metric('a', ', target: {averageValue: 0}'), value('averageValue')],
    [metric('a', ', target: {averageValue: 0m}'), value('averageValue')],
    [metric('a', ', target: {value: "-1"}', 'external'), value('value')],
    ['metrics: [{resource: {target: {averageUtilization: 0}}}]', value('averageUtilization')],
    [metric('a', ', target: {averageValue: much}'), []],
  ])('TPU511 checks %s', (fields, expected) => {
    expect(
      sentences(
        llama,
        hpa(`scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}, ${fields}`),
      ),
    ).toEqual(expected);
  });
});

describe('TPU513 checks a LoadBalancer that', () => {
  const open = ['TPU513 warning Service/web spec.type'];
  const balancer = (fields: string, metadata = ''): string =>
    service('web', 'app: llama', `type: LoadBalancer, ports: [{port: 8000}]${fields}`, metadata);
  const annotated = (annotation: string): string => balancer('', `, annotations: {${annotation}}`);

  test.each([
    ['is external', balancer(''), open],
    ['is internal', annotated('networking.gke.io/load-balancer-type: Internal'), []],
    ['is internal by the older annotation', annotated('cloud.google.com/load-balancer-type: internal'), []],
    ['is external by an annotation', annotated('networking.gke.io/load-balancer-type: External'), open],
    ['is internal by its class', balancer(', loadBalancerClass: networking.gke.io/l4-regional-internal'), []],
    [
      'is external by its class',
      balancer(', loadBalancerClass: networking.gke.io/l4-regional-external'),
      open,
    ],
    [
      'admits only some addresses',
      balancer(', loadBalancerSourceRanges: [10.0.0.0/8]'),
      ['TPU513 note Service/web spec.type'],
    ],
    ['admits all addresses', balancer(', loadBalancerSourceRanges: [10.0.0.0/8, 0.0.0.0/0]'), open],
    [
      'selects no pods',
      service('web', 'b: c', 'type: LoadBalancer, ports: [{port: 1}]'),
      ['TPU501 note Service/web spec.selector'],
    ],
    ['is another type of Service', service('web', 'app: llama', 'type: NodePort, ports: [{port: 8000}]'), []],
  ])('%s', (_, yaml, expected) => {
    expect(places(llama, yaml)).toEqual(expected);
  });

  const head = (fields: string, cluster = ''): string =>
    object(
      'ray.io/v1',
      'RayService',
      'ray',
      `rayClusterConfig: {${cluster}headGroupSpec: {${fields}, ${template('a: b')}}}`,
    );
  const internal = '{networking.gke.io/load-balancer-type: Internal}';
  test.each([
    [
      'is external',
      head('serviceType: LoadBalancer'),
      ['TPU513 warning RayService/ray spec.rayClusterConfig.headGroupSpec.serviceType'],
    ],
    [
      'is internal',
      head(`serviceType: LoadBalancer, headService: {metadata: {annotations: ${internal}}}`),
      [],
    ],
    [
      'is internal by an annotation of the cluster',
      head('serviceType: LoadBalancer', `headServiceAnnotations: ${internal}, `),
      [],
    ],
    ['is another type of Service', head('serviceType: ClusterIP'), []],
  ])('%s, for a Ray head', (_, yaml, expected) => {
    expect(places(yaml)).toEqual(expected);
  });
});

describe('the objects that pods need', () => {
  const pod = (spec: string, container = '', metadata = ''): string =>
    `{apiVersion: v1, kind: Pod, metadata: {name: p${metadata}}, spec: {containers: [{name: main, ${container}}]${spec}}}`;
  const account = (metadata = ''): string =>
    `{apiVersion: v1, kind: ServiceAccount, metadata: {name: sa${metadata}}}`;
  const missing = ['TPU514 note Pod/p spec.serviceAccountName'];

  test.each([
    ['here', [pod(', serviceAccountName: sa'), account()], []],
    ['that is not among the manifests', [pod(', serviceAccountName: sa')], missing],
    ['in the older field', [pod(', serviceAccount: sa')], missing],
    [
      'in another namespace',
      [pod(', serviceAccountName: sa', '', ', namespace: a'), account(', namespace: b')],
      missing,
    ],
    ['the default', [pod(', serviceAccountName: default')], []],
    ['none', [pod(', serviceAccountName: ""')], []],
    [
      'of two pods of one object, reported once',
      [
        object(
          'leaderworkerset.x-k8s.io/v1',
          'LeaderWorkerSet',
          'p',
          'leaderWorkerTemplate: {leaderTemplate: {spec: {serviceAccountName: sa}}, workerTemplate: {spec: {serviceAccountName: sa}}}',
        ),
      ],
      ['TPU514 note LeaderWorkerSet/p spec.leaderWorkerTemplate.leaderTemplate.spec.serviceAccountName'],
    ],
  ])('TPU514 checks a ServiceAccount %s', (_, documents, expected) => {
    expect(places(...documents)).toEqual(expected);
  });

  const env = 'env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]';
  const secret = (fields: string, metadata = ''): string =>
    `{apiVersion: v1, kind: Secret, metadata: {name: s${metadata}}, ${fields}}`;
  const place = 'Pod/p spec';
  test.each([
    [
      'in the environment',
      [pod('', env)],
      [`TPU515 note ${place}.containers[main].env[A].valueFrom.secretKeyRef`],
    ],
    [
      'as the environment',
      [pod('', 'envFrom: [{secretRef: {name: s}}]')],
      [`TPU515 note ${place}.containers[main].envFrom[0].secretRef`],
    ],
    [
      'as a volume',
      [pod(', volumes: [{name: v, secret: {secretName: s}}]')],
      [`TPU515 note ${place}.volumes[v].secret`],
    ],
    [
      'in a volume',
      [pod(', volumes: [{name: v, projected: {sources: [{secret: {name: s}}, {}]}}]')],
      [`TPU515 note ${place}.volumes[v].projected`],
    ],
    ['that only pulls images', [pod(', imagePullSecrets: [{name: s}]')], []],

    [
      'that is used twice, reported once',
      [pod(', imagePullSecrets: [{name: s}]', env)],
      [`TPU515 note ${place}.containers[main].env[A].valueFrom.secretKeyRef`],
    ],
    ['optional', [pod('', env.replace('key: k', 'key: k, optional: true'))], []],
    ['without a name', [pod('', 'envFrom: [{secretRef: {name: ""}}, {secretRef: {}}]')], []],
    ['here', [pod('', env), secret('data: {k: YQ==}')], []],
    ['with stringData', [pod('', env), secret('stringData: {k: a}')], []],
    ['without data', [pod('', env), secret('type: Opaque')], []],
    [
      'in another namespace',
      [pod('', env), secret('data: {k: YQ==}', ', namespace: b')],
      [`TPU515 note ${place}.containers[main].env[A].valueFrom.secretKeyRef`],
    ],
    [
      'without the key',
      [pod('', env), secret('data: {a: YQ==}')],
      [`TPU515 error ${place}.containers[main].env[A].valueFrom.secretKeyRef`],
    ],
    [
      'without the item',
      [
        pod(', volumes: [{name: v, secret: {secretName: s, items: [{key: a}, {key: k}]}}]'),
        secret('data: {a: YQ==}'),
      ],
      [`TPU515 error ${place}.volumes[v].secret`],
    ],
    [
      'from an ExternalSecret',
      [pod('', env), object('external-secrets.io/v1', 'ExternalSecret', 's', '')],
      [],
    ],
    [
      'from an ExternalSecret with another name',
      [pod('', env), object('external-secrets.io/v1', 'ExternalSecret', 'x', 'target: {name: s}')],
      [],
    ],
    ['from a SealedSecret', [pod('', env), object('bitnami.com/v1alpha1', 'SealedSecret', 's', '')], []],
    [
      'from a Certificate',
      [
        pod('', 'envFrom: [{secretRef: {name: s}}]'),
        object('cert-manager.io/v1', 'Certificate', 'x', 'secretName: s'),
      ],
      [],
    ],
    [
      'from a SecretProviderClass',
      [
        pod('', env),
        object(
          'secrets-store.csi.x-k8s.io/v1',
          'SecretProviderClass',
          'x',
          'secretObjects: [{secretName: s}, {}]',
        ),
      ],
      [],
    ],
  ])('TPU515 checks a Secret %s', (_, documents, expected) => {
    expect(places(...documents)).toEqual(expected);
  });

  test('the fix states the command that creates the object', () => {
    expect(
      sentences(pod(', serviceAccountName: sa, imagePullSecrets: [{name: r}]', env, ', namespace: models')),
    ).toEqual([
      "TPU514 note the ServiceAccount 'sa' is not among the manifests, and Kubernetes does not create the pods without it; if the cluster does not have it, create it first: kubectl create serviceaccount sa --namespace models",
      "TPU515 note the Secret 's' is not among the manifests, and the pod does not start without it; if the cluster does not have it, create it first: kubectl create secret generic s --from-literal=k=… --namespace models",
    ]);
  });
});

test.each([
  ['none', '', ['TPU516 error Service/a spec.ports']],
  ['no ports, but clusterIP None', 'clusterIP: None', []],
  ['no ports, but type ExternalName', 'type: ExternalName', []],
  ['one', 'ports: [{port: 80}]', []],
])('TPU516 checks a Service with %s', (_, fields, expected) => {
  expect(places(object('v1', 'Service', 'a', fields))).toEqual(expected);
});

describe('TPU517 checks a server if', () => {
  const listening = (
    ports: string,
    probe = '',
    args = 'vllm, serve, x/y-8b, --port=8080',
    beside = '',
  ): string =>
    deployment(
      'llama',
      'app: llama',
      `command: [${args}]${ports === '' ? '' : `, ports: [${ports}]`}${probe}`,
      '',
      beside,
    );
  const sidecar = (ports = ''): string => `, initContainers: [{name: proxy, restartPolicy: Always${ports}}]`;
  const ready = (port: string): string => `, readinessProbe: {httpGet: {path: /health, port: ${port}}}`;
  const HTTP = '{name: http, containerPort: 8080}';
  const OTHER = '{name: http, containerPort: 8000}';
  const web = (port: string): string =>
    service('web', 'app: llama', `ports: [{port: 80, targetPort: ${port}}]`);
  const main = 'Deployment/llama spec.template.spec.containers[main]';

  test.each<[string, readonly string[], readonly string[]]>([
    [
      'agree',
      [
        listening(HTTP, ready('http')),
        web('http'),
        monitoring('m', 'app: llama', 'port: http, interval: 15s'),
      ],
      [],
    ],
    ['it declares a port that nothing uses', [listening(OTHER)], [`TPU517 warning ${main}.args`]],
    ['a probe uses the declared port', [listening(OTHER, ready('http'))], [`TPU517 error ${main}.args`]],
    ['a Service uses the declared port', [listening(OTHER), web('8000')], [`TPU517 error ${main}.args`]],
    [
      'it declares both ports, and clients use the other one',
      [
        listening(`${HTTP}, {name: old, containerPort: 8000}`, ready('old')),
        web('old'),
        monitoring('m', 'app: llama', 'port: 8000, interval: 15s'),
      ],
      [
        `TPU517 error ${main}.readinessProbe.httpGet.port`,
        'TPU517 error Service/web spec.ports[0].targetPort',
        'TPU517 error PodMonitoring/m spec.endpoints[0].port',
      ],
    ],
    [
      'it declares no port, and a Service uses another one',
      [listening(''), web('8000')],
      ['TPU517 error Service/web spec.ports[0].targetPort'],
    ],
    ['it declares no port, and clients use the right one', [listening('', ready('8080')), web('8080')], []],
    ['a probe checks another host', [listening(HTTP, ', readinessProbe: {httpGet: {host: a, port: 1}}')], []],
    [
      'a probe checks a port of another container',
      [listening(HTTP, ready('9000'), undefined, sidecar(', ports: [{containerPort: 9000}]'))],
      [],
    ],
    [
      'a probe checks the other port in a pod with two containers',
      [listening(OTHER, ready('http'), undefined, sidecar())],
      [`TPU517 error ${main}.args`],
    ],
    [
      'a Service may use the port of a native sidecar',
      [listening('', '', undefined, sidecar()), web('8000')],
      [],
    ],
    [
      'an init container cannot listen on the port',
      [listening('', '', undefined, ', initContainers: [{name: fetch}]'), web('8000')],
      ['TPU517 error Service/web spec.ports[0].targetPort'],
    ],
    [
      'its command starts a proxy',
      [listening(OTHER, ready('http'), "sh, -c, 'vllm serve x/y-8b --port 8080 & proxy --port 8000'")],
      [],
    ],
    [
      'its command prepares the start',
      [listening(OTHER, ready('http'), "sh, -c, 'set -e;cd /a && exec vllm serve x/y-8b --port 8080;'")],
      [`TPU517 error ${main}.args`],
    ],
    ['the port is a variable', [listening(OTHER, '', 'vllm, serve, --port=$PORT')], []],
    ['--port is missing', [listening(OTHER, '', 'vllm, serve')], []],
    [
      'it is Saxml',
      [listening('{containerPort: 10001}', '', 'server, --sax_cell=/sax/test, --port=10001')],
      [],
    ],
    [
      'it is Saxml on another port',
      [listening('{containerPort: 10000}', '', 'server, --sax_cell=/sax/test, --port=10001')],
      [`TPU517 warning ${main}.args`],
    ],
  ])('%s', (_, documents, expected) => {
    expect(places(...documents).filter((place) => place.startsWith('TPU517'))).toEqual(expected);
  });

  test('the message names the port and its clients', () => {
    expect(sentences(listening(OTHER, ready('http')), web('8000'))).toEqual([
      "TPU517 error container 'main' listens on port 8080 (--port), but declares 8000 ('http' of container 'main'), which the readinessProbe of container 'main' and the Service 'web' use; set --port to the containerPort, or the containerPort to 8080",
    ]);
    expect(sentences(listening('', ready('8000')))).toEqual([
      "TPU517 error the readinessProbe of container 'main' uses port 8000, but container 'main' listens on port 8080 (--port); use port 8080, or set --port to 8000",
    ]);
  });
});

describe('the rules about NetworkPolicies', () => {
  const policy = (name: string, selector: string, ingress = 'from: [{podSelector: {}}]'): string =>
    object(
      'networking.k8s.io/v1',
      'NetworkPolicy',
      name,
      `podSelector: {${selector}}, ingress: [{${ingress}}]`,
    );
  const about = (code: string, ...documents: readonly string[]): readonly string[] =>
    places(...documents).filter((place) => place.startsWith(code));

  describe('of a Saxml cell', () => {
    const part = (name: string, image: string, spec = ''): string =>
      deployment(name, `app: ${name}`, `image: 'example/${image}:v1'`, '', spec);
    const cell = [
      part('http', 'sax-http'),
      part('admin', 'sax-admin-server'),
      part('sax', 'sax-model-server'),
    ];
    const open = (name: string): string => `TPU521 warning Deployment/${name} spec.template.metadata.labels`;

    test('report admin and model servers if a policy covers only the HTTP server', () => {
      expect(about('TPU521', ...cell, policy('http', 'matchLabels: {app: http}'))).toEqual([
        open('admin'),
        open('sax'),
      ]);
    });

    test('accept policies for all servers or none', () => {
      expect(about('TPU521', ...cell, policy('all', ''))).toEqual([]);
      expect(about('TPU521', ...cell)).toEqual([]);
      expect(
        about(
          'TPU521',
          ...cell,
          policy('http', 'matchLabels: {app: http}'),
          policy('rest', 'matchExpressions: [{key: app, operator: In, values: [sax, admin]}]'),
        ),
      ).toEqual([]);
    });

    test('ignore the servers of another cell, which has no policy', () => {
      const other = [part('http-2', 'sax-http'), part('admin-2', 'sax-admin-server')];
      const closed = policy(
        'cell',
        'matchExpressions: [{key: app, operator: In, values: [http, admin, sax]}]',
      );
      expect(about('TPU521', ...cell, ...other, closed)).toEqual([]);
    });

    test('ignore pods on the host network', () => {
      const [http = '', admin = ''] = cell;
      const sax = part('sax', 'sax-model-server', ', hostNetwork: true');
      expect(about('TPU521', http, admin, sax, policy('http', 'matchLabels: {app: http}'))).toEqual([
        open('admin'),
      ]);
    });
  });

  describe('with addresses behind a load balancer', () => {
    const chips = `${PORTS}, resources: {limits: {google.com/tpu: '8'}}`;
    const server = deployment('llama', 'app: llama', chips);
    const block = (cidr: string): string =>
      policy('llama', 'matchLabels: {app: llama}', `from: [{ipBlock: {cidr: ${cidr}}}]`);
    const balancer = (more = ''): string =>
      service('web', 'app: llama', `type: LoadBalancer, ports: [{port: 80, targetPort: 8000}]${more}`);
    const finding = ['TPU522 warning Service/web spec.externalTrafficPolicy'];

    test('report a policy that sees the addresses of nodes', () => {
      expect(about('TPU522', server, block('203.0.113.0/24'), balancer())).toEqual(finding);
      expect(
        about('TPU522', server, block('203.0.113.0/24'), balancer(', externalTrafficPolicy: Cluster')),
      ).toEqual(finding);
    });

    test('accept externalTrafficPolicy Local, and policies that admit everyone', () => {
      expect(
        about('TPU522', server, block('203.0.113.0/24'), balancer(', externalTrafficPolicy: Local')),
      ).toEqual([]);
      expect(about('TPU522', server, block('0.0.0.0/0'), balancer())).toEqual([]);
      expect(about('TPU522', server, block('203.0.113.0/24'), service('web', 'app: llama'))).toEqual([]);
      expect(about('TPU522', server, policy('llama', ''), balancer())).toEqual([]);
    });
  });
});

test('the wiring rules never throw on a malformed manifest', () => {
  const objects = setOf(
    deployment(
      'llama',
      'app: llama',
      `${PORTS}, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}], envFrom: [{secretRef: {name: t}}]`,
      '',
      ', serviceAccountName: sa, imagePullSecrets: [{name: r}], volumes: [{name: v, secret: {secretName: s, items: [{key: a}]}}]',
    ),
    service('web', 'app: lama', 'type: LoadBalancer, loadBalancerSourceRanges: [a], ports: [{port: 1}]'),
    service('other', 'app: llama'),
    monitoring(
      'm',
      'matchLabels: {app: llama}, matchExpressions: [{key: app, operator: In, values: [llama]}]',
      'port: 1, interval: 15',
    ),
    hpa(`${target('Deployment', 'llama')}, minReplicas: 3, ${metric(METRIC, ', target: {averageValue: 0}')}`),
    object(
      'ray.io/v1',
      'RayService',
      'ray',
      `rayClusterConfig: {headGroupSpec: {serviceType: LoadBalancer, ${template('a: b')}}}`,
    ),
    '{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {k: YQ==}}',
    '{apiVersion: secrets-store.csi.x-k8s.io/v1, kind: SecretProviderClass, spec: {secretObjects: [{secretName: s}]}}',
  ).objects;
  expect(() => {
    for (const { manifest } of objects)
      for (const other of broken(manifest))
        found(WIRING_RULES, manifestSet([...objects, manifestObject(other)]), ({ message }) => message);
  }).not.toThrow();
});
