import { Testing } from 'cdk8s';
import { addGateway } from '../../examples/gateway';
import { findingsIn } from '../../lib/checks/check';
import { RULES } from '../../lib/checks/rules';
import { isRecord, manifestObject } from '../../lib/manifest/manifest';

// Each test makes one mistake in the rendered gateway examples, in which the rules find nothing.

type Draft = Record<string, unknown>;

const [ONE = [], SEVERAL = []] = ((): readonly (readonly Draft[])[] => {
  const app = Testing.app();
  addGateway(app);
  return app.charts.map((chart) => (chart.toJson() as readonly unknown[]).filter(isRecord));
})();

/** A set of objects to break. */
class Manifests {
  readonly objects: Draft[];

  constructor(of: readonly Draft[]) {
    this.objects = structuredClone([...of]);
  }

  /** The object of a kind whose name ends so. */
  of(kind: string, end = ''): Draft {
    const found = this.objects.find(
      (one) => one['kind'] === kind && String(partOf(one, 'metadata')['name']).endsWith(end),
    );
    if (!found) throw new Error(`no ${kind} ${end}`);
    return found;
  }

  remove(object: Draft): void {
    this.objects.splice(this.objects.indexOf(object), 1);
  }

  add(object: Draft): void {
    this.objects.push(object);
  }
}

function partOf(value: unknown, ...keys: readonly (string | number)[]): Draft {
  let current: unknown = value;
  for (const key of keys)
    current = Array.isArray(current)
      ? (current as unknown[])[Number(key)]
      : isRecord(current)
        ? current[key]
        : undefined;
  if (!isRecord(current)) throw new Error(`nothing at ${keys.join('.')}`);
  return current;
}

type Mistake = (set: Manifests) => void;

/** Writes fields of a part of an object; undefined removes one. */
const put =
  (kind: string, end: string, keys: readonly (string | number)[], fields: Draft): Mistake =>
  (set) => {
    const part = partOf(set.of(kind, end), ...keys);
    for (const [key, value] of Object.entries(fields))
      if (value === undefined) Reflect.deleteProperty(part, key);
      else part[key] = value;
  };

const POOL = 'InferencePool';
const PICKER = ['spec', 'template', 'spec', 'containers', 0] as const;
const args = (change: (words: readonly string[]) => readonly string[]): Mistake => {
  return (set) => {
    const container = partOf(set.of('Deployment', '-epp'), ...PICKER);
    container['args'] = change(container['args'] as readonly string[]);
  };
};
const config = (change: (text: string) => string): Mistake => {
  return (set) => {
    const data = partOf(set.of('ConfigMap', '-epp'), 'data');
    data['default-plugins.yaml'] = change(String(data['default-plugins.yaml']));
  };
};
const serverArgs = (...words: readonly string[]): Mistake => {
  return (set) => {
    const container = partOf(set.of('Deployment', 'qwen3-32b'), ...PICKER);
    container['args'] = [...(container['args'] as readonly string[]), ...words];
  };
};
const copyOf = (kind: string, end: string, name: string, namespace = 'serving'): Mistake => {
  return (set) => {
    const copy = structuredClone(set.of(kind, end));
    Object.assign(partOf(copy, 'metadata'), { name, namespace });
    set.add(copy);
  };
};
const without = (kind: string, end = ''): Mistake => {
  return (set) => {
    set.remove(set.of(kind, end));
  };
};
const inNamespace = (kind: string, end: string, namespace: string | undefined): Mistake =>
  put(kind, end, ['metadata'], { namespace });
const all = (...mistakes: readonly Mistake[]): Mistake => {
  return (set) => {
    for (const mistake of mistakes) mistake(set);
  };
};
const extension = (kind: string, spec: Draft, apiVersion = 'llm-d.ai/v1alpha2'): Mistake => {
  return (set) => {
    set.add({
      apiVersion,
      kind,
      metadata: { name: 'more', namespace: 'serving' },
      spec: { poolRef: { name: 'qwen3-32b-pool' }, ...spec },
    });
  };
};
/** A second server, with the parts that two servers have in disaggregated serving. */
const disaggregated: Mistake = (set) => {
  const decode = set.of('Deployment', 'qwen3-32b');
  const prefill = structuredClone(decode);
  partOf(prefill, 'metadata')['name'] = 'prefill';
  for (const [role, object] of Object.entries({ prefill, decode }))
    partOf(object, 'spec', 'template', 'metadata', 'labels')['llm-d.ai/role'] = role;
  set.add(prefill);
};
const backend = ['spec', 'rules', 0, 'backendRefs', 0] as const;
const byModel = (value: string): Mistake =>
  put('HTTPRoute', '', ['spec', 'rules', 0, 'matches', 0], {
    headers: [{ type: 'Exact', name: 'X-Gateway-Base-Model-Name', value }],
  });

type Row = readonly [mistake: string, code: string, object: string, path: string, make: Mistake];

const BROKEN: readonly Row[] = [
  [
    'a selector of other pods',
    'TPU551',
    POOL,
    'spec.selector.matchLabels',
    put(POOL, '', ['spec', 'selector', 'matchLabels'], { app: 'qwen' }),
  ],
  ['prefill and decode servers', 'TPU551', POOL, 'spec.selector.matchLabels', disaggregated],
  [
    'a targetPort that no container declares',
    'TPU552',
    POOL,
    'spec.targetPorts[0].number',
    put(POOL, '', ['spec', 'targetPorts', 0], { number: 8001 }),
  ],
  [
    'a second targetPort that no container declares',
    'TPU552',
    POOL,
    'spec.targetPorts[1].number',
    put(POOL, '', ['spec'], { targetPorts: [{ number: 8000 }, { number: 80 }] }),
  ],
  [
    'the Service of the servers instead of the picker',
    'TPU553',
    POOL,
    'spec.endpointPickerRef.port.number',
    put(POOL, '', ['spec', 'endpointPickerRef'], { name: 'qwen3-32b' }),
  ],
  [
    'a picker Service that does not exist',
    'TPU553',
    POOL,
    'spec.endpointPickerRef.name',
    put(POOL, '', ['spec', 'endpointPickerRef'], { name: 'epp' }),
  ],
  [
    'a port that the picker Service does not have',
    'TPU553',
    POOL,
    'spec.endpointPickerRef.port.number',
    put(POOL, '', ['spec', 'endpointPickerRef', 'port'], { number: 9003 }),
  ],
  [
    'a picker without a port',
    'TPU553',
    POOL,
    'spec.endpointPickerRef.port',
    put(POOL, '', ['spec', 'endpointPickerRef'], { port: undefined }),
  ],
  [
    'a picker for another pool',
    'TPU553',
    POOL,
    'spec.endpointPickerRef.name',
    args((words) => words.map((one) => (one === 'qwen3-32b-pool' ? 'other' : one))),
  ],
  [
    'a configuration that the ConfigMap does not have',
    'TPU554',
    'Deployment',
    'spec.template.spec.containers[epp].args',
    args((words) => words.map((one) => one.replace('default-plugins', 'plugins'))),
  ],
  [
    'a scorer that is not declared',
    'TPU555',
    'ConfigMap',
    'data[default-plugins.yaml]',
    config((text) => text.replace('  - type: queue-scorer\n', '')),
  ],
  [
    'a scorer that is misspelled',
    'TPU555',
    'ConfigMap',
    'data[default-plugins.yaml]',
    config((text) => text.replace('pluginRef: prefix-cache-scorer', 'pluginRef: prefix-scorer')),
  ],
  [
    'a removed flag',
    'TPU556',
    'Deployment',
    'spec.template.spec.containers[epp].args',
    args((words) => [...words, '--kv-cache-usage-percentage-metric=vllm:kv_cache_usage_perc']),
  ],
  [
    'a removed flag with its value',
    'TPU556',
    'Deployment',
    'spec.template.spec.containers[epp].args',
    args((words) => [...words, '--total-queued-requests-metric', 'vllm:num_requests_waiting']),
  ],
  [
    'several pickers without leader election',
    'TPU557',
    'Deployment',
    'spec.replicas',
    put('Deployment', '-epp', ['spec'], { replicas: 2 }),
  ],
  [
    'a rolling update of a picker',
    'TPU557',
    'Deployment',
    'spec.strategy.type',
    put('Deployment', '-epp', ['spec', 'strategy'], { type: 'RollingUpdate' }),
  ],
  [
    'a timeout policy in another namespace',
    'TPU558',
    'GCPBackendPolicy',
    'spec.targetRef.name',
    inNamespace('GCPBackendPolicy', '', 'edge'),
  ],
  [
    'a health check in another namespace',
    'TPU558',
    'HealthCheckPolicy',
    'spec.targetRef.name',
    inNamespace('HealthCheckPolicy', '', undefined),
  ],
  [
    'a route in another namespace',
    'TPU558',
    'HTTPRoute',
    'spec.rules[0].backendRefs[0].name',
    inNamespace('HTTPRoute', '', 'edge'),
  ],
  [
    'a route across namespaces without a ReferenceGrant',
    'TPU558',
    'HTTPRoute',
    'spec.rules[0].backendRefs[0].namespace',
    all(inNamespace('HTTPRoute', '', 'edge'), put('HTTPRoute', '', backend, { namespace: 'serving' })),
  ],
  [
    'two timeout policies',
    'TPU559',
    'GCPBackendPolicy',
    'spec.targetRef.name',
    copyOf('GCPBackendPolicy', '', 'more'),
  ],
  [
    'two health check policies',
    'TPU559',
    'HealthCheckPolicy',
    'spec.targetRef.name',
    copyOf('HealthCheckPolicy', '', 'more'),
  ],
  ['a pool without a health check', 'TPU560', POOL, 'metadata.name', without('HealthCheckPolicy')],
  [
    'a health check of /',
    'TPU560',
    'HealthCheckPolicy',
    'spec.default.config.httpHealthCheck',
    put('HealthCheckPolicy', '', ['spec', 'default', 'config', 'httpHealthCheck'], { requestPath: '/' }),
  ],
  [
    'a health check without a path',
    'TPU560',
    'HealthCheckPolicy',
    'spec.default.config.httpHealthCheck',
    put('HealthCheckPolicy', '', ['spec', 'default', 'config', 'httpHealthCheck'], {
      requestPath: undefined,
    }),
  ],
  [
    'a health check on another port',
    'TPU560',
    'HealthCheckPolicy',
    'spec.default.config.httpHealthCheck.port',
    put('HealthCheckPolicy', '', ['spec', 'default', 'config', 'httpHealthCheck'], { port: 80 }),
  ],
  ['a pool without a timeout policy', 'TPU561', POOL, 'metadata.name', without('GCPBackendPolicy')],
  [
    'a policy without a timeout',
    'TPU561',
    'GCPBackendPolicy',
    'spec.default',
    put('GCPBackendPolicy', '', ['spec', 'default'], { timeoutSec: undefined }),
  ],
  [
    'a timeout of 30 seconds',
    'TPU561',
    'GCPBackendPolicy',
    'spec.default.timeoutSec',
    put('GCPBackendPolicy', '', ['spec', 'default'], { timeoutSec: 30 }),
  ],
  [
    'a Role without a namespace',
    'TPU562',
    'Role',
    'metadata.name',
    inNamespace('Role', '-secret-read', undefined),
  ],
  [
    'a Gateway in another namespace',
    'TPU563',
    'HTTPRoute',
    'spec.parentRefs[0].name',
    inNamespace('Gateway', '', 'edge'),
  ],
  [
    'a Gateway that does not accept routes from other namespaces',
    'TPU563',
    'HTTPRoute',
    'spec.parentRefs',
    all(
      inNamespace('Gateway', '', 'edge'),
      put('HTTPRoute', '', ['spec', 'parentRefs', 0], { namespace: 'edge' }),
    ),
  ],
  [
    'a listener that does not exist',
    'TPU563',
    'HTTPRoute',
    'spec.parentRefs[0].sectionName',
    put('HTTPRoute', '', ['spec', 'parentRefs', 0], { sectionName: 'https' }),
  ],
  [
    'a port without a listener',
    'TPU563',
    'HTTPRoute',
    'spec.parentRefs[0].port',
    put('HTTPRoute', '', ['spec', 'parentRefs', 0], { port: 443 }),
  ],
  [
    'another name of the Gateway',
    'TPU563',
    'HTTPRoute',
    'spec.parentRefs[0].name',
    put('HTTPRoute', '', ['spec', 'parentRefs', 0], { name: 'gateway' }),
  ],
  [
    'a route to the Service',
    'TPU564',
    'HTTPRoute',
    'spec.rules[0].backendRefs[0].name',
    put('HTTPRoute', '', backend, { group: undefined, kind: 'Service', name: 'qwen3-32b', port: 8000 }),
  ],
  [
    'a backend without a group',
    'TPU564',
    'HTTPRoute',
    'spec.rules[0].backendRefs[0]',
    put('HTTPRoute', '', backend, { group: undefined }),
  ],
  [
    'a backend without a group and kind',
    'TPU564',
    'HTTPRoute',
    'spec.rules[0].backendRefs[0]',
    put('HTTPRoute', '', backend, { group: undefined, kind: undefined }),
  ],
  [
    'a timeout in the route',
    'TPU565',
    'HTTPRoute',
    'spec.rules[0].timeouts',
    put('HTTPRoute', '', ['spec', 'rules', 0], { timeouts: { request: '3600s' } }),
  ],
  [
    'a pool without failureMode',
    'TPU566',
    POOL,
    'spec.endpointPickerRef.failureMode',
    put(POOL, '', ['spec', 'endpointPickerRef'], { failureMode: undefined }),
  ],
  [
    'failureMode FailClose',
    'TPU566',
    POOL,
    'spec.endpointPickerRef.failureMode',
    put(POOL, '', ['spec', 'endpointPickerRef'], { failureMode: 'FailClose' }),
  ],
  [
    'a picker that stops before the servers',
    'TPU567',
    'Deployment',
    'spec.template.spec.terminationGracePeriodSeconds',
    put('Deployment', '-epp', ['spec', 'template', 'spec'], { terminationGracePeriodSeconds: 30 }),
  ],
  [
    'a priority without its CRD',
    'TPU568',
    'InferenceObjective',
    'apiVersion',
    extension('InferenceObjective', { priority: 1 }),
  ],
  [
    'a priority of another release without its CRD',
    'TPU568',
    'InferenceObjective',
    'apiVersion',
    extension('InferenceObjective', { priority: 1 }, 'inference.networking.x-k8s.io/v1alpha2'),
  ],
  [
    'session affinity',
    'TPU569',
    'GCPBackendPolicy',
    'spec.default.sessionAffinity',
    put('GCPBackendPolicy', '', ['spec', 'default'], { sessionAffinity: { type: 'CLIENT_IP' } }),
  ],
  [
    'a health check timeout above its interval',
    'TPU570',
    'HealthCheckPolicy',
    'spec.default.timeoutSec',
    put('HealthCheckPolicy', '', ['spec', 'default'], { timeoutSec: 10 }),
  ],
  [
    'a health check timeout above the default interval',
    'TPU570',
    'HealthCheckPolicy',
    'spec.default.timeoutSec',
    put('HealthCheckPolicy', '', ['spec', 'default'], { timeoutSec: 6, checkIntervalSec: undefined }),
  ],
  [
    'a route for a model that no server has',
    'TPU571',
    'HTTPRoute',
    'spec.rules[0].matches[0].headers[0].value',
    byModel('qwen'),
  ],
  [
    'a model that the servers serve under another name',
    'TPU571',
    'HTTPRoute',
    'spec.rules[0].matches[0].headers[0].value',
    all(byModel('Qwen/Qwen3-32B'), serverArgs('--served-model-name', 'qwen', 'chat')),
  ],
  [
    'an alias of an adapter that is not loaded',
    'TPU571',
    'InferenceModelRewrite',
    'spec.rules[0].targets[0].modelRewrite',
    all(
      serverArgs('--enable-lora', '--lora-modules', 'a=/a', '{"name": "b", "path": "/b"}'),
      extension('InferenceModelRewrite', { rules: [{ targets: [{ modelRewrite: 'c' }] }] }),
    ),
  ],
  [
    'a global Gateway',
    'TPU572',
    'Gateway',
    'spec.gatewayClassName',
    put('Gateway', '', ['spec'], { gatewayClassName: 'gke-l7-global-external-managed' }),
  ],
  [
    'a picker with its health check on another port',
    'TPU573',
    'Deployment',
    'spec.template.spec.containers[epp].args',
    args((words) => words.map((one) => (one === '9003' ? '9005' : one))),
  ],
];

const OF_SEVERAL: readonly Row[] = [
  [
    'a rolling update that waits for the leader',
    'TPU557',
    'Deployment',
    'spec.strategy.type',
    put('Deployment', '-epp', ['spec'], { strategy: undefined }),
  ],
  [
    'pickers that do not elect a leader',
    'TPU557',
    'Deployment',
    'spec.replicas',
    args((words) => words.filter((one) => !one.includes('election'))),
  ],
];

/** What is found, without what the examples accept and what is found in them before a mistake. */
const found = (objects: readonly Draft[]): readonly string[] =>
  findingsIn(objects.map((one) => manifestObject(one)))
    .filter(({ accepted }) => accepted === undefined)
    .map(({ code, object, path }) => `${code} ${object.replace(/\/.*/, '')} ${path}`);

const isOfGateway = (finding: string): boolean => /^TPU5[567]/.test(finding);

test.each([
  ['one picker', ONE],
  ['several pickers', SEVERAL],
])('the gateway rules accept the examples with %s', (_, objects) => {
  expect(objects.length).toBeGreaterThan(20);
  expect(found(objects).filter(isOfGateway)).toEqual([]);
});

describe.each([
  ['one picker', ONE, BROKEN],
  ['several pickers', SEVERAL, OF_SEVERAL],
])('with %s, the gateway rules report', (_, objects, rows) => {
  test.each(rows)('%s: %s', (...[, code, kind, path, make]) => {
    const set = new Manifests(objects);
    make(set);
    expect(found(set.objects)).toContain(`${code} ${kind} ${path}`);
  });
});

test('every gateway rule has a mistake, and there are at least 30 mistakes', () => {
  const ofGateways = RULES.map(({ code }) => code).filter(isOfGateway);
  const rows = [...BROKEN, ...OF_SEVERAL];
  expect([...new Set(rows.map(([, code]) => code))].sort()).toEqual(ofGateways);
  expect(rows.length).toBeGreaterThanOrEqual(30);
});

describe('the gateway rules accept', () => {
  test.each<[string, Mistake]>([
    [
      'a route across namespaces with a ReferenceGrant',
      all(
        inNamespace('HTTPRoute', '', 'edge'),
        inNamespace('Gateway', '', 'edge'),
        put('HTTPRoute', '', backend, { namespace: 'serving' }),
        (set) => {
          set.add({
            apiVersion: 'gateway.networking.k8s.io/v1beta1',
            kind: 'ReferenceGrant',
            metadata: { name: 'routes', namespace: 'serving' },
            spec: {
              from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'edge' }],
              to: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool' }],
            },
          });
        },
      ),
    ],
    [
      'a Gateway that accepts routes from all namespaces',
      all(
        inNamespace('Gateway', '', 'edge'),
        put('Gateway', '', ['spec', 'listeners', 0, 'allowedRoutes'], { namespaces: { from: 'All' } }),
        put('HTTPRoute', '', ['spec', 'parentRefs', 0], { namespace: 'edge', sectionName: 'http' }),
      ),
    ],
    [
      'prefill and decode servers that the picker distinguishes',
      all(
        disaggregated,
        config((text) => text.replace('plugins:\n', 'plugins:\n  - type: disagg-profile-handler\n')),
      ),
    ],
    ['a route for a model that the servers have', byModel('Qwen/Qwen3-32B')],
    [
      'an alias of an adapter',
      all(
        serverArgs('--enable-lora', '--lora-modules', 'a=/a'),
        extension('InferenceModelRewrite', { rules: [{ targets: [{ modelRewrite: 'a' }] }] }),
        (set) => {
          set.add({
            apiVersion: 'apiextensions.k8s.io/v1',
            kind: 'CustomResourceDefinition',
            metadata: { name: 'inferencemodelrewrites.llm-d.ai' },
          });
        },
      ),
    ],
    ['an alias, if adapters can be loaded later', all(serverArgs('--enable-lora'), byModel('any'))],
    [
      'a picker of an earlier release with its flags',
      all(
        args((words) => [...words, '--lora-info-metric=vllm:lora_requests_info']),
        put('Deployment', '-epp', PICKER, { image: 'ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.9.0' }),
      ),
    ],
    [
      'a Gateway of another controller without policies',
      all(
        put('Gateway', '', ['spec'], { gatewayClassName: 'istio' }),
        without('HealthCheckPolicy'),
        without('GCPBackendPolicy'),
        put('HTTPRoute', '', ['spec', 'rules', 0], { timeouts: { request: '3600s' } }),
      ),
    ],
  ])('%s', (_, make) => {
    const set = new Manifests(ONE);
    make(set);
    expect(found(set.objects).filter(isOfGateway)).toEqual([]);
  });
});
