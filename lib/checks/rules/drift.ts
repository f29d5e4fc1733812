import { count } from '../../tpu/topology';
import { at, isRecord, type Json, type ManifestObject, record, text } from '../../manifest/manifest';
import { type ContainerView, type PodView, records } from '../../manifest/pods';
import { remark, type Rule } from '../rule';
import { type ManifestSet } from '../../manifest/set';
import { ofGroup } from '../../manifest/selection';
import { specPath } from '../../manifest/slices';

// What differs at the second apply although nobody changed it: controllers fill defaults in, and the API server stores some values
// in another form than they are written in.

const JOBSET = 'jobset.x-k8s.io';
const RAY = 'ray.io';
/** Kinds of custom resources that embed pods, and their groups. */
const EMBEDDING: Readonly<Record<string, string>> = {
  JobSet: JOBSET,
  RayService: RAY,
  RayCluster: RAY,
  RayJob: RAY,
  LeaderWorkerSet: 'leaderworkerset.x-k8s.io',
};

/** What differs when the same manifest is applied a second time. */
export const DRIFT_RULES: readonly Rule[] = [
  remark('TPU801', 'warning', 'a JobSet spells out what its webhook fills in', function* (set) {
    for (const object of ofGroup(set, 'JobSet', JOBSET)) {
      const spec = record(object.manifest, 'spec');
      const missing = [
        { path: 'spec', lines: linesOf(spec, JOBSET_DEFAULTS) },
        ...records(spec, 'replicatedJobs').map((job, index) => ({
          path: `spec.replicatedJobs[${text(job, 'name') ?? String(index)}]`,
          lines: linesOf(job, JOB_DEFAULTS),
        })),
      ].filter(({ lines }) => lines.length > 0);
      const [first] = missing;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message: `a second kubectl apply is refused ('field is immutable'), since it drops ${count(missing.flatMap(({ lines }) => lines).length, 'field')} that the webhook filled in`,
        fix: missing.map(({ path, lines }) => `in ${path} write ${lines.join(', ')}`).join('; '),
      };
    }
  }),
  remark(
    'TPU802',
    'warning',
    'a RayService spells out what its operator adds to each worker group',
    function* (set) {
      for (const [object, pods] of embedded(set)) {
        if (object.kind !== 'RayService') continue;
        const missing = pods
          .filter(({ runs }) => runs === 'RayWorkers')
          .map(({ owner, ownerPath }) => ({ path: ownerPath, lines: linesOf(owner, WORKER_DEFAULTS) }))
          .filter(({ lines }) => lines.length > 0);
        const [first] = missing;
        if (first === undefined) continue;
        yield {
          object,
          path: first.path,
          message:
            'a second server-side apply conflicts with kuberay-operator, which rewrites the worker groups with what is not written',
          fix: missing.map(({ path, lines }) => `in ${path} write ${lines.join(', ')}`).join('; '),
        };
      }
    },
  ),
  remark('TPU803', 'warning', 'quantities of a custom resource are texts', function* (set) {
    for (const [object, pods] of embedded(set)) {
      const numbers = pods.flatMap(numbersOf);
      const [first] = numbers;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message: `numbers are stored as texts, so each apply finds a difference and makes a new generation: ${inWords(numbers)}`,
        fix: `write ${numbers.length > 1 ? 'them' : 'it'} in quotes, as in ${first.name}: "${String(first.value)}"`,
      };
    }
  }),
  remark('TPU804', 'warning', 'a custom resource sets nothing that is stored as unset', function* (set) {
    for (const [object, pods] of embedded(set)) {
      const unset = [
        ...(object.kind === 'JobSet' || object.kind === 'RayService'
          ? pods.flatMap((pod) => pod.containers.flatMap(emptyValuesOf))
          : []),
        ...(object.kind === 'RayService' ? pods.flatMap(falseOf) : []),
      ];
      const [first] = unset;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message: `what is stored as unset is a difference at each apply: ${inWords(unset)}`,
        fix: unset
          .map(({ name, value }) => (value === '' ? `leave out the value of ${name}` : `leave out ${name}`))
          .join(', '),
      };
    }
  }),
  remark('TPU805', 'note', 'a custom resource spells out what is stored anyway', function* (set) {
    for (const [object, pods] of embedded(set)) {
      if (object.kind !== 'JobSet' && object.kind !== 'RayService') continue;
      const bare = [
        ...records(object.manifest, 'spec', 'replicatedJobs')
          .map((job, index) => ({
            template: record(job, 'template'),
            name: text(job, 'name') ?? String(index),
          }))
          .filter(({ template }) => object.kind === 'JobSet' && isMissing(template['metadata']))
          .map(({ name }) => `spec.replicatedJobs[${name}].template`),
        // a worker group without is another finding
        ...pods
          .filter(({ runs, template }) => runs !== 'RayWorkers' && isMissing(template['metadata']))
          .map(({ path }) => path),
      ];
      const portsOf = pods.flatMap(({ containers }) =>
        containers.filter(({ container }) =>
          records(container, 'ports').some((port) => isMissing(port['protocol'])),
        ),
      );
      const [path] = [...bare, ...portsOf.map(({ path: at }) => `${at}.ports`)];
      if (path === undefined) continue;
      yield {
        object,
        path,
        message: "kubectl apply never says 'unchanged', since more is stored than is written",
        fix: [
          ...(bare.length > 0 ? [`write metadata: {} in ${bare.join(' and in ')}`] : []),
          ...(portsOf.length > 0
            ? [
                `write protocol: TCP on the ports of ${portsOf.map(({ name }) => `container '${name}'`).join(', ')}`,
              ]
            : []),
        ].join(', '),
      };
    }
  }),
];

/** A field that is filled in, and with what. */
interface Default {
  readonly keys: readonly string[];
  readonly value: string;
  /** Only where this is written. */
  readonly of?: string;
}

const JOBSET_DEFAULTS: readonly Default[] = [
  { keys: ['network', 'enableDNSHostnames'], value: 'true' },
  { keys: ['network', 'publishNotReadyAddresses'], value: 'true' },
  { keys: ['startupPolicy', 'startupPolicyOrder'], value: 'AnyOrder' },
  { keys: ['successPolicy', 'operator'], value: 'All' },
  { keys: ['failurePolicy', 'restartStrategy'], value: 'Recreate', of: 'failurePolicy' },
];
const JOB_DEFAULTS: readonly Default[] = [
  { keys: ['groupName'], value: 'default' },
  { keys: ['template', 'spec', 'completionMode'], value: 'Indexed' },
  { keys: ['template', 'spec', 'template', 'spec', 'restartPolicy'], value: 'OnFailure' },
];
const WORKER_DEFAULTS: readonly Default[] = [
  { keys: ['scaleStrategy'], value: '{}' },
  { keys: ['template', 'metadata'], value: '{}' },
];

const isMissing = (value: unknown): boolean => value === undefined || value === null;

/** The defaults that something does not spell out. */
const linesOf = (of: Json, defaults: readonly Default[]): readonly string[] =>
  defaults
    .filter((one) => (one.of === undefined || isRecord(of[one.of])) && isMissing(at(of, ...one.keys)))
    .map(({ keys, value }) => `${keys.join('.')}: ${value}`);

/** The custom resources that embed pods, with those. */
function embedded({ pods }: ManifestSet): ReadonlyMap<ManifestObject, readonly PodView[]> {
  const byObject = new Map<ManifestObject, PodView[]>();
  for (const pod of pods) {
    const group = EMBEDDING[pod.object.kind];
    if (group === undefined || text(pod.object.manifest, 'apiVersion')?.startsWith(`${group}/`) !== true)
      continue;
    const own = byObject.get(pod.object);
    if (own) own.push(pod);
    else byObject.set(pod.object, [pod]);
  }
  return byObject;
}

/** A value, what it is the value of, and where it stands. */
interface Place {
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
}

const inWords = (places: readonly Place[]): string =>
  [...new Set(places.map(({ name, value }) => `${name}: ${JSON.stringify(value)}`))].join(', ');

/** Quantities that are numbers. */
function numbersOf(pod: PodView): readonly Place[] {
  const amounts = (values: Json, path: string): readonly Place[] =>
    Object.entries(values).map(([name, value]) => ({ path: `${path}[${name}]`, name, value }));
  return [
    ...pod.containers.flatMap(({ container, path }) =>
      ['requests', 'limits'].flatMap((key) =>
        amounts(record(container, 'resources', key), `${path}.resources.${key}`),
      ),
    ),
    ...pod.volumes.map((volume, index) => ({
      path: `${specPath(pod)}.volumes[${text(volume, 'name') ?? String(index)}].emptyDir.sizeLimit`,
      name: 'sizeLimit',
      value: at(volume, 'emptyDir', 'sizeLimit'),
    })),
    ...amounts(record(pod.spec, 'overhead'), `${specPath(pod)}.overhead`),
  ].filter(({ value }) => typeof value === 'number');
}

const emptyValuesOf = ({ container, path }: ContainerView): readonly Place[] =>
  records(container, 'env')
    .filter((entry) => entry['value'] === '')
    .map((entry) => {
      const name = text(entry, 'name') ?? '';
      return { path: `${path}.env[${name}].value`, name, value: '' };
    });

const falseOf = (pod: PodView): readonly Place[] =>
  pod.spec['hostNetwork'] === false
    ? [{ path: `${specPath(pod)}.hostNetwork`, name: 'hostNetwork', value: false }]
    : [];
