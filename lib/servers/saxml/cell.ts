import { type ApiObject } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { IMAGES } from '../../facts/images';
import { SAX_HTTP_PORT, SAX_MODEL_PORT, TPU_VM_PORT } from '../../facts/ports';
import { describeOperations } from '../../operations/operations';
import { checkHost, hostResources } from '../../pod/host-resources';
import { containerSecurity, podSecurity } from '../../pod/security';
import { gracefulShutdown } from '../../pod/shutdown';
import { overNodePools } from '../../pod/spread';
import { httpProbes } from '../../pod/startup';
import { type PodTemplate, podTemplate } from '../../pod/template';
import { tpuMetricsPort, tpuResources } from '../../pod/tpu';
import { nearestLabel } from '../../problems/grammar';
import { Problems } from '../../problems/problems';
import { read } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { restartPolicyProblem } from '../../workload/indexed-job';
import { jobSet } from '../../workload/job-set';
import { recommendedLabels, serverLabels } from '../../workload/labels';
import { withName } from '../../workload/named';
import { tcp } from '../../workload/network-policy';
import { object } from '../../workload/objects';
import { givenFragments, givenSidecars, objectMetadata } from '../../workload/pod-words';
import { placeServer, selectorOf, type ServerObjects } from '../../workload/server';
import { saxOperations } from './operations';
import { platformChipOf, SAX_CELL, SAX_JOB_NAME, type SaxCellProps, usesHostNetwork } from './props';

/** Port of the admin server: https://github.com/GoogleCloudPlatform/kubernetes-engine-samples/tree/main/ai-ml/llm-multihost-tpus-saxml */
const ADMIN_PORT = 10000;
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
 * A Saxml cell: an admin server, a JobSet of model servers, each on a TPU slice of one host or several, and an HTTP server with its
 * Service. Models are published, queried and unpublished over HTTP, at port 8888 of the Service.
 *
 * Each slice of several hosts needs a node pool of its own. A JobSet cannot be changed: delete it before you apply other props.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing, not valid or contradicts another one
 * @see https://cloud.google.com/kubernetes-engine/docs/deprecations/tpu-multihost-saxml
 */
export class SaxCell extends Construct {
  /** The Deployment of the admin server. */
  readonly adminDeployment: ApiObject;
  /** The JobSet of model servers. */
  readonly jobSet: ApiObject;
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
    const problems = new Problems();
    const given = read(SAX_CELL, withName(props, id), problems);
    const template = given && problems.attempt(() => modelServer(cellOf(given, id)));
    const pods = problems.settle(template, this.node.path);
    const cell = cellOf(problems.settle(given), id);
    const {
      name,
      saxRoot,
      props: { maxRestarts },
    } = cell;

    this.saxRoot = saxRoot;
    this.jobSet = jobSet(this, 'Resource', {
      metadata: { name, ...objectMetadata(cell.props, labelsOf(name)) },
      jobName: SAX_JOB_NAME,
      slice: cell.props.slice,
      replicas: cell.props.replicas ?? 1,
      restarts: maxRestarts === undefined ? 'forever' : { max: maxRestarts, ignoreDisruptions: false },
      template: pods,
    });
    this.adminDeployment = placeAdmin(new Construct(this, 'Admin'), cell);
    const http = placeHttp(new Construct(this, 'Http'), cell);
    this.httpDeployment = http.workload;
    this.httpService = http.service;
    this.networkPolicy = http.networkPolicy;
    this.cellNetworkPolicy = placePolicy(this, cell);
    describeOperations(
      this,
      saxOperations(this, cell.props, {
        port: SAX_HTTP_PORT,
        saxCell: cell.saxCell,
        hostNetwork: usesHostNetwork(cell.props),
      }),
    );
  }
}

const cellOf = (props: SaxCellProps, id: string): Cell => ({
  name: props.name ?? nearestLabel(id),
  props,
  saxCell: props.saxCell ?? DEFAULT_CELL,
  saxRoot: `gs://${props.bucketName}/sax-root`,
});

const labelsOf = (name: string): Record<string, string> => ({
  ...selectorOf(name),
  ...serverLabels('saxml', name),
});

// ---- model servers ------------------------------------------------------------------------------------------------

/** The pod of one host of a model server. */
function modelServer({ name, props, saxCell, saxRoot }: Cell): PodTemplate {
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
        // MEGASCALE_NUM_SLICES has no value: GKE sets it for slices that train together, and these serve separately.
        env: [{ name: 'SAX_ROOT', value: saxRoot }, { name: 'MEGASCALE_NUM_SLICES' }],
        ports: [SAX_MODEL_PORT, TPU_VM_PORT].map((containerPort) => ({ containerPort, protocol: 'TCP' })),
      },
      sidecars: givenSidecars(props, { ...shutdown.hook, ...containerSecurity(podSecurityLevel) }),
      facts: [{ labels: selectorOf(name) }, tpuResources(slice, capacity)],
      defaults: [
        { labels: serverLabels('saxml', name) },
        {
          pod: {
            restartPolicy: 'OnFailure',
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
    problems.add(restartPolicyProblem(template));
    checkHost(slice, template, problems);
  }
  return problems.settle(template);
}

// ---- the other servers --------------------------------------------------------------------------------------------

/** Name, selector and labels of a server beside the model servers. */
function namesOf(
  { name: instance, props }: Cell,
  role: string,
): {
  readonly name: string;
  readonly selector: Record<string, string>;
  readonly own: Record<string, string>;
  readonly labels: Record<string, string>;
  readonly annotations?: Record<string, string>;
} {
  const name = `${instance}-${role}`;
  const selector = selectorOf(name);
  const own = { ...selector, ...recommendedLabels('saxml', instance, role) };
  return { name, selector, own, ...objectMetadata(props, own) };
}

/** The words that hold for all pods of a cell. */
const commonFragments = ({
  props: { labels, annotations, serviceAccountName, imagePullSecrets },
}: Cell): ReturnType<typeof givenFragments> =>
  givenFragments({ labels, annotations, serviceAccountName, imagePullSecrets });

/** Places the admin server. It has no probe: no Service sends requests to it, and no health path is documented. */
function placeAdmin(scope: Construct, cell: Cell): ApiObject {
  const { own, selector, ...admin } = namesOf(cell, 'admin');
  const template = podTemplate({
    container: {
      name: 'admin-server',
      image: cell.props.images?.adminServer ?? IMAGES.saxAdminServer,
      env: [
        { name: 'GSBUCKET', value: cell.props.bucketName },
        { name: 'SAX_CELL', value: cell.saxCell },
      ],
      ports: [{ containerPort: ADMIN_PORT, protocol: 'TCP' }],
    },
    facts: [{ labels: selector }],
    defaults: [{ labels: own }, podSecurity('baseline')],
    given: commonFragments(cell),
  });
  return placeServer(scope, { ...admin, selector, template }).workload;
}

function placeHttp(scope: Construct, cell: Cell): ServerObjects & { readonly service: ApiObject } {
  const { own, selector, ...http } = namesOf(cell, 'http');
  const { images, preStopSeconds, serviceName, serviceType = 'ClusterIP', allowedClients } = cell.props;
  const port = { name: 'http', port: SAX_HTTP_PORT };
  const template = podTemplate({
    container: {
      name: 'http',
      image: images?.http ?? IMAGES.saxHttp,
      env: [{ name: 'SAX_ROOT', value: cell.saxRoot }],
      ports: [{ name: port.name, containerPort: port.port, protocol: 'TCP' }],
    },
    facts: [{ labels: selector }],
    defaults: [
      { labels: own },
      podSecurity('baseline'),
      // The HTTP server runs on an ordinary node, also if the slices are spot.
      gracefulShutdown({ ...(preStopSeconds !== undefined && { preStopSeconds }) }).defaults,
      // https://github.com/GoogleCloudPlatform/ai-on-gke (saxml-on-gke/httpserver): GET / greets
      httpProbes(SAX_HTTP_PORT, '/', HTTP_STARTUP_SECONDS),
    ],
    given: commonFragments(cell),
  });
  return placeServer(scope, {
    ...http,
    selector,
    template,
    service: { name: serviceName, type: serviceType, port },
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
    k8s.KubeNetworkPolicy.manifest({
      metadata: { name, ...objectMetadata(props, labelsOf(name)) },
      spec: {
        podSelector: pods('', '-admin'),
        policyTypes: ['Ingress'],
        ingress: [
          { from: [{ podSelector: pods('', '-admin', '-http') }] },
          ...(props.nodePeers ? [{ from: [...props.nodePeers], ports: tcp(ADMIN_PORT) }] : []),
        ],
      },
    }),
  );
}
