import { at, type ManifestObject, record, text, together } from '../../../manifest/manifest';
import { grouped } from '../../../manifest/selection';
import { defineRule } from '../../rule';
import { firsts, inNamespace, keyOf } from './common';
import { shown } from '../../../problems/shown';
import { specPath } from '../../../manifest/slices';
import { type ManifestSet } from '../../../manifest/set';
import { type PodView, records } from '../../../manifest/pods';

/** Kinds that create a Secret, and the path of its name. Without a path or value, the Secret has the name of the object. */
const SECRET_MAKERS: Readonly<Record<string, readonly string[]>> = {
  Secret: [],
  SealedSecret: ['spec', 'template', 'metadata', 'name'],
  ExternalSecret: ['spec', 'target', 'name'],
  Certificate: ['spec', 'secretName'],
};

export const TPU515 = defineRule({
  code: 'TPU515',
  title: 'the Secrets of a pod are among the manifests',
  severities: ['note', 'error'],
  kinds: ['pods', 'SecretProviderClass'],
  nearTpus: true,
  check: function* (set) {
    const secrets = secretsOf(set);
    const isFirst = firsts();
    for (const pod of set.pods)
      for (const { name, key, path } of secretsOfPod(pod)) {
        const { object } = pod;
        if (object.kustomized?.generated.has(`Secret/${name}`) === true) continue;
        const made = secrets.get(keyOf(object.namespace, name));
        const keys = made?.find((one) => together(one.object, object))?.keys;
        if (made && !keys) continue;
        if (keys && (key === undefined || keys.length === 0 || keys.includes(key))) continue;
        if (!isFirst(object, keys ? `${name}/${key ?? ''}` : name)) continue;
        if (keys)
          yield {
            object,
            path,
            message: `the Secret '${name}' has no key '${key ?? ''}', so the container does not start`,
            fix: `use one of its keys: ${keys.map(shown).join(', ')}`,
            severity: 'error',
          };
        else
          yield {
            object,
            path,
            message: `the Secret '${name}' is not among the manifests, and the pod does not start without it`,
            fix: `if the cluster does not have it, create it first: kubectl create secret generic ${name}${key === undefined ? '' : ` --from-literal=${key}=…`}${inNamespace(object)}`,
          };
      }
  },
});

/** An object that creates a Secret, with its keys; no keys if only the cluster knows them. */
interface Made {
  readonly object: ManifestObject;
  readonly keys: readonly string[];
}

/** The Secrets that a set creates. */
const secretsOf = (set: ManifestSet): ReadonlyMap<string, readonly Made[]> =>
  grouped([
    ...Object.entries(SECRET_MAKERS).flatMap(([kind, path]) =>
      set.ofKind(kind).map((object): readonly [string, Made] => {
        const { manifest, name, namespace } = object;
        const keys = [
          ...Object.keys(record(manifest, 'data')),
          ...Object.keys(record(manifest, 'stringData')),
        ];
        const own = path.length > 0 ? text(manifest, ...path) : undefined;
        return [keyOf(namespace, own ?? name), { object, keys }];
      }),
    ),
    ...set
      .ofKind('SecretProviderClass')
      .flatMap((object) =>
        records(object.manifest, 'spec', 'secretObjects').map((secret): readonly [string, Made] => [
          keyOf(object.namespace, text(secret, 'secretName') ?? ''),
          { object, keys: [] },
        ]),
      ),
  ]);

/** A Secret that a pod cannot start without. */
interface SecretUse {
  readonly name: string;
  readonly key: string | undefined;
  readonly path: string;
}

function secretsOfPod(pod: PodView): readonly SecretUse[] {
  const path = specPath(pod);
  const use = (reference: unknown, nameKey: string, place: string, key?: string): readonly SecretUse[] => {
    const name = text(reference, nameKey);
    return name === undefined || name === '' || at(reference, 'optional') === true
      ? []
      : [{ name, key, path: place }];
  };
  return [
    ...pod.containers.flatMap(({ container, path: place }) => [
      ...records(container, 'env').flatMap((variable) => {
        const reference = at(variable, 'valueFrom', 'secretKeyRef');
        return use(
          reference,
          'name',
          `${place}.env[${text(variable, 'name') ?? ''}].valueFrom.secretKeyRef`,
          text(reference, 'key'),
        );
      }),
      ...records(container, 'envFrom').flatMap((source, index) =>
        use(at(source, 'secretRef'), 'name', `${place}.envFrom[${String(index)}].secretRef`),
      ),
    ]),
    ...pod.volumes.flatMap((volume) => {
      const place = `${path}.volumes[${text(volume, 'name') ?? ''}]`;
      const keys = records(volume, 'secret', 'items').map((item) => text(item, 'key'));
      return [
        ...(keys.length > 0 ? keys : [undefined]).flatMap((key) =>
          use(at(volume, 'secret'), 'secretName', `${place}.secret`, key),
        ),
        ...records(volume, 'projected', 'sources').flatMap((source) =>
          use(at(source, 'secret'), 'name', `${place}.projected`),
        ),
      ];
    }),
  ];
}
