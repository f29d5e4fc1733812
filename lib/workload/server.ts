import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import { oneOf } from '../problems/validators';
import { type PodTemplate } from '../pod/template';
import { type AutoscalingOptions, horizontalPodAutoscaler } from './autoscaling';
import { type MonitoringOptions, podMonitoring } from './monitoring';
import { deployment, object } from './objects';

/**
 * Who can reach a server: `ClusterIP` the cluster, `InternalLoadBalancer` the VPC network, `ExternalLoadBalancer` the internet. None
 * of them authenticates anybody.
 */
export type ServiceType = 'ClusterIP' | 'InternalLoadBalancer' | 'ExternalLoadBalancer';

/** What is wrong with who can reach a server; undefined where nothing is. */
export const serviceTypeProblem = (type: ServiceType | undefined): string | undefined =>
  oneOf('serviceType', type ?? 'ClusterIP', ['ClusterIP', 'InternalLoadBalancer', 'ExternalLoadBalancer']);

/** A port of a server's Service. */
interface ServerPort {
  readonly name: string;
  /** Port of the Service, and of the container behind it. */
  readonly port: number;
}

/** What a server is made of; stacks derive it from their own props. */
export interface ServerParts {
  /** Name of the Deployment and of the objects around it. */
  readonly name: string;
  /** Label that the Deployment and everything that looks for its pods select by. */
  readonly selector: Record<string, string>;
  /** Labels of the objects. @default - the selector */
  readonly labels?: Record<string, string>;
  /** The pods; their labels hold the selector. */
  readonly template: PodTemplate;
  /** Replicas; none where an autoscaler decides. */
  readonly replicas?: number | undefined;
  /** New replicas that may start before old ones stop. @default 0 */
  readonly maxSurge?: number;
  /** Longest time that a rollout may make no progress. */
  readonly progressDeadlineSeconds?: number | undefined;
  /** The Service, if any. */
  readonly service?: { readonly name?: string; readonly type: ServiceType; readonly port: ServerPort };
  readonly monitoring?: (MonitoringOptions & { readonly port: number; readonly path: string }) | undefined;
  readonly autoscaling?: AutoscalingOptions | undefined;
}

/** The objects of a server. */
export interface ServerObjects {
  readonly deployment: ApiObject;
  readonly service: ApiObject | undefined;
  readonly podMonitoring: ApiObject | undefined;
  readonly horizontalPodAutoscaler: ApiObject | undefined;
}

/** Label that the pods of a server are selected by. */
export const selectorOf = (name: string): Record<string, string> => ({ app: name });

/** Places a Deployment and what belongs to it: Service, PodMonitoring, HorizontalPodAutoscaler. */
export function placeServer<Parts extends ServerParts>(
  scope: Construct,
  parts: Parts,
): ServerObjects & (Parts extends { readonly service: object } ? { readonly service: ApiObject } : unknown);
export function placeServer(scope: Construct, parts: ServerParts): ServerObjects {
  const { name, selector, autoscaling, monitoring, service } = parts;
  const labels = parts.labels ?? selector;
  const metadata = { name, labels };
  const maxSurge = parts.maxSurge ?? 0;
  const main = deployment(scope, 'Resource', metadata, {
    replicas: autoscaling ? undefined : parts.replicas,
    selector: { matchLabels: selector },
    // A new replica needs a slice beside the running ones: where there is none, an old one goes first.
    strategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        maxSurge: k8s.IntOrString.fromNumber(maxSurge),
        maxUnavailable: k8s.IntOrString.fromNumber(maxSurge > 0 ? 0 : 1),
      },
    },
    progressDeadlineSeconds: parts.progressDeadlineSeconds,
    template: parts.template,
  });
  return {
    deployment: main,
    service:
      service && placeService(scope, 'Service', { ...service, name: service.name ?? name, labels, selector }),
    podMonitoring:
      monitoring &&
      podMonitoring(scope, 'PodMonitoring', {
        name,
        labels,
        selector,
        port: monitoring.port,
        path: monitoring.path,
        interval: monitoring.interval ?? '15s',
      }),
    horizontalPodAutoscaler:
      autoscaling && horizontalPodAutoscaler(scope, 'HorizontalPodAutoscaler', metadata, main, autoscaling),
  };
}

function placeService(
  scope: Construct,
  id: string,
  options: {
    readonly name: string;
    readonly type: ServiceType;
    readonly port: ServerPort;
    readonly labels: Record<string, string>;
    readonly selector: Record<string, string>;
  },
): ApiObject {
  const { name, type, port, labels, selector } = options;
  return object(
    scope,
    id,
    k8s.KubeService.manifest({
      metadata: {
        name,
        labels,
        annotations:
          type === 'InternalLoadBalancer'
            ? // https://cloud.google.com/kubernetes-engine/docs/how-to/internal-load-balancing
              { 'networking.gke.io/load-balancer-type': 'Internal' }
            : undefined,
      },
      spec: {
        type: type === 'ClusterIP' ? 'ClusterIP' : 'LoadBalancer',
        selector,
        ports: [
          {
            name: port.name,
            protocol: 'TCP',
            port: port.port,
            targetPort: k8s.IntOrString.fromNumber(port.port),
          },
        ],
      },
    }),
  );
}
