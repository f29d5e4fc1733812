import { defineRule } from '../../rule';
import { ofGroup } from '../../../manifest/selection';
import { records } from '../../../manifest/pods';
import { specPath } from '../../../manifest/slices';
import { type Json, type ManifestObject, text } from '../../../manifest/manifest';
import { type ManifestSet } from '../../../manifest/set';

export const TPU715 = defineRule({
  code: 'TPU715',
  title: 'names are unique in a list',
  severities: ['error', 'warning'],
  kinds: ['pods', 'JobSet', 'Service'],
  local: true,
  check: function* (set) {
    for (const { object, path, names, say, kept } of namesOf(set))
      for (const name of repeated(names))
        yield {
          object,
          path: `${path}[${name}]`,
          message: `${say(name)} exists twice, ${kept === true ? 'so only the last one counts, and server-side apply refuses the object' : 'which the API server refuses'}`,
          fix: 'rename or remove one of them',
          ...(kept === true && { severity: 'warning' as const }),
        };
  },
});

const repeated = (names: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return [...new Set(names.filter((name) => seen.size === seen.add(name).size))];
};

interface Names {
  readonly object: ManifestObject;
  readonly path: string;
  readonly names: readonly string[];
  readonly say: (name: string) => string;
  /** Whether the API server accepts the list. */
  readonly kept?: boolean;
}

/** Kinds whose schema requires unique variables. In Kubernetes' own kinds, the last one counts. */
const MAPS: ReadonlySet<string> = new Set([
  'JobSet',
  'RayService',
  'RayCluster',
  'RayJob',
  'LeaderWorkerSet',
]);

const textsAt = (items: readonly Json[], key: string): readonly string[] =>
  items.flatMap((item) => text(item, key) ?? []);

function* namesOf(set: ManifestSet): Generator<Names> {
  for (const pod of set.pods) {
    const { object } = pod;
    const containers = pod.containers.map(({ container }) => container);
    yield {
      object,
      path: `${specPath(pod)}.containers`,
      names: textsAt(containers, 'name'),
      say: (name) => `container '${name}'`,
    };
    yield {
      object,
      path: `${specPath(pod)}.volumes`,
      names: textsAt(pod.volumes, 'name'),
      say: (name) => `volume '${name}'`,
    };
    for (const { container, name: own, path } of pod.containers)
      for (const [list, key, what] of [
        ['env', 'name', 'variable'],
        ['ports', 'name', 'port'],
        ['volumeMounts', 'mountPath', 'mount path'],
      ] as const)
        yield {
          object,
          path: `${path}.${list}`,
          names: textsAt(records(container, list), key),
          say: (name) => `${what} '${name}' of container '${own}'`,
          kept: list === 'env' && !MAPS.has(object.kind),
        };
  }
  for (const object of ofGroup(set, 'Service', ''))
    yield {
      object,
      path: 'spec.ports',
      names: textsAt(records(object.manifest, 'spec', 'ports'), 'name'),
      say: (name) => `port '${name}'`,
    };
  for (const object of ofGroup(set, 'Service', ''))
    yield {
      object,
      path: 'spec.ports',
      names: records(object.manifest, 'spec', 'ports').map(
        (port) => `${String(port['port'])}/${text(port, 'protocol') ?? 'TCP'}`,
      ),
      say: (port) => `port ${port}`,
    };
  for (const object of set.ofKind('JobSet'))
    yield {
      object,
      path: 'spec.replicatedJobs',
      names: textsAt(records(object.manifest, 'spec', 'replicatedJobs'), 'name'),
      say: (name) => `replicated job '${name}'`,
    };
}
