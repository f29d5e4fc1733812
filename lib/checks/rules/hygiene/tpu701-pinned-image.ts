import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { type ManifestObject, text } from '../../../manifest/manifest';

/** Words of tags that always change. */
const ALWAYS_MOVES = /^latest$/;

/** Words of tags that change unless the tag also names a date, a commit or a release. */
const USUALLY_MOVES =
  /^(main|master|head|trunk|nightly|stable|edge|dev|develop|devel|canary|rolling|unstable|current|snapshot)$/;

/** A number, a date or a commit; `py312` and `cu118` are not releases of the image. */
const RELEASE = /^(v?\d+\w*|(?=[a-f]*\d)[0-9a-f]{7,40})$/;

export const TPU701 = defineRule({
  code: 'TPU701',
  title: 'an image is pinned to a release',
  severities: ['warning'],
  kinds: ['pods'],
  nearTpus: true,
  check: eachPod(function* ({ object, containers }) {
    for (const { container, name, path } of containers) {
      const image = text(container, 'image');
      if (image === undefined) continue;
      const tag = movingTag(built(object, image));
      if (tag === undefined) continue;
      yield {
        object,
        path: `${path}.image`,
        // the registry may be a placeholder, which does not affect the tag
        about: image.split('/').at(-1) ?? image,
        message:
          tag === ''
            ? `image '${image}' of container '${name}' has no tag, which means latest, so pods may run different releases`
            : `tag '${tag}' of image '${image}' of container '${name}' can change, so pods may run different releases`,
        fix: 'use the tag of a release, or a digest like @sha256:…',
      };
    }
  }),
});

/** The image after Kustomize has replaced its tag or digest. */
function built({ kustomized }: ManifestObject, image: string): string {
  const name = image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const { newTag, digest } = kustomized?.images.get(name) ?? {};
  if (typeof digest === 'string') return `${name}@${digest}`;
  return typeof newTag === 'string' || typeof newTag === 'number' ? `${name}:${String(newTag)}` : image;
}

/** The tag of an image if it can change, empty if it is missing; undefined if it does not change. */
function movingTag(image: string): string | undefined {
  // a sidecar injector replaces `auto`
  if (image.includes('@') || image.trim() === '' || image === 'auto') return undefined;
  const [, tag = ''] = (image.split('/').at(-1) ?? '').split(':');
  const words = tag.toLowerCase().split(/[-_.]/);
  const moves =
    tag === '' ||
    words.some((word) => ALWAYS_MOVES.test(word)) ||
    (words.some((word) => USUALLY_MOVES.test(word)) && !words.some((word) => RELEASE.test(word)));
  return moves ? tag : undefined;
}
