import { record, text } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { embedded, isMissing, missingDefaults } from './common';
import { records } from '../../../manifest/pods';

export const TPU805 = defineRule({
  code: 'TPU805',
  title: 'a custom resource spells out what is stored anyway',
  severities: ['note'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* (set) {
    for (const [object, pods] of embedded(set)) {
      if (object.kind !== 'JobSet' && object.kind !== 'RayService') continue;
      // without its defaults, a second apply of a JobSet is another finding
      if (object.kind === 'JobSet' && missingDefaults(object).length > 0) continue;
      const bare = [
        ...records(object.manifest, 'spec', 'replicatedJobs')
          .map((job, index) => ({
            template: record(job, 'template'),
            name: text(job, 'name') ?? String(index),
          }))
          .filter(({ template }) => object.kind === 'JobSet' && isMissing(template['metadata']))
          .map(({ name }) => `spec.replicatedJobs[${name}].template`),
        // a worker group without is another finding
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
        message: "kubectl apply never says 'unchanged', since more is stored than is written",
        fix: [
          ...(bare.length > 0 ? [`write metadata: {} in ${bare.join(' and in ')}`] : []),
          ...(portsOf.length > 0
            ? [
                `write protocol: TCP on the ports of ${portsOf.map(({ name }) => `container '${name}'`).join(', ')}`,
              ]
            : []),
        ].join(', '),
      };
    }
  },
});
