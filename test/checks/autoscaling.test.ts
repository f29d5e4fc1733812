import { found, rulesOf, setOf } from './found';

const RULES = rulesOf(/^TPU(508|510|511|53\d)$/);
const places = (...documents: readonly string[]): readonly string[] =>
  found(RULES, setOf(...documents), ({ object, path }) => `${object.id} ${path}`);

const object = (apiVersion: string, kind: string, name: string, spec: string): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}}, spec: {${spec}}}`;
const TARGET = 'scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}';
const SLOW = 'scaleDown: {stabilizationWindowSeconds: 1800}';
const pods = (metric: string): string =>
  `{type: Pods, pods: {metric: {name: '${metric}'}, target: {type: AverageValue, averageValue: '10'}}}`;
const external = (metric: string): string =>
  `{type: External, external: {metric: {name: '${metric}'}, target: {type: Value, value: '10'}}}`;
const hpa = (metrics: string, spec = 'maxReplicas: 4', name = 'hpa', behavior = SLOW): string =>
  object(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    name,
    `${TARGET}, ${spec}, behavior: {${behavior}}, metrics: [${metrics}]`,
  );
const prometheus = (query: string, threshold = '1'): string =>
  `{type: prometheus, metadata: {query: '${query}', threshold: '${threshold}'}}`;
const keda = (
  triggers: string,
  spec = 'minReplicaCount: 1, maxReplicaCount: 4',
  config = `behavior: {${SLOW}}`,
): string =>
  object(
    'keda.sh/v1alpha1',
    'ScaledObject',
    'so',
    `scaleTargetRef: {name: llama}, ${spec}, advanced: {horizontalPodAutoscalerConfig: {${config}}}, triggers: [${triggers}]`,
  );
const WAITING = 'prometheus.googleapis.com|vllm:num_requests_waiting|gauge';
const SUM = 'sum(vllm:num_requests_waiting{job="llama"})';
const QUEUE = 'sum(llm_d_epp_flow_control_queue_size)';
const RUNNING = 'sum(llm_d_epp_request_running)';
const deployment = (name: string, container: string, pod = ''): string =>
  object(
    'apps/v1',
    'Deployment',
    name,
    `template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: main, ${container}}]${pod}}}`,
  );
const LLAMA = deployment('llama', 'image: server');
const tpu = (labels: string): string =>
  deployment('llama', "resources: {limits: {google.com/tpu: '8'}}", `, nodeSelector: {${labels}}`);
const SELECTED =
  'cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x4';
const TPU = tpu(SELECTED);
const picker = (image = 'llm-d-router-endpoint-picker:v0.10.0', args = ''): string =>
  deployment('epp', `image: ${image}, args: [--pool-name, llama${args}]`);
const monitoring = (app: string): string =>
  object(
    'monitoring.googleapis.com/v1',
    'PodMonitoring',
    app,
    `selector: {matchLabels: {app: ${app}}}, endpoints: [{port: 8000}]`,
  );

const HPA = 'HorizontalPodAutoscaler/hpa';
const SO = 'ScaledObject/so';
const QUERY = 'spec.triggers[0].metadata.query';

test.each<[string, readonly string[], readonly string[]]>([
  // TPU508
  [
    'a retired metric in a query',
    [keda(prometheus('max(vllm:gpu_cache_usage_perc)'))],
    [`TPU508 error ${SO} ${QUERY}`],
  ],
  [
    'a label that has the name of a retired metric',
    [keda(prometheus(`sum(x{m="vllm:gpu_cache_usage_perc"})`))],
    [],
  ],
  // TPU510
  [
    'a query for pods without a PodMonitoring',
    [LLAMA, keda(prometheus(SUM))],
    [`TPU510 note ${SO} ${QUERY}`],
  ],
  ['a query for pods with a PodMonitoring', [LLAMA, monitoring('llama'), keda(prometheus(SUM))], []],
  ['a query for other programs', [LLAMA, keda(prometheus('sum(http_requests)'))], []],
  [
    'a query for a picker without a PodMonitoring',
    [LLAMA, picker(), keda(prometheus(RUNNING))],
    [`TPU510 note ${SO} ${QUERY}`],
  ],
  ['a query for a picker with a PodMonitoring', [picker(), monitoring('epp'), keda(prometheus(RUNNING))], []],
  [
    'an External metric of a picker without a PodMonitoring',
    [picker(), hpa(external('prometheus.googleapis.com|llm_d_epp_request_running|gauge'))],
    [`TPU510 note ${HPA} spec.metrics[0].external.metric.name`],
  ],
  [
    'a query for a vLLM metric on Ray Serve',
    [LLAMA, keda(prometheus('sum(ray_vllm_num_requests_waiting)'))],
    [`TPU510 note ${SO} ${QUERY}`],
  ],
  [
    'a scale to zero by a vLLM metric on Ray Serve',
    [keda(prometheus('sum(ray_vllm_num_requests_running)'), 'minReplicaCount: 0')],
    [`TPU535 warning ${SO} spec.minReplicaCount`],
  ],
  // TPU511
  [
    'a minimum that equals the maximum',
    [keda(prometheus(SUM), 'minReplicaCount: 4, maxReplicaCount: 4')],
    [],
  ],
  [
    'a minimum above the maximum',
    [keda(prometheus(SUM), 'minReplicaCount: 5, maxReplicaCount: 4')],
    [`TPU511 error ${SO} spec.maxReplicaCount`],
  ],
  [
    'a maximum of zero',
    [keda(prometheus(SUM), 'minReplicaCount: 1, maxReplicaCount: 0')],
    [`TPU511 error ${SO} spec.maxReplicaCount`],
  ],
  ['idle replicas below the minimum', [keda(prometheus(SUM), 'minReplicaCount: 2, idleReplicaCount: 1')], []],
  [
    'as many idle replicas as the minimum',
    [keda(prometheus(SUM), 'minReplicaCount: 1, idleReplicaCount: 1')],
    [`TPU511 error ${SO} spec.idleReplicaCount`],
  ],
  [
    'a threshold of 0',
    [keda(prometheus(SUM, '0'))],
    [`TPU511 error ${SO} spec.triggers[0].metadata.threshold`],
  ],
  ['a threshold that is a placeholder', [keda(prometheus(SUM, '$THRESHOLD'))], []],
  [
    'a period above half an hour',
    [
      hpa(
        pods(WAITING),
        undefined,
        'hpa',
        'scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 1801}]}',
      ),
    ],
    [`TPU511 error ${HPA} spec.behavior.scaleUp.policies[0].periodSeconds`],
  ],
  [
    'a window above an hour',
    [
      keda(
        prometheus(SUM),
        'minReplicaCount: 1',
        'behavior: {scaleDown: {stabilizationWindowSeconds: 3601}}',
      ),
    ],
    [
      `TPU511 error ${SO} spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds`,
    ],
  ],
  [
    'the longest period and window',
    [
      hpa(
        pods(WAITING),
        undefined,
        'hpa',
        'scaleDown: {stabilizationWindowSeconds: 3600, policies: [{type: Pods, value: 1, periodSeconds: 1800}]}',
      ),
    ],
    [],
  ],
  // TPU530
  [
    'two HorizontalPodAutoscalers',
    [hpa(pods(WAITING)), hpa(pods(WAITING), undefined, 'second')],
    ['TPU530 error HorizontalPodAutoscaler/second spec.scaleTargetRef.name'],
  ],
  [
    'a HorizontalPodAutoscaler and a ScaledObject',
    [hpa(pods(WAITING)), keda(prometheus(SUM))],
    [`TPU530 error ${SO} spec.scaleTargetRef.name`],
  ],
  [
    'two ScaledObjects',
    [keda(prometheus(SUM)), keda(prometheus(SUM)).replace('name: so', 'name: second')],
    ['TPU530 error ScaledObject/second spec.scaleTargetRef.name'],
  ],
  [
    'the HorizontalPodAutoscaler that KEDA creates',
    [keda(prometheus(SUM)), hpa(external('s0-prometheus'), undefined, 'keda-hpa-so')],
    [],
  ],
  [
    'the HorizontalPodAutoscaler that KEDA creates with a name',
    [
      keda(prometheus(SUM), undefined, `name: own, behavior: {${SLOW}}`),
      hpa(external('s0-prometheus'), undefined, 'own'),
    ],
    [],
  ],
  [
    'autoscalers in two namespaces',
    [hpa(pods(WAITING)), hpa(pods(WAITING)).replace('name: hpa', 'namespace: b, name: hpa')],
    [],
  ],
  ['one autoscaler twice', [hpa(pods(WAITING)), hpa(pods(WAITING))], []],
  // TPU531
  [
    'a Pods metric of the picker',
    [
      LLAMA,
      monitoring('llama'),
      hpa(pods('prometheus.googleapis.com|inference_extension_flow_control_pool_saturation|gauge')),
    ],
    [`TPU531 error ${HPA} spec.metrics[0].pods.metric.name`],
  ],
  [
    'a Pods metric of the picker for a target outside the manifests',
    [hpa(pods('prometheus.googleapis.com|llm_d_epp_request_running|gauge'))],
    [`TPU531 warning ${HPA} spec.metrics[0].pods.metric.name`],
  ],
  [
    'a Pods metric of a picker that the autoscaler scales',
    [
      picker(),
      monitoring('epp'),
      hpa(pods('prometheus.googleapis.com|llm_d_epp_request_running|gauge')).replace(
        'name: llama',
        'name: epp',
      ),
    ],
    [],
  ],
  // TPU532
  [
    'a former name with the picker of llm-d',
    [picker(), monitoring('epp'), hpa(external('inference_pool_average_queue_size'))],
    [`TPU532 warning ${HPA} spec.metrics[0].external.metric.name`],
  ],
  [
    'a former name with another picker',
    [
      picker('registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0'),
      monitoring('epp'),
      hpa(external('inference_pool_average_queue_size')),
    ],
    [],
  ],
  [
    'a former name in a query',
    [keda(prometheus('avg(inference_pool_average_kv_cache_utilization)'))],
    [`TPU532 note ${SO} ${QUERY}`],
  ],
  // TPU533
  [
    'TPU servers that are removed after five minutes',
    [TPU, monitoring('llama'), hpa(pods(WAITING), undefined, 'hpa', '')],
    [`TPU533 note ${HPA} spec`],
  ],
  [
    'TPU servers that are removed at once',
    [
      TPU,
      monitoring('llama'),
      keda(prometheus(SUM), undefined, 'behavior: {scaleDown: {stabilizationWindowSeconds: 0}}'),
    ],
    [
      `TPU533 note ${SO} spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds`,
    ],
  ],
  [
    'TPU servers that are never removed',
    [TPU, monitoring('llama'), hpa(pods(WAITING), undefined, 'hpa', 'scaleDown: {selectPolicy: Disabled}')],
    [],
  ],
  ['servers without TPUs', [LLAMA, monitoring('llama'), hpa(pods(WAITING), undefined, 'hpa', '')], []],
  // TPU535
  [
    'a server that KEDA stops by default',
    [keda(prometheus(SUM), 'maxReplicaCount: 4')],
    [`TPU535 warning ${SO} spec`],
  ],
  [
    'a server that KEDA stops while it is idle',
    [keda(prometheus(SUM), 'minReplicaCount: 2, idleReplicaCount: 0')],
    [`TPU535 warning ${SO} spec.idleReplicaCount`],
  ],
  [
    'a server that a cron trigger starts',
    [keda(`${prometheus(SUM)}, {type: cron, metadata: {desiredReplicas: '1'}}`, 'minReplicaCount: 0')],
    [],
  ],
  [
    'a server that the queue of the picker starts and running requests keep',
    [keda(`${prometheus(QUEUE)}, ${prometheus(RUNNING)}`, 'minReplicaCount: 0')],
    [],
  ],
  [
    'a server that the queue of the picker starts and nothing keeps',
    [keda(prometheus(QUEUE), 'minReplicaCount: 0')],
    [`TPU535 warning ${SO} spec.minReplicaCount`],
  ],
  [
    'a server that its own running requests keep',
    [keda(`${prometheus(QUEUE)}, ${prometheus('sum(vllm:num_requests_running)')}`, 'minReplicaCount: 0')],
    [],
  ],
  [
    'a query with a value if no series exists',
    [keda(prometheus(`${SUM} or vector(1)`), 'minReplicaCount: 0')],
    [],
  ],
])('%s', (_, documents, expected) => {
  expect(places(...documents)).toEqual(expected);
});

describe('TPU534 checks an AutoscalingMetric that', () => {
  const gauge = (gauges: string): string =>
    object(
      'autoscaling.gke.io/v1beta1',
      'AutoscalingMetric',
      'llama',
      `metrics: [{pod: {selector: {matchLabels: {app: llama}}, containers: [{endpoint: {port: 8000}, metrics: [${gauges}]}]}}]`,
    );
  const PLACE = 'AutoscalingMetric/llama spec.metrics[0].pod.containers[0].metrics[0].gauge';
  const reader = hpa(pods('autoscaling.gke.io|llama|queue'));

  test.each<[string, readonly string[], readonly string[]]>([
    [
      'has a valid name',
      [gauge("{gauge: {name: queue-1, prometheusMetricName: 'a:b'}}"), reader.replace('|queue', '|queue-1')],
      [],
    ],
    [
      'has a name that is not valid',
      [gauge('{gauge: {name: Queue, prometheusMetricName: q}}')],
      [`TPU534 error ${PLACE}.name`],
    ],
    [
      'has a name that is too long',
      [gauge(`{gauge: {name: ${'q'.repeat(64)}, prometheusMetricName: q}}`)],
      [`TPU534 error ${PLACE}.name`],
    ],
    [
      'has no name, although its metric needs one',
      [gauge("{gauge: {prometheusMetricName: 'a:b'}}")],
      [`TPU534 error ${PLACE}`],
    ],
    ['has no name and does not need one', [gauge('{gauge: {prometheusMetricName: queue}}'), reader], []],
    ['is not among the manifests', [reader], [`TPU534 note ${HPA} spec.metrics[0].pods.metric.name`]],
    [
      'has another gauge',
      [gauge('{gauge: {name: other, prometheusMetricName: q}}'), reader],
      [`TPU534 error ${HPA} spec.metrics[0].pods.metric.name`],
    ],
  ])('%s', (_, documents, expected) => {
    expect(places(...documents)).toEqual(expected);
  });
});

describe('TPU536 checks flow control that', () => {
  const config = (content: string): string =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: config}, data: {plugins.yaml: "${content}"}}`;
  const withConfig = picker(undefined, ', --config-file, /config/plugins.yaml')
    .replace('{name: main,', '{name: main, volumeMounts: [{name: config, mountPath: /config}],')
    .replace('}]}}}}', '}], volumes: [{name: config, configMap: {name: config}}]}}}}');
  const reader = hpa(external('prometheus.googleapis.com|llm_d_epp_flow_control_queue_size|gauge'));
  const off = [`TPU536 warning ${HPA} spec.metrics[0].external.metric.name`];

  test.each<[string, string, readonly string[]]>([
    ['is off', 'plugins: []', off],
    ['is on', 'featureGates: [flowControl]', []],
    ['is not among the feature gates', 'featureGates: [other]', off],
  ])('%s', (_, content, expected) => {
    expect(places(withConfig, monitoring('epp'), config(content), reader)).toEqual(expected);
  });

  test('is unknown without a configuration', () => {
    expect(places(picker(), monitoring('epp'), reader)).toEqual([]);
  });
});

describe('TPU537 checks node pools that', () => {
  const pool = (name: string, spec: string, machine = 'ct6e-standard-8t'): string =>
    object(
      'container.cnrm.cloud.google.com/v1beta1',
      'ContainerNodePool',
      name,
      `location: us-east5-b, nodeConfig: {machineType: ${machine}}, ${spec}`,
    );
  const scaler = hpa(pods(WAITING));
  const few = [`TPU537 note ${HPA} spec.maxReplicas`];
  const group = object(
    'leaderworkerset.x-k8s.io/v1',
    'LeaderWorkerSet',
    'llama',
    `leaderWorkerTemplate: {size: 4, workerTemplate: {metadata: {labels: {app: llama}}, spec: {nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}, containers: [{name: main, resources: {limits: {google.com/tpu: '4'}}}]}}}`,
  );
  const scaledGroup = scaler.replace(
    'apiVersion: apps/v1, kind: Deployment',
    'apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet',
  );
  const slicePool = (name: string): string =>
    pool(name, 'nodeCount: 4, placementPolicy: {tpuTopology: 4x4}', 'ct6e-standard-4t');
  const classed = tpu('cloud.google.com/compute-class: v6e, cloud.google.com/gke-tpu-topology: 2x4');
  const computeClass = (priorities: string): string =>
    object('cloud.google.com/v1', 'ComputeClass', 'v6e', `priorities: [${priorities}]`);

  test.each<[string, readonly string[], readonly string[]]>([
    ['have a node for each replica', [TPU, scaler, pool('a', 'nodeCount: 2'), pool('b', 'nodeCount: 2')], []],
    ['have too few nodes', [TPU, scaler, pool('a', 'nodeCount: 2'), pool('b', 'nodeCount: 1')], few],
    [
      'can grow enough',
      [TPU, scaler, pool('a', 'autoscaling: {maxNodeCount: 2}, nodeLocations: [us-east5-a, us-east5-b]')],
      [],
    ],
    [
      'cannot grow enough',
      [
        TPU,
        scaler,
        pool('a', 'autoscaling: {totalMaxNodeCount: 3}, nodeLocations: [us-east5-a, us-east5-b]'),
      ],
      few,
    ],
    ['do not state their size', [TPU, scaler, pool('a', 'initialNodeCount: 1')], []],
    ['have other slices', [TPU, scaler, pool('a', 'nodeCount: 1', 'ct6e-standard-4t')], []],
    [
      'are multi-host, one slice each, and too few',
      [group, scaledGroup, ...['a', 'b', 'c'].map(slicePool)],
      few,
    ],
    ['are multi-host and enough', [group, scaledGroup, ...['a', 'b', 'c', 'd'].map(slicePool)], []],
    [
      'a ComputeClass names',
      [
        classed,
        scaler,
        computeClass('{nodepools: [a]}'),
        pool('a', 'nodeCount: 3'),
        pool('b', 'nodeCount: 9'),
      ],
      few,
    ],
    [
      'a ComputeClass creates',
      [classed, scaler, computeClass('{nodepools: [a]}, {spot: true}'), pool('a', 'nodeCount: 3')],
      [],
    ],
  ])('%s', (_, documents, expected) => {
    expect(places(monitoring('llama'), ...documents)).toEqual(expected);
  });
});
