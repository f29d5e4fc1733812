import { type PodView } from '../../../manifest/pods';
import { type Violation } from '../../rule';
import { defineRule } from '../../rule';
import { inWords, isScalar, isSet, NAMED, type Problem, SUBDOMAINS } from './common';
import { placeholderIn } from '../../../manifest/placeholders';
import { shown } from '../../../problems/shown';
import { record, text } from '../../../manifest/manifest';
import { specPath } from '../../../manifest/slices';

/** Kinds whose names are DNS labels. */
const IS_LABEL = new Set(['Service', 'Namespace']);

const LABELS = { max: 63, pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, allowed: "letters, digits and '-'" };

export const TPU713 = defineRule({
  code: 'TPU713',
  title: 'objects, containers and volumes have valid names',
  severities: ['error', 'warning'],
  kinds: ['any'],
  local: true,
  check: function* (set) {
    for (const object of set.objects) {
      const { manifest, kind } = object;
      if (!NAMED.has(kind)) continue;
      const metadata = record(manifest, 'metadata');
      // the program that fills in a template can add the name
      const isNamedLater =
        isSet(metadata['generateName']) ||
        placeholderIn(manifest) !== undefined ||
        text(manifest, 'apiVersion') === undefined; // not an object, like the values of a Helm chart
      if (isSet(metadata['name']) || !isNamedLater) {
        const problem = nameProblem(kind, metadata['name'], IS_LABEL.has(kind) ? LABELS : SUBDOMAINS);
        if (problem) yield { object, path: 'metadata.name', ...problem };
        else if (kind === 'Service' && /^[0-9]/.test(object.name))
          yield {
            object,
            path: 'metadata.name',
            message: `the name '${object.name}' of a Service starts with a digit, which some releases of Kubernetes refuse`,
            fix: `start the name with a letter, like 's${object.name}'`,
            severity: 'warning',
          };
      }
      const problem = isSet(metadata['namespace'])
        ? nameProblem('namespace', metadata['namespace'], LABELS)
        : undefined;
      if (problem) yield { object, path: 'metadata.namespace', ...problem };
    }
    for (const pod of set.pods)
      for (const { what, path, value } of [
        ...pod.containers.map(({ path: place, container }) => ({
          what: 'container',
          path: `${place}.name`,
          value: container['name'],
        })),
        ...pod.volumes.map((volume, index) => ({
          what: 'volume',
          path: `${specPath(pod)}.volumes[${text(volume, 'name') ?? String(index)}].name`,
          value: volume['name'],
        })),
      ]) {
        // Knative names a container that has no name. Controllers of other unknown kinds can do so too.
        if (pod.runs === 'Other' && !isSet(value)) continue;
        const problem = nameProblem(what, value, LABELS);
        if (problem) yield { object: pod.object, path, ...problem };
      }
    for (const pod of set.pods) yield* references(pod);
  },
});

/** Why a name is not valid; undefined if it is. */
function nameProblem(
  what: string,
  name: unknown,
  { max, pattern, allowed }: typeof LABELS,
): Problem | undefined {
  if (!isSet(name))
    return { message: `a ${what} has no name, which the API server refuses`, fix: 'add a name' };
  if (typeof name !== 'string')
    return {
      message: `the name of a ${what} is ${inWords(name)}, which the API server refuses`,
      fix: isScalar(name) ? `put it in quotes: "${String(name)}"` : 'use a string',
    };
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/\./g, max === LABELS.max ? '-' : '.')
    .slice(0, max)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  const fix = `use '${pattern.test(near) ? near : 'x'}'`;
  if (name.length > max)
    return {
      message: `the name ${shown(name)} of a ${what} has ${String(name.length)} characters, but the limit is ${String(max)}`,
      fix,
    };
  return pattern.test(name)
    ? undefined
    : {
        message: `the name ${shown(name)} of a ${what} is not valid: names have lowercase ${allowed}, with a letter or digit at both ends`,
        fix,
      };
}

/** `REGISTRY/PATH:TAG@DIGEST`: https://github.com/distribution/reference/blob/main/reference.go */
const IMAGE =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@[A-Za-z][\w.+-]*:[0-9a-fA-F]{32,})?$/;

/** Checks names of images and claims. The API server accepts any, but the pod never starts. */
function* references(pod: PodView): Generator<Violation<'error'>> {
  for (const { container, name, path } of pod.containers) {
    const image = text(container, 'image');
    if (image === undefined || image.trim() === '' || image === 'auto' || IMAGE.test(image)) continue;
    yield {
      object: pod.object,
      path: `${path}.image`,
      message: `image ${shown(image)} of container '${name}' is not a valid image name, so the container never starts`,
      fix: 'use REGISTRY/REPOSITORY:TAG in lowercase letters, without spaces and https://',
    };
  }
  for (const volume of pod.volumes) {
    const claim = text(volume, 'persistentVolumeClaim', 'claimName');
    if (claim === undefined || (claim.length <= SUBDOMAINS.max && SUBDOMAINS.pattern.test(claim))) continue;
    yield {
      object: pod.object,
      path: `${specPath(pod)}.volumes[${text(volume, 'name') ?? ''}].persistentVolumeClaim.claimName`,
      message: `${shown(claim)} is not a valid name for a PersistentVolumeClaim, so the pod never starts`,
      fix: 'use lowercase letters, digits and dashes',
    };
  }
}
