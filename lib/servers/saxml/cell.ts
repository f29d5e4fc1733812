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

/** The HTTP server loads no model. */
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
 * A Saxml cell: an admin server, model servers, each on a TPU slice of one host or several, and an HTTP server with its Service. Models
 * are published, queried and unpublished over HTTP, at port 8888 of the Service.
 *
 * On slices of one host, the model servers are a Deployment. On slices of several hosts they are a JobSet. Each of those slices needs a node
 * pool of its own, and a JobSet cannot be changed: delete it before you apply other props.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing, not valid or contradicts another one
 * @see https://cloud.google.com/kubernetes-engine/docs/deprecations/tpu-multihost-saxml
 */
export class SaxCell extends Construct {
  /** The Deployment of the admin server. */
  readonly adminDeployment: ApiObject;
  /** The model servers: a JobSet, or a Deployment if their slices have one host. */
  readonly workload: ApiObject;
  /** Limits how many model servers drains evict; only with several on slices of one host, or with `disruptionBudget`. */
  readonly podDisruptionBudget: ApiObject | undefined;
  /** The Deployment of the HTTP server. */
  readonly httpDeployment: ApiObject;
  /** The Service of the HTTP server, for requests at port 8888. */
  readonly httpService: ApiObject;
  /** Admits only `allowedClients` to the HTTP server; undefined without them. */
  readonly networkPolicy: ApiObject | undefined;
  /** Admits only servers of the cell to the admin and model servers; undefined without `allowedClients`. */
  readonly cellNetworkPolicy: ApiObject | undefined;
  /** Folder in which the servers of the cell find each other: `gs://BUCKET/sax-root`. */
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

/** Places the model servers: a Deployment on slices of one host, a JobSet on slices of several. */
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

/** Makes the pods of a cell. Records everything that is wrong with them. */
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
        // In a JobSet, MEGASCALE_NUM_SLICES has no value: GKE sets it for slices that train together, and these serve separately.
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

/** Labels of a server beside the model servers. */
const ownLabels = (cell: Cell, role: string): Record<string, string> => ({
  ...selectorOf(nameFor(cell, role)),
  ...recommendedLabels('saxml', cell.name, role),
});

/** Name, selector and labels of a server beside the model servers. */
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

/** The words that hold for all pods of a cell. */
const commonFragments = ({
  props: { labels, annotations, serviceAccountName, imagePullSecrets },
}: Cell): ReturnType<typeof givenFragments> =>
  givenFragments({ labels, annotations, serviceAccountName, imagePullSecrets });

/** The pod of the admin server. It has no probe: no Service sends requests to it, and no health path is documented. */
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

/** The pod of the HTTP server. */
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
      // The HTTP server runs on an ordinary node, also if the slices are spot.
      gracefulShutdown({ ...(preStopSeconds !== undefined && { preStopSeconds }) }).defaults,
      // https://github.com/GoogleCloudPlatform/ai-on-gke (saxml-on-gke/httpserver): GET / greets
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

/** Refuses connections to the admin and model servers, except from servers of the cell. */
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
