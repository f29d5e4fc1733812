import { isKustomization } from '../../../manifest/kustomize';
import { at, type ManifestObject, text } from '../../../manifest/manifest';
import { grouped } from '../../../manifest/selection';
import { defineRule, type Violation } from '../../rule';

export const TPU901 = defineRule({
  code: 'TPU901',
  title: 'a checked document is a Kubernetes object',
  severities: ['note'],
  kinds: ['any'],
  check: function* ({ objects }) {
    const found = objects.flatMap((object): readonly Missing[] => {
      const keys = (['apiVersion', 'kind'] as const).filter((key) => !text(object.manifest, key));
      // both are optional in a kustomization
      const isPart =
        object.partOf !== undefined || (object.file !== undefined && isKustomization(object.file));
      return keys.length === 0 || isPart ? [] : [{ object, keys }];
    });
    // a folder can have hundreds of other YAML files, like values of Helm charts and workflows
    const others = grouped(
      found.filter(isOther).map((one) => [one.object.folder ?? one.object, one] as const),
    );
    for (const one of found) {
      const same = others.get(one.object.folder ?? one.object) ?? [];
      if (!isOther(one) || same.length === 1) yield alone(one);
      else if (same[0] === one) yield together(one, same);
    }
  },
});

/** A document, and the keys that it does not have. */
interface Missing {
  readonly object: ManifestObject;
  readonly keys: readonly ('apiVersion' | 'kind')[];
}

/** Whether a document has nothing of a Kubernetes object. */
const isOther = ({ object, keys }: Missing): boolean =>
  keys.length === 2 && at(object.manifest, 'metadata') === undefined;

const alone = (one: Missing): Violation<'note'> => ({
  object: one.object,
  path: one.keys[0] ?? '',
  message: `the document has no ${one.keys.join(' and no ')}, so no rule checked it`,
  fix: isOther(one) ? 'do not pass it to the checks' : `add ${one.keys.join(' and ')}`,
});

/** The files that a message names. */
const FIRST = 3;

/** One finding for all documents of a folder that are not Kubernetes objects. */
function together({ object }: Missing, all: readonly Missing[]): Violation<'note'> {
  const { folder = '' } = object;
  const files = [...new Set(all.map((one) => one.object.file ?? ''))];
  const names = files.slice(0, FIRST).map((file) => file.slice(folder.length).replace(/^[\\/]/, ''));
  return {
    object,
    path: 'apiVersion',
    message: `${String(all.length)} documents below ${folder} have no apiVersion and no kind, so no rule checked them: ${names.join(', ')}${files.length > FIRST ? ' …' : ''}`,
    fix: 'do not pass them to the checks',
  };
}
