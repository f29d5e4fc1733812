import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { APP_COMPONENT_LABEL, APP_INSTANCE_LABEL } from '../../facts/labels';
import { describeOperations } from '../../operations/operations';
import { readAndMake } from '../../problems/schema';
import { checkAtSynth } from '../../synth/at-synth';
import { object } from '../../workload/objects';
import {
  RAY_API_VERSION,
  rayCluster,
  type RayClusterRole,
  rayMonitoring,
  stopWithoutRequests,
} from './cluster';
import { rayJobOperations } from './operations';
import { type TpuRayJobProps } from './props';
import { TPU_RAY_JOB } from './schema';
import { runtimeEnvText } from './serve-config';

/**
 * A program that runs to completion on a Ray cluster with TPU workers: a RayJob and a PodMonitoring. KubeRay creates the cluster, submits
 * the program, and deletes the cluster when the program ends.
 *
 * @throws InvalidInputError listing every prop that is unknown, missing or invalid, contradicts another prop, or that Ray, KubeRay or the
 * TPU webhook rejects or ignores
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/getting-started/rayjob-quick-start.html
 */
export class TpuRayJob extends Construct {
  /** The RayJob. */
  readonly rayJob: ApiObject;
  /** Collects the metrics; undefined if `monitoring` is `false`. */
  readonly podMonitoring: ApiObject | undefined;

  constructor(scope: Construct, id: string, props: TpuRayJobProps) {
    super(scope, id);
    checkAtSynth(this);
    const { props: valid, made: cluster } = readAndMake(TPU_RAY_JOB, props, this.node, (usable, problems) =>
      rayCluster(usable, roleOf(usable.name), problems),
    );

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
        rayClusterSpec: cluster.spec,
      },
    });
    this.podMonitoring = rayMonitoring(this, cluster, valid.monitoring);
    describeOperations(this, rayJobOperations(this, valid));
  }
}

const roleOf = (name: string): RayClusterRole => ({
  name,
  labels: { [APP_INSTANCE_LABEL]: name, [APP_COMPONENT_LABEL]: 'batch-job' },
  headPorts: [],
  stop: stopWithoutRequests,
});
