import { type ApiObject } from 'cdk8s';
import type * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { IMAGES } from '../../facts/images';
import { SAX_ADMIN_PORT, SAX_HTTP_PORT, SAX_MODEL_PORT, TPU_VM_PORT } from '../../facts/ports';
import { MEGASCALE_NUM_SLICES } from '../../facts/variables';
import { describeOperations } from '../../operations/operations';
import { checkHost, hostResources } from '../../pod/host-resources';
import { containerSecurity, podSecurity } from '../../pod/security';
import { gracefulShutdown } from '../../pod/shutdown';
import { overNodePools } from '../../pod/spread';
import { httpProbes } from '../../pod/startup';
import { type PodTemplate, podTemplate } from '../../pod/template';
import { tpuMetricsPort, tpuResources } from '../../pod/tpu';
import { Problems } from '../../problems/problems';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { restartPolicyProblem } from '../../workload/indexed-job';
import { jobSet } from '../../workload/job-set';
import { recommendedLabels, serverLabels } from '../../workload/labels';
import { tcp } from '../../workload/network-policy';
import { object } from '../../workload/objects';
import { givenFragments, givenSidecars, objectMetadata } from '../../workload/pod-words';
import { checkLevel } from '../../workload/security-level';
import { placeServer, selectorOf, type ServerObjects, serverPolicyProblem } from '../../workload/server';
import { modelOfSize, stateModel } from '../../workload/stated-model';
import { saxOperations } from './operations';
import { platformChipOf, SAX_CELL, SAX_JOB_NAME, type SaxCellProps, usesHostNetwork } from './props';
import { KINDS } from '../../facts/rendered';
import { manifest } from '../../workload/plain';

/** Short, because the HTTP server does not load a model. */
const HTTP_STARTUP_SECONDS = 300;
const DEFAULT_CELL = '/sax/test';

/** A cell, derived from its props. */
interface Cell {
  readonly name: string;
  readonly props: SaxCellProps;
  readonly saxCell: string;
  readonly saxRoot: string;
}

/**
 * A Saxml cell: an admin server, model servers on TPU slices, and an HTTP server with a Service. Clients publish, query and unpublish
 * models over HTTP, through port 8888 of the Service.
 *
 * The model servers are a Deployment on single-host slices and a JobSet on multi-host slices. Each multi-host slice needs its own node
 * pool. A JobSet cannot be changed: delete it before you apply other props.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing or invalid, or contradicts another prop
 * @see https://cloud.google.com/kubernetes-engine/docs/deprecations/tpu-multihost-saxml
 */
export class SaxCell extends Construct {
  /** The Deployment of the admin server. */
  readonly adminDeployment: ApiObject;
  /** The model servers: a Deployment on single-host slices, a JobSet on multi-host slices. */
  readonly workload: ApiObject;
  /** Limits evictions of model servers by node drains; undefined on multi-host slices, and for one replica without `disruptionBudget`. */
  readonly podDisruptionBudget: ApiObject | undefined;
  /** The Deployment of the HTTP server. */
  readonly httpDeployment: ApiObject;
  /** The Service of the HTTP server; requests go to its port 8888. */
  readonly httpService: ApiObject;
  /** Admits only `allowedClients` to the HTTP server; undefined if the prop is not set. */
  readonly networkPolicy: ApiObject | undefined;
  /** Admits only servers of the cell to the admin and model servers; undefined if `allowedClients` is not set. */
  readonly cellNetworkPolicy: ApiObject | undefined;
  /** Folder through which the servers of the cell find each other: `gs://BUCKET/sax-root`. */
  readonly saxRoot: string;

  constructor(scope: Construct, id: string, props: SaxCellProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: pods } = readAndMake(SAX_CELL, props, this.node, (usable, problems) =>
      podsOf(cellOf(usable), problems),
    );
    const cell = cellOf(valid);

    this.saxRoot = cell.saxRoot;
    const placed = placeModelServers(this, cell, pods.modelServer);
    this.workload = placed.workload;
    stateModel(this.workload, modelOfSize(valid.modelSize));
    this.podDisruptionBudget = placed.podDisruptionBudget;
    this.adminDeployment = placeAdmin(new Construct(this, 'Admin'), cell, pods.admin);
    const http = placeHttp(new Construct(this, 'Http'), cell, pods.http);
    this.httpDeployment = http.workload;
    this.httpService = http.service;
    this.networkPolicy = http.networkPolicy;
    this.cellNetworkPolicy = placePolicy(this, cell);
    describeOperations(
      this,
      saxOperations(this, valid, {
        port: SAX_HTTP_PORT,
        saxCell: cell.saxCell,
        hostNetwork: usesHostNetwork(valid),
      }),
    );
  }
}

const cellOf = (props: SaxCellProps & Pick<Cell, 'name'>): Cell => ({
  name: props.name,
  props,
  saxCell: props.saxCell ?? DEFAULT_CELL,
  saxRoot: `gs://${props.bucketName}/sax-root`,
});

const labelsOf = (name: string): Record<string, string> => ({
  ...selectorOf(name),
  ...serverLabels('saxml', name),
});

/** Renders the model servers: a Deployment on single-host slices, a JobSet on multi-host slices. */
function placeModelServers(
  scope: Construct,
  { name, props }: Cell,
  template: PodTemplate,
): { readonly workload: ApiObject; readonly podDisruptionBudget?: ApiObject | undefined } {
  const { slice, replicas = 1, maxRestarts } = props;
  const metadata = { name, ...objectMetadata(props, labelsOf(name)) };
  if (!slice.multiHost) {
    const { rollout, disruptionBudget } = props;
    return placeServer(scope, {
      ...metadata,
      selector: selectorOf(name),
      template,
      replicas,
      rollout,
      disruptionBudget,
    });
  }
  return {
    workload: jobSet(scope, 'Resource', {
      metadata,
      jobName: SAX_JOB_NAME,
      slice,
      replicas,
      restarts: maxRestarts === undefined ? 'forever' : { max: maxRestarts, ignoreDisruptions: false },
      template,
    }),
  };
}

/** The pods of a cell. */
interface Pods {
  readonly modelServer: PodTemplate;
  readonly admin: PodTemplate;
  readonly http: PodTemplate;
}

/** Returns the pods of a cell, and records their problems. */
function podsOf(cell: Cell, problems: Problems): Pods | undefined {
  const modelServer = problems.attempt(() => modelServerPod(cell));
  const admin = problems.attempt(() => adminPod(cell));
  const http = problems.attempt(() => httpPod(cell));
  return modelServer && admin && http && { modelServer, admin, http };
}

// ---- model servers ------------------------------------------------------------------------------------------------

/** The pod of one host of a model server. */
function modelServerPod({ name, props, saxCell, saxRoot }: Cell): PodTemplate {
  const { slice, capacity, replicas = 1, podSecurityLevel = 'privileged', args = [] } = props;
  const hostNetwork = usesHostNetwork(props);
  const shutdown = gracefulShutdown(props);
  const problems = new Problems();
  const template = problems.attempt(() =>
    podTemplate({
      container: {
        name: SAX_JOB_NAME,
        image: props.images?.modelServer ?? IMAGES.saxModelServer,
        args: [
          `--port=${String(SAX_MODEL_PORT)}`,
          `--sax_cell=${saxCell}`,
          `--platform_chip=${platformChipOf(props) ?? ''}`,
          ...args,
        ],
        // In a JobSet, GKE sets MEGASCALE_NUM_SLICES for slices that train together. These slices serve separately, so it is empty.
        env: [
          { name: 'SAX_ROOT', value: saxRoot },
          ...(slice.multiHost ? [{ name: MEGASCALE_NUM_SLICES }] : []),
        ],
        ports: [SAX_MODEL_PORT, ...(slice.multiHost ? [TPU_VM_PORT] : [])].map((containerPort) => ({
          containerPort,
          protocol: 'TCP',
        })),
      },
      sidecars: givenSidecars(props, { ...shutdown.hook, ...containerSecurity(podSecurityLevel) }),
      facts: [{ labels: selectorOf(name) }, tpuResources(slice, capacity)],
      defaults: [
        { labels: serverLabels('saxml', name) },
        {
          pod: {
            restartPolicy: slice.multiHost ? 'OnFailure' : undefined,
            ...(hostNetwork && { hostNetwork, dnsPolicy: 'ClusterFirstWithHostNet' }),
          },
        },
        ...(hostNetwork ? [] : [tpuMetricsPort()]),
        hostResources(slice),
        podSecurity(podSecurityLevel),
        shutdown.defaults,
        ...(replicas > 1 && !slice.multiHost ? [overNodePools(selectorOf(name))] : []),
      ],
      given: [
        ...(capacity ? [capacity] : []),
        shutdown.given,
        ...givenFragments({ ...props, args: undefined }),
      ],
    }),
  );
  if (template) {
    problems.add(
      slice.multiHost ? restartPolicyProblem(template) : serverPolicyProblem(template, 'Deployment'),
    );
    checkHost(slice, template, problems);
    checkLevel(template, props.podSecurityLevel, problems);
  }
  return problems.settle(template);
}

// ---- the other servers --------------------------------------------------------------------------------------------

const nameFor = ({ name }: Cell, role: string): string => `${name}-${role}`;

/** Returns the labels of the admin or HTTP server. */
const ownLabels = (cell: Cell, role: string): Record<string, string> => ({
  ...selectorOf(nameFor(cell, role)),
  ...recommendedLabels('saxml', cell.name, role),
});

/** Returns name, selector, labels and annotations of the admin or HTTP server. */
function namesOf(
  cell: Cell,
  role: string,
): {
  readonly name: string;
  readonly selector: Record<string, string>;
  readonly labels: Record<string, string>;
  readonly annotations?: Record<string, string>;
} {
  const name = nameFor(cell, role);
  return { name, selector: selectorOf(name), ...objectMetadata(cell.props, ownLabels(cell, role)) };
}

/** Returns the fragments of props that apply to all pods of a cell. */
const commonFragments = ({
  props: { labels, annotations, serviceAccountName, imagePullSecrets },
}: Cell): ReturnType<typeof givenFragments> =>
  givenFragments({ labels, annotations, serviceAccountName, imagePullSecrets });

/** Returns the pod of the admin server, without probes: no Service sends requests to it, and its documentation has no health path. */
function adminPod(cell: Cell): PodTemplate {
  return podTemplate({
    container: {
      name: 'admin-server',
      image: cell.props.images?.adminServer ?? IMAGES.saxAdminServer,
      env: [
        { name: 'GSBUCKET', value: cell.props.bucketName },
        { name: 'SAX_CELL', value: cell.saxCell },
      ],
      ports: [{ containerPort: SAX_ADMIN_PORT, protocol: 'TCP' }],
    },
    facts: [{ labels: selectorOf(nameFor(cell, 'admin')) }],
    defaults: [{ labels: ownLabels(cell, 'admin') }, podSecurity('baseline')],
    given: [...commonFragments(cell), ...(cell.props.adminFragments ?? [])],
  });
}

function placeAdmin(scope: Construct, cell: Cell, template: PodTemplate): ApiObject {
  return placeServer(scope, { ...namesOf(cell, 'admin'), template }).workload;
}

const HTTP_PORT = { name: 'http', port: SAX_HTTP_PORT };

/** Returns the pod of the HTTP server. */
function httpPod(cell: Cell): PodTemplate {
  const { images, preStopSeconds } = cell.props;
  return podTemplate({
    container: {
      name: 'http',
      image: images?.http ?? IMAGES.saxHttp,
      env: [{ name: 'SAX_ROOT', value: cell.saxRoot }],
      ports: [{ name: HTTP_PORT.name, containerPort: HTTP_PORT.port, protocol: 'TCP' }],
    },
    facts: [{ labels: selectorOf(nameFor(cell, 'http')) }],
    defaults: [
      { labels: ownLabels(cell, 'http') },
      podSecurity('baseline'),
      // The HTTP server runs on a node without TPUs, so the limits of spot do not apply to it.
      gracefulShutdown({ ...(preStopSeconds !== undefined && { preStopSeconds }) }).defaults,
      // https://github.com/GoogleCloudPlatform/ai-on-gke (saxml-on-gke/httpserver): GET / returns a greeting
      httpProbes(SAX_HTTP_PORT, '/', HTTP_STARTUP_SECONDS),
    ],
    given: [...commonFragments(cell), ...(cell.props.httpFragments ?? [])],
  });
}

function placeHttp(
  scope: Construct,
  cell: Cell,
  template: PodTemplate,
): ServerObjects & { readonly service: ApiObject } {
  const { serviceName, serviceType = 'ClusterIP', allowedClients } = cell.props;
  return placeServer(scope, {
    ...namesOf(cell, 'http'),
    template,
    service: { name: serviceName, type: serviceType, port: HTTP_PORT },
    allowedClients,
  });
}

/** Rejects connections to the admin and model servers, except those from servers of the cell. */
function placePolicy(scope: Construct, { name, props }: Cell): ApiObject | undefined {
  if (props.allowedClients === undefined) return undefined;
  const pods = (...roles: readonly string[]): k8s.LabelSelector => ({
    matchExpressions: [{ key: 'app', operator: 'In', values: roles.map((role) => `${name}${role}`) }],
  });
  return object(
    scope,
    'NetworkPolicy',
    manifest<k8s.KubeNetworkPolicyProps>(KINDS.NetworkPolicy, {
      metadata: { name, ...objectMetadata(props, labelsOf(name)) },
      spec: {
        podSelector: pods('', '-admin'),
        policyTypes: ['Ingress'],
        ingress: [
          { from: [{ podSelector: pods('', '-admin', '-http') }] },
          ...(props.nodePeers ? [{ from: [...props.nodePeers], ports: tcp(SAX_ADMIN_PORT) }] : []),
        ],
      },
    }),
  );
}
