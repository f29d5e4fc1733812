import { at, record, text } from '../../../manifest/manifest';
import { type PodView, records } from '../../../manifest/pods';
import { hasNamed, objectNamed } from '../../../manifest/selection';
import { specPath } from '../../../manifest/slices';
import { shown } from '../../../problems/shown';
import { defineRule } from '../../rule';
import { firsts, inNamespace } from './common';

export const TPU519 = defineRule({
  code: 'TPU519',
  title: 'the ConfigMaps of a pod are among the manifests',
  severities: ['note', 'error'],
  kinds: ['pods', 'ConfigMap'],
  nearTpus: true,
  check: function* (set) {
    const isFirst = firsts();
    for (const pod of set.pods)
      for (const { name, key, path } of usesOf(pod)) {
        const { object } = pod;
        if (object.kustomized?.generated.has(`ConfigMap/${name}`) === true) continue;
        const map = objectNamed(set, object, 'ConfigMap', name);
        if (!map && hasNamed(set, object.namespace, 'ConfigMap', name)) continue;
        const keys = [
          ...Object.keys(record(map?.manifest, 'data')),
          ...Object.keys(record(map?.manifest, 'binaryData')),
        ];
        if (
          (map && (key === undefined || keys.includes(key))) ||
          !isFirst(object, `${name}/${map ? (key ?? '') : ''}`)
        )
          continue;
        if (map)
          yield {
            object,
            path,
            message: `the ConfigMap '${name}' has no key '${key ?? ''}', so the container does not start`,
            fix:
              keys.length > 0
                ? `use one of its keys: ${keys.map(shown).join(', ')}`
                : `add the key '${key ?? ''}'`,
            severity: 'error',
          };
        else
          yield {
            object,
            path,
            message: `the ConfigMap '${name}' is not among the manifests, and the pod does not start without it`,
            fix: `if the cluster does not have it, create it first: kubectl create configmap ${name} --from-file=…${inNamespace(object)}`,
          };
      }
  },
});

interface Use {
  readonly name: string;
  readonly key: string | undefined;
  readonly path: string;
}

/** The ConfigMaps that a pod cannot start without. Every namespace has kube-root-ca.crt. */
function usesOf(pod: PodView): readonly Use[] {
  const use = (reference: unknown, path: string, key?: string): readonly Use[] => {
    const name = text(reference, 'name') ?? '';
    return name === '' || name === 'kube-root-ca.crt' || at(reference, 'optional') === true
      ? []
      : [{ name, key, path }];
  };
  return [
    ...pod.containers.flatMap(({ container, path }) => [
      ...records(container, 'env').flatMap((variable) => {
        const reference = at(variable, 'valueFrom', 'configMapKeyRef');
        const place = `${path}.env[${text(variable, 'name') ?? ''}].valueFrom.configMapKeyRef`;
        return use(reference, place, text(reference, 'key'));
      }),
      ...records(container, 'envFrom').flatMap((source, index) =>
        use(source['configMapRef'], `${path}.envFrom[${String(index)}].configMapRef`),
      ),
    ]),
    ...pod.volumes.flatMap((volume) => {
      const place = `${specPath(pod)}.volumes[${text(volume, 'name') ?? ''}].configMap`;
      const keys = records(volume, 'configMap', 'items').map((item) => text(item, 'key'));
      return (keys.length > 0 ? keys : [undefined]).flatMap((key) => use(volume['configMap'], place, key));
    }),
  ];
}
