import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAtSynth } from '../synth/at-synth';
import {
  AdmissionCheck,
  ClusterQueue,
  ClusterQueueSpecResourceGroupsFlavorsResourcesNominalQuota as NominalQuota,
  LocalQueue,
  ProvisioningRequestConfig,
  ResourceFlavor,
} from '../../imports/kueue.x-k8s.io';
import { Capacity, capacityProblem, type QueueOfSlice } from '../pod/capacity';
import { dnsLabel, integer } from '../problems/validators';
import { TPU_RESOURCE as TPU } from '../facts/labels';
import { sliceLabels, TPU_TOLERATION } from '../pod/tpu';
import { Problems } from '../problems/problems';
import { type TpuSlice } from '../tpu/slice';
import { CONTROLLERS } from '../facts/controllers';
import { recommendedLabels } from '../workload/labels';
import { clusterObject, object } from '../workload/objects';
import { describeOperations } from '../operations/operations';
import { ShellCommand } from '../operations/shell-command';

/** Properties of a queue for a TPU slice. */
export interface TpuQueueProps {
  /** Name of the five objects; Jobs name the LocalQueue, and the cluster has one of each other kind of a name. @default - the construct's id */
  readonly name?: string;
  /** The slice of each Job. */
  readonly slice: TpuSlice;
  /** Slices that run at a time; further Jobs wait. @default 1 */
  readonly slices?: number;
}

/**
 * What Kueue needs to buy queued flex-start capacity for Jobs on one kind of slice: a ResourceFlavor of its nodes, a ClusterQueue with
 * a quota of as many chips as `slices` have, an AdmissionCheck with its ProvisioningRequestConfig, by which all nodes of a Job come
 * at once or not yet, and a LocalQueue, which the Jobs name. Kueue creates such Jobs suspended and lets them go when their nodes are there.
 *
 * The LocalQueue belongs to the namespace of the chart, the other objects to none.
 *
 * @throws InvalidInputError listing every prop that is malformed, and a slice that flex-start does not offer
 * @see https://cloud.google.com/kubernetes-engine/docs/how-to/provisioningrequest
 * @see https://kueue.sigs.k8s.io/docs/concepts/admission_check/provisioning_request/
 */
export class TpuQueue extends Construct implements QueueOfSlice {
  /** The LocalQueue. */
  readonly localQueue: ApiObject;
  /** The ClusterQueue with the quota. */
  readonly clusterQueue: ApiObject;
  /** The ResourceFlavor: the slice's nodes. */
  readonly resourceFlavor: ApiObject;
  /** The AdmissionCheck that waits for the nodes. */
  readonly admissionCheck: ApiObject;
  /** The ProvisioningRequestConfig that asks for them. */
  readonly provisioningRequestConfig: ApiObject;
  /** Name of the LocalQueue: what Jobs bear as `kueue.x-k8s.io/queue-name`. */
  readonly queueName: string;
  /** The slice of each Job. */
  readonly slice: TpuSlice;
  /** Chips that Jobs may have at a time. */
  readonly chips: number;

  constructor(scope: Construct, id: string, props: TpuQueueProps) {
    super(scope, id);
    checkAtSynth(this);
    const { slice, slices = 1 } = props;
    const given = props.name ?? id;
    const problems = new Problems();
    const name = problems.sound(given, dnsLabel('name', given), 'x');
    problems.add(integer('slices', slices, 1));
    const capacity = Capacity.flexStartQueued({ queue: name });
    problems.add(capacityProblem(capacity, slice, true));
    problems.throwIfAny(this.node.path);

    this.queueName = name;
    this.slice = slice;
    this.chips = slice.chips * slices;
    const metadata = { name, labels: recommendedLabels('kueue', name, 'queue') };
    const { nodeSelector, tolerations = [] } = capacity;
    this.resourceFlavor = clusterObject(
      this,
      'ResourceFlavor',
      ResourceFlavor.manifest({
        metadata,
        spec: {
          nodeLabels: { ...sliceLabels(slice), ...nodeSelector },
          // Nodes are looked for by the Job's template, which GKE adds no toleration to: it does so to pods.
          tolerations: [TPU_TOLERATION, ...tolerations].map((toleration) => ({ ...toleration })),
        },
      }),
    );
    this.provisioningRequestConfig = clusterObject(
      this,
      'ProvisioningRequestConfig',
      ProvisioningRequestConfig.manifest({
        metadata,
        spec: {
          provisioningClassName: 'queued-provisioning.gke.io',
          managedResources: [TPU],
          // A Job runs on the nodes that came for it, and not on another one's.
          podSetUpdates: {
            nodeSelector: [
              {
                key: 'autoscaling.gke.io/provisioning-request',
                valueFromProvisioningClassDetail: 'ResizeRequestName',
              },
            ],
          },
        },
      }),
    );
    this.admissionCheck = clusterObject(
      this,
      'AdmissionCheck',
      AdmissionCheck.manifest({
        metadata,
        spec: {
          controllerName: 'kueue.x-k8s.io/provisioning-request',
          parameters: { apiGroup: 'kueue.x-k8s.io', kind: 'ProvisioningRequestConfig', name },
        },
      }),
    );
    const quotas: Record<string, string> = { [TPU]: quota(this.chips) };
    for (const [resource, amount] of Object.entries(MORE_THAN_A_HOST))
      quotas[resource] = quota(amount * slice.hosts * slices);
    this.clusterQueue = clusterObject(
      this,
      'ClusterQueue',
      ClusterQueue.manifest({
        metadata,
        spec: {
          namespaceSelector: {},
          resourceGroups: [
            {
              coveredResources: Object.keys(quotas),
              flavors: [
                {
                  name,
                  resources: Object.entries(quotas).map(([resource, amount]) => ({
                    name: resource,
                    nominalQuota: NominalQuota.fromString(amount),
                  })),
                },
              ],
            },
          ],
          admissionChecksStrategy: { admissionChecks: [{ name }] },
        },
      }),
    );
    this.localQueue = object(
      this,
      'Resource',
      LocalQueue.manifest({ metadata, spec: { clusterQueue: name } }),
    );
    describeOperations(this, (kubectl) => ({
      controllers: [CONTROLLERS.kueue],
      steps: {
        verify: [
          {
            text: 'See what waits in the queue: QuotaReserved comes first, then Admitted.',
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

/**
 * Only chips are counted: a pod with them has its host to itself. What a queue does not cover, no pod may request, so there is more of
 * CPU in cores, and of memory and disk in bytes, than any host has.
 */
const MORE_THAN_A_HOST = { cpu: 1e3, memory: 1e13, 'ephemeral-storage': 1e14 };

/** A number as the API server stores it: `8k`, and not `8000`. */
const quota = (amount: number, suffixes = ['', 'k', 'M', 'G', 'T', 'P', 'E']): string => {
  const [suffix = '', ...larger] = suffixes;
  return amount % 1000 === 0 && larger.length > 0
    ? quota(amount / 1000, larger)
    : `${String(amount)}${suffix}`;
};
