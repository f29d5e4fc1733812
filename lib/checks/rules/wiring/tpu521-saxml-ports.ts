import { SAX_ADMIN_PORT, SAX_MODEL_PORT } from '../../../facts/ports';
import { SAX_ADMIN_IMAGE, SAX_HTTP_IMAGE } from '../../../facts/servers';
import { type ManifestObject } from '../../../manifest/manifest';
import { imageNameOf, modelServerOf } from '../../../manifest/model-servers';
import { type PodView } from '../../../manifest/pods';
import { ingressPoliciesFor } from '../../../manifest/selection';
import { defineRule } from '../../rule';

export const TPU521 = defineRule({
  code: 'TPU521',
  title: 'a NetworkPolicy of a Saxml cell covers its admin and model servers',
  severities: ['warning'],
  kinds: ['pods', 'NetworkPolicy'],
  check: function* (set) {
    const servers = set.pods
      .filter((pod) => hasImage(pod, SAX_HTTP_IMAGE))
      .map((pod) => ({ object: pod.object, closed: ingressPoliciesFor(set, pod).length > 0 }));
    const reported = new Set<ManifestObject>();
    for (const pod of set.pods) {
      // a NetworkPolicy does not apply to pods on the host network
      const port = openPortOf(pod);
      if (port === undefined || reported.has(pod.object) || pod.spec['hostNetwork'] === true) continue;
      const nearby = servers.filter(({ object }) => object.namespace === pod.object.namespace);
      const [http] = nearby;
      // an HTTP server without a NetworkPolicy may be of the same cell, which is then open on purpose
      if (!http || !nearby.every(({ closed }) => closed) || ingressPoliciesFor(set, pod).length > 0) continue;
      reported.add(pod.object);
      yield {
        object: pod.object,
        path: `${pod.path}.metadata.labels`,
        message: `a NetworkPolicy restricts access to the HTTP server ${http.object.id}, but no NetworkPolicy selects these pods, so every pod of the cluster can reach their port ${String(port)} directly`,
        fix: 'add a NetworkPolicy that selects these pods and admits only the pods of the cell',
      };
    }
  },
});

const hasImage = (pod: PodView, image: RegExp): boolean =>
  pod.containers.some((one) => !one.init && image.test(imageNameOf(one)));

/** The port of an admin server or of a model server. */
const openPortOf = (pod: PodView): number | undefined =>
  hasImage(pod, SAX_ADMIN_IMAGE)
    ? SAX_ADMIN_PORT
    : pod.containers.some((one) => modelServerOf(one)?.software === 'saxml')
      ? SAX_MODEL_PORT
      : undefined;
