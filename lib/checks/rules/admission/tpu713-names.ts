import { defineRule } from '../../rule';
import { inWords, isScalar, isSet, NAMED, type Problem, SUBDOMAINS } from './common';
import { quoted } from '../../../problems/validators';
import { record, text } from '../../../manifest/manifest';
import { specPath } from '../../../manifest/slices';

/** Those of them whose names are one part of a DNS name. */
const IS_LABEL = new Set(['Service', 'Namespace']);

const LABELS = { max: 63, pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, allowed: "letters, digits and '-'" };

export const TPU713 = defineRule({
  code: 'TPU713',
  title: 'objects, containers and volumes have names that are allowed',
  severities: ['error', 'warning'],
  kinds: ['any'],
  check: function* (set) {
    for (const object of set.objects) {
      const { manifest, kind } = object;
      if (!NAMED.has(kind)) continue;
      const metadata = record(manifest, 'metadata');
      if (isSet(metadata['name']) || !isSet(metadata['generateName'])) {
        const problem = nameProblem(kind, metadata['name'], IS_LABEL.has(kind) ? LABELS : SUBDOMAINS);
        if (problem) yield { object, path: 'metadata.name', ...problem };
        else if (kind === 'Service' && /^[0-9]/.test(object.name))
          yield {
            object,
            path: 'metadata.name',
            message: `the name '${object.name}' of a Service starts with a digit, which some releases of Kubernetes refuse`,
            fix: `start it with a letter, as in 's${object.name}'`,
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
        const problem = nameProblem(what, value, LABELS);
        if (problem) yield { object: pod.object, path, ...problem };
      }
  },
});

/** What is wrong with the name of something. */
function nameProblem(
  what: string,
  name: unknown,
  { max, pattern, allowed }: typeof LABELS,
): Problem | undefined {
  if (!isSet(name)) return { message: `a ${what} has no name, which is refused`, fix: 'write its name' };
  if (typeof name !== 'string')
    return {
      message: `the name of a ${what} is ${inWords(name)}, which is refused`,
      fix: isScalar(name) ? `write it in quotes, as in "${String(name)}"` : 'write a text',
    };
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/\./g, max === LABELS.max ? '-' : '.')
    .slice(0, max)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  const fix = `write '${pattern.test(near) ? near : 'x'}'`;
  if (name.length > max)
    return {
      message: `the name ${quoted(name)} of a ${what} has ${String(name.length)} characters, more than ${String(max)}, and is refused`,
      fix,
    };
  return pattern.test(name)
    ? undefined
    : {
        message: `the name ${quoted(name)} of a ${what} is not made of lower-case ${allowed} with a letter or digit at both ends, and is refused`,
        fix,
      };
}
