import { type ContainerFields, type PodFragment } from './fragment';

/**
 * A level of the Pod Security Standards. `restricted` runs containers without root and without capabilities; no source shows that the
 * TPU images support that.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** User of a restricted container, because the images name none: the usual first one that is not root. */
const UNPRIVILEGED_USER = 1000;

/**
 * Fields that keep a pod at a level, and without a token of the Kubernetes API, which none of the servers calls. Workload Identity needs
 * no token in the pod.
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

/** The fields of a level that each container has, sidecars included. */
export const containerSecurity = (level: PodSecurityLevel): ContainerFields =>
  level === 'privileged'
    ? { securityContext: { privileged: true } }
    : {
        securityContext: {
          allowPrivilegeEscalation: false,
          ...(level === 'restricted' && { capabilities: { drop: ['ALL'] } }),
        },
      };
