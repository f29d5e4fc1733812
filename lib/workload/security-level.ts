import { type Json } from '../manifest/manifest';
import { obstaclesTo, podSecurityLevel } from '../manifest/pod-security';
import { type PodSecurityLevel } from '../pod/security';
import { type PodTemplate } from '../pod/template';
import { type Problems } from '../problems/problems';

/** Security contexts that the level sets: those of the pod and of its containers, not of init containers. */
const SET_BY_LEVEL = /^spec\.(securityContext|containers\[[^\]]*\]\.securityContext)\./;

/**
 * Records fields of security contexts that contradict the user's level. Fields replace a default level.
 *
 * @param level - the level that the user gave, if any
 */
export function checkLevel(
  template: PodTemplate,
  level: PodSecurityLevel | undefined,
  problems: Problems,
): void {
  if (level === undefined) return;
  const json: Json = { ...template };
  for (const { what, fix, path, containers } of obstaclesTo(json, level)) {
    if (!SET_BY_LEVEL.test(path)) continue;
    const who =
      containers.length === 0 ? 'the pod' : `container ${containers.map((one) => `'${one}'`).join(', ')}`;
    problems.add({
      path: 'podSecurityLevel',
      value: level,
      problem: `does not admit the pods: ${who} ${what}`,
      use: `'${podSecurityLevel(json).level}', or ${fix} in the fragment or sidecar`,
    });
  }
  const [main] = template.spec['containers'] as readonly {
    readonly securityContext?: { readonly privileged?: boolean };
  }[];
  if (level === 'privileged' && main?.securityContext?.privileged !== true)
    problems.add({
      path: 'podSecurityLevel',
      value: level,
      problem: 'sets privileged: true, which a fragment replaces',
      use: 'one of them',
    });
}
