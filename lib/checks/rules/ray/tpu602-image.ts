import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { text } from '../../../manifest/manifest';

/** Kinds whose pod templates the API server does not validate. */
const EMBEDS_PODS = ['RayService', 'RayJob', 'RayCluster', 'JobSet', 'LeaderWorkerSet'];

export const TPU602 = defineRule({
  code: 'TPU602',
  title: 'the containers of a custom resource have images',
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
          message: `container '${name}' has no image, so the controller cannot create its pod`,
          fix: 'set image to REPOSITORY:TAG',
        };
  }),
});
