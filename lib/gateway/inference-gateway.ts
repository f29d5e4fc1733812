import { type ApiObject, Chart, Yaml } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { type GatewayProps, type HttpRouteProps } from '../../imports/gateway.networking.k8s.io';
import { BASE_MODEL_HEADER, GATEWAY_GROUP, INFERENCE_POOL_GROUP, PAYLOAD_PROCESSOR } from '../facts/gateway';
import { describeOperations } from '../operations/operations';
import { nameOf, readNamed } from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { custom } from '../workload/custom';
import { recommendedLabels } from '../workload/labels';
import { object } from '../workload/objects';
import { gatewayOperations } from './gateway-operations';
import {
  DEFAULT_NAMESPACE,
  INFERENCE_GATEWAY,
  type InferenceGatewayProps,
  type InferenceRoute,
  routeName,
} from './gateway-props';

/**
 * A gateway in front of pools of model servers. It has one address and routes requests to pools by host, path, header or model.
 *
 * @throws InvalidInputError listing every invalid prop, routes that match the same requests, and pools whose namespace the Gateway does not
 * accept
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/deploy-gke-inference-gateway
 */
export class InferenceGateway extends Construct {
  /** The Gateway. */
  readonly gateway: ApiObject;
  /** The HTTPRoutes, in the order of `routes`. */
  readonly httpRoutes: readonly ApiObject[];
  /** The ConfigMaps from which the payload processor reads the names of models, one for each pool of routes with a `model`. */
  readonly modelNames: readonly ApiObject[];

  constructor(scope: Construct, id: string, props: InferenceGatewayProps) {
    super(scope, id);
    checkAtSynth(this);
    const ofChart = Chart.of(this).namespace;
    const valid = readNamed(
      INFERENCE_GATEWAY,
      props,
      this.node,
      ofChart === undefined ? {} : { namespace: ofChart },
    );
    const namespace = nameOf(valid.namespace ?? DEFAULT_NAMESPACE);
    const { name } = valid;
    const labels = { ...recommendedLabels('inference-gateway', name, 'gateway'), ...valid.labels };
    const metadata = { name, namespace, labels };
    this.gateway = custom<GatewayProps>(
      this,
      'Resource',
      { apiVersion: `${GATEWAY_GROUP}/v1`, kind: 'Gateway' },
      { metadata, spec: { gatewayClassName: valid.gatewayClassName, listeners: listenersOf(valid) } },
    );
    this.httpRoutes = valid.routes.map((route, index) =>
      custom<HttpRouteProps>(
        this,
        `Route${String(index)}`,
        { apiVersion: `${GATEWAY_GROUP}/v1`, kind: 'HTTPRoute' },
        httpRoute(route, metadata),
      ),
    );
    this.modelNames = placeModelNames(this, valid.routes, labels);
    describeOperations(this, gatewayOperations({ name, namespace, props: valid }));
  }
}

/** Renders the ConfigMaps that tell the payload processor the names of each pool's model. */
function placeModelNames(
  scope: Construct,
  routes: readonly InferenceRoute[],
  labels: Record<string, string>,
): readonly ApiObject[] {
  const byModel = routes.filter(({ model }) => model !== undefined);
  return [...new Set(byModel.map(({ pool }) => pool))].map((pool, index) => {
    const ofPool = byModel.filter((one) => one.pool === pool);
    const adapters = [...new Set(ofPool.flatMap((one) => one.adapters ?? []))];
    return object(
      scope,
      `ModelNames${String(index)}`,
      k8s.KubeConfigMap.manifest({
        metadata: {
          name: `${pool.poolName}-models`,
          namespace: pool.namespace,
          labels: { ...labels, [PAYLOAD_PROCESSOR.label]: 'true' },
        },
        data: {
          baseModel: ofPool[0]?.model ?? '',
          ...(adapters.length > 0 && { adapters: Yaml.stringify(adapters) }),
        },
      }),
    );
  });
}

type Listener = NonNullable<Parameters<typeof custom<GatewayProps>>[3]['spec']['listeners']>[number];

function listenersOf({
  certificates,
  http = certificates === undefined,
  allowedRoutes = 'Same',
}: InferenceGatewayProps): Listener[] {
  const namespaces =
    typeof allowedRoutes === 'string'
      ? { from: allowedRoutes }
      : { from: 'Selector' as const, selector: { matchLabels: allowedRoutes.matchLabels } };
  const listeners: Listener[] = [];
  if (http) listeners.push({ name: 'http', protocol: 'HTTP', port: 80, allowedRoutes: { namespaces } });
  if (certificates)
    listeners.push({
      name: 'https',
      protocol: 'HTTPS',
      port: 443,
      allowedRoutes: { namespaces },
      tls: {
        mode: 'Terminate',
        certificateRefs: certificates.map((secret) => ({ group: '', kind: 'Secret', name: nameOf(secret) })),
      },
    });
  return listeners;
}

/** Renders an HTTPRoute with the CRD's defaults, because the API server adds them in lists. */
function httpRoute(
  route: InferenceRoute,
  gateway: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> },
): Parameters<typeof custom<HttpRouteProps>>[3] {
  const { pool, hostnames, path = '/', headers = {}, model } = route;
  const all = { ...headers, ...(model !== undefined && { [BASE_MODEL_HEADER]: model }) };
  return {
    metadata: { name: routeName(route), namespace: pool.namespace, labels: gateway.labels },
    spec: {
      parentRefs: [
        {
          group: GATEWAY_GROUP,
          kind: 'Gateway',
          name: gateway.name,
          ...(pool.namespace !== gateway.namespace && { namespace: gateway.namespace }),
        },
      ],
      ...(hostnames && { hostnames: [...hostnames] }),
      rules: [
        {
          matches: [
            {
              path: { type: 'PathPrefix', value: path },
              ...(Object.keys(all).length > 0 && {
                headers: Object.entries(all).map(([name, value]) => ({
                  type: 'Exact' as const,
                  name,
                  value,
                })),
              }),
            },
          ],
          backendRefs: [
            { group: INFERENCE_POOL_GROUP, kind: 'InferencePool', name: pool.poolName, weight: 1 },
          ],
        },
      ],
    },
  };
}
