import { text, together } from '../../../manifest/manifest';
import { type Scaler, scalersByTarget } from '../../../manifest/scalers';
import { defineRule } from '../../rule';

export const TPU530 = defineRule({
  code: 'TPU530',
  title: 'a workload has one autoscaler',
  severities: ['error'],
  kinds: ['HorizontalPodAutoscaler', 'ScaledObject'],
  check: function* (set) {
    for (const scalers of scalersByTarget(set)) {
      const made = scalers.flatMap(({ object }) => madeBy(object));
      // TPU703 reports an object that exists twice
      const distinct = scalers.filter(
        ({ object }, index) =>
          !(object.kind === 'HorizontalPodAutoscaler' && made.includes(object.name)) &&
          scalers.findIndex((one) => one.object.id === object.id) === index,
      );
      for (const [index, { object, kind, name }] of distinct.entries()) {
        const first = distinct.slice(0, index).find((one) => together(one.object, object));
        if (!first || kind === '' || name === '') continue;
        yield {
          object,
          path: 'spec.scaleTargetRef.name',
          message: `autoscaler ${first.object.id} also scales ${kind}/${name}, so each autoscaler undoes what the other does`,
          fix: 'keep one autoscaler, which can read several metrics',
        };
      }
    }
  },
});

/** The HorizontalPodAutoscaler that KEDA creates for a ScaledObject. */
const madeBy = ({ kind, name, manifest }: Scaler['object']): readonly string[] =>
  kind === 'ScaledObject'
    ? [text(manifest, 'spec', 'advanced', 'horizontalPodAutoscalerConfig', 'name') ?? `keda-hpa-${name}`]
    : [];
