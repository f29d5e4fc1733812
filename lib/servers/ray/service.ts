import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type RayServiceProps } from '../../../imports/ray.io';
import { RAY_PORTS } from '../../facts/ports';
import { RAY_DRAIN_TIMEOUT } from '../../facts/variables';
import { describeOperations } from '../../operations/operations';
import { gracefulShutdown } from '../../pod/shutdown';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { rayLabels } from '../../workload/labels';
import { object } from '../../workload/objects';
import {
  KUBERAY_OPERATOR,
  rayCluster,
  type RayClusterRole,
  rayMonitoring,
  rayNetworkPolicy,
  type RayShutdown,
} from './cluster';
import { rayServiceOperations } from './operations';
import { type TpuRayServiceProps } from './props';
import { rayVersionOf } from './scale';
import { TPU_RAY_SERVICE } from './schema';
import { type RayServeConfig, serveConfigText } from './serve-config';
import { KINDS } from '../../facts/rendered';
import { manifest } from '../../workload/plain';

/**
 * Default time for the shutdown of a Ray Serve replica, in seconds:
 * https://github.com/ray-project/ray/blob/master/python/ray/serve/_private/constants.py
 */
const REPLICA_SHUTDOWN_SECONDS = 20;
/** Time for the shutdown of a replica on spot, out of the 5 seconds after `preStopSeconds`. */
const SPOT_REPLICA_SHUTDOWN_SECONDS = 3;
/** Time for the pod to end after its replicas have shut down, in seconds. */
const POD_SHUTDOWN_SECONDS = 10;

/**
 * Applications of Ray Serve on a Ray cluster with TPU workers, on single-host or multi-host slices: a RayService, a PodMonitoring, and,
 * with `allowedClients`, a NetworkPolicy. KubeRay creates the pods and two Services: `NAME-head-svc` for the dashboard (port 8265) and
 * `NAME-serve-svc` for requests (port 8000).
 *
 * @throws InvalidInputError listing every prop that is unknown, missing or invalid, contradicts another prop, or that Ray, KubeRay or the
 * TPU webhook rejects or ignores
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/tpu.html
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/rayservice.html
 */
export class TpuRayService extends Construct {
  /** The RayService. */
  readonly rayService: ApiObject;
  /** Collects the metrics; undefined if `monitoring` is `false`. */
  readonly podMonitoring: ApiObject | undefined;
  /** Admits only `allowedClients`; undefined if the prop is not set. */
  readonly networkPolicy: ApiObject | undefined;
  /** Name of the Service for the dashboard, port 8265. KubeRay creates the Service. */
  readonly headServiceName: string;
  /** Name of the Service for requests, port 8000. KubeRay creates the Service when the applications are running. */
  readonly serveServiceName: string;

  constructor(scope: Construct, id: string, props: TpuRayServiceProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: cluster } = readAndMake(
      TPU_RAY_SERVICE,
      props,
      this.node,
      (usable, problems) => rayCluster(usable, serviceRole(usable.name, usable.serveConfig), problems),
    );

    const { name, serveConfig, upgradeStrategy = 'None' } = valid;
    this.headServiceName = `${name}-head-svc`;
    this.serveServiceName = `${name}-serve-svc`;
    this.rayService = object(
      this,
      'Resource',
      manifest<RayServiceProps>(KINDS.RayService, {
        metadata: cluster.metadata,
        spec: {
          serveConfigV2: serveConfigText(serveConfig, rayVersionOf(valid)),
          upgradeStrategy: { type: upgradeStrategy },
          rayClusterConfig: cluster.spec,
        },
      }),
    );
    this.podMonitoring = rayMonitoring(this, cluster, valid.monitoring);
    this.networkPolicy = rayNetworkPolicy(
      this,
      cluster,
      valid,
      [RAY_PORTS.serve],
      valid.operatorPeers ?? [KUBERAY_OPERATOR],
    );
    describeOperations(this, rayServiceOperations(this, valid));
  }
}

function serviceRole(name: string, serveConfig: RayServeConfig): RayClusterRole {
  const replicaSeconds = replicaShutdownSeconds(serveConfig);
  return {
    name,
    labels: rayLabels(name),
    headPorts: ['serve'],
    stop: (group) => stop(group, replicaSeconds),
  };
}

/** Returns the longest shutdown of a replica of any deployment, in whole seconds. */
const replicaShutdownSeconds = ({ applications }: RayServeConfig): number =>
  Math.max(
    REPLICA_SHUTDOWN_SECONDS,
    ...applications
      .flatMap(({ deployments = [] }) => deployments)
      .map(({ gracefulShutdownTimeoutS = 0 }) => Math.ceil(gracefulShutdownTimeoutS)),
  );

/**
 * Returns how the pods of a group shut down: the pod leaves its Services, Ray stops the replicas, then the pod ends. KubeRay does not
 * configure this.
 *
 * @see https://github.com/ray-project/kuberay/issues/5004
 */
function stop(group: Parameters<RayClusterRole['stop']>[0], replicaSeconds: number): RayShutdown {
  const shutdown = gracefulShutdown(group, replicaSeconds + POD_SHUTDOWN_SECONDS);
  const left = shutdown.terminationGracePeriodSeconds - shutdown.preStopSeconds - POD_SHUTDOWN_SECONDS;
  const ofReplicas = group.capacity?.preemptible === true ? SPOT_REPLICA_SHUTDOWN_SECONDS : Math.max(0, left);
  return { shutdown, env: [{ name: RAY_DRAIN_TIMEOUT, value: String(ofReplicas) }] };
}
