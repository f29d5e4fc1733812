import { findingsIn } from '../../lib/checks/check';
import { isRecord, manifestObject } from '../../lib/manifest/manifest';
import { podSecurityLevel } from '../../lib/manifest/pod-security';
import { manifestSet } from '../../lib/manifest/set';
import { parse } from 'yaml';
import { NOTHING_FOUND, broken, found, setOf, rulesOf } from './found';

const HYGIENE_RULES = rulesOf(/^TPU7(0\d|1[1-8])$/);

const places = (...documents: readonly string[]): readonly string[] =>
  found(HYGIENE_RULES, setOf(...documents), ({ path }) => path);
const sentences = (...documents: readonly string[]): string =>
  found(HYGIENE_RULES, setOf(...documents), ({ message, fix }) => `${message}; ${fix}`).join('\n');

const META = 'metadata: {name: x}';
const pod = (container: string, spec = '', meta = META): string =>
  `{apiVersion: v1, kind: Pod, ${meta}, spec: {${spec}containers: [{name: main, ${container}}]}}`;
const IMAGE = 'image: "example/server:v1"';
const object = (apiVersion: string, kind: string, rest: string): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, ${META}, ${rest}}`;
const main = 'spec.containers[main]';

describe('TPU701: tags', () => {
  test.each([
    ['x', 'no tag'],
    ['localhost:5000/x', 'no tag'],
    ['x:latest', "tag 'latest'"],
    ['x:latest-py310', "tag 'latest-py310'"],
    ['x:py310-latest', "tag 'py310-latest'"],
    ['gcr.io/p/x:MAIN', "tag 'MAIN'"],
    ['x:nightly', "tag 'nightly'"],
    ['x:stable-tpu', "tag 'stable-tpu'"],
  ])('%s moves', (image, words) => {
    expect(places(pod(`image: "${image}"`))).toEqual([`TPU701 warning ${main}.image`]);
    expect(sentences(pod(`image: "${image}"`))).toContain(words);
  });

  test.each([
    'x:v0.12.0',
    'localhost:5000/x:1',
    'x:nightly-20250102',
    'x:main-3f9c2ab1',
    'x:v1.2.3-stable',
    'x@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    'x:latest@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    'auto',
    '',
  ])('%s stays', (image) => {
    expect(places(pod(`image: "${image}"`))).toEqual([]);
  });

  test('of containers that start first, and in every template', () => {
    expect(
      places(
        object(
          'ray.io/v1',
          'RayCluster',
          'spec: {headGroupSpec: {template: {spec: {containers: [{name: h, image: r}]}}}, workerGroupSpecs: [{groupName: w, template: {spec: {initContainers: [{name: i, image: "r:dev"}]}}}]}',
        ),
      ),
    ).toEqual([
      'TPU701 warning spec.headGroupSpec.template.spec.containers[h].image',
      'TPU701 warning spec.workerGroupSpecs[w].template.spec.initContainers[i].image',
    ]);
  });
});

describe('TPU702: tokens', () => {
  const TOKEN = 'hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567';

  test.each([
    ['in a variable', pod(`${IMAGE}, env: [{name: A, value: ${TOKEN}}]`), [`${main}.env[A].value`]],
    [
      'in an argument and a command',
      pod(`${IMAGE}, args: ["--token=${TOKEN}"], command: [sh, -c, "export T=${TOKEN} && run"]`),
      [`${main}.args[0]`, `${main}.command[2]`],
    ],
    [
      'in a Secret, as text and in base64',
      object(
        'v1',
        'Secret',
        `stringData: {a: ${TOKEN}}, data: {a.b: ${Buffer.from(`${TOKEN}\n`).toString('base64')}}`,
      ),
      ['stringData.a', 'data[a.b]'],
    ],
    ['in a ConfigMap', object('v1', 'ConfigMap', `data: {run.sh: "T=${TOKEN}"}`), ['data[run.sh]']],
    [
      'in the configuration of a RayService',
      object('ray.io/v1', 'RayService', `spec: {serveConfigV2: "env_vars: {HF_TOKEN: ${TOKEN}}"}`),
      ['spec.serveConfigV2'],
    ],
    [
      'of any shape under the name of a token',
      pod(`${IMAGE}, env: [{name: HF_TOKEN, value: secret}]`),
      [`${main}.env[HF_TOKEN].value`],
    ],
    [
      'once where both name and shape say so',
      pod(`${IMAGE}, env: [{name: HF_TOKEN, value: ${TOKEN}}]`),
      [`${main}.env[HF_TOKEN].value`],
    ],
  ])('%s', (_, manifest, paths) => {
    expect(places(manifest)).toEqual(paths.map((path) => `TPU702 error ${path}`));
  });

  test.each([
    ['a reference', '{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}'],
    ['another variable', '{name: HF_TOKEN, value: $(TOKEN)}'],
    ['nothing', '{name: HF_TOKEN, value: ""}'],
    ['a placeholder', '{name: KEY, value: hf_xxxxxxxxxxxxxxxxxxxx}'],
    ['the name of a key', '{name: KEY, value: hf_api_token}'],
    ['part of a word', '{name: KEY, value: shelf_abcdefghijklmno}'],
    ['something short', '{name: KEY, value: hf_transfer}'],
    ['a path with a token in its name', '{name: HF_TOKEN_PATH, value: /etc/token}'],
  ])('not %s', (_, entry) => {
    expect(places(pod(`${IMAGE}, env: [${entry}]`))).toEqual([]);
  });

  test('is not repeated in what is said', () => {
    expect(sentences(pod(`${IMAGE}, args: [${TOKEN}]`))).toBe(
      "TPU702 error the manifest holds the Hugging Face token 'hf_Ab…', for everyone who reads it; name the key of a Secret with valueFrom.secretKeyRef, and revoke this token",
    );
  });
});

describe('TPU703: objects that are there twice', () => {
  const service = (meta: string): string => `{apiVersion: v1, kind: Service, metadata: {${meta}}}`;

  test.each([
    ['in no namespace', [service('name: a'), service('name: a')], 1],
    ['in one namespace', [service('name: a, namespace: n'), service('name: a, namespace: n')], 1],
    ['in two namespaces', [service('name: a, namespace: n'), service('name: a, namespace: m')], 0],
    ['in a namespace and in none', [service('name: a, namespace: n'), service('name: a')], 0],
    ['of two kinds', [service('name: a'), object('v1', 'ConfigMap', '').replace('name: x', 'name: a')], 0],
    ['of two versions of a group', [object('apps/v1', 'Other', ''), object('apps/v1beta1', 'Other', '')], 1],
    ['of two groups', [object('a.com/v1', 'Other', ''), object('b.com/v1', 'Other', '')], 0],
    ['without a name', [service(''), service('')], 0],
    ['with a generated name', [service('generateName: a-'), service('generateName: a-')], 0],
    ['three times', [service('name: a'), service('name: a'), service('name: a')], 2],
  ])('%s', (_, documents, times) => {
    expect(places(...documents).filter((one) => one.startsWith('TPU703'))).toEqual(
      Array<string>(times).fill('TPU703 error metadata.name'),
    );
  });

  test('names both files, or both constructs', () => {
    const said = (from: (name: string) => Parameters<typeof manifestObject>[1]): string =>
      findingsIn(
        ['a', 'b'].map((name) =>
          manifestObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }, from(name)),
        ),
      )
        .map(({ message }) => message)
        .join();
    expect(said((name) => ({ file: `${name}.yaml`, lineOf: () => 3 }))).toContain(
      'in a.yaml:3 and in b.yaml:3',
    );
    expect(said((name) => ({ file: `${name}.yaml` }))).toContain('in a.yaml and in b.yaml');
    expect(said((name) => ({ constructPath: `chart/${name}` }))).toContain('in chart/a and in chart/b');
    expect(said(() => ({}))).toContain('in one set');
  });
});

describe('TPU704, TPU705: what a pod takes of its node', () => {
  const PRIVILEGED = `${IMAGE}, securityContext: {privileged: true}`;
  const daemon = (rest: string): string =>
    object(
      'apps/v1',
      'DaemonSet',
      `spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {hostNetwork: true, ${rest}containers: [{name: main, ${PRIVILEGED}}]}}}`,
    );

  test('is said of any workload, once a container', () => {
    expect(places(pod(PRIVILEGED, 'hostNetwork: true, '))).toEqual([
      `TPU704 warning ${main}.securityContext.privileged`,
      'TPU705 warning spec.hostNetwork',
    ]);
    expect(places(pod(`${IMAGE}, securityContext: {privileged: false}`, 'hostNetwork: false, '))).toEqual([]);
  });

  test('but not of the agents of a node, unless they use its TPUs', () => {
    expect(places(daemon(''))).toEqual([]);
    expect(
      places(daemon('nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}, ')).map((one) =>
        one.slice(0, 6),
      ),
    ).toEqual(['TPU704', 'TPU705']);
  });
});

describe('Pod Security levels', () => {
  const template = (spec: string): ReturnType<typeof podSecurityLevel> => {
    const parsed: unknown = parse(`{spec: ${spec}}`);
    return podSecurityLevel(isRecord(parsed) ? parsed : {});
  };
  const container = (fields: string): string => `{containers: [{name: a, ${fields}}]}`;
  const context = (fields: string): string => container(`securityContext: {${fields}}`);
  const RESTRICTED =
    'allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}';

  test.each([
    [
      '{hostNetwork: true, containers: [{name: a, ports: [{containerPort: 80}]}]}',
      'sets hostNetwork',
      'takes ports of the host',
    ],
    ['{hostPID: true}', 'sets hostPID'],
    ['{hostIPC: true}', 'sets hostIPC'],
    [context('privileged: true'), 'runs privileged'],
    ['{initContainers: [{name: i, securityContext: {privileged: true}}]}', 'runs privileged'],
    ['{ephemeralContainers: [{securityContext: {privileged: true}}]}', 'runs privileged'],
    [context('windowsOptions: {hostProcess: true}'), 'is a host process of Windows'],
    [context('capabilities: {add: [SYS_ADMIN, CHOWN]}'), 'adds SYS_ADMIN'],
    ['{volumes: [{name: v, hostPath: {path: /}}]}', 'mounts a hostPath'],
    [container('ports: [{hostPort: 80}]'), 'takes ports of the host'],
    [container('livenessProbe: {httpGet: {host: 1.1.1.1}}'), 'sets the host of a probe'],
    [container('lifecycle: {preStop: {tcpSocket: {host: h}}}'), 'sets the host of a probe'],
    [context('appArmorProfile: {type: Unconfined}'), 'runs without an AppArmor profile'],
    [context('seLinuxOptions: {type: spc_t}'), 'sets its own SELinux user, role or type'],
    ['{securityContext: {seLinuxOptions: {user: u}}}', 'sets its own SELinux user, role or type'],
    [context('procMount: Unmasked'), 'mounts /proc without masks'],
    ['{securityContext: {seccompProfile: {type: Unconfined}}}', 'runs without a seccomp profile'],
    [
      '{securityContext: {sysctls: [{name: kernel.msgmax}, {name: net.ipv4.tcp_syncookies}]}}',
      'sets kernel.msgmax',
    ],
  ])('%s is privileged', (spec, ...whats) => {
    const { level, obstacles } = template(spec);
    expect(level).toBe('privileged');
    expect(obstacles.map(({ what }) => what)).toEqual(whats);
  });

  test('the annotations of AppArmor count too', () => {
    const annotated = (profile: string): string =>
      podSecurityLevel({
        metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/a': profile } },
      }).level;
    expect(['unconfined', 'runtime/default', 'localhost/x', ''].map(annotated)).toEqual([
      'privileged',
      'restricted',
      'restricted',
      'restricted',
    ]);
  });

  test.each([
    [context(''), 'allows privilege escalation, may run as root, has no seccomp profile, keeps capabilities'],
    [context(RESTRICTED.replace('drop: [ALL]', 'drop: [NET_RAW]')), 'keeps capabilities'],
    [context(RESTRICTED.replace('drop: [ALL]', 'drop: [ALL], add: [CHOWN]')), 'keeps capabilities'],
    [context(`${RESTRICTED}, runAsUser: 0`), 'runs as user 0'],
    [
      `{securityContext: {runAsUser: 0}, containers: [{name: a, securityContext: {${RESTRICTED}}}]}`,
      'runs as user 0',
    ],
    [context(RESTRICTED.replace('runAsNonRoot: true', 'runAsNonRoot: false')), 'may run as root'],
    [`{volumes: [{name: v, nfs: {server: s}}, {name: e, emptyDir: {}}]}`, 'mounts nfs'],
  ])('%s is baseline', (spec, words) => {
    const { level, obstacles } = template(spec);
    expect(level).toBe('baseline');
    expect(obstacles.map(({ what }) => what).join(', ')).toBe(words);
  });

  test.each([
    context(RESTRICTED),
    context(RESTRICTED.replace('drop: [ALL]', 'drop: [ALL], add: [NET_BIND_SERVICE]')),
    `{securityContext: {runAsNonRoot: true, seccompProfile: {type: Localhost}}, volumes: [{name: a, csi: {driver: d}}, {name: b, emptyDir: {}}, {name: c}], containers: [{name: a, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}, ports: [{containerPort: 80, hostPort: 0}], readinessProbe: {httpGet: {host: '', port: 80}}}]}`,
    '{}',
  ])('%s is restricted', (spec) => {
    expect(template(spec)).toEqual({ level: 'restricted', obstacles: [] });
  });

  test('of a workload is the lowest of its templates, said once, of TPU workloads alone', () => {
    const ray = (chips: string): string =>
      object(
        'ray.io/v1',
        'RayService',
        `spec: {rayClusterConfig: {headGroupSpec: {template: {spec: {hostPID: true, containers: [{name: h, image: "r:1"}]}}}, workerGroupSpecs: [{groupName: w, template: {spec: {containers: [{name: w, image: "r:1", resources: {limits: {${chips}}}}, {name: s, image: "r:1"}]}}}]}}`,
      );
    expect(sentences(ray('google.com/tpu: "4"'))).toBe(
      "TPU706 note the pods are admitted at level 'privileged', not at 'baseline' (pod: sets hostPID); where the namespace is to enforce 'baseline', remove hostPID",
    );
    expect(sentences(ray('google.com/tpu: "4"').replace('hostPID: true, ', ''))).toBe('');
    expect(
      sentences(
        ray('google.com/tpu: "4"').replace('hostPID: true, ', 'securityContext: {runAsNonRoot: true}, '),
      ),
    ).toContain("containers 'w', 's': allows privilege escalation");
    expect(sentences(ray('cpu: "4"'))).toBe('');
    expect(
      places(
        pod(
          `${IMAGE}, resources: {limits: {google.com/tpu: "4"}}, securityContext: {${RESTRICTED}}`,
          'nodeSelector: {a: b}, ',
        ),
      ),
    ).toEqual([]);
  });
});

describe('TPU711: texts', () => {
  const deployment = (meta: string, spec = '', container = ''): string =>
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, ${meta}}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {${spec}containers: [{name: main, ${IMAGE}, ${container}}]}}}}`;
  const inside = 'spec.template.spec';

  test.each([
    ['labels: {a: 1}', 'metadata.labels[a]', 'the number 1'],
    ['annotations: {a.b/c: true}', 'metadata.annotations[a.b/c]', 'the boolean true'],
    ['labels: {a: [b]}', 'metadata.labels[a]', 'a list'],
    ['annotations: {a: {b: c}}', 'metadata.annotations[a]', 'a map'],
  ])('%s', (meta, path, words) => {
    expect(places(deployment(meta))).toEqual([`TPU711 error ${path}`]);
    expect(sentences(deployment(meta))).toContain(words);
  });

  test.each([
    ['nodeSelector: {a: true}, ', '', `${inside}.nodeSelector[a]`],
    ['', 'env: [{name: A, value: 1}]', `${inside}.containers[main].env[A].value`],
    ['', 'args: [--port, 8000], command: [true]', `${inside}.containers[main].command[0]`],
  ])('%s%s', (spec, container, path) => {
    expect(places(deployment('', spec, container))[0]).toBe(`TPU711 error ${path}`);
  });

  test.each([
    [object('v1', 'ConfigMap', 'data: {a: 1, b: null, c: "1"}'), ['data[a]']],
    [object('v1', 'Secret', 'data: {a: 1}, stringData: {b: true}'), ['data[a]', 'stringData[b]']],
    [object('v1', 'Service', 'spec: {selector: {a: 1}}'), ['spec.selector[a]']],
    [
      object('monitoring.googleapis.com/v1', 'PodMonitoring', 'spec: {selector: {matchLabels: {a: 1}}}'),
      ['spec.selector.matchLabels[a]'],
    ],
    [
      object(
        'jobset.x-k8s.io/v1alpha2',
        'JobSet',
        'spec: {replicatedJobs: [{name: j, template: {metadata: {labels: {a: 1}}, spec: {template: {metadata: {labels: {b: 2}}}}}}]}',
      ),
      [
        'spec.replicatedJobs[j].template.metadata.labels[a]',
        'spec.replicatedJobs[j].template.spec.template.metadata.labels[b]',
      ],
    ],
    ['{metadata: {labels: {a: 1}}}', []],
    [object('example.com/v1', 'Unknown', 'spec: {selector: {matchLabels: {a: 1}}}'), []],
  ])('%s', (manifest, paths) => {
    expect(places(manifest)).toEqual(paths.map((path) => `TPU711 error ${path}`));
  });
});

describe('TPU712: labels', () => {
  const labelled = (labels: string, of = 'labels'): string =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: x, ${of}: {${labels}}}}`;
  const long = 'a'.repeat(64);

  test.each([
    'a: b',
    'a: ""',
    'app.kubernetes.io/name: A_b.c-1',
    `a: ${'a'.repeat(63)}`,
    `${'a'.repeat(63)}: b`,
    'a: null',
  ])('%s is allowed', (labels) => {
    expect(places(labelled(labels))).toEqual([]);
    expect(places(labelled(labels, 'annotations'))).toEqual([]);
  });

  test.each([
    ['a: meta-llama/Llama-3.1-70B', "write 'meta-llama-Llama-3.1-70B'"],
    [`a: ${long}`, `write '${'a'.repeat(63)}'`],
    ['a: -b-', "write 'b'"],
    ['a: "b c"', "write 'b-c'"],
  ])('%s is an annotation, not a label', (labels, words) => {
    expect(sentences(labelled(labels))).toContain(words);
    expect(places(labelled(labels, 'annotations'))).toEqual([]);
  });

  test.each(['a b: c', 'a/b/c: d', '/a: b', 'a/: b', '-a: b', `${long}: a`, 'a_b/c: d', '"": a'])(
    '%s has no name',
    (labels) => {
      expect(places(labelled(labels))).toHaveLength(1);
      expect(places(labelled(labels, 'annotations'))).toHaveLength(1);
    },
  );

  test('an annotation may have capitals in its prefix, a label not', () => {
    expect(places(labelled('Example.com/a: b', 'annotations'))).toEqual([]);
    expect(places(labelled('Example.com/a: b'))).toEqual(['TPU712 error metadata.labels[Example.com/a]']);
  });
});

describe('TPU713: names', () => {
  const named = (kind: string, name: string): string =>
    `{apiVersion: ${kind === 'Deployment' ? 'example.com/v1' : 'v1'}, kind: ${kind}, metadata: {name: ${name}}}`;

  test.each([
    ['Deployment', 'Llama', "write 'llama'"],
    ['ConfigMap', 'a_b', "write 'a-b'"],
    ['ConfigMap', 'a..b', 'is not made of'],
    ['ConfigMap', `"${'a'.repeat(254)}"`, 'has 254 characters, more than 253'],
    ['Service', 'a.b', "write 'a-b'"],
    ['Service', 'a'.repeat(64), 'has 64 characters, more than 63'],
    ['Namespace', '"---"', "write 'x'"],
    ['ConfigMap', '5', 'write it in quotes, as in "5"'],
    ['ConfigMap', '{a: b}', 'is a map'],
    ['ConfigMap', '""', 'a ConfigMap has no name'],
  ])('%s %s', (kind, name, words) => {
    const said = sentences(named(kind, name));
    expect(said).toMatch(/^TPU713 error [^\n]*$/);
    expect(said).toContain(words);
  });

  test.each([
    ['ConfigMap', 'a.b-c'],
    ['ConfigMap', '0'.repeat(1) + 'a'],
    ['Service', 'a-1'],
    ['ClusterRole', 'system:node'],
    ['Unknown', 'A_b'],
  ])('%s %s is allowed', (kind, name) => {
    expect(places(named(kind, name))).toEqual([]);
  });

  test('a Service that starts with a digit, a generated name, a namespace', () => {
    expect(places(named('Service', '1a'))).toEqual(['TPU713 warning metadata.name']);
    expect(places('{apiVersion: batch/v1, kind: Job, metadata: {generateName: a-}}')).toEqual([]);
    expect(places('{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: B}}')).toEqual([
      'TPU713 error metadata.namespace',
    ]);
  });

  test('containers and volumes', () => {
    expect(
      places(
        `{apiVersion: v1, kind: Pod, ${META}, spec: {containers: [{name: A}, {image: "x:1"}], volumes: [{name: a_b}, {}]}}`,
      ),
    ).toEqual([
      'TPU713 error spec.containers[A].name',
      'TPU713 error spec.containers[1].name',
      'TPU713 error spec.volumes[a_b].name',
      'TPU713 error spec.volumes[1].name',
    ]);
  });
});

describe('TPU714: quantities', () => {
  const asks = (resource: string, value: string): string =>
    sentences(pod(`${IMAGE}, resources: {limits: {${resource}: ${value}}}`)).replace(/^TPU706[^\n]*\n?/m, '');

  test.each([
    ['memory', '16GB', "write '16G'"],
    ['memory', '16 Gi', "write '16Gi'"],
    ['memory', '16GiB', "write '16Gi'"],
    ['memory', '16gib', "write '16Gi'"],
    ['memory', '16kb', "write '16k'"],
    ['memory', '500mb', "write '500M'"],
    ['cpu', '"500 m"', "write '500m'"],
    ['cpu', '4 cores', 'write a number with a suffix'],
    ['cpu', 'true', 'is not a quantity'],
    ['cpu', '[1]', 'is not a quantity'],
    ['cpu', '""', 'is not a quantity'],
    ['cpu', '-1', 'is less than nothing'],
    ['memory', '512m', "write '512Mi'"],
    ['memory', '0.5', 'is a part of a byte'],
    ['nvidia.com/gpu', '0.5', "write '1'"],
    ['hugepages-2Mi', '"0.5"', 'is not a whole number'],
  ])('%s %s', (resource, value, words) => {
    expect(asks(resource, value)).toMatch(/^TPU714 error/);
    expect(asks(resource, value)).toContain(words);
  });

  test.each([
    ['memory', '16Gi'],
    ['memory', '1e9'],
    ['memory', '"1E3"'],
    ['memory', '0.5Gi'],
    ['memory', '".5Gi"'],
    ['memory', '1000m'],
    ['memory', '12345'],
    ['cpu', '0.1'],
    ['cpu', '+1.5'],
    ['cpu', '100u'],
    ['cpu', '5n'],
    ['cpu', 'null'],
    ['google.com/tpu', '4'],
    ['google.com/tpu', '"4"'],
    ['google.com/tpu', '0.5'],
    ['nvidia.com/gpu', '4k'],
  ])('%s %s is one', (resource, value) => {
    expect(asks(resource, value)).toBe('');
  });

  test('of volumes and claims', () => {
    const claim = 'spec: {resources: {requests: {storage: 1GB}}}';
    expect(
      places(
        pod(
          IMAGE,
          `volumes: [{name: a, emptyDir: {sizeLimit: 1GB}}, {name: b, ephemeral: {volumeClaimTemplate: {${claim}}}}], `,
        ),
        object('v1', 'PersistentVolumeClaim', claim),
        object(
          'apps/v1',
          'StatefulSet',
          `spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}, volumeClaimTemplates: [{${claim}}]}`,
        ),
      ),
    ).toEqual([
      'TPU714 error spec.volumes[a].emptyDir.sizeLimit',
      'TPU714 error spec.volumes[b].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]',
      'TPU714 error spec.resources.requests[storage]',
      'TPU714 error spec.volumeClaimTemplates[0].spec.resources.requests[storage]',
    ]);
  });
});

describe('TPU715: names that are there twice', () => {
  test.each([
    [pod(`${IMAGE}, ports: [{name: a, containerPort: 1}, {name: a, containerPort: 2}]`), `${main}.ports[a]`],
    [pod(`${IMAGE}, volumeMounts: [{mountPath: /a}, {mountPath: /a}]`), `${main}.volumeMounts[/a]`],
    [pod(IMAGE, 'initContainers: [{name: main}], '), 'spec.containers[main]'],
    [pod(IMAGE, 'volumes: [{name: v}, {name: v}], '), 'spec.volumes[v]'],
    [object('v1', 'Service', 'spec: {ports: [{name: a, port: 1}, {name: a, port: 2}]}'), 'spec.ports[a]'],
    [
      object('jobset.x-k8s.io/v1alpha2', 'JobSet', 'spec: {replicatedJobs: [{name: a}, {name: a}]}'),
      'spec.replicatedJobs[a]',
    ],
  ])('%s', (manifest, path) => {
    expect(places(manifest)).toEqual([`TPU715 error ${path}`]);
  });

  test('one port twice under two names is refused', () => {
    const twice = object('v1', 'Service', 'spec: {ports: [{name: a, port: 1}, {name: b, port: 1}]}');
    expect(places(twice)).toEqual(['TPU715 error spec.ports[1/TCP]']);
  });

  test('the last of two variables wins, except in custom resources', () => {
    const twice = 'env: [{name: A}, {name: B}, {name: A}]';
    expect(places(pod(`${IMAGE}, ${twice}`))).toEqual([`TPU715 warning ${main}.env[A]`]);
  });

  test('one name in two containers is fine', () => {
    expect(
      places(
        `{apiVersion: v1, kind: Pod, ${META}, spec: {containers: [{name: a, env: [{name: A}], ports: [{name: p}]}, {name: b, env: [{name: A}], ports: [{name: p}]}]}}`,
      ),
    ).toEqual([]);
  });
});

describe('TPU716, TPU717: ports', () => {
  const port = (fields: string): string => sentences(pod(`${IMAGE}, ports: [{${fields}}]`));
  const service = (...ports: readonly string[]): string =>
    object('v1', 'Service', `spec: {ports: [${ports.map((one) => `{${one}}`).join(', ')}]}`);

  test.each([
    ['name: openai-compatible', "write 'openai-compatib'"],
    ['name: HTTP', "write 'http'"],
    ['name: "80"', "write 'http'"],
    ['name: a--b', "write 'a-b'"],
    ['name: -a', "write 'a'"],
    ['name: 5', "write 'http'"],
    ['containerPort: 0', 'write a number from 1 to 65535'],
    ['containerPort: 70000', 'write a number from 1 to 65535'],
    ['containerPort: "8000"', 'write the number 8000 without quotes'],
    ['containerPort: 1.5', 'is not a number'],
  ])('%s', (fields, words) => {
    expect(port(fields)).toMatch(/^TPU716 error/);
    expect(port(fields)).toContain(words);
  });

  test.each(['name: http, containerPort: 80', 'name: a, containerPort: 65535', 'name: grpc-2', ''])(
    '%s is allowed',
    (fields) => {
      expect(port(fields)).toBe('');
    },
  );

  test('of Services', () => {
    expect(places(service('port: 80, targetPort: "8000"'))).toEqual([
      'TPU716 error spec.ports[0].targetPort',
    ]);
    expect(sentences(service('port: 80, targetPort: "8000"'))).toContain('write the number 8000');
    expect(places(service('port: 80, targetPort: a_b'))).toEqual(['TPU716 error spec.ports[0].targetPort']);
    expect(places(service('port: 0, targetPort: 99999'))).toEqual([
      'TPU716 error spec.ports[0].port',
      'TPU716 error spec.ports[0].targetPort',
    ]);
    expect(places(service('port: 80, targetPort: http'))).toEqual([]);
  });

  test('several ports have names', () => {
    expect(places(service('port: 1'))).toEqual([]);
    expect(places(service('port: 1', 'port: 2'))).toEqual(['TPU717 error spec.ports[0]']);
    expect(places(service('name: a, port: 1', 'port: 2'))).toEqual(['TPU717 error spec.ports[1]']);
    expect(places(service('name: a, port: 1', 'name: b, port: 2'))).toEqual([]);
  });
});

describe('TPU718: selectors', () => {
  const set = (kind: string, selector: string, labels: string): string =>
    object('apps/v1', kind, `spec: {selector: ${selector}, template: {metadata: {labels: ${labels}}}}`);

  test.each([
    ['Deployment', '{matchLabels: {a: b}}', '{a: c}', 'a: b'],
    ['StatefulSet', '{matchLabels: {a: b, c: d}}', '{a: b}', '(a: b, c: d)'],
    ['DaemonSet', '{matchLabels: {a: b}}', '{}', 'of the template (none)'],
    ['ReplicaSet', '{matchExpressions: [{key: a, operator: Exists}]}', '{b: c}', '(matchExpressions)'],
    ['Deployment', '{matchExpressions: [{key: a, operator: In, values: [x]}]}', '{a: b}', 'does not match'],
    ['Deployment', '{}', '{a: b}', 'with the labels of the template, a: b'],
    ['Deployment', 'null', '{}', 'and those labels'],
  ])('%s %s %s', (kind, selector, labels, words) => {
    expect(places(set(kind, selector, labels))).toEqual(['TPU718 error spec.selector']);
    expect(sentences(set(kind, selector, labels))).toContain(words);
  });

  test.each([
    ['Deployment', '{matchLabels: {a: b}}', '{a: b, c: d}'],
    ['Deployment', '{matchExpressions: [{key: a, operator: NotIn, values: [x]}]}', '{a: b}'],
    ['Job', '{matchLabels: {a: b}}', '{}'],
  ])('%s %s %s match', (kind, selector, labels) => {
    expect(places(set(kind, selector, labels))).toEqual([]);
  });

  test('a number where a text belongs is one finding', () => {
    expect(places(set('Deployment', '{matchLabels: {a: "1"}}', '{a: 1}'))).toEqual([
      'TPU711 error spec.template.metadata.labels[a]',
    ]);
  });
});

describe('what accepts findings', () => {
  const accept = (annotations: string): readonly string[] =>
    findingsIn(
      setOf(
        pod(
          `${IMAGE}, securityContext: {privileged: true}`,
          '',
          `metadata: {name: tpu, annotations: {${annotations}}}`,
        ),
      ).objects,
    ).map(({ code, severity, accepted }) => `${code} ${severity} ${accepted ?? '-'}`);

  test.each([
    ['', ['TPU704 warning -']],
    ['cdk8s-tpu-serving/accept-TPU704: because', ['TPU704 warning because']],
    ['cdk8s-tpu-serving/accept-TPU704: " "', ['TPU704 warning -', 'TPU902 warning -']],
    ['cdk8s-tpu-serving/accept-TPU000: because', ['TPU704 warning -', 'TPU902 warning -']],
    ['cdk8s-tpu-serving/accept-TPU701: because', ['TPU704 warning -', 'TPU903 note -']],
    ['cdk8s-tpu-serving/accept-TPU911: because', ['TPU704 warning -']],
    ['cdk8s-tpu-serving/accept-TPU704: 1', ['TPU704 warning -', 'TPU711 error -', 'TPU902 warning -']],
  ])('%s', (annotations, findings) => {
    expect(accept(annotations)).toEqual(findings);
  });
});

describe('malformed manifests', () => {
  const whole: unknown = parse(
    `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: x, labels: {a: b}, annotations: {cdk8s-tpu-serving/accept-TPU704: why}}, spec: {selector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b]}]}, template: {metadata: {labels: {a: b}, annotations: {container.apparmor.security.beta.kubernetes.io/a: x}}, spec: {hostNetwork: true, nodeSelector: {a: b}, securityContext: {sysctls: [{name: a}]}, containers: [{name: a, image: x, env: [{name: HF_TOKEN, value: a}], args: [a], ports: [{name: a, containerPort: 1}], resources: {limits: {google.com/tpu: 4}}, securityContext: {capabilities: {add: [a]}, privileged: true}, readinessProbe: {httpGet: {host: a}}}], volumes: [{name: v, emptyDir: {sizeLimit: 1}, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1}}}}}}]}}, volumeClaimTemplates: [{spec: {resources: {requests: {storage: 1}}}}]}}`,
  );
  const others: unknown = [
    parse(object('v1', 'Service', 'spec: {selector: {a: b}, ports: [{name: a, port: 1, targetPort: a}]}')),
    parse(object('v1', 'Secret', 'data: {a: aGZfQUJDREVGR0hJSktMTQ==}, stringData: {a: b}')),
    parse(
      object(
        'jobset.x-k8s.io/v1alpha2',
        'JobSet',
        'spec: {replicatedJobs: [{name: a, template: {metadata: {labels: {a: b}}}}]}',
      ),
    ),
  ];

  test('are never too much', () => {
    for (const manifest of [whole, ...(others as readonly unknown[])].filter(isRecord))
      for (const one of broken(manifest))
        for (const rule of HYGIENE_RULES)
          expect(() => [...rule.check(manifestSet([manifestObject(one)]), NOTHING_FOUND)]).not.toThrow();
  });
});
