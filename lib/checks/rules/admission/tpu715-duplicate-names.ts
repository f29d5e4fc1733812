import { defineRule } from '../../rule';
import { ofGroup } from '../../../manifest/selection';
import { records } from '../../../manifest/pods';
import { specPath } from '../../../manifest/slices';
import { type Json, type ManifestObject, text } from '../../../manifest/manifest';
import { type ManifestSet } from '../../../manifest/set';

export const TPU715 = defineRule({
  code: 'TPU715',
  title: 'a name is there once in its list',
  severities: ['error'],
  kinds: ['pods', 'JobSet', 'Service'],
  check: function* (set) {
    for (const { object, path, names, say } of namesOf(set))
      for (const name of repeated(names))
        yield {
          object,
          path: `${path}[${name}]`,
          message: `${say(name)} is there twice, which is refused`,
          fix: 'rename one of the two, or remove it',
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
}

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
        };
  }
  for (const object of ofGroup(set, 'Service', ''))
    yield {
      object,
      path: 'spec.ports',
      names: textsAt(records(object.manifest, 'spec', 'ports'), 'name'),
      say: (name) => `port '${name}'`,
    };
  for (const object of set.ofKind('JobSet'))
    yield {
      object,
      path: 'spec.replicatedJobs',
      names: textsAt(records(object.manifest, 'spec', 'replicatedJobs'), 'name'),
      say: (name) => `replicated job '${name}'`,
    };
}
