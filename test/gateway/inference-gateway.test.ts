import { type ApiObject, Chart, Testing } from 'cdk8s';
import {
  InferenceGateway,
  type InferenceGatewayProps,
  InferencePool,
  type InferenceRoute,
  TpuSlice,
  VllmServer,
} from '../../lib';
import { type Json, record } from '../../lib/manifest/manifest';
import { refusal } from '../refusal';

const newChart = (namespace?: string): Chart => new Chart(Testing.app(), 'chart', { namespace });

function newPool(chart: Chart, id = 'pool'): InferencePool {
  const server = new VllmServer(chart, `${id}-server`, {
    model: 'Qwen/Qwen3-32B',
    slice: TpuSlice.of('ct6e-standard-8t'),
  });
  return new InferencePool(chart, id, { servers: [server] });
}

function newGateway(
  props: Partial<InferenceGatewayProps> = {},
  route: Partial<InferenceRoute> = {},
): InferenceGateway {
  const chart = newChart();
  return new InferenceGateway(chart, 'gateway', {
    gatewayClassName: 'gke-l7-rilb',
    routes: [{ pool: newPool(chart), ...route }],
    ...props,
  });
}

const specOf = (object: ApiObject | undefined): Json => record(object?.toJson(), 'spec');
const listeners = (gateway: InferenceGateway): unknown => specOf(gateway.gateway)['listeners'];
const routeOf = (gateway: InferenceGateway): Json => specOf(gateway.httpRoutes[0]);

test('renders a gateway with all options', () => {
  const chart = newChart('serving');
  const [chat, code] = [newPool(chart, 'chat'), newPool(chart, 'code')];
  const gateway = new InferenceGateway(chart, 'gateway', {
    labels: { team: 'search' },
    gatewayClassName: 'gke-l7-regional-external-managed',
    certificates: ['certificate'],
    http: true,
    allowedRoutes: { matchLabels: { team: 'search' } },
    routes: [
      { pool: chat, hostnames: ['chat.example.com'], path: '/v1', headers: { 'x-team': 'search' } },
      { pool: code, name: 'code-route', model: 'Qwen/Qwen3-32B' },
    ],
  });
  const objects = [gateway.gateway, ...gateway.httpRoutes].map((one) => one.toJson() as Json);
  expect(objects).toMatchSnapshot();
});

describe('listeners', () => {
  const namespaces = { from: 'Same' };
  const http = { name: 'http', protocol: 'HTTP', port: 80, allowedRoutes: { namespaces } };

  test('serve HTTP by default', () => {
    expect(listeners(newGateway())).toEqual([http]);
  });

  test('serve only HTTPS with certificates', () => {
    expect(listeners(newGateway({ certificates: ['tls'] }))).toEqual([
      {
        name: 'https',
        protocol: 'HTTPS',
        port: 443,
        allowedRoutes: { namespaces },
        tls: { mode: 'Terminate', certificateRefs: [{ group: '', kind: 'Secret', name: 'tls' }] },
      },
    ]);
  });

  test('both if configured', () => {
    expect(listeners(newGateway({ certificates: ['tls'], http: true }))).toMatchObject([
      http,
      { name: 'https' },
    ]);
  });

  test('accept routes of all namespaces', () => {
    expect(listeners(newGateway({ allowedRoutes: 'All' }))).toMatchObject([
      { allowedRoutes: { namespaces: { from: 'All' } } },
    ]);
  });
});

describe('a route', () => {
  test('goes to the pool and does not set a timeout', () => {
    expect(routeOf(newGateway())).toEqual({
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gateway' }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          backendRefs: [
            { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'pool', weight: 1 },
          ],
        },
      ],
    });
  });

  test('matches host, path, headers and model', () => {
    const headers = { 'x-team': 'search' };
    expect(
      routeOf(newGateway({}, { hostnames: ['*.example.com'], path: '/v1', headers, model: 'qwen' })),
    ).toMatchObject({
      hostnames: ['*.example.com'],
      rules: [
        {
          matches: [
            {
              path: { type: 'PathPrefix', value: '/v1' },
              headers: [
                { type: 'Exact', name: 'x-team', value: 'search' },
                { type: 'Exact', name: 'X-Gateway-Base-Model-Name', value: 'qwen' },
              ],
            },
          ],
        },
      ],
    });
  });

  test('in another namespace names that of the gateway', () => {
    const chart = newChart('models');
    const gateway = new InferenceGateway(chart, 'gateway', {
      namespace: 'edge',
      gatewayClassName: 'gke-l7-rilb',
      allowedRoutes: 'All',
      routes: [{ pool: newPool(chart) }],
    });
    expect(gateway.httpRoutes[0]?.metadata.namespace).toBe('models');
    expect(routeOf(gateway)).toMatchObject({ parentRefs: [{ name: 'gateway', namespace: 'edge' }] });
  });
});

describe('the names of models', () => {
  const byModel = (...routes: readonly Partial<InferenceRoute>[]): InferenceGateway => {
    const chart = newChart();
    const pool = newPool(chart);
    return new InferenceGateway(chart, 'gateway', {
      gatewayClassName: 'gke-l7-rilb',
      routes: routes.map((route) => ({ pool, ...route })),
    });
  };
  const rendered = (gateway: InferenceGateway): unknown =>
    gateway.modelNames.map((one) => one.toJson() as Json);

  test('are in a ConfigMap for the payload processor, one for each pool', () => {
    const routes = [
      { name: 'a', hostnames: ['a.example.com'], model: 'qwen', adapters: ['review'] },
      { name: 'b', hostnames: ['b.example.com'], model: 'qwen', adapters: ['review', 'support'] },
    ];
    expect(rendered(byModel(...routes))).toMatchObject([
      {
        kind: 'ConfigMap',
        metadata: {
          name: 'pool-models',
          namespace: 'default',
          labels: { 'inference.llm-d.ai/ipp-managed': 'true' },
        },
        data: { baseModel: 'qwen', adapters: '- review\n- support\n' },
      },
    ]);
  });

  test('are only the model without adapters', () => {
    expect(rendered(byModel({ model: 'qwen' }))).toMatchObject([{ data: { baseModel: 'qwen' } }]);
    expect(byModel({ model: 'qwen' }).modelNames[0]?.toJson()).not.toHaveProperty('data.adapters');
  });

  test('are not rendered for routes without a model', () => {
    expect(byModel({}).modelNames).toEqual([]);
  });

  test('belong to one model', () => {
    const chart = newChart();
    const routes = ['a', 'b'].map((model) => ({ pool: newPool(chart, model), model, adapters: ['review'] }));
    expect(
      refusal(() => new InferenceGateway(chart, 'gateway', { gatewayClassName: 'gke-l7-rilb', routes })),
    ).toContain("routes[1]: 'review' is also a name of model 'a'");
  });

  test('refer to one model in each pool', () => {
    expect(refusal(() => byModel({ model: 'a', name: 'a' }, { model: 'b', name: 'b' }))).toContain(
      "routes[1].model: 'b' differs from 'a', the model of the same pool; use model: 'a', with 'b' in adapters",
    );
  });

  test('require the model for adapters', () => {
    expect(refusal(() => byModel({ adapters: ['review'] }))).toContain(
      'routes[0].model: required with adapters, which are other names of the model',
    );
  });
});

describe('a gateway with a mistake', () => {
  test.each<[string, Partial<InferenceGatewayProps>, string]>([
    [
      'an unknown class',
      { gatewayClassName: 'gke-l7-gxlb' as never },
      "gatewayClassName: 'gke-l7-gxlb' is not known",
    ],
    ['no routes', { routes: [] }, 'routes: is empty'],
    ['a route without pool', { routes: [{} as never] }, 'routes[0].pool: required'],
    ['a pool by its name', { routes: [{ pool: 'pool' as never }] }, "routes[0].pool: 'pool' is a string"],
    ['a gateway without a port', { http: false }, "http: 'false' leaves the Gateway without a port"],
    ['certificates as a text', { certificates: 'tls' as never }, "certificates: 'tls' is a string"],
  ])('rejects %s', (_, props, message) => {
    expect(refusal(() => newGateway(props))).toContain(message);
  });

  test.each<[string, Partial<InferenceRoute>, string]>([
    ['a host name with a scheme', { hostnames: ['https://a.example.com'] }, 'routes[0].hostnames[0]'],
    ['a path without slash', { path: 'v1' }, "routes[0].path: 'v1' is not a path"],
    [
      'a line end in the value of a header',
      { headers: { 'x-team': 'a\nb' } },
      String.raw`routes[0].headers[x-team]: 'a\nb' contains a control character`,
    ],
    [
      'a line end in the name of an adapter',
      { model: 'qwen', adapters: ['a\rb'] },
      String.raw`routes[0].adapters[0]: 'a\rb' contains a control character`,
    ],
    [
      'the name of a header with a space',
      { headers: { 'x team': 'a' } },
      "routes[0].headers: 'x team' is not the name",
    ],
  ])('rejects routes: %s', (_, route, message) => {
    expect(refusal(() => newGateway({}, route))).toContain(message);
  });

  test('two routes for the same requests', () => {
    const chart = newChart();
    const routes = [{ pool: newPool(chart, 'a') }, { pool: newPool(chart, 'b') }];
    expect(
      refusal(() => new InferenceGateway(chart, 'gateway', { gatewayClassName: 'gke-l7-rilb', routes })),
    ).toContain("routes[1]: 'b' matches the same requests as another route");
  });

  test('rejects a pool in a namespace whose routes the gateway does not accept', () => {
    const chart = newChart('models');
    const props: InferenceGatewayProps = {
      namespace: 'edge',
      gatewayClassName: 'gke-l7-rilb',
      routes: [{ pool: newPool(chart) }],
    };
    expect(refusal(() => new InferenceGateway(chart, 'gateway', props))).toContain(
      "routes[0].pool: 'pool' is in namespace 'models', but the Gateway accepts only routes of its own namespace, 'edge'",
    );
  });
});
