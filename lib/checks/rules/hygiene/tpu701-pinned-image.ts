import { defineRule } from '../../rule';
import { eachPod } from '../each-pod';
import { type ManifestObject, text } from '../../../manifest/manifest';

/** Tags that move, whatever else the tag says, and those that do unless it names a date, a commit or a release. */
const ALWAYS_MOVES = /^latest$/;

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
        // the registry may be filled in, and the tag moves all the same
        about: image.split('/').at(-1) ?? image,
        message:
          tag === ''
            ? `image '${image}' of container '${name}' has no tag, which means latest: another pod may run another release`
            : `tag '${tag}' of image '${image}' of container '${name}' moves: another pod may run another release`,
        fix: 'write the tag of a release, or a digest as in @sha256:…',
      };
    }
  }),
});

/** The image that Kustomize replaces an image by, as far as the tag goes. */
function built({ kustomized }: ManifestObject, image: string): string {
  const name = image.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const { newTag, digest } = kustomized?.images.get(name) ?? {};
  if (typeof digest === 'string') return `${name}@${digest}`;
  return typeof newTag === 'string' || typeof newTag === 'number' ? `${name}:${String(newTag)}` : image;
}

/** The tag of an image, where it is one that moves; empty if there is none. */
function movingTag(image: string): string | undefined {
  // `auto` is what a sidecar injector fills in
  if (image.includes('@') || image.trim() === '' || image === 'auto') return undefined;
  const [, tag = ''] = (image.split('/').at(-1) ?? '').split(':');
  const words = tag.toLowerCase().split(/[-_.]/);
  const moves =
    tag === '' ||
    words.some((word) => ALWAYS_MOVES.test(word)) ||
    (words.some((word) => USUALLY_MOVES.test(word)) && !words.some((word) => RELEASE.test(word)));
  return moves ? tag : undefined;
}
