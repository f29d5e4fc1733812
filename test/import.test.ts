import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const released = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  annotations: { controller-gen.kubebuilder.io/version: v0.17.2 }
spec:
  group: example.com
  names: { kind: Widget, listKind: WidgetList, plural: widgets, singular: widget, shortNames: [w] }
  scope: Namespaced
  versions:
    - name: v1alpha1
      served: true
      storage: false
      schema:
        openAPIV3Schema: { type: object, properties: { spec: { type: object } } }
    - additionalPrinterColumns: [{ jsonPath: .status.ready, name: Ready, type: string }]
      name: v1
      schema:
        openAPIV3Schema:
          description: A widget.
          type: object
          required: [spec]
          properties:
            metadata: { type: object }
            spec:
              type: object
              properties:
                containers: { description: Makes no pod template of a Widget itself., type: array, items: { type: string } }
                description: { description: A property of this name stays., type: string }
                port: { anyOf: [{ description: A number., type: integer }, { type: string }], x-kubernetes-int-or-string: true }
                size: { default: { description: A default stays. }, type: object, additionalProperties: { description: Any., type: string } }
                groups:
                  description: Groups of pods.
                  type: array
                  items:
                    type: object
                    required: [template]
                    properties:
                      claim: { type: object, properties: { metadata: { type: object }, spec: { type: object, properties: { size: { type: string } } } } }
                      status: { description: Not the one of the object., type: string }
                      template:
                        description: A pod template.
                        type: object
                        properties:
                          metadata: { type: object }
                          spec: { type: object, properties: { containers: { type: array, items: { type: object } } } }
            status: { type: object, properties: { ready: { type: string } } }
      served: true
      storage: true
      subresources: { status: {} }
`;

const compacted = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  names:
    kind: Widget
    plural: widgets
    singular: widget
    listKind: WidgetList
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          required:
            - spec
          properties:
            metadata:
              type: object
            spec:
              type: object
              properties:
                containers:
                  type: array
                  items:
                    type: string
                description:
                  type: string
                port:
                  anyOf:
                    - type: integer
                    - type: string
                  x-kubernetes-int-or-string: true
                size:
                  default:
                    description: A default stays.
                  type: object
                  additionalProperties:
                    type: string
                groups:
                  type: array
                  items:
                    type: object
                    required:
                      - template
                    properties:
                      claim:
                        type: object
                        properties:
                          metadata:
                            type: object
                          spec:
                            type: object
                            properties:
                              size:
                                type: string
                      status:
                        type: string
                      template:
                        type: object
                        x-kubernetes-preserve-unknown-fields: true
`;

const gadget = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gadgets.example.com
spec:
  group: example.com
  names:
    kind: Gadget
    plural: gadgets
    singular: gadget
    listKind: GadgetList
  scope: Cluster
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
`;

const temp = mkdtempSync(path.join(tmpdir(), 'import-test-'));
const table = path.join(temp, 'crds.tsv');
const crds = path.join(temp, 'crds');
let folders = 0;
const newFolder = (): string => path.join(temp, String(++folders));

beforeAll(() => {
  mkdirSync(crds);
  writeFileSync(path.join(crds, 'example.com_widgets.yaml'), released);
  writeFileSync(path.join(crds, 'example.com_gadgets.yaml'), gadget);
  writeFileSync(
    table,
    'example.com_widgets.yaml\texample/widgets\tv1.0.0\tc0ffee\tcrds/widgets.yaml\n' +
      'example.com_gadgets.yaml\texample/gadgets\tv2.0.0\tdecade\tcrds/gadgets.yaml\n',
  );
});
afterAll(() => {
  rmSync(temp, { recursive: true });
});

/** Runs the script on the table above; CODE runs before it. */
function run(args: string[], code = ''): { status: number | null; stderr: string } {
  const preload = `data:text/javascript,${encodeURIComponent(code)}`;
  const script = path.join(__dirname, '..', 'scripts', 'import.mjs');
  return spawnSync(process.execPath, ['--import', preload, script, '--table', table, ...args], {
    encoding: 'utf8',
  });
}

test('keeps the stored version, without descriptions, status and types of pods', () => {
  const output = newFolder();
  expect(run([crds, '--compact-to', output])).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(output)).toEqual(['example.com.yaml']);
  expect(readFileSync(path.join(output, 'example.com.yaml'), 'utf8')).toBe(`${compacted}---\n${gadget}`);
});

test('does not change a definition that is already compact', () => {
  const [input, output] = [newFolder(), newFolder()];
  mkdirSync(input);
  writeFileSync(path.join(input, 'example.com_widgets.yaml'), compacted);
  writeFileSync(path.join(input, 'example.com_gadgets.yaml'), gadget);
  expect(run([input, '--compact-to', output])).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(path.join(output, 'example.com.yaml'), 'utf8')).toBe(`${compacted}---\n${gadget}`);
});

test('generates one file per API group', () => {
  const output = newFolder();
  expect(run([crds, '--output', output])).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(output)).toEqual(['example.com.ts']);
  const code = readFileSync(path.join(output, 'example.com.ts'), 'utf8');
  expect(code.split('\n').slice(0, 3)).toEqual([
    '// example.com_widgets.yaml: example/widgets v1.0.0 c0ffee',
    '// example.com_gadgets.yaml: example/gadgets v2.0.0 decade',
    '// generated by cdk8s',
  ]);
  expect(code).toContain('export class Widget extends ApiObject');
  expect(code).toContain('export class Gadget extends ApiObject');
  expect(code).toContain('readonly template: any;');
  expect(code).toMatch(/[^\n]\n$/);
  expect(code).not.toContain(temp);
});

test('lists the fields of Kubernetes and of custom resources', () => {
  const [input, output, schemas] = [newFolder(), newFolder(), path.join(temp, 'schemas.tsv')];
  mkdirSync(input);
  writeFileSync(path.join(input, 'example.com_widgets.yaml'), released);
  writeFileSync(path.join(input, 'example.com_gadgets.yaml'), gadget);
  const ref = (name: string): unknown => ({ $ref: `#/definitions/${name}` });
  const [meta, template] = [
    'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    'io.k8s.api.core.v1.PodTemplateSpec',
  ];
  const definitions = {
    [meta]: { properties: { name: {}, labels: { additionalProperties: { type: 'string' } } } },
    [template]: { properties: { metadata: ref(meta), spec: { properties: { containers: {} } } } },
    'io.k8s.api.core.v1.PodTemplate': {
      properties: { metadata: ref(meta), template: ref(template) },
      'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'PodTemplate' }],
    },
  };
  writeFileSync(path.join(input, 'kubernetes.v1.json'), JSON.stringify({ definitions }));
  const experiments = `spec: { type: object, properties: { retry: { type: string } } }`;
  writeFileSync(
    path.join(input, 'example.com_gadgets.experimental.yaml'),
    `${gadget}          properties: { ${experiments} }\n`,
  );
  writeFileSync(
    schemas,
    [
      'kubernetes.v1.json\texample/kubernetes\tv1.0.0\tv1.0.0\tswagger.json\n',
      'example.com_gadgets.experimental.yaml\texample/gadgets\tv3.0.0\tv3.0.0\tgadgets.yaml\n',
    ].join(''),
  );
  expect(run([input, '--output', output, '--schemas', schemas])).toMatchObject({ status: 0, stderr: '' });
  const fields = readFileSync(path.join(output, 'fields.ts'), 'utf8');
  expect(fields.split('\n')[0]).toBe('// Written by `npm run import`.');
  expect(fields).toContain('`\nwidgets v1.0.0\ngadgets v3.0.0\nkubernetes v1.0.0\n`');
  const [, types = ''] = /TYPES = `\n([^`]*)\n`/.exec(fields) ?? [];
  expect(types.split('\n')).toEqual([
    'labels name',
    'apiVersion kind metadata:0 spec status',
    'size',
    'metadata:0 spec:2',
    'containers',
    'metadata:0 spec:4',
    'claim:3 status template:5',
    'containers description groups:6 port size',
    'apiVersion kind metadata:0 spec:7 status',
    'apiVersion kind metadata:0 status template:5',
    'retry',
    'apiVersion kind metadata:0 spec:a status',
  ]);
});

test('--check reports differences and writes nothing', () => {
  const output = newFolder();
  const check = (): unknown => run([crds, '--compact-to', output, '--check']);
  expect(check()).toMatchObject({ status: 1, stderr: 'example.com.yaml: missing\n' });

  mkdirSync(output);
  const file = path.join(output, 'example.com.yaml');
  writeFileSync(file, `${compacted}---\n${gadget}`);
  expect(check()).toMatchObject({ status: 0, stderr: '' });

  writeFileSync(file, `${compacted}---\n${gadget.replace('Cluster', 'Namespaced')}`);
  writeFileSync(path.join(output, 'example.org.yaml'), '');
  expect(check()).toMatchObject({
    status: 1,
    stderr:
      'example.org.yaml: not in the table\nexample.com.yaml: line 79\n-   scope: Namespaced\n+   scope: Cluster\n',
  });
  expect(readFileSync(file, 'utf8')).not.toContain('scope: Cluster');
});

test('downloads the commits of the table', () => {
  const output = newFolder();
  const bodies = {
    'https://raw.githubusercontent.com/example/widgets/c0ffee/crds/widgets.yaml': released,
    'https://raw.githubusercontent.com/example/gadgets/decade/crds/gadgets.yaml': gadget,
  };
  const answer = `globalThis.fetch = async (url) => new Response(${JSON.stringify(bodies)}[url])`;
  expect(run(['--compact-to', output], answer)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(path.join(output, 'example.com.yaml'), 'utf8')).toBe(`${compacted}---\n${gadget}`);
});

test('creates a definition around a schema that is published without one', () => {
  const [output, schema] = [newFolder(), { type: 'object', properties: { status: { type: 'string' } } }];
  const row = 'example.com_gadgets.yaml\texample/catalog\tHEAD\tfacade\tgadget_v1.json\tGadget Cluster\n';
  const single = path.join(temp, 'single.tsv');
  writeFileSync(single, row);
  const code = `globalThis.fetch = async () => new Response('${JSON.stringify(schema)}')`;
  expect(run(['--compact-to', output, '--table', single], code)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(path.join(output, 'example.com.yaml'), 'utf8')).toBe(
    gadget.replace('type: object\n', 'type: object\n          properties: {}\n'),
  );
});

test.each([
  ['is missing', `async () => new Response('', { status: 404, statusText: 'Not Found' })`, '404 Not Found'],
  [
    'is out of reach',
    `async () => { throw new TypeError('no', { cause: new Error('ENOTFOUND') }) }`,
    'ENOTFOUND',
  ],
])('names a file that %s', (_, fetch, message) => {
  const { status, stderr } = run(['--compact-to', newFolder()], `globalThis.fetch = ${fetch}`);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `https://raw.githubusercontent.com/example/widgets/c0ffee/crds/widgets.yaml: ${message}\n`,
  );
});

test('refuses a file that defines something else', () => {
  const input = newFolder();
  mkdirSync(input);
  writeFileSync(path.join(input, 'example.com_widgets.yaml'), gadget);
  expect(run([input, '--compact-to', newFolder()])).toMatchObject({
    status: 1,
    stderr: 'example.com_widgets.yaml defines gadgets.example.com\n',
  });
});

test('imports/pod.ts has the fields of the installed cdk8s-plus-29', () => {
  const code =
    "import('./scripts/pod-fields.mjs').then(({ podFields }) => process.stdout.write(podFields()))";
  const { stdout } = spawnSync(process.execPath, ['--eval', code], { encoding: 'utf8' });
  expect(stdout).toBe(readFileSync(path.join('imports', 'pod.ts'), 'utf8'));
});
