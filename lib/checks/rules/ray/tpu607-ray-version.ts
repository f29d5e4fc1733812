import { amount, type Json, type ManifestObject, record, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { shown } from '../../../problems/shown';
import { runsRay } from '../../../manifest/selection';
import { type PodView } from '../../../manifest/pods';

export const TPU607 = defineRule({
  code: 'TPU607',
  title: 'the Ray version of a cluster matches its images',
  severities: ['warning'],
  kinds: ['any'],
  nearTpus: true,
  check: function* ({ objects, pods }) {
    const images = rayImages(pods);
    for (const object of objects) {
      const { path, cluster } = clusterOf(object) ?? {};
      const version = amount(cluster, 'rayVersion');
      const used = images.get(object) ?? [];
      const others = used.filter((one) => version !== undefined && one.version !== version);
      const [first] = others;
      if (path === undefined || version === undefined || first === undefined) continue;
      const versions = [...new Set(used.map((one) => one.version))];
      yield {
        object,
        path: `${path}.rayVersion`,
        message: `rayVersion is ${shown(version)}, but the image of container '${first.container}' has Ray ${first.version}`,
        fix:
          versions.length > 1
            ? 'use images of one Ray version, and set rayVersion to that version'
            : `set rayVersion to '${first.version}'`,
      };
    }
  },
});

/** The Ray cluster of an object, with its path. */
function clusterOf({
  kind,
  manifest,
}: ManifestObject): { readonly path: string; readonly cluster: Json } | undefined {
  switch (kind) {
    case 'RayService':
      return { path: 'spec.rayClusterConfig', cluster: record(manifest, 'spec', 'rayClusterConfig') };
    case 'RayJob':
      return { path: 'spec.rayClusterSpec', cluster: record(manifest, 'spec', 'rayClusterSpec') };
    case 'RayCluster':
      return { path: 'spec', cluster: record(manifest, 'spec') };
    default:
      return undefined;
  }
}

interface RayImage {
  readonly container: string;
  readonly version: string;
}

/** Images of the Ray project whose tag states the version. */
function rayImages(pods: readonly PodView[]): ReadonlyMap<ManifestObject, readonly RayImage[]> {
  const images = new Map<ManifestObject, RayImage[]>();
  for (const pod of pods.filter(runsRay))
    for (const { name, container } of pod.containers) {
      const [, version] =
        /(?:^|\/)rayproject\/[^/:@]+:(\d+\.\d+\.\d+)(?![\d.])/.exec(text(container, 'image') ?? '') ?? [];
      if (version !== undefined)
        images.set(pod.object, [...(images.get(pod.object) ?? []), { container: name, version }]);
    }
  return images;
}
