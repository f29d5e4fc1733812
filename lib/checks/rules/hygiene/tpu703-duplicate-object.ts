import { defineRule } from '../../rule';

import { groupOf, type ManifestObject, text } from '../../../manifest/manifest';

export const TPU703 = defineRule({
  code: 'TPU703',
  title: 'an object exists only once',
  severities: ['error'],
  kinds: ['any'],
  check: function* ({ objects }) {
    const first = new Map<string, ManifestObject>();
    for (const object of objects) {
      const { manifest, kind, namespace, id } = object;
      const name = text(manifest, 'metadata', 'name') ?? '';
      if (kind === '' || name === '') continue;
      const key = JSON.stringify([
        object.scope,
        groupOf(text(manifest, 'apiVersion')),
        kind,
        namespace,
        name,
      ]);
      const other = first.get(key);
      if (!other) first.set(key, object);
      else
        yield {
          object,
          path: 'metadata.name',
          message: `object ${id} exists twice, ${whereBoth(other, object)}, and the one that is applied last replaces the other`,
          fix: 'rename or remove one of them',
        };
    }
  },
});

/** The places of two objects with the same name. */
function whereBoth(one: ManifestObject, other: ManifestObject): string {
  const [first, second] = [one, other].map(
    ({ file, lineOf, constructPath }) =>
      constructPath ??
      (file === undefined ? undefined : `${file}${lineOf ? `:${String(lineOf('kind'))}` : ''}`),
  );
  return first === undefined || second === undefined ? 'among the manifests' : `in ${first} and in ${second}`;
}
