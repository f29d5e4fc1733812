import { type ContainerFields, type PodFragment } from './fragment';

/**
 * A level of the Pod Security Standards: `restricted` also runs without root and without capabilities, which no source shows of the
 * TPU images; `baseline` does not.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** User that a restricted container runs as, since the images name none: the usual first one that is not root. */
const UNPRIVILEGED_USER = 1000;

/**
 * What keeps a pod at a level, and out of the Kubernetes API: none of the servers asks it. Google Cloud is reached by Workload
 * Identity, which needs no token in the pod.
 *
 * @param apiAccess - whether the pod talks to the Kubernetes API after all
 */
export function podSecurity(level: PodSecurityLevel, apiAccess = false): PodFragment {
  return {
    pod: {
      automountServiceAccountToken: apiAccess ? undefined : false,
      securityContext: {
        seccompProfile: { type: 'RuntimeDefault' },
        ...(level === 'restricted' && {
          runAsNonRoot: true,
          runAsUser: UNPRIVILEGED_USER,
          fsGroup: UNPRIVILEGED_USER,
        }),
      },
    },
    container: containerSecurity(level),
  };
}

/** The part of a level that stands on each container; sidecars take it too. */
export const containerSecurity = (level: PodSecurityLevel): ContainerFields =>
  level === 'privileged'
    ? { securityContext: { privileged: true } }
    : {
        securityContext: {
          allowPrivilegeEscalation: false,
          ...(level === 'restricted' && { capabilities: { drop: ['ALL'] } }),
        },
      };
