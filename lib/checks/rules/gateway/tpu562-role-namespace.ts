import { text } from '../../../manifest/manifest';
import { grouped } from '../../../manifest/selection';
import { defineRule } from '../../rule';

const namespaceIn = (manifest: unknown): string | undefined => text(manifest, 'metadata', 'namespace');

export const TPU562 = defineRule({
  code: 'TPU562',
  title: 'a Role has the namespace of its RoleBinding',
  severities: ['warning'],
  kinds: ['Role'],
  check: function* (set) {
    const roles = grouped(set.ofKind('Role').map((role) => [role.name, role]));
    for (const binding of set.ofKind('RoleBinding')) {
      const namespace = namespaceIn(binding.manifest);
      if (namespace === undefined || text(binding.manifest, 'roleRef', 'kind') !== 'Role') continue;
      const name = text(binding.manifest, 'roleRef', 'name');
      const named = roles.get(name ?? '') ?? [];
      if (named.some((role) => namespaceIn(role.manifest) === namespace)) continue;
      const object = named.find((role) => namespaceIn(role.manifest) === undefined);
      if (object)
        yield {
          object,
          path: 'metadata.name',
          message: `the Role has no namespace, so kubectl chooses one, but ${binding.id} is in namespace '${namespace}'`,
          fix: `add namespace: ${namespace}`,
        };
    }
  },
});
