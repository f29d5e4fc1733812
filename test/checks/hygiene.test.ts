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

describe('TPU701', () => {
  test.each([
    ['x', 'no tag'],
    ['localhost:5000/x', 'no tag'],
    ['x:latest', "tag 'latest'"],
    ['x:latest-py310', "tag 'latest-py310'"],
    ['x:py310-latest', "tag 'py310-latest'"],
    ['gcr.io/p/x:MAIN', "tag 'MAIN'"],
    ['x:nightly', "tag 'nightly'"],
    ['x:stable-tpu', "tag 'stable-tpu'"],
  ])('reports %s, whose tag can change', (image, words) => {
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
  ])('accepts %s', (image) => {
    expect(places(pod(`image: "${image}"`))).toEqual([]);
  });

  test('checks init containers and every pod template', () => {
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

describe('TPU702', () => {
  const TOKEN = 'hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567';

  test.each([
    ['a token in a variable', pod(`${IMAGE}, env: [{name: A, value: ${TOKEN}}]`), [`${main}.env[A].value`]],
    [
      'a token in an argument and a command',
      pod(`${IMAGE}, args: ["--token=${TOKEN}"], command: [sh, -c, "export T=${TOKEN} && run"]`),
      [`${main}.args[0]`, `${main}.command[2]`],
    ],
    [
      'a token in a Secret, plain and in base64',
      object(
        'v1',
        'Secret',
        `stringData: {a: ${TOKEN}}, data: {a.b: ${Buffer.from(`${TOKEN}\n`).toString('base64')}}`,
      ),
      ['stringData.a', 'data[a.b]'],
    ],
    ['a token in a ConfigMap', object('v1', 'ConfigMap', `data: {run.sh: "T=${TOKEN}"}`), ['data[run.sh]']],
    [
      'a token in the Serve configuration of a RayService',
      object('ray.io/v1', 'RayService', `spec: {serveConfigV2: "env_vars: {HF_TOKEN: ${TOKEN}}"}`),
      ['spec.serveConfigV2'],
    ],
    [
      'any value of a variable that is known to hold a token',
      pod(`${IMAGE}, env: [{name: HF_TOKEN, value: secret}]`),
      [`${main}.env[HF_TOKEN].value`],
    ],
    [
      'a token in such a variable only once',
      pod(`${IMAGE}, env: [{name: HF_TOKEN, value: ${TOKEN}}]`),
      [`${main}.env[HF_TOKEN].value`],
    ],
  ])('%s', (_, manifest, paths) => {
    expect(places(manifest)).toEqual(paths.map((path) => `TPU702 error ${path}`));
  });

  test.each([
    ['a reference', '{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}'],
    ['another variable', '{name: HF_TOKEN, value: $(TOKEN)}'],
    ['an empty value', '{name: HF_TOKEN, value: ""}'],
    ['a placeholder', '{name: KEY, value: hf_xxxxxxxxxxxxxxxxxxxx}'],
    ['the name of a key', '{name: KEY, value: hf_api_token}'],
    ['part of a word', '{name: KEY, value: shelf_abcdefghijklmno}'],
    ['a short value', '{name: KEY, value: hf_transfer}'],
    ['a path with a token in its name', '{name: HF_TOKEN_PATH, value: /etc/token}'],
  ])('accepts %s', (_, entry) => {
    expect(places(pod(`${IMAGE}, env: [${entry}]`))).toEqual([]);
  });

  test('does not repeat the token in the message', () => {
    expect(sentences(pod(`${IMAGE}, args: [${TOKEN}]`))).toBe(
      "TPU702 error the manifest contains the Hugging Face token 'hf_Ab…', which everyone who reads it can use; reference a Secret with valueFrom.secretKeyRef, and revoke this token",
    );
  });
});

describe('TPU703 compares objects', () => {
  const service = (meta: string): string => `{apiVersion: v1, kind: Service, metadata: {${meta}}}`;

  test.each([
    ['without a namespace', [service('name: a'), service('name: a')], 1],
    ['in one namespace', [service('name: a, namespace: n'), service('name: a, namespace: n')], 1],
    ['in two namespaces', [service('name: a, namespace: n'), service('name: a, namespace: m')], 0],
    ['with and without a namespace', [service('name: a, namespace: n'), service('name: a')], 0],
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

  test('the message names both files or both constructs', () => {
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
    expect(said(() => ({}))).toContain('among the manifests');
  });
});

describe('TPU704 and TPU705', () => {
  const PRIVILEGED = `${IMAGE}, securityContext: {privileged: true}`;
  const daemon = (rest: string): string =>
    object(
      'apps/v1',
      'DaemonSet',
      `spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {hostNetwork: true, ${rest}containers: [{name: main, ${PRIVILEGED}}]}}}`,
    );

  test('report any workload, once per container', () => {
    expect(places(pod(PRIVILEGED, 'hostNetwork: true, '))).toEqual([
      `TPU704 warning ${main}.securityContext.privileged`,
      'TPU705 warning spec.hostNetwork',
    ]);
    expect(places(pod(`${IMAGE}, securityContext: {privileged: false}`, 'hostNetwork: false, '))).toEqual([]);
  });

  test('ignore the agents of a node, unless they use its TPUs', () => {
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
      'uses host ports',
    ],
    ['{hostPID: true}', 'sets hostPID'],
    ['{hostIPC: true}', 'sets hostIPC'],
    [context('privileged: true'), 'runs privileged'],
    ['{initContainers: [{name: i, securityContext: {privileged: true}}]}', 'runs privileged'],
    ['{ephemeralContainers: [{securityContext: {privileged: true}}]}', 'runs privileged'],
    [context('windowsOptions: {hostProcess: true}'), 'runs as a Windows host process'],
    [context('capabilities: {add: [SYS_ADMIN, CHOWN]}'), 'adds SYS_ADMIN'],
    ['{volumes: [{name: v, hostPath: {path: /}}]}', 'mounts a hostPath'],
    [container('ports: [{hostPort: 80}]'), 'uses host ports'],
    [container('livenessProbe: {httpGet: {host: 1.1.1.1}}'), 'sets the host of a probe or lifecycle hook'],
    [container('lifecycle: {preStop: {tcpSocket: {host: h}}}'), 'sets the host of a probe or lifecycle hook'],
    [context('appArmorProfile: {type: Unconfined}'), 'runs without an AppArmor profile'],
    [context('seLinuxOptions: {type: spc_t}'), 'sets its own SELinux user, role or type'],
    ['{securityContext: {seLinuxOptions: {user: u}}}', 'sets its own SELinux user, role or type'],
    [context('procMount: Unmasked'), 'mounts /proc unmasked'],
    ['{securityContext: {seccompProfile: {type: Unconfined}}}', 'runs without a seccomp profile'],
    [
      '{securityContext: {sysctls: [{name: kernel.msgmax}, {name: net.ipv4.tcp_syncookies}]}}',
      'sets kernel.msgmax',
    ],
  ])('%s meets only privileged', (spec, ...whats) => {
    const { level, obstacles } = template(spec);
    expect(level).toBe('privileged');
    expect(obstacles.map(({ what }) => what)).toEqual(whats);
  });

  test('the annotations of AppArmor count', () => {
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
    [
      context(''),
      'allows privilege escalation, can run as root, has no seccomp profile, does not drop all capabilities',
    ],
    [context(RESTRICTED.replace('drop: [ALL]', 'drop: [NET_RAW]')), 'does not drop all capabilities'],
    [
      context(RESTRICTED.replace('drop: [ALL]', 'drop: [ALL], add: [CHOWN]')),
      'does not drop all capabilities',
    ],
    [context(`${RESTRICTED}, runAsUser: 0`), 'runs as user 0'],
    [
      `{securityContext: {runAsUser: 0}, containers: [{name: a, securityContext: {${RESTRICTED}}}]}`,
      'runs as user 0',
    ],
    [context(RESTRICTED.replace('runAsNonRoot: true', 'runAsNonRoot: false')), 'can run as root'],
    [`{volumes: [{name: v, nfs: {server: s}}, {name: e, emptyDir: {}}]}`, 'mounts nfs'],
  ])('%s meets baseline', (spec, words) => {
    const { level, obstacles } = template(spec);
    expect(level).toBe('baseline');
    expect(obstacles.map(({ what }) => what).join(', ')).toBe(words);
  });

  test.each([
    context(RESTRICTED),
    context(RESTRICTED.replace('drop: [ALL]', 'drop: [ALL], add: [NET_BIND_SERVICE]')),
    `{securityContext: {runAsNonRoot: true, seccompProfile: {type: Localhost}}, volumes: [{name: a, csi: {driver: d}}, {name: b, emptyDir: {}}, {name: c}], containers: [{name: a, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}, ports: [{containerPort: 80, hostPort: 0}], readinessProbe: {httpGet: {host: '', port: 80}}}]}`,
    '{}',
  ])('%s meets restricted', (spec) => {
    expect(template(spec)).toEqual({ level: 'restricted', obstacles: [] });
  });

  test('TPU706 reports the lowest level of the templates of a TPU workload once', () => {
    const ray = (chips: string): string =>
      object(
        'ray.io/v1',
        'RayService',
        `spec: {rayClusterConfig: {headGroupSpec: {template: {spec: {hostPID: true, containers: [{name: h, image: "r:1"}]}}}, workerGroupSpecs: [{groupName: w, template: {spec: {containers: [{name: w, image: "r:1", resources: {limits: {${chips}}}}, {name: s, image: "r:1"}]}}}]}}`,
      );
    expect(sentences(ray('google.com/tpu: "4"'))).toBe(
      "TPU706 note the pods meet Pod Security level 'privileged' but not 'baseline' (pod: sets hostPID); to run them in a namespace that enforces 'baseline', remove hostPID",
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

describe('TPU711', () => {
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

describe('TPU712', () => {
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
  ])('accepts label %s', (labels) => {
    expect(places(labelled(labels))).toEqual([]);
    expect(places(labelled(labels, 'annotations'))).toEqual([]);
  });

  test.each([
    ['a: meta-llama/Llama-3.1-70B', "use 'meta-llama-Llama-3.1-70B'"],
    [`a: ${long}`, `use '${'a'.repeat(63)}'`],
    ['a: -b-', "use 'b'"],
    ['a: "b c"', "use 'b-c'"],
  ])('reports the value of %s', (labels, words) => {
    expect(sentences(labelled(labels))).toContain(words);
    expect(places(labelled(labels, 'annotations'))).toEqual([]);
  });

  test.each(['a b: c', 'a/b/c: d', '/a: b', 'a/: b', '-a: b', `${long}: a`, 'a_b/c: d', '"": a'])(
    'reports the key of %s',
    (labels) => {
      expect(places(labelled(labels))).toHaveLength(1);
      expect(places(labelled(labels, 'annotations'))).toHaveLength(1);
    },
  );

  test('accepts capital letters in the prefix of an annotation, but not of a label', () => {
    expect(places(labelled('Example.com/a: b', 'annotations'))).toEqual([]);
    expect(places(labelled('Example.com/a: b'))).toEqual(['TPU712 error metadata.labels[Example.com/a]']);
  });
});

describe('TPU713', () => {
  const named = (kind: string, name: string): string =>
    `{apiVersion: ${kind === 'Deployment' ? 'example.com/v1' : 'v1'}, kind: ${kind}, metadata: {name: ${name}}}`;

  test.each([
    ['Deployment', 'Llama', "use 'llama'"],
    ['ConfigMap', 'a_b', "use 'a-b'"],
    ['ConfigMap', 'a..b', 'is not valid'],
    ['ConfigMap', `"${'a'.repeat(254)}"`, 'has 254 characters, but the limit is 253'],
    ['Service', 'a.b', "use 'a-b'"],
    ['Service', 'a'.repeat(64), 'has 64 characters, but the limit is 63'],
    ['Namespace', '"---"', "use 'x'"],
    ['ConfigMap', '5', 'put it in quotes: "5"'],
    ['ConfigMap', '{a: b}', 'is a map'],
    ['ConfigMap', '""', 'a ConfigMap has no name'],
  ])('reports %s %s', (kind, name, words) => {
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
  ])('accepts %s %s', (kind, name) => {
    expect(places(named(kind, name))).toEqual([]);
  });

  test('warns about a Service name with a leading digit, accepts generated names, and checks namespaces', () => {
    expect(places(named('Service', '1a'))).toEqual(['TPU713 warning metadata.name']);
    expect(places('{apiVersion: batch/v1, kind: Job, metadata: {generateName: a-}}')).toEqual([]);
    expect(places('{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: B}}')).toEqual([
      'TPU713 error metadata.namespace',
    ]);
  });

  test('reports containers and volumes', () => {
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

describe('TPU714', () => {
  const asks = (resource: string, value: string): string =>
    sentences(pod(`${IMAGE}, resources: {limits: {${resource}: ${value}}}`)).replace(/^TPU706[^\n]*\n?/m, '');

  test.each([
    ['memory', '16GB', "use '16G'"],
    ['memory', '16 Gi', "use '16Gi'"],
    ['memory', '16GiB', "use '16Gi'"],
    ['memory', '16gib', "use '16Gi'"],
    ['memory', '16kb', "use '16k'"],
    ['memory', '500mb', "use '500M'"],
    ['cpu', '"500 m"', "use '500m'"],
    ['cpu', '4 cores', 'use a number with a suffix'],
    ['cpu', 'true', 'is not a quantity'],
    ['cpu', '[1]', 'is not a quantity'],
    ['cpu', '""', 'is not a quantity'],
    ['cpu', '-1', 'is negative'],
    ['memory', '512m', "use '512Mi'"],
    ['memory', '0.5', 'is a fraction of a byte'],
    ['nvidia.com/gpu', '0.5', "use '1'"],
    ['hugepages-2Mi', '"0.5"', 'is not a whole number'],
  ])('reports %s %s', (resource, value, words) => {
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
  ])('accepts %s %s', (resource, value) => {
    expect(asks(resource, value)).toBe('');
  });

  test('checks volumes and claims', () => {
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

describe('TPU715', () => {
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

  test('reports one port with two names', () => {
    const twice = object('v1', 'Service', 'spec: {ports: [{name: a, port: 1}, {name: b, port: 1}]}');
    expect(places(twice)).toEqual(['TPU715 error spec.ports[1/TCP]']);
  });

  test('warns about two variables with one name, which is an error in custom resources', () => {
    const twice = 'env: [{name: A}, {name: B}, {name: A}]';
    expect(places(pod(`${IMAGE}, ${twice}`))).toEqual([`TPU715 warning ${main}.env[A]`]);
  });

  test('accepts one name in two containers', () => {
    expect(
      places(
        `{apiVersion: v1, kind: Pod, ${META}, spec: {containers: [{name: a, env: [{name: A}], ports: [{name: p}]}, {name: b, env: [{name: A}], ports: [{name: p}]}]}}`,
      ),
    ).toEqual([]);
  });
});

describe('TPU716 and TPU717', () => {
  const port = (fields: string): string => sentences(pod(`${IMAGE}, ports: [{${fields}}]`));
  const service = (...ports: readonly string[]): string =>
    object('v1', 'Service', `spec: {ports: [${ports.map((one) => `{${one}}`).join(', ')}]}`);

  test.each([
    ['name: openai-compatible', "use 'openai-compatib'"],
    ['name: HTTP', "use 'http'"],
    ['name: "80"', "use 'http'"],
    ['name: a--b', "use 'a-b'"],
    ['name: -a', "use 'a'"],
    ['name: 5', "use 'http'"],
    ['containerPort: 0', 'use a number from 1 to 65535'],
    ['containerPort: 70000', 'use a number from 1 to 65535'],
    ['containerPort: "8000"', 'use the number 8000 without quotes'],
    ['containerPort: 1.5', 'is not a number'],
  ])('%s', (fields, words) => {
    expect(port(fields)).toMatch(/^TPU716 error/);
    expect(port(fields)).toContain(words);
  });

  test.each(['name: http, containerPort: 80', 'name: a, containerPort: 65535', 'name: grpc-2', ''])(
    'accept %s',
    (fields) => {
      expect(port(fields)).toBe('');
    },
  );

  test('check Services', () => {
    expect(places(service('port: 80, targetPort: "8000"'))).toEqual([
      'TPU716 error spec.ports[0].targetPort',
    ]);
    expect(sentences(service('port: 80, targetPort: "8000"'))).toContain('use the number 8000');
    expect(places(service('port: 80, targetPort: a_b'))).toEqual(['TPU716 error spec.ports[0].targetPort']);
    expect(places(service('port: 0, targetPort: 99999'))).toEqual([
      'TPU716 error spec.ports[0].port',
      'TPU716 error spec.ports[0].targetPort',
    ]);
    expect(places(service('port: 80, targetPort: http'))).toEqual([]);
  });

  test('require names for several ports', () => {
    expect(places(service('port: 1'))).toEqual([]);
    expect(places(service('port: 1', 'port: 2'))).toEqual(['TPU717 error spec.ports[0]']);
    expect(places(service('name: a, port: 1', 'port: 2'))).toEqual(['TPU717 error spec.ports[1]']);
    expect(places(service('name: a, port: 1', 'name: b, port: 2'))).toEqual([]);
  });
});

describe('TPU718', () => {
  const set = (kind: string, selector: string, labels: string): string =>
    object('apps/v1', kind, `spec: {selector: ${selector}, template: {metadata: {labels: ${labels}}}}`);

  test.each([
    ['Deployment', '{matchLabels: {a: b}}', '{a: c}', 'a: b'],
    ['StatefulSet', '{matchLabels: {a: b, c: d}}', '{a: b}', '(a: b, c: d)'],
    ['DaemonSet', '{matchLabels: {a: b}}', '{}', 'of the template (none)'],
    ['ReplicaSet', '{matchExpressions: [{key: a, operator: Exists}]}', '{b: c}', '(matchExpressions)'],
    ['Deployment', '{matchExpressions: [{key: a, operator: In, values: [x]}]}', '{a: b}', 'does not match'],
    ['Deployment', '{}', '{a: b}', 'to the labels of the template, a: b'],
    ['Deployment', 'null', '{}', 'and add labels to the template'],
  ])('reports %s %s %s', (kind, selector, labels, words) => {
    expect(places(set(kind, selector, labels))).toEqual(['TPU718 error spec.selector']);
    expect(sentences(set(kind, selector, labels))).toContain(words);
  });

  test.each([
    ['Deployment', '{matchLabels: {a: b}}', '{a: b, c: d}'],
    ['Deployment', '{matchExpressions: [{key: a, operator: NotIn, values: [x]}]}', '{a: b}'],
    ['Job', '{matchLabels: {a: b}}', '{}'],
  ])('accepts %s %s %s', (kind, selector, labels) => {
    expect(places(set(kind, selector, labels))).toEqual([]);
  });

  test('leaves a label that is a number to TPU711', () => {
    expect(places(set('Deployment', '{matchLabels: {a: "1"}}', '{a: 1}'))).toEqual([
      'TPU711 error spec.template.metadata.labels[a]',
    ]);
  });
});

describe('an annotation that accepts findings', () => {
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

  test('never make a rule throw', () => {
    for (const manifest of [whole, ...(others as readonly unknown[])].filter(isRecord))
      for (const one of broken(manifest))
        for (const rule of HYGIENE_RULES)
          expect(() => [...rule.check(manifestSet([manifestObject(one)]), NOTHING_FOUND)]).not.toThrow();
  });
});
