import { type ManifestObject, record } from '../../../manifest/manifest';
import { ACCEPT } from '../../acceptance';

/** An annotation that accepts the findings of a rule. */
interface Acceptance {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
}

/** The annotations of an object that accept findings. */
export const acceptancesOf = (object: ManifestObject): readonly Acceptance[] =>
  Object.entries(record(object.manifest, 'metadata', 'annotations'))
    .filter(([key]) => key.startsWith(ACCEPT))
    .map(([key, value]) => ({
      path: `metadata.annotations[${key}]`,
      code: key.slice(ACCEPT.length),
      reason: typeof value === 'string' ? value.trim() : '',
    }));
