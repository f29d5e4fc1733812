import { defineRule } from '../../rule';
import { isTpuPod } from '../../../manifest/slices';
import { type ManifestObject } from '../../../manifest/manifest';
import { hardens, obstaclesTo, type PodSecurity, podSecurityLevel } from '../../../manifest/pod-security';
import { type PodView } from '../../../manifest/pods';

export const TPU706 = defineRule({
  code: 'TPU706',
  title: 'the pods of a TPU workload meet every Pod Security level',
  severities: ['note'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* ({ pods }) {
    const byObject = new Map<ManifestObject, PodView[]>();
    for (const pod of pods) byObject.set(pod.object, [...(byObject.get(pod.object) ?? []), pod]);
    for (const [object, own] of byObject) {
      if (!own.some(isTpuPod)) continue;
      // Most pods meet level 'baseline', and their authors do not aim for 'restricted'.
      const isHardened = own.some(hardensPod);
      if (!isHardened && own.every((pod) => obstaclesTo(pod.template, 'baseline').length === 0)) continue;
      const views = own.map((pod) => ({ pod, security: podSecurityLevel(pod.template) }));
      const level = LEVELS.find((one) => views.some(({ security }) => security.level === one));
      const lowest = views.filter(({ security }) => security.level === level);
      const [first] = lowest.flatMap(({ pod, security }) =>
        security.obstacles.map(({ path }) => (pod.path === '' ? path : `${pod.path}.${path}`)),
      );
      if (first === undefined || !isWorthKnowing(lowest)) continue;
      const next = level === 'privileged' ? 'baseline' : 'restricted';
      yield {
        object,
        path: first,
        message: `the pods meet Pod Security level '${level ?? ''}' but not '${next}' (${obstacles(lowest.map(({ security }) => security))})`,
        fix: `to run them in a namespace that enforces '${next}', ${fixes(lowest.map(({ security }) => security))}`,
      };
    }
  },
});

/**
 * Whether a security context shows that a stricter level is wanted, or obstacles remain that other rules do not report. Most images run as
 * root, which a manifest cannot change.
 */
const isWorthKnowing = (
  views: readonly { readonly pod: PodView; readonly security: PodSecurity }[],
): boolean =>
  views.some(
    ({ pod, security }) =>
      hardensPod(pod) ||
      (security.level === 'privileged' && security.obstacles.some(({ what }) => !REPORTED.has(what))),
  );

/** Obstacles that TPU704 and TPU705 report. */
const REPORTED: ReadonlySet<string> = new Set(['runs privileged', 'sets hostNetwork', 'uses host ports']);

const hardensPod = (pod: PodView): boolean =>
  hardens(pod.spec) || pod.containers.some(({ container }) => hardens(container));

const LEVELS = ['privileged', 'baseline', 'restricted'] as const;

/** For example `containers 'a', 'b': allows privilege escalation, can run as root`. */
const obstacles = (securities: readonly PodSecurity[]): string => {
  const whats = new Map<string, Set<string>>();
  for (const { what, containers } of securities.flatMap(({ obstacles: all }) => all)) {
    const names = containers.map((name) => `'${name}'`).join(', ');
    const who = containers.length === 0 ? 'pod' : `container${containers.length > 1 ? 's' : ''} ${names}`;
    whats.set(who, (whats.get(who) ?? new Set()).add(what));
  }
  return [...whats].map(([who, what]) => `${who}: ${[...what].join(', ')}`).join('; ');
};

const fixes = (securities: readonly PodSecurity[]): string =>
  [...new Set(securities.flatMap(({ obstacles: all }) => all.map(({ fix }) => fix)))].join(', ');
