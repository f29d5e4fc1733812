import { createHash } from 'node:crypto';
import { type ApiObject, Yaml } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { type Construct } from 'constructs';
import {
  ENDPOINT_PICKER_HEALTH,
  ENDPOINT_PICKER_IMAGE,
  ENDPOINT_PICKER_PORTS,
  EXPERIMENTAL_INFERENCE_GROUP,
  H2C_PROTOCOL,
  INFERENCE_POOL_GROUP,
  LLM_D_GROUP,
} from '../facts/gateway';
import { CONFIG_CHECKSUM_ANNOTATION } from '../facts/labels';
import { containerSecurity, podSecurity } from '../pod/security';
import { podTemplate, type PodTemplate } from '../pod/template';
import { nameOf } from '../problems/schema';
import { grant, type ServiceAccountSubject } from '../workload/custom';
import { deployment, object } from '../workload/objects';
import { flowControlConfig } from './flow-control';
import { type EndpointPickerProps, type EndpointPickerPlugin, type EndpointScorer } from './props';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** Facts that the objects of a picker share. */
export interface PickerParts {
  /** Name of the pool. */
  readonly pool: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  /** Path of the servers' metrics. */
  readonly metricsPath: string;
  /** Longest grace period of the servers, in seconds. */
  readonly terminationGracePeriodSeconds: number;
  readonly props: EndpointPickerProps;
}

/** Returns the name of the picker's objects. */
export const pickerName = (pool: string): string => `${pool}-epp`;

/** Returns the label that selects the picker's pods. */
export const pickerSelector = (pool: string): Record<string, string> => ({ app: pickerName(pool) });

const CONFIG_FILE = 'default-plugins.yaml';
const CONFIG_FOLDER = '/config';

/** https://github.com/llm-d/llm-d-router/blob/v0.10.0/config/charts (the rendered chart's values) */
const DEFAULT_SCORERS: readonly EndpointScorer[] = [
  { type: 'queue-scorer', weight: 2 },
  { type: 'kv-cache-utilization-scorer', weight: 2 },
  { type: 'prefix-cache-scorer', weight: 3 },
];
const DEFAULT_RESOURCES = { requests: { cpu: '4', memory: '8Gi' }, limits: { memory: '16Gi' } };

/** Returns the plugins that read vLLM's metrics, also from servers that use the same names. */
const metricsPlugins = (path: string): readonly EndpointPickerPlugin[] => [
  { type: 'metrics-data-source', parameters: { scheme: 'http', path, insecureSkipVerify: true } },
  { type: 'core-metrics-extractor' },
];

/**
 * Returns the picker's configuration in the format of release v0.10.0.
 *
 * @see https://github.com/llm-d/llm-d-router/blob/v0.10.0/pkg/epp/config/loader/configloader.go
 */
function configuration({ props, metricsPath }: PickerParts): string {
  const { scorers = DEFAULT_SCORERS, filters = [], picker, plugins = metricsPlugins(metricsPath) } = props;
  const all: readonly EndpointPickerPlugin[] = [
    ...filters,
    ...scorers,
    ...(picker ? [picker] : []),
    ...plugins,
  ];
  const named = ({ type, name, parameters }: EndpointPickerPlugin): EndpointPickerPlugin => ({
    type,
    ...(name !== undefined && { name }),
    ...(parameters && { parameters }),
  });
  const reference = ({ type, name }: EndpointPickerPlugin): { pluginRef: string } => ({
    pluginRef: name ?? type,
  });
  return Yaml.stringify({
    apiVersion: `${LLM_D_GROUP}/v1alpha1`,
    kind: 'EndpointPickerConfig',
    ...flowControlConfig(props.flowControl),
    plugins: all.map(named),
    schedulingProfiles: [
      {
        name: 'default',
        plugins: [
          ...filters.map(reference),
          ...scorers.map((scorer) => ({ ...reference(scorer), weight: scorer.weight })),
          ...(picker ? [reference(picker)] : []),
        ],
      },
    ],
  });
}

/** Renders the picker's Deployment, Service, configuration and RBAC objects. */
export function placePicker(
  scope: Construct,
  parts: PickerParts,
): { readonly deployment: ApiObject; readonly service: ApiObject } {
  const { pool, namespace, labels, props } = parts;
  const name = pickerName(pool);
  const metadata = { name, namespace, labels };
  const config = configuration(parts);
  object(
    scope,
    'PickerServiceAccount',
    manifest<k8s.KubeServiceAccountProps>(KINDS.ServiceAccount, { metadata }),
  );
  object(
    scope,
    'PickerConfig',
    manifest<k8s.KubeConfigMapProps>(KINDS.ConfigMap, { metadata, data: { [CONFIG_FILE]: config } }),
  );
  placeRights(scope, parts);
  return {
    deployment: deployment(scope, 'Picker', metadata, {
      replicas: props.replicas ?? 1,
      // Only the leader is ready. In a rolling update, the old leader would wait for a new picker to be ready, which must first be leader.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: pickerSelector(pool) },
      template: pickerPod(parts, config),
    }),
    service: object(
      scope,
      'PickerService',
      manifest<k8s.KubeServiceProps>(KINDS.Service, {
        metadata,
        spec: {
          type: 'ClusterIP',
          selector: pickerSelector(pool),
          ports: [
            {
              name: 'grpc-ext-proc',
              protocol: 'TCP',
              port: ENDPOINT_PICKER_PORTS.grpc,
              targetPort: ENDPOINT_PICKER_PORTS.grpc,
              appProtocol: H2C_PROTOCOL,
            },
            {
              name: 'http-metrics',
              protocol: 'TCP',
              port: ENDPOINT_PICKER_PORTS.metrics,
              targetPort: ENDPOINT_PICKER_PORTS.metrics,
            },
          ],
        },
      }),
    ),
  };
}

function pickerPod(parts: PickerParts, config: string): PodTemplate {
  const { pool, labels, props, terminationGracePeriodSeconds } = parts;
  const { podSecurityLevel: level = 'baseline', imagePullSecrets = [] } = props;
  const grpc = (service: string): k8s.GrpcAction => ({ port: ENDPOINT_PICKER_PORTS.health, service });
  const several = (props.replicas ?? 1) > 1;
  const { alone, liveness, readiness } = ENDPOINT_PICKER_HEALTH;
  const port = (name: string, containerPort: number): k8s.ContainerPort => ({
    name,
    containerPort,
    protocol: 'TCP',
  });
  const field = (name: string, fieldPath: string): k8s.EnvVar => ({
    name,
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
  });
  return podTemplate({
    container: {
      name: 'epp',
      image: props.image ?? ENDPOINT_PICKER_IMAGE,
      args: argsOf(parts, several),
      ports: [
        port('grpc', ENDPOINT_PICKER_PORTS.grpc),
        port('grpc-health', ENDPOINT_PICKER_PORTS.health),
        port('metrics', ENDPOINT_PICKER_PORTS.metrics),
      ],
      livenessProbe: { grpc: grpc(several ? liveness : alone), initialDelaySeconds: 5, periodSeconds: 10 },
      readinessProbe: { grpc: grpc(several ? readiness : alone), periodSeconds: 2 },
      env: [field('NAMESPACE', 'metadata.namespace'), field('POD_NAME', 'metadata.name')],
      volumeMounts: [{ name: 'plugins-config-volume', mountPath: CONFIG_FOLDER, readOnly: true }],
      ...containerSecurity(level),
    },
    facts: [{ labels: pickerSelector(pool) }],
    defaults: [
      // The picker reads its configuration only when it starts.
      {
        labels,
        annotations: { [CONFIG_CHECKSUM_ANNOTATION]: createHash('sha256').update(config).digest('hex') },
      },
      podSecurity(level, true),
      { resources: DEFAULT_RESOURCES, pod: { terminationGracePeriodSeconds } },
    ],
    given: [
      {
        ...(props.resources && { resources: props.resources }),
        volumes: [{ name: 'plugins-config-volume', configMap: { name: pickerName(pool) } }],
        pod: {
          serviceAccountName: pickerName(pool),
          ...(imagePullSecrets.length > 0 && {
            imagePullSecrets: imagePullSecrets.map((one) => ({ name: nameOf(one) })),
          }),
        },
      },
      ...(props.fragments ?? []),
    ],
  });
}

const argsOf = ({ pool, namespace }: PickerParts, several: boolean): string[] => [
  ...['--pool-name', pool],
  ...['--pool-namespace', namespace],
  ...['--pool-group', INFERENCE_POOL_GROUP],
  ...['--zap-encoder', 'json'],
  ...['--config-file', `${CONFIG_FOLDER}/${CONFIG_FILE}`],
  ...(several ? ['--ha-enable-leader-election'] : []),
  ...['--grpc-health-port', String(ENDPOINT_PICKER_PORTS.health)],
  '--v=2',
  '--tracing=false',
];

const READ = ['get', 'watch', 'list'];

/** Grants the picker access to its pool, the objects that refer to the pool, pods, and, with several pickers, the leader election. */
function placeRights(scope: Construct, { pool, namespace, labels, props }: PickerParts): void {
  const name = pickerName(pool);
  const subjects: readonly ServiceAccountSubject[] = [{ name, namespace }];
  const inNamespace = { namespace, labels, subjects };
  const ofPool = ['inferenceobjectives', 'inferencemodelrewrites'];
  grant(scope, 'PickerPool', {
    ...inNamespace,
    name: `${name}-non-sa`,
    rules: [
      { apiGroups: [EXPERIMENTAL_INFERENCE_GROUP], resources: ofPool, verbs: READ },
      { apiGroups: [LLM_D_GROUP], resources: ofPool, verbs: READ },
      { apiGroups: [INFERENCE_POOL_GROUP], resources: ['inferencepools'], verbs: READ },
    ],
  });
  grant(scope, 'PickerPods', {
    ...inNamespace,
    name: `${name}-sa`,
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: READ }],
  });
  if ((props.replicas ?? 1) > 1)
    grant(scope, 'PickerElection', {
      ...inNamespace,
      name: `${name}-leader-election`,
      rules: [
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: [...READ, 'create', 'update', 'patch', 'delete'],
        },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      ],
    });
  // The picker asks the API server whether a client can read its metrics.
  grant(scope, 'PickerMetrics', {
    name: `${namespace}-${name}`,
    namespace: undefined,
    labels,
    subjects,
    rules: [
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ],
  });
}
