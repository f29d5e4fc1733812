import { record, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { embedded, isMissing, missingDefaults, missingWorkerDefaults, useTpus } from './common';
import { records } from '../../../manifest/pods';

export const TPU805 = defineRule({
  code: 'TPU805',
  title: 'a custom resource sets the fields that the cluster adds to it',
  severities: ['note'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* (set) {
    for (const [object, pods] of embedded(set)) {
      if (object.kind !== 'JobSet' && object.kind !== 'RayService') continue;
      // The fix is not enough if the object also has a finding of TPU801 or TPU802, which are about missing fields too.
      if (object.kind === 'JobSet' && missingDefaults(object).length > 0) continue;
      if (missingWorkerDefaults(pods).length > 0 || !useTpus(pods)) continue;
      const bare = [
        ...records(object.manifest, 'spec', 'replicatedJobs')
          .map((job, index) => ({
            template: record(job, 'template'),
            name: text(job, 'name') ?? String(index),
          }))
          .filter(({ template }) => object.kind === 'JobSet' && isMissing(template['metadata']))
          .map(({ name }) => `spec.replicatedJobs[${name}].template`),
        ...pods
          .filter(({ runs, template }) => runs !== 'RayWorkers' && isMissing(template['metadata']))
          .map(({ path }) => path),
      ];
      const portsOf = pods.flatMap(({ containers }) =>
        containers.filter(({ container }) =>
          records(container, 'ports').some((port) => isMissing(port['protocol'])),
        ),
      );
      const [path] = [...bare, ...portsOf.map(({ path: at }) => `${at}.ports`)];
      if (path === undefined) continue;
      yield {
        object,
        path,
        message:
          "kubectl apply never reports 'unchanged', because the stored object has more fields than the manifest",
        fix: [
          ...(bare.length > 0 ? [`set metadata: {} in ${bare.join(' and in ')}`] : []),
          ...(portsOf.length > 0
            ? [
                `set protocol: TCP on the ports of ${portsOf.map(({ name }) => `container '${name}'`).join(', ')}`,
              ]
            : []),
        ].join(', '),
      };
    }
  },
});
