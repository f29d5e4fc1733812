import { type ApiObject } from 'cdk8s';
import { type NetworkPolicyPeer } from 'cdk8s-plus-29/lib/imports/k8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../../synth/at-synth';
import { type Capacity, capacityProblem } from '../../pod/capacity';
import { drain, drainProblem } from '../../pod/drain';
import { type PodFragment } from '../../pod/fragment';
import { checkHost, hostResources } from '../../pod/host-resources';
import { modelSizeProblem } from '../../pod/model-fit';
import { bucketName, dnsSubdomain, image, integer, nearestLabel, quoted } from '../../problems/validators';
import { podSecurity } from '../../pod/security';
import { httpProbes } from '../../pod/startup';
import { overNodePools } from '../../pod/spread';
import { podTemplate } from '../../pod/template';
import { TPU_VM_PORT, tpuMetricsPort, tpuResources } from '../../pod/tpu';
import { Problems } from '../../problems/problems';
import { type TpuGeneration } from '../../tpu/generations';
import { requireSlice, type TpuSlice } from '../../tpu/slice';
import { jobSet, jobSetName } from '../../workload/job-set';
import { recommendedLabels, serverLabels } from '../../workload/labels';
import { checkPeers, networkPolicy } from '../../workload/network-policy';
import { describeOperations } from '../../operations/operations';
import { placeServer, selectorOf, serviceTypeProblem, type ServiceType } from '../../workload/server';
import { abseilFlags, checkArgs } from '../flags';
import { IMAGES } from '../../facts/images';
import { saxOperations } from './operations';

/** Images of a Saxml cell's servers, each with a tag or digest. */
export interface SaxImages {
  /** The admin server. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-admin-server:v1.1.0' */
  readonly adminServer?: string;
  /** The model servers. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-model-server:v1.1.0' */
  readonly modelServer?: string;
  /** The HTTP server. @default 'us-docker.pkg.dev/cloud-tpu-images/inference/sax-http:v1.0.0' */
  readonly http?: string;
}

/** Properties of a Saxml cell. */
export interface SaxCellProps {
  /**
   * Name of the JobSet of model servers; the admin server bears `NAME-admin`, the HTTP server and its Service `NAME-http`.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /** The TPU slice of each model server; of one host or several. */
  readonly slice: TpuSlice;
  /** Model servers, each on a slice of its own; the `replicas` of a published model are at most as many. @default 1 */
  readonly replicas?: number;
  /** How the slices are bought. @default - on demand */
  readonly capacity?: Capacity;
  /**
   * Size of the weights of all models that one model server will hold, as a quantity like `350G`: the memory of all hosts of its slice
   * must hold them. Models are published later, so nothing else tells it.
   *
   * @default - not known, and not held against the slice
   */
  readonly modelSize?: string;
  /** Bucket of the cell's state, without `gs://`; its `sax-root` is where the servers find each other. */
  readonly bucketName: string;
  /**
   * ServiceAccount of the pods; it needs `roles/storage.admin` on the bucket. With `hostNetwork` the model servers act as their
   * nodes' service account instead, which then needs the role too.
   */
  readonly serviceAccountName: string;
  /** The cell, `--sax_cell`: models are published as `/sax/CELL/MODEL`. @default '/sax/test' */
  readonly saxCell?: string;
  /**
   * Saxml's name of the chip, `--platform_chip`. A name that it does not know passes for a chip with 8 GB of memory, without an error.
   *
   * @default - 'tpuv4' on v4, 'tpuv5e' on v5e; required elsewhere
   * @see https://github.com/google/saxml/blob/main/saxml/server/proto_util.py
   */
  readonly platformChip?: string;
  /** Further flags of the model servers, as `--flag=value`. @default - none */
  readonly args?: readonly string[];
  /**
   * Whether the model servers run privileged. GKE gives pods their chips without from 1.28 on, but nothing shows that the images of
   * 2023 open them so; `false` to try. The admin and HTTP servers have no chips and are never privileged.
   *
   * @default true
   */
  readonly privileged?: boolean;
  /**
   * Whether the model servers use their nodes' network. Several hosts of a slice are not known to run without; one host is. Pods on it
   * act as their nodes' service account, not as `serviceAccountName`.
   *
   * @default - true where the slice has several hosts, false where it has one
   * @see https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity#restrictions
   * @see https://github.com/GoogleCloudPlatform/ai-on-gke (saxml-on-gke/single-host-inference)
   */
  readonly hostNetwork?: boolean;
  /** How often a failed model server restarts all of them before the JobSet fails. @default 4 */
  readonly maxRestarts?: number;
  /** Who can reach the HTTP server; whoever can may publish and unpublish models. @default 'ClusterIP' */
  readonly serviceType?: ServiceType;
  /**
   * Peers that may send requests to the HTTP server; a NetworkPolicy then keeps all others away, but for probes.
   *
   * @default - no NetworkPolicy: whoever reaches the Service
   */
  readonly allowedClients?: readonly NetworkPolicyPeer[];
  /**
   * Seconds that requests which are being answered have left when a model server or the HTTP server is to end; at most 10 on spot, whose
   * nodes give pods 15.
   *
   * @default 30; 10 on spot
   */
  readonly drainSeconds?: number;
  /** PriorityClass of the model servers. @default - the cluster's default */
  readonly priorityClassName?: string;
  /** Images of the servers. @default - one release each, the tutorial's */
  readonly images?: SaxImages;
  /** What no prop covers, for the model servers. @default - none */
  readonly fragments?: readonly PodFragment[];
}

/** Where the images listen; only the model server can be told otherwise. */
const ADMIN_PORT = 10000;
const MODEL_PORT = 10001;
const HTTP_PORT = 8888;
/** It loads no model. */
const HTTP_STARTUP_SECONDS = 300;
const JOB_NAME = 'model-server';

/** The chips that Saxml knows by name: https://github.com/google/saxml/blob/main/saxml/server/proto_util.py */
const PLATFORM_CHIPS: Partial<Record<TpuGeneration, string>> = { v4: 'tpuv4', v5e: 'tpuv5e' };

/** Flags that props write; the prop of each. */
const FLAGS = abseilFlags({
  '--port': 'the server itself',
  '--sax_cell': 'saxCell',
  '--platform_chip': 'platformChip',
});

/**
 * A Saxml cell: an admin server, a JobSet of model servers, each on a TPU slice of one host or several, and an HTTP server with its
 * Service. Models are published, queried and unpublished over HTTP, at port 8888 of the Service.
 *
 * A slice of several hosts takes a node pool of its own. A JobSet cannot be changed: delete the old one before applying other props.
 *
 * @throws InvalidInputError listing every prop that is malformed, does not fit the slice or makes a name too long
 * @see https://cloud.google.com/kubernetes-engine/docs/deprecations/tpu-multihost-saxml
 */
export class SaxCell extends Construct {
  /** The Deployment of the admin server. */
  readonly adminDeployment: ApiObject;
  /** The JobSet of model servers. */
  readonly jobSet: ApiObject;
  /** The Deployment of the HTTP server. */
  readonly httpDeployment: ApiObject;
  /** The Service of the HTTP server; requests go to its port 8888. */
  readonly httpService: ApiObject;
  /** Keeps others than `allowedClients` from the HTTP server; only with them. */
  readonly networkPolicy: ApiObject | undefined;
  /** Where the cell's servers find each other: `gs://BUCKET/sax-root`. */
  readonly saxRoot: string;

  constructor(scope: Construct, id: string, props: SaxCellProps) {
    super(scope, id);
    checkAtSynth(this);
    requireSlice(props.slice, this.node.path);
    const { slice, serviceAccountName } = props;
    const { privileged = true, hostNetwork = slice.multiHost } = props;
    const saxCell = props.saxCell ?? '/sax/test';
    const platformChip = props.platformChip ?? PLATFORM_CHIPS[slice.generation];
    const problems = new Problems();
    const given = { name: props.name ?? id, jobName: JOB_NAME, slice, replicas: props.replicas ?? 1 };
    const set = {
      ...given,
      name: problems.sound(given.name, jobSetName('name', given), nearestLabel(given.name)),
    };
    checkProps(props, set.replicas, saxCell, platformChip, problems);

    const saxRoot = { name: 'SAX_ROOT', value: `gs://${props.bucketName}/sax-root` };
    const labels = { ...selectorOf(set.name), ...serverLabels('saxml', set.name) };
    const modelServer = problems.attempt(() =>
      podTemplate(
        {
          name: JOB_NAME,
          image: props.images?.modelServer ?? IMAGES.saxModelServer,
          args: [
            `--port=${String(MODEL_PORT)}`,
            `--sax_cell=${saxCell}`,
            `--platform_chip=${platformChip ?? ''}`,
            ...(props.args ?? []),
          ],
          // Without a value: GKE sets it where slices train together, and these serve apart.
          env: [saxRoot, { name: 'MEGASCALE_NUM_SLICES' }],
          ports: [MODEL_PORT, TPU_VM_PORT].map((containerPort) => ({ containerPort, protocol: 'TCP' })),
        },
        [],
        [
          { labels },
          {
            pod: {
              serviceAccountName,
              priorityClassName: props.priorityClassName,
              restartPolicy: 'OnFailure',
              ...(hostNetwork && { hostNetwork, dnsPolicy: 'ClusterFirstWithHostNet' }),
            },
          },
          tpuResources(slice, props.capacity),
          hostResources(slice),
          podSecurity(privileged ? 'privileged' : 'baseline'),
          ...(props.capacity ? [props.capacity] : []),
          drain(props),
          ...(set.replicas > 1 && !slice.multiHost ? [overNodePools(selectorOf(set.name))] : []),
          ...(hostNetwork ? [] : [tpuMetricsPort()]),
          ...(props.fragments ?? []),
        ],
      ),
    );
    if (modelServer) checkHost(slice, modelServer, problems);

    this.saxRoot = saxRoot.value;
    this.jobSet = jobSet(this, 'Resource', {
      ...set,
      labels,
      maxRestarts: props.maxRestarts ?? 4,
      template: problems.settle(modelServer, this.node.path),
    });

    const account: PodFragment = { pod: { serviceAccountName } };
    // No probe: nothing asks it through a Service, and no health path of it is documented.
    const admin = namesOf(set.name, 'admin');
    this.adminDeployment = placeServer(new Construct(this, 'Admin'), {
      ...admin,
      replicas: 1,
      template: podTemplate(
        {
          name: 'admin-server',
          image: props.images?.adminServer ?? IMAGES.saxAdminServer,
          env: [
            { name: 'GSBUCKET', value: props.bucketName },
            { name: 'SAX_CELL', value: saxCell },
          ],
          ports: [{ containerPort: ADMIN_PORT, protocol: 'TCP' }],
        },
        [],
        [{ labels: admin.labels }, account, podSecurity('baseline')],
      ),
    }).deployment;

    const http = namesOf(set.name, 'http');
    const placed = placeServer(new Construct(this, 'Http'), {
      ...http,
      replicas: 1,
      template: podTemplate(
        {
          name: 'http',
          image: props.images?.http ?? IMAGES.saxHttp,
          env: [saxRoot],
          ports: [{ name: 'http', containerPort: HTTP_PORT, protocol: 'TCP' }],
        },
        [],
        [
          { labels: http.labels },
          account,
          podSecurity('baseline'),
          drain({ drainSeconds: props.drainSeconds }),
          // https://github.com/GoogleCloudPlatform/ai-on-gke (saxml-on-gke/httpserver): GET / greets
          httpProbes(HTTP_PORT, '/', HTTP_STARTUP_SECONDS),
        ],
      ),
      service: { type: props.serviceType ?? 'ClusterIP', port: { name: 'http', port: HTTP_PORT } },
    });
    this.httpDeployment = placed.deployment;
    this.httpService = placed.service;
    this.networkPolicy =
      props.allowedClients &&
      networkPolicy(this, 'NetworkPolicy', {
        ...http,
        port: HTTP_PORT,
        clients: props.allowedClients,
        metricsPort: undefined,
      });
    describeOperations(this, saxOperations(this, props, { port: HTTP_PORT, saxCell, hostNetwork }));
  }
}

/** Name, selector and labels of a server beside the model servers. */
function namesOf(
  instance: string,
  role: string,
): { name: string; selector: Record<string, string>; labels: Record<string, string> } {
  const name = `${instance}-${role}`;
  const selector = selectorOf(name);
  return { name, selector, labels: { ...selector, ...recommendedLabels('saxml', instance, role) } };
}

function checkProps(
  props: SaxCellProps,
  replicas: number,
  saxCell: string,
  platformChip: string | undefined,
  problems: Problems,
): void {
  const { slice } = props;
  problems.add(
    integer('replicas', replicas, 1),
    bucketName('bucketName', props.bucketName),
    dnsSubdomain('serviceAccountName', props.serviceAccountName),
    serviceTypeProblem(props.serviceType),
    props.maxRestarts === undefined ? undefined : integer('maxRestarts', props.maxRestarts, 0),
    capacityProblem(props.capacity, slice),
    modelSizeProblem(slice, props.modelSize),
    drainProblem(props.drainSeconds, props.capacity),
    props.priorityClassName === undefined
      ? undefined
      : dnsSubdomain('priorityClassName', props.priorityClassName),
    ...Object.entries(props.images ?? {}).map(([key, value]) => image(`images ${key}`, String(value))),
  );
  checkPeers('allowedClients', props.allowedClients, problems);
  // https://github.com/google/saxml/blob/main/saxml/common/naming.go
  problems.check(
    /^\/sax\/[a-z][a-z0-9_-]*$/.test(saxCell),
    () =>
      `saxCell ${quoted(saxCell)} is not a cell, expected '/sax/' and a name of lower-case letters, digits, '-' and '_', first a letter; nearest: '/sax/${nameIn(saxCell)}'`,
  );
  problems.check(
    platformChip !== undefined,
    `platformChip is missing, expected Saxml's own name of the chip of slice '${slice.toString()}': only ${Object.entries(
      PLATFORM_CHIPS,
    )
      .map(([generation, chip]) => `'${chip}' (${generation})`)
      .join(' and ')} are known`,
  );
  problems.check(
    platformChip === undefined || /^[a-z0-9]+$/.test(platformChip),
    `platformChip ${quoted(platformChip)} is not a chip's name, expected lower-case letters and digits like 'tpuv5e'`,
  );
  checkArgs(props, FLAGS, problems);
}

/** The last part of a path, as near to a cell's name as possible. */
const nameIn = (path: string): string =>
  (path.split('/').filter(Boolean).at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '') || 'test';
