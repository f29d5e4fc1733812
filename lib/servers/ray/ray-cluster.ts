import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { APP_COMPONENT_LABEL, APP_INSTANCE_LABEL } from '../../facts/labels';
import { RAY_PORTS } from '../../facts/ports';
import { describeOperations } from '../../operations/operations';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { object } from '../../workload/objects';
import {
  RAY_API_VERSION,
  rayCluster,
  type RayClusterRole,
  rayMonitoring,
  rayNetworkPolicy,
  stopWithoutRequests,
} from './cluster';
import { rayClusterOperations } from './operations';
import { type TpuRayClusterProps } from './props';
import { TPU_RAY_CLUSTER } from './schema';

/**
 * A Ray cluster with TPU workers, on single-host or multi-host slices: a RayCluster, a PodMonitoring, and, with `allowedClients`, a
 * NetworkPolicy. The cluster runs until you delete it. Submit work to its dashboard, or connect with the Ray client. KubeRay creates the
 * pods and the Service `NAME-head-svc`.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing or invalid, contradicts another prop, or that Ray, KubeRay or the
 * TPU webhook rejects or ignores
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/tpu.html
 */
export class TpuRayCluster extends Construct {
  /** The RayCluster. */
  readonly rayCluster: ApiObject;
  /** Collects the metrics; undefined if `monitoring` is `false`. */
  readonly podMonitoring: ApiObject | undefined;
  /** Admits only `allowedClients`; undefined if the prop is not set. */
  readonly networkPolicy: ApiObject | undefined;
  /** Name of the Service for the dashboard, port 8265, and the Ray client, port 10001. KubeRay creates the Service. */
  readonly headServiceName: string;

  constructor(scope: Construct, id: string, props: TpuRayClusterProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: cluster } = readAndMake(
      TPU_RAY_CLUSTER,
      props,
      this.node,
      (usable, problems) => rayCluster(usable, roleOf(usable.name), problems),
    );

    this.headServiceName = `${valid.name}-head-svc`;
    this.rayCluster = object(this, 'Resource', {
      apiVersion: RAY_API_VERSION,
      kind: 'RayCluster',
      metadata: cluster.metadata,
      spec: cluster.spec,
    });
    this.podMonitoring = rayMonitoring(this, cluster, valid.monitoring);
    this.networkPolicy = rayNetworkPolicy(this, cluster, valid, [RAY_PORTS.dashboard, RAY_PORTS.client]);
    describeOperations(this, rayClusterOperations(this, valid));
  }
}

const roleOf = (name: string): RayClusterRole => ({
  name,
  labels: { [APP_INSTANCE_LABEL]: name, [APP_COMPONENT_LABEL]: 'ray-cluster' },
  headPorts: [],
  stop: stopWithoutRequests,
});
