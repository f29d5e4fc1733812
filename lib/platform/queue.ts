import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import {
  type AdmissionCheckProps,
  type ClusterQueueProps,
  type LocalQueueProps,
  type ProvisioningRequestConfigProps,
  type ResourceFlavorProps,
} from '../../imports/kueue.x-k8s.io';
import { CONTROLLERS } from '../facts/controllers';
import {
  KUEUE_GROUP,
  PROVISIONING_REQUEST_CONTROLLER,
  PROVISIONING_REQUEST_TAINT,
  QUEUED_PROVISIONING_CLASS,
  TPU_RESOURCE,
} from '../facts/labels';
import { describeOperations } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';
import { Capacity, capacityProblem } from '../pod/capacity';
import { sliceLabels, TPU_TOLERATION } from '../pod/tpu';
import { dnsLabel } from '../problems/grammar';
import { essential, integer, optional, readNamed, type Schema, string } from '../problems/schema';
import { sliceType, type TpuSlice } from '../tpu/slice';
import { checkAtSynth } from '../synth/at-synth';
import { recommendedLabels } from '../workload/labels';
import { clusterObject, object } from '../workload/objects';
import { KINDS } from '../facts/rendered';
import { manifest } from '../workload/plain';

/** Properties of a queue for a TPU slice. */
export interface TpuQueueProps {
  /**
   * Name of the five objects. Jobs refer to the LocalQueue; the names of the other objects are unique in the cluster.
   *
   * @default - the construct's id
   */
  readonly name?: string;
  /** The slice of each Job. */
  readonly slice: TpuSlice;
  /** Number of slices that Jobs can use at the same time; other Jobs wait. @default 1 */
  readonly slices?: number;
}

const PROPS: Schema<TpuQueueProps> = {
  properties: {
    name: optional(string(dnsLabel())),
    slice: essential(sliceType, "TpuSlice.of('ct6e-standard-8t')"),
    slices: optional(integer(1)),
  },
  rules: [
    function* ({ slice }) {
      yield capacityProblem(Capacity.flexStartQueued({ queue: 'any' }), slice, true);
    },
  ],
};

/**
 * The Kueue objects for Jobs on one kind of slice with queued flex-start capacity: a LocalQueue, to which Jobs refer, a ClusterQueue with a
 * quota for the chips of `slices`, a ResourceFlavor for the nodes, and an AdmissionCheck with a ProvisioningRequestConfig, which requests
 * all nodes of a Job at once. Kueue suspends new Jobs, and resumes them when their nodes exist.
 *
 * The LocalQueue is in the namespace of the chart. The other objects have no namespace.
 *
 * @throws InvalidInputError listing every invalid prop, and a slice that flex-start does not offer
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/provisioningrequest
 * @see https://kueue.sigs.k8s.io/docs/concepts/admission_check/provisioning_request/
 */
export class TpuQueue extends Construct {
  /** The LocalQueue. */
  readonly localQueue: ApiObject;
  /** The ClusterQueue with the quota. */
  readonly clusterQueue: ApiObject;
  /** The ResourceFlavor for the nodes of the slice. */
  readonly resourceFlavor: ApiObject;
  /** The AdmissionCheck that waits for the nodes. */
  readonly admissionCheck: ApiObject;
  /** The ProvisioningRequestConfig, which requests the nodes. */
  readonly provisioningRequestConfig: ApiObject;
  /** Name of the LocalQueue: the value of the Jobs' label `kueue.x-k8s.io/queue-name`. */
  readonly queueName: string;
  /** The slice of each Job. */
  readonly slice: TpuSlice;
  /** Number of chips that Jobs can use at the same time. */
  readonly chips: number;

  constructor(scope: Construct, id: string, props: TpuQueueProps) {
    super(scope, id);
    checkAtSynth(this);
    const { name, slice, slices = 1 } = readNamed(PROPS, props, this.node);
    this.queueName = name;
    this.slice = slice;
    this.chips = slice.chips * slices;

    const metadata = { name, labels: recommendedLabels('kueue', name, 'queue') };
    const add = (kind: string, manifest: unknown): ApiObject => clusterObject(this, kind, manifest);
    this.resourceFlavor = add('ResourceFlavor', flavorOf(slice, metadata));
    this.provisioningRequestConfig = add('ProvisioningRequestConfig', requestConfig(metadata));
    this.admissionCheck = add(
      'AdmissionCheck',
      manifest<AdmissionCheckProps>(KINDS.AdmissionCheck, {
        metadata,
        spec: {
          controllerName: PROVISIONING_REQUEST_CONTROLLER,
          parameters: { apiGroup: KUEUE_GROUP, kind: 'ProvisioningRequestConfig', name },
        },
      }),
    );
    this.clusterQueue = add('ClusterQueue', clusterQueueOf(slice, slices, metadata));
    this.localQueue = object(
      this,
      'Resource',
      manifest<LocalQueueProps>(KINDS.LocalQueue, { metadata, spec: { clusterQueue: name } }),
    );
    describeOperations(this, (kubectl) => ({
      controllers: [CONTROLLERS.kueue],
      steps: {
        verify: [
          {
            text: 'List the workloads in the queue. Their condition `QuotaReserved` becomes `True` first, then `Admitted`.',
            commands: [
              new ShellCommand(['kubectl', 'get', 'clusterqueue', name]),
              kubectl('get', 'workloads'),
              kubectl('get', 'provisioningrequests'),
            ],
          },
        ],
      },
    }));
  }
}

interface Metadata {
  readonly name: string;
  readonly labels: Record<string, string>;
}

/** Returns the ResourceFlavor for nodes with queued provisioning. */
function flavorOf(slice: TpuSlice, metadata: Metadata): unknown {
  const { nodeSelector, tolerations = [] } = Capacity.flexStartQueued({ queue: metadata.name });
  return manifest<ResourceFlavorProps>(KINDS.ResourceFlavor, {
    metadata,
    spec: {
      nodeLabels: { ...sliceLabels(slice), ...nodeSelector },
      // GKE adds the TPU toleration to pods, but the autoscaler matches nodes with the Job's template, which does not have it.
      tolerations: [TPU_TOLERATION, ...tolerations].map((toleration) => ({ ...toleration })),
    },
  });
}

const requestConfig = (metadata: Metadata): unknown =>
  manifest<ProvisioningRequestConfigProps>(KINDS.ProvisioningRequestConfig, {
    metadata,
    spec: {
      provisioningClassName: QUEUED_PROVISIONING_CLASS,
      managedResources: [TPU_RESOURCE],
      // Keeps a Job on the nodes that were provisioned for it.
      podSetUpdates: {
        nodeSelector: [
          { key: PROVISIONING_REQUEST_TAINT, valueFromProvisioningClassDetail: 'ResizeRequestName' },
        ],
      },
    },
  });

function clusterQueueOf(slice: TpuSlice, slices: number, metadata: Metadata): unknown {
  const { name } = metadata;
  const quotas: Record<string, string> = { [TPU_RESOURCE]: quota(slice.chips * slices) };
  for (const [resource, amount] of Object.entries(MORE_THAN_A_HOST))
    quotas[resource] = quota(amount * slice.hosts * slices);
  const resources = Object.entries(quotas).map(([resource, amount]) => ({
    name: resource,
    nominalQuota: amount,
  }));
  return manifest<ClusterQueueProps>(KINDS.ClusterQueue, {
    metadata,
    spec: {
      namespaceSelector: {},
      resourceGroups: [{ coveredResources: Object.keys(quotas), flavors: [{ name, resources }] }],
      admissionChecksStrategy: { admissionChecks: [{ name }] },
    },
  });
}

/**
 * Only chips limit the queue, because a pod with chips has a host for itself. Kueue does not admit pods that request a resource without
 * quota, so the quotas of CPU (in cores), memory and disk (in bytes) are larger than any host.
 */
const MORE_THAN_A_HOST = { cpu: 1e3, memory: 1e13, 'ephemeral-storage': 1e14 };

/** Returns a number as the API server stores it: `8k`, not `8000`. */
const quota = (amount: number, suffixes = ['', 'k', 'M', 'G', 'T', 'P', 'E']): string => {
  const [suffix = '', ...larger] = suffixes;
  return amount % 1000 === 0 && larger.length > 0
    ? quota(amount / 1000, larger)
    : `${String(amount)}${suffix}`;
};
