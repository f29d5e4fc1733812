import { type Rule } from '../rule';
import { acceptanceRules } from './acceptance';
import { DOCUMENT_RULES } from './document';
import { DRIFT_RULES } from './drift';
import { HOST_RULES } from './hosts';
import { HYGIENE_RULES } from './hygiene';
import { OPERATION_RULES } from './operations';
import { RAY_RULES } from './ray';
import { SLICE_RULES } from './slice';
import { STARTUP_RULES } from './startup';
import { STORAGE_RULES } from './storage';
import { SYNTH_RULES } from './synth';
import { WIRING_RULES } from './wiring';

const MANIFEST_RULES: readonly Rule[] = [
  ...SLICE_RULES,
  ...HOST_RULES,
  ...STARTUP_RULES,
  ...OPERATION_RULES,
  ...STORAGE_RULES,
  ...WIRING_RULES,
  ...RAY_RULES,
  ...HYGIENE_RULES,
  ...DRIFT_RULES,
  ...DOCUMENT_RULES,
];

/** Every rule over manifests, in the order of the codes. */
export const RULES: readonly Rule[] = [...MANIFEST_RULES, ...acceptanceRules(MANIFEST_RULES, SYNTH_RULES)];

export { SYNTH_RULES };
