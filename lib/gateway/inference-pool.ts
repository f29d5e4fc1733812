import { type ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type InferencePoolProps as PoolProps } from '../../imports/inference.networking.k8s.io';
import { type InferenceModelRewriteProps, type InferenceObjectiveProps } from '../../imports/llm-d.ai';
import { type GcpBackendPolicyProps, type HealthCheckPolicyProps } from '../../imports/networking.gke.io';
import {
  ENDPOINT_PICKER_PORTS,
  GKE_NETWORKING_GROUP,
  INFERENCE_POOL_GROUP,
  LLM_D_GROUP,
} from '../facts/gateway';
import { APP_COMPONENT_LABEL, APP_NAME_LABEL, INFERENCE_SERVER_LABEL } from '../facts/labels';
import { METRICS_PATH } from '../facts/metrics';
import { describeOperations } from '../operations/operations';
import { brand } from '../problems/brand';
import { type Problem } from '../problems/problems';
import { nameOf, readNamed, type Schema } from '../problems/schema';
import { checkAtSynth } from '../synth/at-synth';
import { custom } from '../workload/custom';
import { recommendedLabels } from '../workload/labels';
import { placePoolScaler, poolScalingProblems } from './autoscaling';
import { poolDetails } from './details';
import { type Member, memberOf, memberProblems, sharedLabels } from './members';
import { placePickerMonitoring } from './monitoring';
import { placePolicies } from './network';
import { poolOperations } from './operations';
import { pickerName, placePicker } from './picker';
import { type EndpointPickerProps, INFERENCE_POOL, type InferencePoolProps } from './props';

/** Default timeout of requests, in seconds; the load balancer's own default is 30. */
const REQUEST_TIMEOUT_SECONDS = 3600;
const CHECK_SECONDS = 2;

/** Kubernetes' default namespace. */
const DEFAULT_NAMESPACE = 'default';

/** How to give the servers of a pool a common label. */
const OWN_LABEL = 'labels: { pool: … } with the same value on each server';

const withMembers: Schema<InferencePoolProps> = { ...INFERENCE_POOL, rules: [poolProblems] };

function* poolProblems(props: InferencePoolProps): Iterable<Problem | undefined> {
  const members = props.servers.map(memberOf);
  yield* memberProblems(members, nameOf(props.namespace ?? DEFAULT_NAMESPACE));
  yield* poolScalingProblems(props);
  if (members.some(({ name }) => name === props.name))
    yield {
      path: 'name',
      value: props.name,
      problem: 'is the name of a server, whose PodMonitoring has the same name',
      use: `another name, for example '${String(props.name)}-pool'`,
    };
  if (members.length > 1 && !areTheirOwn(sharedLabels(members)))
    yield {
      path: 'servers',
      problem: 'share no label that distinguishes them from other servers',
      use: OWN_LABEL,
    };
  const closed = props.servers.findIndex(
    (server) => (server as { networkPolicy?: unknown }).networkPolicy !== undefined,
  );
  if (closed >= 0 && props.proxyOnlySubnet === undefined)
    yield {
      path: 'proxyOnlySubnet',
      problem: `required, because '${String(members[closed]?.name)}' admits only its allowedClients`,
      use: 'the range of the proxy-only subnet',
    };
}

/** Labels that all servers with the same software have, so they do not distinguish pools. */
const COMMON_LABELS: readonly string[] = [APP_NAME_LABEL, APP_COMPONENT_LABEL, INFERENCE_SERVER_LABEL];

const areTheirOwn = (labels: Readonly<Record<string, string>>): boolean =>
  Object.keys(labels).some((label) => !COMMON_LABELS.includes(label));

/**
 * A pool of servers of one model behind an inference gateway: an InferencePool, its endpoint picker, which knows the queue and the KV cache
 * of each replica, the load balancer's health check and timeout, and the collection of the picker's metrics.
 *
 * For a single replica, the Service of the server is enough.
 *
 * @throws InvalidInputError listing every invalid prop, and servers in another namespace, or with another port or model
 * @see https://cloud.google.com/kubernetes-engine/docs/concepts/about-gke-inference-gateway
 */
export class InferencePool extends Construct {
  /** The InferencePool. */
  readonly pool: ApiObject;
  /** The Deployment of the endpoint picker. */
  readonly endpointPicker: ApiObject;
  /** Sets timeout and logging of the load balancer. */
  readonly backendPolicy: ApiObject;
  /** Configures the health check of the load balancer. */
  readonly healthCheckPolicy: ApiObject;
  /** Collects the picker's metrics; undefined with `monitoring: false`. */
  readonly podMonitoring: ApiObject | undefined;
  /** Scales the replicas; undefined without `autoscaling`, or if KEDA scales them. */
  readonly horizontalPodAutoscaler: ApiObject | undefined;
  /** Lets KEDA scale the replicas; undefined unless `autoscaling.scaler` is KEDA. */
  readonly scaledObject: ApiObject | undefined;
  /** Name of the pool. */
  readonly poolName: string;
  /** Namespace of the pool. */
  readonly namespace: string;
  /** Name of the model in requests; undefined if the servers do not state it. */
  readonly model: string | undefined;

  constructor(scope: Construct, id: string, props: InferencePoolProps) {
    super(scope, id);
    checkAtSynth(this);
    const ofChart = Chart.of(this).namespace;
    const valid = readNamed(
      withMembers,
      props,
      this.node,
      ofChart === undefined ? {} : { namespace: ofChart },
    );
    const { name, namespace = DEFAULT_NAMESPACE, endpointPicker = {}, monitoring } = valid;
    const members = valid.servers.map(memberOf);
    const [first] = members;
    this.poolName = name;
    this.namespace = nameOf(namespace);
    this.model = first?.model;
    const labels = { ...recommendedLabels('inference-pool', name, 'gateway'), ...valid.labels };
    const metadata = { name, namespace: this.namespace, labels };
    const selector = sharedLabels(members);
    const port = first?.port ?? 0;

    const picker = placePicker(this, {
      pool: name,
      namespace: this.namespace,
      labels,
      metricsPath: METRICS_PATH,
      terminationGracePeriodSeconds: Math.max(...members.map((one) => one.terminationGracePeriodSeconds)),
      props: withQueue(valid, endpointPicker),
    });
    this.endpointPicker = picker.deployment;
    this.pool = placePool(this, valid, { metadata, selector, port });
    this.backendPolicy = placeBackendPolicy(this, valid, metadata);
    this.healthCheckPolicy = placeHealthCheck(this, valid, {
      metadata,
      port,
      path: first?.healthPath ?? '/',
    });
    this.podMonitoring =
      monitoring === false
        ? undefined
        : placePickerMonitoring(this, {
            pool: name,
            namespace: this.namespace,
            labels,
            interval: monitoring?.interval,
          });
    const scaler = placePoolScaler(this, metadata, valid);
    this.horizontalPodAutoscaler = scaler.horizontalPodAutoscaler;
    this.scaledObject = scaler.scaledObject;
    placeModels(this, valid, metadata);
    if (valid.proxyOnlySubnet !== undefined)
      placePolicies(this, {
        metadata,
        selector,
        port,
        proxyOnlySubnet: valid.proxyOnlySubnet,
        monitored: monitoring !== false,
      });
    describePool(this, valid, members);
  }
}

/** Registers the details of a pool for gateways and its steps for runbooks. */
function describePool(of: InferencePool, props: InferencePoolProps, members: readonly Member[]): void {
  const { poolName: name, namespace, pool, endpointPicker: picker } = of;
  poolDetails.attach(of, {
    proxyOnlySubnet: props.proxyOnlySubnet,
    apiKey: members.find(({ apiKey }) => apiKey !== undefined)?.apiKey,
  });
  describeOperations(of, poolOperations({ name, namespace, props, pool, picker, members }));
}

brand(InferencePool, 'InferencePool');

/** Returns the picker's props. If the pool can scale to zero, flow control holds requests back as long as their time-out. */
const withQueue = (
  { autoscaling, requestTimeoutSeconds = REQUEST_TIMEOUT_SECONDS }: InferencePoolProps,
  picker: EndpointPickerProps,
): EndpointPickerProps =>
  autoscaling?.minReplicas === 0
    ? { ...picker, flowControl: { requestTtlSeconds: requestTimeoutSeconds, ...picker.flowControl } }
    : picker;

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
}

const placePool = (
  scope: Construct,
  { failureMode = 'FailOpen' }: InferencePoolProps,
  {
    metadata,
    selector,
    port,
  }: { metadata: Metadata; selector: Readonly<Record<string, string>>; port: number },
): ApiObject =>
  custom<PoolProps>(
    scope,
    'Resource',
    { apiVersion: `${INFERENCE_POOL_GROUP}/v1`, kind: 'InferencePool' },
    {
      metadata,
      spec: {
        selector: { matchLabels: selector },
        targetPorts: [{ number: port }],
        appProtocol: 'http',
        endpointPickerRef: {
          group: '',
          kind: 'Service',
          name: pickerName(metadata.name),
          port: { number: ENDPOINT_PICKER_PORTS.grpc },
          failureMode,
        },
      },
    },
  );

/** Returns the reference to the pool in a policy. */
const targetRef = (name: string): { group: string; kind: string; name: string } => ({
  group: INFERENCE_POOL_GROUP,
  kind: 'InferencePool',
  name,
});

const placeBackendPolicy = (
  scope: Construct,
  { requestTimeoutSeconds = REQUEST_TIMEOUT_SECONDS, logging = true }: InferencePoolProps,
  metadata: Metadata,
): ApiObject =>
  custom<GcpBackendPolicyProps>(
    scope,
    'BackendPolicy',
    { apiVersion: `${GKE_NETWORKING_GROUP}/v1`, kind: 'GCPBackendPolicy' },
    {
      metadata,
      spec: {
        targetRef: targetRef(metadata.name),
        default: { timeoutSec: requestTimeoutSeconds, logging: { enabled: logging } },
      },
    },
  );

const placeHealthCheck = (
  scope: Construct,
  { healthCheck: { checkIntervalSec = CHECK_SECONDS, timeoutSec = CHECK_SECONDS } = {} }: InferencePoolProps,
  { metadata, port, path }: { metadata: Metadata; port: number; path: string },
): ApiObject =>
  custom<HealthCheckPolicyProps>(
    scope,
    'HealthCheckPolicy',
    { apiVersion: `${GKE_NETWORKING_GROUP}/v1`, kind: 'HealthCheckPolicy' },
    {
      metadata,
      spec: {
        targetRef: targetRef(metadata.name),
        default: {
          checkIntervalSec,
          timeoutSec,
          config: {
            type: 'HTTP',
            httpHealthCheck: { portSpecification: 'USE_FIXED_PORT', port, requestPath: path },
          },
        },
      },
    },
  );

/** Renders aliases, LoRA adapters and priorities of a pool. */
function placeModels(
  scope: Construct,
  { modelRewrites, objectives = {} }: InferencePoolProps,
  metadata: Metadata,
): void {
  const poolRef = { group: INFERENCE_POOL_GROUP, kind: 'InferencePool', name: metadata.name };
  const apiVersion = `${LLM_D_GROUP}/v1alpha2`;
  if (modelRewrites && modelRewrites.length > 0)
    custom<InferenceModelRewriteProps>(
      scope,
      'ModelRewrite',
      { apiVersion, kind: 'InferenceModelRewrite' },
      {
        metadata,
        spec: {
          poolRef,
          rules: modelRewrites.map(({ model, targets }) => ({
            matches: [{ model: { type: 'Exact' as const, value: model } }],
            targets: targets.map((target) => ({
              modelRewrite: target.model,
              ...(target.weight !== undefined && { weight: target.weight }),
            })),
          })),
        },
      },
    );
  for (const [name, priority] of Object.entries(objectives))
    custom<InferenceObjectiveProps>(
      scope,
      `Objective-${name}`,
      { apiVersion, kind: 'InferenceObjective' },
      { metadata: { ...metadata, name }, spec: { poolRef, priority } },
    );
}
