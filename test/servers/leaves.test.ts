// Each server can set every field of a pod: every leaf of PodSpec and Container, set by a fragment, is in the
// manifest. A new server is a row of SERVERS.
import { type ApiObject, Chart, Testing } from 'cdk8s';
import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import {
  FlexStartJob,
  HuggingFaceToken,
  JetStreamCheckpointConverter,
  JetStreamServer,
  type PodFragment,
  SaxCell,
  type SaxCellProps,
  TpuJob,
  TpuRayService,
  TpuServer,
  TpuSlice,
  VllmServer,
} from '../../lib';
import { type Leaf, leavesOf } from './leaves';

interface Server {
  /** Makes the server with fragments, and returns the object that has its pod. */
  readonly make: (chart: Chart, fragments: readonly PodFragment[]) => ApiObject;
  /** The pod's spec in the object. @default - that of a Deployment or Job */
  readonly specOf?: (object: ApiObject) => unknown;
  /** Fields of the container that a required prop sets: another value in a fragment contradicts it. @default - none */
  readonly required?: readonly string[];
  /** A `restartPolicy` that the object can have. @default 'Always' */
  readonly restartPolicy?: string;
}

const slice = TpuSlice.of('ct5lp-hightpu-8t');
const huggingFaceToken = HuggingFaceToken.fromSecret('hf-secret', 'hf_api_token');

const image = 'example.com/server:v1';
const serveConfig = { applications: [{ name: 'app', importPath: 'a:b' }] };

const cell = (chart: Chart, fragments: Partial<SaxCellProps>): SaxCell =>
  new SaxCell(chart, 'it', { bucketName: 'my-models', slice, ...fragments, serviceAccountName: 'account' });

const SERVERS: Readonly<Record<string, Server>> = {
  TpuServer: {
    make: (chart, fragments) => new TpuServer(chart, 'it', { image, slice, fragments }).workload,
    required: ['image'],
  },
  VllmServer: {
    make: (chart, fragments) =>
      new VllmServer(chart, 'it', { model: 'google/gemma-2b', slice, fragments }).workload,
  },
  JetStreamServer: {
    make: (chart, fragments) =>
      new JetStreamServer(chart, 'it', { model: 'google/gemma-2b', huggingFaceToken, slice, fragments })
        .workload,
  },
  JetStreamCheckpointConverter: {
    make: (chart, fragments) =>
      new JetStreamCheckpointConverter(chart, 'it', {
        model: 'google/gemma-2b-pytorch',
        modelName: 'gemma',
        bucketName: 'my-models',
        path: 'gemma',
        huggingFaceToken,
        slice,
        fragments,
      }).job,
    restartPolicy: 'Never',
  },
  TpuJob: {
    make: (chart, fragments) => new TpuJob(chart, 'it', { image, slice, fragments }).job,
    required: ['image'],
    restartPolicy: 'Never',
  },
  FlexStartJob: {
    make: (chart, fragments) => new FlexStartJob(chart, 'it', { image, slice, fragments }).job,
    required: ['image'],
    restartPolicy: 'Never',
  },
  'the model servers of SaxCell': {
    make: (chart, fragments) => cell(chart, { fragments }).workload,
  },
  'the admin server of SaxCell': {
    make: (chart, adminFragments) => cell(chart, { adminFragments }).adminDeployment,
  },
  'the HTTP server of SaxCell': {
    make: (chart, httpFragments) => cell(chart, { httpFragments }).httpDeployment,
  },
  'the head of a Ray cluster': {
    make: (chart, fragments) =>
      new TpuRayService(chart, 'it', {
        serveConfig,
        head: { fragments },
        workerGroups: [{ groupName: 'tpu', slice }],
      }).rayService,
    specOf: (object) => object.toJson().spec.rayClusterConfig.headGroupSpec.template.spec,
  },
  'a worker group of a Ray cluster': {
    make: (chart, fragments) =>
      new TpuRayService(chart, 'it', { serveConfig, workerGroups: [{ groupName: 'tpu', slice, fragments }] })
        .rayService,
    specOf: (object) => object.toJson().spec.rayClusterConfig.workerGroupSpecs[0].template.spec,
  },
};

/** Leaves that a fragment does not set, each with the reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  'Container.name': 'the name of the main container is fixed',
  'PodSpec.containers': 'the main container has the leaves of Container, and others are the prop sidecars',
  'PodSpec.initContainers': 'the type is Container; a test of its own adds one',
  'PodSpec.ephemeralContainers': 'Kubernetes refuses them in a pod template',
};

const isExcluded =
  (type: string) =>
  ([first = '']: readonly string[]): boolean =>
    `${type}.${first}` in EXCLUDED;

/** Fields of a type that are fields of a fragment itself. */
const OF_FRAGMENT: Readonly<Record<string, readonly string[]>> = {
  Container: ['env', 'volumeMounts', 'resources'],
  PodSpec: ['nodeSelector', 'tolerations', 'volumes'],
};

/** The fragment that sets a leaf. */
function fragmentOf(type: 'Container' | 'PodSpec', { path: [first = ''], object }: Leaf): PodFragment {
  const field = { [first]: object[first] };
  const inside = type === 'Container' ? { container: field } : { pod: field };
  return {
    ...(OF_FRAGMENT[type]?.includes(first) ? field : inside),
    ...(first === 'volumeMounts' && { volumes: [{ name: 'scratch', emptyDir: {} }] }),
  };
}

/** All values at a path, through the items of lists. Names differ in case: `hostIpc` is `hostIPC` in a manifest. */
function valuesAt(value: unknown, [first, ...rest]: readonly string[]): readonly unknown[] {
  if (first === undefined) return [value];
  if (first === '[]') return Array.isArray(value) ? value.flatMap((one) => valuesAt(one, rest)) : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => key.toLowerCase() === first.toLowerCase())
    .flatMap(([, child]) => valuesAt(child, rest));
}

/** A value as a manifest contains it. */
function written(value: unknown): unknown {
  if (value instanceof k8s.Quantity) return String(value.value);
  if (value instanceof k8s.IntOrString) return value.value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(written);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, child]) => [key, written(child)]))
    : value;
}

describe.each(Object.entries(SERVERS))(
  '%s',
  (_, { make, specOf, required = [], restartPolicy = 'Always' }) => {
    const podOf = (fragment: PodFragment): Readonly<Record<string, unknown>> => {
      const object = make(new Chart(Testing.app(), 'chart'), [fragment]);
      return (specOf ?? ((one: ApiObject): unknown => one.toJson().spec.template.spec))(object) as Readonly<
        Record<string, unknown>
      >;
    };

    test.each(['Container', 'PodSpec'] as const)('renders every field of %s that a fragment sets', (type) => {
      const leaves = leavesOf(type, isExcluded(type)).filter(
        ({ path: [first = ''] }) => type !== 'Container' || !required.includes(first),
      );
      expect(leaves.length).toBeGreaterThan(100);
      const missing = leaves.flatMap((leaf) => {
        const [first = ''] = leaf.path;
        const legal =
          type === 'PodSpec' && first === 'restartPolicy' ? { ...leaf, object: { restartPolicy } } : leaf;
        const pod = podOf(fragmentOf(type, legal));
        const found = valuesAt(type === 'PodSpec' ? pod : (pod['containers'] as unknown[])[0], leaf.path);
        const [wanted] = valuesAt(legal.object, leaf.path).map(written);
        const has = found.some((one) =>
          typeof one === 'object' && one !== null
            ? Object.entries(wanted as object).every(
                ([key, value]) => (one as Record<string, unknown>)[key] === value,
              )
            : one === wanted,
        );
        return has ? [] : [leaf.path.join('.')];
      });
      expect(missing).toEqual([]);
    });

    test('omits allowPrivilegeEscalation from privileged containers, because Kubernetes rejects it there', () => {
      const [main] = podOf({ container: { securityContext: { privileged: true } } })['containers'] as {
        readonly securityContext: unknown;
      }[];
      expect(main?.securityContext).toEqual({ privileged: true });
    });

    test('renders init containers', () => {
      const init = { name: 'init', image: 'busybox:1.36', command: ['true'] };
      expect(podOf({ pod: { initContainers: [init] } })).toHaveProperty('initContainers', [init]);
    });
  },
);

test('excludes only fields that exist', () => {
  for (const name of Object.keys(EXCLUDED)) {
    const [type = '', field = ''] = name.split('.');
    expect(leavesOf(type, ([first]) => first !== field).length).toBeGreaterThan(0);
  }
});
