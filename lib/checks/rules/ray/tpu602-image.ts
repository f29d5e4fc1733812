import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { text } from '../../../manifest/manifest';

/** Kinds whose pods no API server checks before a controller makes them. */
const EMBEDS_PODS = ['RayService', 'RayJob', 'RayCluster', 'JobSet', 'LeaderWorkerSet'];

export const TPU602 = defineRule({
  code: 'TPU602',
  title: 'a container in a custom resource has an image',
  severities: ['error'],
  kinds: ['pods'],
  local: true,
  check: eachPod(function* ({ object, containers }) {
    if (!EMBEDS_PODS.includes(object.kind)) return;
    for (const { container, name, path } of containers)
      if ((text(container, 'image') ?? '').trim() === '')
        yield {
          object,
          path: `${path}.image`,
          message: `container '${name}' has no image, which is found out only when its pod is made`,
          fix: 'set image to REPOSITORY:TAG',
        };
  }),
});
