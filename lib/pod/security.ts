import { type ContainerFields, type PodFragment } from './fragment';

/**
 * A level of the Pod Security Standards. `restricted` runs containers without root and without capabilities. No source shows that TPU
 * images support it.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** User ID of restricted containers, because the images set no user. */
const UNPRIVILEGED_USER = 1000;

/**
 * Returns the fields of a pod at a level, without a Kubernetes API token unless `apiAccess` is set. Workload Identity does not need the
 * token.
 *
 * @param apiAccess - whether the pod calls the Kubernetes API
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

/** Returns the fields of each container at a level, sidecars included. */
export const containerSecurity = (level: PodSecurityLevel): ContainerFields =>
  level === 'privileged'
    ? { securityContext: { privileged: true } }
    : {
        securityContext: {
          allowPrivilegeEscalation: false,
          ...(level === 'restricted' && { capabilities: { drop: ['ALL'] } }),
        },
      };
