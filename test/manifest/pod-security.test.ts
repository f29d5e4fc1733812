import { hardens, obstaclesTo, podSecurityLevel } from '../../lib/manifest/pod-security';

/** The context of a container that level `restricted` admits. */
const SAFE = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
  capabilities: { drop: ['ALL'] },
};
const context = (more: object): object => ({ securityContext: { ...SAFE, ...more } });
/** A template with one container `main`, which has `container` besides its safe context, and `pod` in its spec. */
const template = (container: object, pod: object = {}): Record<string, unknown> => ({
  spec: { containers: [{ name: 'main', ...context({}), ...container }], ...pod },
});
const MAIN = 'spec.containers[main]';

type Row = readonly [
  name: string,
  container: object,
  pod: object,
  what: string,
  fix: string,
  path: string,
  ofPod?: boolean,
];

const ADMITTED: readonly (readonly [string, object, object])[] = [
  ['a safe context', {}, {}],
  ['port 0 of the host', { ports: [{ containerPort: 80, hostPort: 0 }] }, {}],
  ['a probe without a host', { readinessProbe: { httpGet: { path: '/', host: '' } } }, {}],
  ['no host network', {}, { hostNetwork: false, hostPID: false, hostIPC: false }],
  [
    'the capability that restricted admits',
    context({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }),
    {},
  ],
  [
    'a localhost profile',
    context({ seccompProfile: { type: 'Localhost' }, appArmorProfile: { type: 'Localhost' } }),
    {},
  ],
  ['the default of AppArmor', context({ appArmorProfile: { type: 'RuntimeDefault' } }), {}],
  ['the default of /proc', context({ procMount: 'Default' }), {}],
  ...['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'].map(
    (type) => [`SELinux type '${type}'`, context({ seLinuxOptions: { type } }), {}] as const,
  ),
  ...[
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
  ].map((name) => [name, {}, { securityContext: { sysctls: [{ name, value: '1' }] } }] as const),
  ...[
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'persistentVolumeClaim',
    'projected',
    'secret',
  ].map((kind) => [`a volume ${kind}`, {}, { volumes: [{ name: 'a', [kind]: {} }] }] as const),
  ['an unset volume', {}, { volumes: [{ name: 'a', hostPath: null }] }],
  ['a user', context({ runAsUser: 1000 }), {}],
  [
    'what the pod sets for its containers',
    { securityContext: { ...SAFE, runAsNonRoot: undefined, seccompProfile: undefined } },
    { securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } },
  ],
];

const PROFILE = 'set appArmorProfile.type to RuntimeDefault';
const SECCOMP = 'set seccompProfile.type to RuntimeDefault';
const HOST = 'sets the host of a probe or lifecycle hook';
const NO_HOST = 'remove the host of the probe or hook';

/** What level `baseline` refuses. */
const UNSAFE: readonly Row[] = [
  ...(['hostNetwork', 'hostPID', 'hostIPC'] as const).map((key): Row => [
    key,
    {},
    { [key]: true },
    `sets ${key}`,
    `remove ${key}`,
    `spec.${key}`,
    true,
  ]),
  [
    'a privileged container',
    context({ privileged: true }),
    {},
    'runs privileged',
    'remove securityContext.privileged',
    `${MAIN}.securityContext.privileged`,
  ],
  [
    'a host process',
    context({ windowsOptions: { hostProcess: true } }),
    {},
    'runs as a Windows host process',
    'remove windowsOptions.hostProcess',
    `${MAIN}.securityContext.windowsOptions`,
  ],
  [
    'a host process of the pod',
    {},
    { securityContext: { windowsOptions: { hostProcess: true } } },
    'runs as a Windows host process',
    'remove windowsOptions.hostProcess',
    'spec.securityContext.windowsOptions',
    true,
  ],
  [
    'capabilities',
    context({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN', 'CHOWN', 'SYS_ADMIN', 'BPF', 1] } }),
    {},
    'adds SYS_ADMIN, BPF',
    'remove these capabilities',
    `${MAIN}.securityContext.capabilities.add`,
  ],
  [
    'a hostPath',
    {},
    { volumes: [{ name: 'a', hostPath: { path: '/' } }] },
    'mounts a hostPath',
    'replace the hostPath volume',
    'spec.volumes',
    true,
  ],
  [
    'a host port',
    { ports: [{ containerPort: 80 }, { hostPort: 80 }] },
    {},
    'uses host ports',
    'do not use host ports',
    `${MAIN}.ports`,
  ],
  ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((key): Row => [
    `a host in ${key}`,
    { [key]: { httpGet: { host: 'a' } } },
    {},
    HOST,
    NO_HOST,
    `${MAIN}.readinessProbe`,
  ]),
  ...['postStart', 'preStop'].map((key): Row => [
    `a host in ${key}`,
    { lifecycle: { [key]: { tcpSocket: { host: 'a' } } } },
    {},
    HOST,
    NO_HOST,
    `${MAIN}.readinessProbe`,
  ]),
  [
    'no AppArmor profile',
    context({ appArmorProfile: { type: 'Unconfined' } }),
    {},
    'runs without an AppArmor profile',
    PROFILE,
    `${MAIN}.securityContext.appArmorProfile`,
  ],
  [
    'no AppArmor profile of the pod',
    {},
    { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
    'runs without an AppArmor profile',
    PROFILE,
    'spec.securityContext.appArmorProfile',
    true,
  ],
  ...[{ type: 'a' }, { user: 'a' }, { role: 'a' }].map((seLinuxOptions): Row => [
    `SELinux ${Object.keys(seLinuxOptions).join()}`,
    context({ seLinuxOptions }),
    {},
    'sets its own SELinux user, role or type',
    'remove seLinuxOptions',
    `${MAIN}.securityContext.seLinuxOptions`,
  ]),
  [
    'an unmasked /proc',
    context({ procMount: 'Unmasked' }),
    {},
    'mounts /proc unmasked',
    'remove procMount',
    `${MAIN}.securityContext.procMount`,
  ],
  [
    'no seccomp profile',
    context({ seccompProfile: { type: 'Unconfined' } }),
    {},
    'runs without a seccomp profile',
    SECCOMP,
    `${MAIN}.securityContext.seccompProfile`,
  ],
  [
    'sysctls',
    {},
    { securityContext: { sysctls: [{ name: 'a' }, { name: 'net.ipv4.tcp_syncookies' }, { name: 'b' }] } },
    'sets a, b',
    'remove these sysctls',
    'spec.securityContext.sysctls',
    true,
  ],
];

/** What level `restricted` refuses, but `baseline` does not. */
const WEAK: readonly Row[] = [
  [
    'other volumes',
    {},
    {
      volumes: [
        { name: 'a', nfs: {} },
        { name: 'b', secret: {} },
        { name: 'c', rbd: {} },
        { name: 'd', nfs: {} },
      ],
    },
    'mounts nfs, rbd',
    'use a PersistentVolumeClaim or a CSI volume instead',
    'spec.volumes',
    true,
  ],
  [
    'privilege escalation',
    context({ allowPrivilegeEscalation: undefined }),
    {},
    'allows privilege escalation',
    'set allowPrivilegeEscalation to false',
    `${MAIN}.securityContext.allowPrivilegeEscalation`,
  ],
  [
    'a user that can be root',
    context({ runAsNonRoot: false }),
    { securityContext: { runAsNonRoot: true } },
    'can run as root',
    'set runAsNonRoot to true',
    `${MAIN}.securityContext.runAsNonRoot`,
  ],
  [
    'root',
    context({ runAsUser: 0 }),
    {},
    'runs as user 0',
    'set runAsUser to a user other than 0',
    `${MAIN}.securityContext.runAsUser`,
  ],
  [
    'root of the pod',
    {},
    { securityContext: { runAsUser: 0 } },
    'runs as user 0',
    'set runAsUser to a user other than 0',
    'spec.securityContext.runAsUser',
    true,
  ],
  [
    'no seccomp profile',
    context({ seccompProfile: undefined }),
    {},
    'has no seccomp profile',
    SECCOMP,
    `${MAIN}.securityContext.seccompProfile`,
  ],
  [
    'capabilities that are not dropped',
    context({ capabilities: { drop: ['CHOWN'] } }),
    {},
    'does not drop all capabilities',
    'drop ALL capabilities',
    `${MAIN}.securityContext.capabilities`,
  ],
  [
    'capabilities that are added',
    context({ capabilities: { drop: ['ALL'], add: ['CHOWN'] } }),
    {},
    'does not drop all capabilities',
    'drop ALL capabilities',
    `${MAIN}.securityContext.capabilities`,
  ],
];

const expected = ([, , , what, fix, path, ofPod]: Row): object => ({
  what,
  fix,
  path,
  containers: ofPod ? [] : ['main'],
});

const rows = (all: readonly Row[]): { readonly name: string; readonly row: Row }[] =>
  all.map((row) => ({ name: row[0], row }));

test.each(ADMITTED)('level restricted admits %s', (_, container, pod) => {
  expect(podSecurityLevel(template(container, pod))).toEqual({ level: 'restricted', obstacles: [] });
  expect(obstaclesTo(template(container, pod), 'restricted')).toEqual([]);
});

test.each(rows(UNSAFE))('level baseline refuses $name', ({ row }) => {
  const [, container, pod] = row;
  const pods = template(container, pod);
  expect(podSecurityLevel(pods)).toEqual({ level: 'privileged', obstacles: [expected(row)] });
  expect(obstaclesTo(pods, 'baseline')).toEqual([expected(row)]);
  expect(obstaclesTo(pods, 'restricted')).toContainEqual(expected(row));
  expect(obstaclesTo(pods, 'privileged')).toEqual([]);
});

test.each(rows(WEAK))('level restricted refuses $name', ({ row }) => {
  const [, container, pod] = row;
  const pods = template(container, pod);
  expect(podSecurityLevel(pods)).toEqual({ level: 'baseline', obstacles: [expected(row)] });
  expect(obstaclesTo(pods, 'baseline')).toEqual([]);
  expect(obstaclesTo(pods, 'restricted')).toEqual([expected(row)]);
});

test('each container is judged, and named by its index if it has no name', () => {
  const bad = { securityContext: { ...SAFE, privileged: true } };
  const pods = {
    spec: {
      containers: [{ name: 'main', securityContext: SAFE }, bad],
      initContainers: [{ name: 'init', ...bad }],
      ephemeralContainers: [{ name: 'debug', ...bad }],
    },
  };
  expect(podSecurityLevel(pods).obstacles).toMatchObject([
    { path: 'spec.containers[1].securityContext.privileged', containers: ['1', 'init', 'debug'] },
  ]);
});

test('with the network of the host, each port of a container is one of the host', () => {
  const pods = template({ ports: [{ containerPort: 80 }] }, { hostNetwork: true });
  expect(podSecurityLevel(pods).obstacles.map(({ what }) => what)).toEqual([
    'sets hostNetwork',
    'uses host ports',
  ]);
});

test.each<[string, boolean]>([
  ['runtime/default', true],
  ['localhost/mine', true],
  ['', true],
  ['unconfined', false],
  ['runtime/default2', false],
  ['my-localhost/mine', false],
])('the AppArmor annotation %j is admitted: %p', (value, admitted) => {
  const key = 'container.apparmor.security.beta.kubernetes.io/main';
  const pods = { ...template({}), metadata: { annotations: { [key]: value, other: 'unconfined' } } };
  expect(podSecurityLevel(pods).obstacles).toEqual(
    admitted
      ? []
      : [
          {
            what: 'runs without an AppArmor profile',
            fix: `set the annotation ${key} to runtime/default`,
            path: `metadata.annotations[${key}]`,
            containers: ['main'],
          },
        ],
  );
});

test.each<[object, boolean]>([
  [{ runAsNonRoot: true }, true],
  [{ allowPrivilegeEscalation: false }, true],
  [{ seccompProfile: {} }, true],
  [{ capabilities: { drop: [] } }, true],
  [{ runAsNonRoot: false, allowPrivilegeEscalation: true, capabilities: { add: [] } }, false],
  [{}, false],
])('the context %j restricts rights: %p', (securityContext, expected) => {
  expect(hardens({ securityContext })).toBe(expected);
});
