import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { toJson_RayServiceSpecRayClusterConfig as specOf } from '../../../imports/ray.io';
import { APP_COMPONENT_LABEL, APP_INSTANCE_LABEL } from '../../facts/labels';
import { describeOperations } from '../../operations/operations';
import { nearestLabel } from '../../problems/grammar';
import { Problems } from '../../problems/problems';
import { read } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { withName } from '../../workload/named';
import { object } from '../../workload/objects';
import { RAY_API_VERSION, rayCluster, rayMonitoring, stopWithoutRequests } from './cluster';
import { rayJobOperations } from './operations';
import { type TpuRayJobProps } from './props';
import { TPU_RAY_JOB } from './schema';
import { runtimeEnvText } from './serve-config';

/**
 * A program that runs to completion on a Ray cluster with TPU workers: RayJob and PodMonitoring. KubeRay creates the cluster, submits the
 * program, and deletes the cluster when the program ends.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing, not valid, contradicts another one, or that Ray, KubeRay or the
 * TPU webhook refuse or ignore
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayjob-quick-start.html
 */
export class TpuRayJob extends Construct {
  /** The RayJob. */
  readonly rayJob: ApiObject;
  /** Collects the metrics; undefined with `monitoring: false`. */
  readonly podMonitoring: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: TpuRayJobProps) {
    super(scope, id);
    checkAtSynth(this);
    const problems = new Problems();
    const given = read(TPU_RAY_JOB, withName(props, id), problems);
    const name = given?.name ?? nearestLabel(id);
    const labels = { [APP_INSTANCE_LABEL]: name, [APP_COMPONENT_LABEL]: 'batch-job' };
    const role = { name, labels, headPorts: [], stop: stopWithoutRequests };
    const cluster = problems.settle(given && rayCluster(given, role, problems), this.node.path);
    const valid = problems.settle(given);

    const { entrypoint, runtimeEnv, shutdownAfterJobFinishes = true } = valid;
    const { ttlSecondsAfterFinished, backoffLimit, activeDeadlineSeconds } = valid;
    this.rayJob = object(this, 'Resource', {
      apiVersion: RAY_API_VERSION,
      kind: 'RayJob',
      metadata: cluster.metadata,
      spec: {
        entrypoint,
        runtimeEnvYAML: runtimeEnv && runtimeEnvText(runtimeEnv),
        shutdownAfterJobFinishes,
        ttlSecondsAfterFinished,
        backoffLimit,
        activeDeadlineSeconds,
        rayClusterSpec: specOf(cluster.spec),
      },
    });
    this.podMonitoring = rayMonitoring(this, cluster, valid.monitoring);
    describeOperations(this, rayJobOperations(this, valid));
  }
}
