import { at, type ManifestObject, number, record, text } from '../../../manifest/manifest';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { hasChips } from './common';
import { shown } from '../../../problems/shown';

/** The maxSurge of the kinds that have one. */
const ROLLOUTS = {
  Deployment: {
    path: ['strategy', 'rollingUpdate', 'maxSurge'],
    byDefault: '25%',
    fix: 'set maxSurge: 0 and maxUnavailable: 1, or strategy.type: Recreate',
  },
  LeaderWorkerSet: {
    path: ['rolloutStrategy', 'rollingUpdateConfiguration', 'maxSurge'],
    byDefault: 0,
    fix: 'set maxSurge: 0',
  },
} as const;

/** Number of additional replicas during a rolling update. */
function surge(maxSurge: unknown, replicas: number): number {
  if (typeof maxSurge === 'number') return maxSurge;
  const percent = typeof maxSurge === 'string' ? /^(\d+)%$/.exec(maxSurge)?.[1] : undefined;
  return percent === undefined ? 0 : Math.ceil((Number(percent) * Math.max(replicas, 1)) / 100);
}

export const TPU305 = defineRule({
  code: 'TPU305',
  title: 'a rolling update of TPU pods needs no free slice',
  severities: ['warning'],
  kinds: ['pods'],
  check: function* ({ pods }) {
    const rollouts = new Map<ManifestObject, (typeof ROLLOUTS)[keyof typeof ROLLOUTS]>();
    for (const { object, runs } of pods.filter(hasChips))
      if (runs === 'Deployment' || runs === 'LeaderWorkerSet') rollouts.set(object, ROLLOUTS[runs]);
    for (const [object, { path, byDefault, fix }] of rollouts) {
      const spec = record(object.manifest, 'spec');
      const given = at(spec, ...path);
      const maxSurge = given ?? byDefault;
      const beside = surge(maxSurge, number(spec, 'replicas') ?? 1);
      if (text(spec, 'strategy', 'type') === 'Recreate' || beside <= 0) continue;
      yield {
        object,
        path: ['spec', ...path].join('.'),
        message: `maxSurge ${shown(maxSurge)}${given === undefined ? ' (the default)' : ''} starts ${count(beside, 'new replica')} in addition to the running replicas, and ${beside === 1 ? 'it waits until a slice is free' : 'they wait until as many slices are free'}`,
        fix,
      };
    }
  },
});
