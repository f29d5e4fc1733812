import { APPARMOR_ANNOTATION_PREFIX } from '../facts/labels';
import { at, isRecord, type Json, list, record, text } from './manifest';
import { records } from './pods';

/** A level of the Pod Security Standards, which a namespace can enforce. */
type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** A reason why the next level refuses a pod. */
interface PodSecurityObstacle {
  /** The behavior of the pod or container that the level refuses, like `runs privileged`. */
  readonly what: string;
  /** The change that removes the obstacle, like `set appArmorProfile.type to RuntimeDefault`. */
  readonly fix: string;
  /** Path in the template of the first part that the level refuses. */
  readonly path: string;
  /** Names of the refused containers; empty if only the pod is refused. */
  readonly containers: readonly string[];
}

/** The strictest level that admits a pod, and the obstacles to the next stricter level. */
export interface PodSecurity {
  readonly level: PodSecurityLevel;
  readonly obstacles: readonly PodSecurityObstacle[];
}

/** A part of a pod that a level checks: the pod itself or a container. */
interface Part {
  readonly value: Json;
  readonly context: Json;
  readonly path: string;
  /** Name of the container; undefined if the part is the pod. */
  readonly container: string | undefined;
}

/** One requirement of a level: the parts it applies to, a test for parts that violate it, and the texts of the finding. */
interface Demand {
  readonly of: 'pod' | 'container' | 'both';
  readonly refuses: (part: Part, pod: Part) => boolean;
  readonly what: string | ((refused: readonly Part[]) => string);
  readonly fix: string;
  readonly path: string;
}

const CAPABILITIES = new Set(
  (
    'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID ' +
    'SYS_CHROOT'
  ).split(' '),
);
const SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
]);
const SELINUX_TYPES = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);
const VOLUMES = new Set(
  'configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret'.split(' '),
);
const APPARMOR = APPARMOR_ANNOTATION_PREFIX;

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const capabilities = ({ context }: Part, key: 'add' | 'drop'): readonly string[] =>
  list(context, 'capabilities', key).filter((one) => typeof one === 'string');
const seccomp = ({ context }: Part): string | undefined => text(context, 'seccompProfile', 'type');
const addedCapabilities = (part: Part): readonly string[] =>
  capabilities(part, 'add').filter((one) => !CAPABILITIES.has(one));
const otherVolumes = ({ value }: Part): readonly string[] =>
  records(value, 'volumes').flatMap((volume) =>
    Object.keys(volume).filter((key) => key !== 'name' && isSet(volume[key]) && !VOLUMES.has(key)),
  );
const unsafeSysctls = ({ context }: Part): readonly string[] =>
  records(context, 'sysctls').flatMap((sysctl) => {
    const name = text(sysctl, 'name') ?? '';
    return SYSCTLS.has(name) ? [] : [name];
  });
const named = (values: readonly string[]): string => [...new Set(values)].join(', ');

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline */
const BASELINE: readonly Demand[] = [
  ...(['hostNetwork', 'hostPID', 'hostIPC'] as const).map((key): Demand => ({
    of: 'pod',
    refuses: ({ value }) => value[key] === true,
    what: `sets ${key}`,
    fix: `remove ${key}`,
    path: key,
  })),
  {
    of: 'container',
    refuses: ({ context }) => context['privileged'] === true,
    what: 'runs privileged',
    fix: 'remove securityContext.privileged',
    path: 'securityContext.privileged',
  },
  {
    of: 'both',
    refuses: ({ context }) => at(context, 'windowsOptions', 'hostProcess') === true,
    what: 'runs as a Windows host process',
    fix: 'remove windowsOptions.hostProcess',
    path: 'securityContext.windowsOptions',
  },
  {
    of: 'container',
    refuses: (part) => addedCapabilities(part).length > 0,
    what: (refused) => `adds ${named(refused.flatMap(addedCapabilities))}`,
    fix: 'remove these capabilities',
    path: 'securityContext.capabilities.add',
  },
  {
    of: 'pod',
    refuses: ({ value }) => records(value, 'volumes').some((volume) => isSet(volume['hostPath'])),
    what: 'mounts a hostPath',
    fix: 'replace the hostPath volume',
    path: 'volumes',
  },
  {
    of: 'container',
    // With hostNetwork, every container port is also a host port.
    refuses: ({ value }, pod) =>
      records(value, 'ports').some(
        (port) =>
          (isSet(port['hostPort']) && port['hostPort'] !== 0) ||
          (pod.value['hostNetwork'] === true && isSet(port['containerPort'])),
      ),
    what: 'uses host ports',
    fix: 'do not use host ports',
    path: 'ports',
  },
  {
    of: 'container',
    refuses: ({ value }) =>
      [
        ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((key) => at(value, key)),
        ...['postStart', 'preStop'].map((key) => at(value, 'lifecycle', key)),
      ].some((handler) => ['httpGet', 'tcpSocket'].some((key) => isSet(at(handler, key, 'host')))),
    what: 'sets the host of a probe or lifecycle hook',
    fix: 'remove the host of the probe or hook',
    path: 'readinessProbe',
  },
  {
    of: 'both',
    refuses: ({ context }) =>
      !['RuntimeDefault', 'Localhost', undefined].includes(text(context, 'appArmorProfile', 'type')),
    what: 'runs without an AppArmor profile',
    fix: 'set appArmorProfile.type to RuntimeDefault',
    path: 'securityContext.appArmorProfile',
  },
  {
    of: 'both',
    refuses: ({ context }) => {
      const options = record(context, 'seLinuxOptions');
      return (
        !SELINUX_TYPES.has(text(options, 'type') ?? '') || isSet(options['user']) || isSet(options['role'])
      );
    },
    what: 'sets its own SELinux user, role or type',
    fix: 'remove seLinuxOptions',
    path: 'securityContext.seLinuxOptions',
  },
  {
    of: 'container',
    refuses: ({ context }) => !['Default', undefined].includes(text(context, 'procMount')),
    what: 'mounts /proc unmasked',
    fix: 'remove procMount',
    path: 'securityContext.procMount',
  },
  {
    of: 'both',
    refuses: (part) => seccomp(part) === 'Unconfined',
    what: 'runs without a seccomp profile',
    fix: 'set seccompProfile.type to RuntimeDefault',
    path: 'securityContext.seccompProfile',
  },
  {
    of: 'pod',
    refuses: (part) => unsafeSysctls(part).length > 0,
    what: (refused) => `sets ${named(refused.flatMap(unsafeSysctls))}`,
    fix: 'remove these sysctls',
    path: 'securityContext.sysctls',
  },
];

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
const RESTRICTED: readonly Demand[] = [
  {
    of: 'pod',
    refuses: (part) => otherVolumes(part).length > 0,
    what: (refused) => `mounts ${named(refused.flatMap(otherVolumes))}`,
    fix: 'use a PersistentVolumeClaim or a CSI volume instead',
    path: 'volumes',
  },
  {
    of: 'container',
    refuses: ({ context }) => context['allowPrivilegeEscalation'] !== false,
    what: 'allows privilege escalation',
    fix: 'set allowPrivilegeEscalation to false',
    path: 'securityContext.allowPrivilegeEscalation',
  },
  {
    of: 'container',
    refuses: ({ context }, pod) => (context['runAsNonRoot'] ?? pod.context['runAsNonRoot']) !== true,
    what: 'can run as root',
    fix: 'set runAsNonRoot to true',
    path: 'securityContext.runAsNonRoot',
  },
  {
    of: 'both',
    refuses: ({ context }) => context['runAsUser'] === 0,
    what: 'runs as user 0',
    fix: 'set runAsUser to a user other than 0',
    path: 'securityContext.runAsUser',
  },
  {
    of: 'container',
    refuses: (part, pod) => !['RuntimeDefault', 'Localhost'].includes(seccomp(part) ?? seccomp(pod) ?? ''),
    what: 'has no seccomp profile',
    fix: 'set seccompProfile.type to RuntimeDefault',
    path: 'securityContext.seccompProfile',
  },
  {
    of: 'container',
    refuses: (part) =>
      !capabilities(part, 'drop').includes('ALL') ||
      capabilities(part, 'add').some((one) => one !== 'NET_BIND_SERVICE'),
    what: 'does not drop all capabilities',
    fix: 'drop ALL capabilities',
    path: 'securityContext.capabilities',
  },
];

/** The parts of a pod that a level checks. */
interface Parts {
  readonly pod: Part;
  readonly containers: readonly Part[];
}

function partsOf(template: Json): Parts {
  const spec = record(template, 'spec');
  const pod: Part = {
    value: spec,
    context: record(spec, 'securityContext'),
    path: 'spec',
    container: undefined,
  };
  const containers = (['containers', 'initContainers', 'ephemeralContainers'] as const).flatMap((key) =>
    records(spec, key).map((value, index): Part => {
      const name = text(value, 'name') ?? String(index);
      const path = `spec.${key}[${name}]`;
      return { value, context: record(value, 'securityContext'), path, container: name };
    }),
  );
  return { pod, containers };
}

function obstaclesAgainst(
  { pod, containers }: Parts,
  demands: readonly Demand[],
): readonly PodSecurityObstacle[] {
  const obstacles: PodSecurityObstacle[] = [];
  for (const { of, refuses, what, fix, path } of demands) {
    const refused = of === 'pod' ? [] : containers.filter((part) => refuses(part, pod));
    if (of !== 'container' && refuses(pod, pod)) refused.unshift(pod);
    const [first] = refused;
    if (first === undefined) continue;
    obstacles.push({
      what: typeof what === 'string' ? what : what(refused),
      fix,
      path: `${first.path}.${path}`,
      containers: refused.flatMap(({ container }) => (container === undefined ? [] : [container])),
    });
  }
  return obstacles;
}

/** Returns the reasons why a level of the Pod Security Standards refuses the pods of a template. */
export const obstaclesTo = (template: Json, level: PodSecurityLevel): readonly PodSecurityObstacle[] => [
  ...(level === 'privileged' ? [] : obstaclesToBaseline(template, partsOf(template))),
  ...(level === 'restricted' ? obstaclesAgainst(partsOf(template), RESTRICTED) : []),
];

const obstaclesToBaseline = (template: Json, parts: Parts): readonly PodSecurityObstacle[] => [
  ...obstaclesAgainst(parts, BASELINE),
  ...appArmorAnnotations(template),
];

/**
 * Returns the strictest level of the Pod Security Standards that admits the pods of a template, and the obstacles to the next level.
 * Follows Kubernetes 1.34, in which level `baseline` began to refuse probes with a `host`.
 */
export function podSecurityLevel(template: Json): PodSecurity {
  const parts = partsOf(template);
  const toBaseline = obstaclesToBaseline(template, parts);
  if (toBaseline.length > 0) return { level: 'privileged', obstacles: toBaseline };
  const toRestricted = obstaclesAgainst(parts, RESTRICTED);
  return { level: toRestricted.length > 0 ? 'baseline' : 'restricted', obstacles: toRestricted };
}

/** Returns obstacles in AppArmor annotations, which older manifests use instead of `appArmorProfile`. */
const appArmorAnnotations = (template: Json): readonly PodSecurityObstacle[] =>
  Object.entries(record(template, 'metadata', 'annotations'))
    .filter(
      ([key, value]) =>
        key.startsWith(APPARMOR) && !/^(runtime\/default|localhost\/.*|)$/.test(String(value)),
    )
    .map(([key]) => ({
      what: 'runs without an AppArmor profile',
      fix: `set the annotation ${key} to runtime/default`,
      path: `metadata.annotations[${key}]`,
      containers: [key.slice(APPARMOR.length)],
    }));

/** Whether a security context restricts the rights of a pod or container. */
export const hardens = (value: Json): boolean => {
  const context = record(value, 'securityContext');
  return (
    context['runAsNonRoot'] === true ||
    context['allowPrivilegeEscalation'] === false ||
    isRecord(context['seccompProfile']) ||
    Array.isArray(at(context, 'capabilities', 'drop'))
  );
};
