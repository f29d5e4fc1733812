import { ApiObject, type App, Chart, JsonPatch, Testing } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { InvalidInputError } from '../../lib/problems/problems';
import { checkAtSynth } from '../../lib/synth/at-synth';
import { acceptFinding } from '../../lib/synth/findings';
import { override, type ManifestPatch } from '../../lib/synth/override';

const BASE = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'llama', labels: { app: 'llama' } },
  spec: {
    selector: { matchLabels: { app: 'llama' } },
    template: {
      metadata: { labels: { app: 'llama' } },
      spec: {
        containers: [
          { name: 'vllm', image: 'vllm/vllm-tpu:v0.12.0', args: ['--a'], env: [{ name: 'A', value: '1' }] },
          { name: 'http', image: 'example/http:v1' },
        ],
        tolerations: [{ key: 'a', operator: 'Exists' }],
        volumes: [{ name: 'dshm', emptyDir: { medium: 'Memory' } }],
      },
    },
  },
};

const chartOf = (): Chart => Testing.chart();
const plainObject = (chart: Chart): ApiObject => new ApiObject(chart, 'llama', BASE);
/** The same by the type of Kubernetes 1.29, which drops what it does not know. */
const typedObject = (chart: Chart): ApiObject =>
  new k8s.KubeDeployment(chart, 'typed', {
    metadata: { name: 'typed' },
    spec: {
      selector: { matchLabels: { app: 'typed' } },
      template: {
        metadata: { labels: { app: 'typed' } },
        spec: {
          containers: [
            {
              name: 'vllm',
              image: 'vllm/vllm-tpu:v0.12.0',
              resources: { limits: { 'nvidia.com/gpu': k8s.Quantity.fromString('8') } },
              livenessProbe: { httpGet: { port: k8s.IntOrString.fromNumber(8000) } },
            },
          ],
        },
      },
    },
  });

/** The first object after a patch. */
const patched = (patch: ManifestPatch | string, make = plainObject): typeof BASE => {
  const chart = chartOf();
  override(make(chart), patch);
  return (Testing.synth(chart) as readonly (typeof BASE)[])[0] ?? BASE;
};
const podOf = (manifest: typeof BASE): (typeof BASE)['spec']['template']['spec'] =>
  manifest.spec.template.spec;
const ofPod = (spec: ManifestPatch): ManifestPatch => ({ spec: { template: { spec } } });

describe('an override merges', () => {
  test('maps, key by key, sorted as cdk8s sorts them', () => {
    const { metadata, spec } = patched({ metadata: { labels: { a: 'b' } }, spec: { paused: true } });
    expect(metadata).toEqual({ name: 'llama', labels: { a: 'b', app: 'llama' } });
    expect(Object.keys(spec)).toEqual(['paused', 'selector', 'template']);
  });

  test('null as the removal of a key, and ignores undefined', () => {
    expect(patched({ metadata: { labels: { app: null } }, spec: undefined })).toEqual({
      ...BASE,
      metadata: { name: 'llama', labels: {} },
    });
  });

  test.each<[string, ManifestPatch, unknown]>([
    [
      'containers by name, and their variables',
      {
        containers: [
          {
            name: 'vllm',
            env: [
              { name: 'B', value: '2' },
              { name: 'A', value: '3' },
            ],
          },
        ],
      },
      [
        {
          ...BASE.spec.template.spec.containers[0],
          env: [
            { name: 'A', value: '3' },
            { name: 'B', value: '2' },
          ],
        },
        BASE.spec.template.spec.containers[1],
      ],
    ],
    [
      'a container that is new',
      { containers: [{ name: 'log', image: 'example/log:v1' }] },
      [...BASE.spec.template.spec.containers, { name: 'log', image: 'example/log:v1' }],
    ],
    [
      'lists without names as a whole',
      { containers: [{ name: 'vllm', args: ['--b', '--c'] }] },
      [
        { ...BASE.spec.template.spec.containers[0], args: ['--b', '--c'] },
        BASE.spec.template.spec.containers[1],
      ],
    ],
    [
      'ports by number, mounts by path',
      {
        containers: [
          { name: 'http', ports: [{ containerPort: 80 }], volumeMounts: [{ mountPath: '/a', name: 'dshm' }] },
        ],
      },
      [
        BASE.spec.template.spec.containers[0],
        {
          ...BASE.spec.template.spec.containers[1],
          ports: [{ containerPort: 80 }],
          volumeMounts: [{ mountPath: '/a', name: 'dshm' }],
        },
      ],
    ],
  ])('%s', (_, spec, containers) => {
    expect(podOf(patched(ofPod(spec))).containers).toEqual(containers);
  });

  test('a list in place of another value', () => {
    expect(podOf(patched(ofPod({ tolerations: [] }))).tolerations).toEqual([]);
    expect(podOf(patched(ofPod({ volumes: null }))).volumes).toBeUndefined();
    expect(podOf(patched(ofPod({ volumes: 'gone' }))).volumes).toBe('gone');
  });

  test('YAML, as kubectl reads it', () => {
    expect(patched('spec:\n  revisionHistoryLimit: 010\n  paused: yes\n').spec).toMatchObject({
      revisionHistoryLimit: 8,
      paused: true,
    });
  });

  test('a later override over an earlier one', () => {
    const chart = chartOf();
    const object = plainObject(chart);
    override(object, { spec: { minReadySeconds: 1 } });
    override(object, { spec: { replicas: 2 } });
    expect(Testing.synth(chart)).toMatchObject([{ spec: { minReadySeconds: 1, replicas: 2 } }]);
  });

  test('a Job that something else manages, and a Service by its ports', () => {
    const chart = chartOf();
    const job = new k8s.KubeJob(chart, 'job', {
      metadata: { name: 'job' },
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'example/a:v1' }] },
        },
      },
    });
    const service = new k8s.KubeService(chart, 'service', {
      metadata: { name: 'service' },
      spec: { clusterIp: 'None', ports: [{ port: 80, name: 'http' }] },
    });
    override(job, { spec: { managedBy: 'kueue.x-k8s.io/multikueue' } });
    override(service, {
      spec: { trafficDistribution: 'PreferClose', ports: [{ port: 80, appProtocol: 'http' }] },
    });
    expect(Testing.synth(chart)).toMatchObject([
      { spec: { managedBy: 'kueue.x-k8s.io/multikueue' } },
      {
        spec: {
          trafficDistribution: 'PreferClose',
          ports: [{ port: 80, name: 'http', appProtocol: 'http' }],
        },
      },
    ]);
  });

  test.each([
    ['a plain object', plainObject],
    ['a type that does not know the field', typedObject],
  ])('over %s', (_, make) => {
    expect(
      podOf(patched(ofPod({ resourceClaims: [{ name: 'tpu', resourceClaimName: 'x' }] }), make)),
    ).toMatchObject({
      resourceClaims: [{ name: 'tpu', resourceClaimName: 'x' }],
    });
  });

  test('the patch without later changes of the object literal', () => {
    const chart = chartOf();
    const labels: Record<string, string> = { a: 'b' };
    override(plainObject(chart), { metadata: { labels } });
    labels['a'] = 'c';
    expect(Testing.synth(chart)).toMatchObject([{ metadata: { labels: { a: 'b' } } }]);
  });
});

describe('an override rejects', () => {
  test.each<[ManifestPatch | string, string]>([
    [{}, 'patch: is empty; use a part of a manifest, like { spec: { replicas: 2 } }'],
    ['- a', 'patch: is not a map; use a part of a manifest'],
    ['', 'patch: is empty; use a part of a manifest'],
    ['a: 1\n---\nb: 1', 'patch: has 2 documents; use a part of a manifest'],
    ['a: 1\na: 2', "patch: is not YAML: line 2, column 1: the key 'a' is duplicated; use"],
    ['spec:\n\treplicas: 2', 'patch: is not YAML: line 2, column 1: a tab indents this line'],
    ['spec: &a [*a]', 'patch: is not YAML: line 1, column 1: an anchor contains itself; use'],
    [{ spec: { replicas: NaN } }, "spec.replicas: is 'NaN'; use a value that JSON has"],
    [
      { spec: { a: [(() => 1) as unknown as string] } },
      'spec.a[0]: is a function; use a value that JSON has',
    ],
    [
      { spec: { cpu: k8s.Quantity.fromString('1') as unknown as string } },
      'spec.cpu: is a Quantity; use a value that JSON has',
    ],
    [ofPod({ containers: [{ image: 'x' }] }), "spec.template.spec.containers: has an item without 'name'"],
    [{ spec: { ports: [{ name: 'http' }] } }, "spec.ports: has an item without 'containerPort' or 'port'"],
    [
      ofPod({ containers: [{ name: 'vllm', $patch: 'delete' }] }),
      'spec.template.spec.containers[0].$patch: is a kubectl patch directive',
    ],
    [{ $retainKeys: [] }, '$retainKeys: is a kubectl patch directive'],
  ])('%j', (patch, words) => {
    const chart = chartOf();
    const object = plainObject(chart);
    expect(() => {
      override(object, patch);
    }).toThrow(InvalidInputError);
    expect(() => {
      override(object, patch);
    }).toThrow(words);
    expect(Testing.synth(chart)).toEqual([BASE]);
  });
});

describe('an override is reported as lost', () => {
  const failure = (change: (object: ApiObject) => void, patch: ManifestPatch): string => {
    const chart = chartOf();
    const object = plainObject(chart);
    override(object, patch);
    change(object);
    try {
      Testing.synth(chart);
      return '';
    } catch (error) {
      return String(error);
    }
  };
  const replaceToJson =
    (change: (manifest: Record<string, unknown>) => unknown) =>
    (object: ApiObject): void => {
      const render = object.toJson.bind(object) as () => Record<string, unknown>;
      object.toJson = () => change(render());
    };

  test('because something strips the field later', () => {
    expect(
      failure(
        replaceToJson((manifest) => ({ ...manifest, spec: BASE.spec })),
        { spec: { managedBy: 'x' } },
      ),
    ).toContain(
      "[test/llama] TPU912 Deployment/llama spec.managedBy: an override sets the field to 'x', but the manifest has nothing there; remove the code that changes it later",
    );
  });

  test.each<[string, (object: ApiObject) => void, ManifestPatch, string]>([
    [
      'a field is put back',
      replaceToJson((manifest) => ({ ...manifest, metadata: BASE.metadata })),
      { metadata: { labels: null } },
      `metadata.labels: an override removes the field, but the manifest has '{"app":"llama"}' there`,
    ],
    [
      'a later override says otherwise',
      (object) => {
        override(object, { spec: { replicas: 3 } });
      },
      { spec: { replicas: 2 } },
      "spec.replicas: an override sets the field to '2', but the manifest has '3' there",
    ],
    [
      'a later override replaces the list',
      (object) => {
        override(object, ofPod({ tolerations: [{ key: 'c' }] }));
      },
      ofPod({ tolerations: [{ key: 'b' }] }),
      "spec.template.spec.tolerations[0].key: an override sets the field to 'b', but the manifest has 'c' there",
    ],
    [
      'a list is of another length',
      (object) => {
        override(object, ofPod({ tolerations: [] }));
      },
      ofPod({ tolerations: [{ key: 'b' }] }),
      `spec.template.spec.tolerations: an override sets the field to '[{"key":"b"}]', but the manifest has '[]' there`,
    ],
    [
      'a container is gone',
      (object) => {
        override(object, ofPod({ containers: null }));
      },
      ofPod({ containers: [{ name: 'vllm', tty: true }] }),
      'spec.template.spec.containers: an override sets the field to',
    ],
    [
      'an item is gone',
      replaceToJson(() => BASE),
      ofPod({ containers: [{ name: 'log', image: 'x:1' }] }),
      'spec.template.spec.containers[log]: an override sets the field to',
    ],
    [
      'a map is something else',
      replaceToJson((manifest) => ({ ...manifest, spec: 'none' })),
      { spec: { replicas: 2 } },
      `spec: an override sets the field to '{"replicas":2}', but the manifest has 'none' there`,
    ],
  ])('because %s', (_, change, patch, words) => {
    expect(failure(change, patch)).toContain(words);
  });

  test('because the chart renders something else in the end', () => {
    class Stripping extends Chart {
      override toJson(): unknown[] {
        return (super.toJson() as (typeof BASE)[]).map(({ spec, ...rest }) => ({
          ...rest,
          spec: { selector: spec.selector, template: spec.template },
        }));
      }
    }
    const chart = new Stripping(Testing.app(), 'chart');
    override(plainObject(chart), { spec: { managedBy: 'x' } });
    expect(() => Testing.synth(chart)).toThrow("spec.managedBy: an override sets the field to 'x'");
  });

  test('because the chart leaves the object out', () => {
    class Dropping extends Chart {
      override toJson(): unknown[] {
        return [
          ...(super.toJson() as unknown[]).slice(1),
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'C' } },
        ];
      }
    }
    const chart = new Dropping(Testing.app(), 'chart');
    override(plainObject(chart), { spec: { replicas: 2 } });
    new ApiObject(chart, 'kept', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'kept' } });
    new ApiObject(new Chart(chart, 'inner'), 'inner', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'b' },
    });
    expect(() => Testing.synth(chart)).toThrow(
      /\[chart\] TPU713 ConfigMap\/C metadata.name[^]*\[chart\/llama\] TPU912 Deployment\/llama spec: an override/,
    );
  });

  describe('because it adds an item that was meant to exist', () => {
    const ray = (chart: Chart): ApiObject =>
      new ApiObject(chart, 'ray', {
        apiVersion: 'ray.io/v1',
        kind: 'RayService',
        metadata: { name: 'ray' },
        spec: { rayClusterConfig: { workerGroupSpecs: [{ groupName: 'tpu', template: {} }] } },
      });
    const said = (
      make: (chart: Chart) => ApiObject,
      ...patches: readonly ManifestPatch[]
    ): readonly string[] => {
      const chart = chartOf();
      const object = make(chart);
      for (const patch of patches) override(object, patch);
      try {
        Testing.synth(chart);
        return [];
      } catch (error) {
        return String(error)
          .split('\n')
          .filter((line) => line.includes('TPU913'))
          .map((line) => line.replace(/^.*TPU913 /, ''));
      }
    };
    const where = 'Deployment/llama spec.template.spec';

    test.each<[string, readonly ManifestPatch[], readonly string[]]>([
      [
        'a misspelt container',
        [ofPod({ containers: [{ name: 'vlm', tty: true }] })],
        [
          `${where}.containers[vlm]: an override adds 'vlm' without image to containers, which has 'vllm', 'http'; use 'vllm', or add an image`,
        ],
      ],
      [
        'a name like none',
        [ofPod({ containers: [{ name: 'proxy', tty: true }] })],
        [
          `${where}.containers[proxy]: an override adds 'proxy' without image to containers, which has 'vllm', 'http'; use 'vllm', or add an image`,
        ],
      ],
      [
        'the first of a list',
        [ofPod({ initContainers: [{ name: 'wait', tty: true }] })],
        [
          `${where}.initContainers[wait]: an override adds 'wait' without image to initContainers; add an image`,
        ],
      ],
      ['a sidecar with its image', [ofPod({ containers: [{ name: 'proxy', image: 'a/b:v1' }] })], []],
      [
        'a sidecar in two overrides',
        [
          ofPod({ containers: [{ name: 'proxy', tty: true }] }),
          ofPod({ containers: [{ name: 'proxy', image: 'a/b:v1' }] }),
        ],
        [],
      ],
      ['a container that is there', [ofPod({ containers: [{ name: 'vllm', tty: true }] })], []],
      ['another list', [ofPod({ volumes: [{ name: 'x' }] })], []],
    ])('%s', (_, patches, expected) => {
      expect(said(plainObject, ...patches)).toEqual(expected);
    });

    test('a worker group', () => {
      const group = { groupName: 'tpus', replicas: 2 };
      expect(said(ray, { spec: { rayClusterConfig: { workerGroupSpecs: [group] } } })).toEqual([
        "RayService/ray spec.rayClusterConfig.workerGroupSpecs[tpus]: an override adds 'tpus' without template to workerGroupSpecs, which has 'tpu'; use 'tpu', or add a template",
      ]);
    });

    test('an existing container without an image is not reported as added', () => {
      const bare = (chart: Chart): ApiObject =>
        new ApiObject(chart, 'pod', {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { containers: [{ name: 'a' }] },
        });
      expect(said(bare, { spec: { containers: [{ name: 'a', tty: true }] } })).toEqual([]);
    });
  });

  test('unless the finding is accepted', () => {
    const chart = chartOf();
    const object = plainObject(chart);
    override(object, { spec: { replicas: 2 } });
    override(object, { spec: { replicas: 3 } });
    acceptFinding(object, 'TPU912', 'the chart of a team goes over ours');
    expect(() => Testing.synth(chart)).not.toThrow();
  });
});

test('an override and an accepted finding are for an object, not for the construct around it', () => {
  const chart = chartOf() as unknown as ApiObject;
  const words = 'object: is not an ApiObject; use an object that a construct renders, like server.workload';
  expect(() => {
    override(chart, { spec: { replicas: 2 } });
  }).toThrow(words);
  expect(() => {
    acceptFinding(chart, 'TPU912', 'because');
  }).toThrow(words);
});

test.each([
  ['TPU000', 'because', "code: 'TPU000' is not a rule; use the code of a rule, like 'TPU101'"],
  ['TPU912', ' ', "reason: ' ' is empty; use the reason why TPU912 is acceptable here"],
])('%s is not accepted because of %j', (code, reason, words) => {
  const object = plainObject(chartOf());
  expect(() => {
    acceptFinding(object, code, reason);
  }).toThrow(words);
});

describe("cdk8s' own JSON patch", () => {
  const failure = (...ops: readonly JsonPatch[]): string => {
    const chart = chartOf();
    const object = typedObject(chart);
    object.addJsonPatch(JsonPatch.add('/spec/strategy', { type: 'Recreate' }), ...ops);
    checkAtSynth(chart);
    try {
      Testing.synth(chart);
      return '';
    } catch (error) {
      return String(error);
    }
  };
  const container = '/spec/template/spec/containers/0';

  test.each<[string, JsonPatch, string]>([
    [
      'a field that the type does not know',
      JsonPatch.add('/spec/template/spec/hostnameOverride', 'x'),
      "spec.template.spec.hostnameOverride: 'x' from a JSON patch or a prop is lost, because the construct renders nothing instead; set it with override()",
    ],
    [
      'a quantity as a text',
      JsonPatch.add(`${container}/resources/limits/cpu`, '4'),
      "spec.template.spec.containers[vllm].resources.limits.cpu: '4' from a JSON patch or a prop is lost",
    ],
    [
      'a port as a number',
      JsonPatch.replace(`${container}/livenessProbe/httpGet/port`, 9000),
      "livenessProbe.httpGet.port: '9000' from a JSON patch",
    ],
    [
      'the version',
      JsonPatch.replace('/apiVersion', 'apps/v2'),
      "because the construct renders 'apps/v1' instead",
    ],
    ['a map', JsonPatch.add('/spec/next', { a: 1 }), `spec.next: '{"a":1}' from a JSON patch`],
    ['a list', JsonPatch.add('/spec/next', ['a']), "spec.next[0]: 'a' from a JSON patch"],
    ['a label with dots', JsonPatch.add('/spec/a.b', 'c'), "spec[a.b]: 'c' from a JSON patch"],
  ])('is reported if it is lost: %s', (_, patch, words) => {
    const said = failure(patch);
    expect(said).toContain('[test/typed] TPU911 Deployment/typed ');
    expect(said).toContain(words);
    expect(said.match(/TPU\d+/g)).toEqual(['TPU911']);
  });

  test.each<[string, JsonPatch]>([
    ['a field of the type', JsonPatch.add('/spec/replicas', 2)],
    ['a quantity as the type holds it', JsonPatch.add(`${container}/resources/limits/cpu`, { value: '4' })],
    ['a field that is taken out', JsonPatch.remove(`${container}/livenessProbe`)],
    ['nothing', JsonPatch.add('/spec/next', null)],
  ])('is not reported if it takes effect: %s', (_, patch) => {
    expect(failure(patch)).toBe('');
  });

  test('takes effect on a plain object, and under an override', () => {
    const chart = chartOf();
    const object = plainObject(chart);
    object.addJsonPatch(JsonPatch.add('/spec/template/spec/resourceClaims', [{ name: 'tpu' }]));
    override(object, ofPod({ resourceClaims: [{ name: 'tpu', resourceClaimName: 'x' }] }));
    expect(Testing.synth(chart)).toMatchObject([
      { spec: { template: { spec: { resourceClaims: [{ name: 'tpu', resourceClaimName: 'x' }] } } } },
    ]);
  });

  test('accepts names that a type spells differently', () => {
    const chart = chartOf();
    checkAtSynth(chart);
    new k8s.KubeService(chart, 'service', {
      metadata: { name: 'service' },
      spec: {
        clusterIp: 'None',
        loadBalancerIp: '1.2.3.4',
        ports: [{ port: 80, targetPort: k8s.IntOrString.fromString('http') }],
      },
    });
    new k8s.KubeCustomResourceDefinition(chart, 'crd', {
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Thing', plural: 'things' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openApiv3Schema: { type: 'object', ref: '#/x', xKubernetesPreserveUnknownFields: true },
            },
          },
        ],
      },
    });
    expect(() => Testing.synth(chart)).not.toThrow();
  });
});

describe('a synth of several charts', () => {
  const appWith = (): { app: App; rendered: () => number } => {
    const app = Testing.app();
    let times = 0;
    for (const id of ['a', 'b', 'c']) {
      const object = new ApiObject(new Chart(app, id), 'x', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: id },
      });
      const render = object.toJson.bind(object) as () => unknown;
      object.toJson = () => {
        if (id === 'a') times += 1;
        return render();
      };
      checkAtSynth(object);
    }
    return { app, rendered: () => times };
  };

  test('checks once', () => {
    const { app, rendered } = appWith();
    app.synth();
    // once to check, once to see that no validation changed it, once to write
    expect(rendered()).toBe(3);
    app.synthYaml();
    expect(rendered()).toBe(6);
  });

  test('checks again after a change', () => {
    const { app } = appWith();
    app.synth();
    const wrong = new ApiObject(new Chart(app, 'd'), 'x', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'D' },
    });
    expect(() => {
      app.synth();
    }).toThrow('[d/x] TPU713 ServiceAccount/D metadata.name');
    acceptFinding(wrong, 'TPU713', 'a test');
    expect(() => {
      app.synth();
    }).not.toThrow();
  });
});
