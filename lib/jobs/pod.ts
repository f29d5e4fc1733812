import { MEGASCALE_PORT, TPU_VM_PORT } from '../facts/ports';
import { JAX_COMPILE_CACHE, MEGASCALE_NUM_SLICES } from '../facts/variables';
import { type Capacity } from '../pod/capacity';
import { checkHost, hostResources } from '../pod/host-resources';
import { modelCacheFragments } from '../pod/model-cache';
import { containerSecurity, podSecurity } from '../pod/security';
import { type PodTemplate, podTemplate } from '../pod/template';
import { tpuMetricsPort, tpuResources } from '../pod/tpu';
import { Problems } from '../problems/problems';
import { restartPolicyProblem } from '../workload/indexed-job';
import { recommendedLabels } from '../workload/labels';
import { givenFragments, givenSidecars } from '../workload/pod-words';
import { checkLevel } from '../workload/security-level';
import { selectorOf } from '../workload/server';
import { formOf, type JobOptions } from './props';

/** Default grace period in seconds, as for servers: twice Kubernetes' default. */
const GRACE_SECONDS = 60;
/** Grace period of pods on spot nodes, in seconds: https://docs.cloud.google.com/kubernetes-engine/docs/concepts/spot-vms */
const SPOT_GRACE_SECONDS = 15;

/** Parts that each construct adds to its pods. */
export interface JobRole {
  readonly name: string;
  /** Value of the recommended label `app.kubernetes.io/name`. */
  readonly software: string;
  readonly capacity: Capacity | undefined;
  /** Number of slices that work together. */
  readonly slices: number;
  /** Restart policy of the pods of a Job on a single-host slice. */
  readonly restartPolicy: 'OnFailure' | 'Never';
}

/** Returns the labels of a Job's objects. */
export const jobLabels = ({
  name,
  software,
}: Pick<JobRole, 'name' | 'software'>): Record<string, string> => ({
  ...selectorOf(name),
  ...recommendedLabels(software, name, 'batch-job'),
});

/** Returns the pod of one host. */
export function jobPod(props: JobOptions, role: JobRole): PodTemplate {
  const { slice, huggingFaceToken, modelCache, podSecurityLevel = 'baseline' } = props;
  const { name, capacity, slices } = role;
  const form = formOf({ slice, slices });
  const ports = [...(form === 'Job' ? [] : [TPU_VM_PORT]), ...(slices > 1 ? [MEGASCALE_PORT] : [])];
  const problems = new Problems();
  const template = problems.attempt(() =>
    podTemplate({
      container: {
        name: 'tpu-job',
        image: props.image,
        ports:
          ports.length === 0 ? undefined : ports.map((containerPort) => ({ containerPort, protocol: 'TCP' })),
      },
      sidecars: givenSidecars(props, containerSecurity(podSecurityLevel)),
      facts: [
        { labels: selectorOf(name) },
        tpuResources(slice, capacity),
        // Host names come from the headless Service. A JobSet sets its own subdomain.
        ...(form === 'IndexedJob' ? [{ pod: { subdomain: name } }] : []),
      ],
      defaults: [
        { labels: jobLabels(role) },
        {
          pod: {
            terminationGracePeriodSeconds:
              capacity?.preemptible === true ? SPOT_GRACE_SECONDS : GRACE_SECONDS,
            restartPolicy: form === 'Job' ? role.restartPolicy : 'Never',
          },
        },
        tpuMetricsPort(),
        hostResources(slice),
        podSecurity(podSecurityLevel),
        ...modelCacheFragments(props, slice, [JAX_COMPILE_CACHE]),
        ...(slices > 1 ? [{ env: [{ name: MEGASCALE_NUM_SLICES, value: String(slices) }] }] : []),
      ],
      given: [
        ...(capacity ? [capacity] : []),
        ...(modelCache ? [modelCache] : []),
        ...(huggingFaceToken ? [huggingFaceToken.asEnv()] : []),
        ...givenFragments(props),
      ],
    }),
  );
  if (template) {
    problems.add(restartPolicyProblem(template));
    checkHost(slice, template, problems);
    checkLevel(template, props.podSecurityLevel, problems);
  }
  return problems.settle(template);
}
