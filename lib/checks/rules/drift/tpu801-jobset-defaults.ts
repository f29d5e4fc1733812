import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { ofGroup } from '../../../manifest/selection';
import { record, text } from '../../../manifest/manifest';
import { records } from '../../../manifest/pods';
import { type Default, JOBSET, linesOf } from './common';

export const TPU801 = defineRule({
  code: 'TPU801',
  title: 'a JobSet spells out what its webhook fills in',
  severities: ['warning'],
  kinds: ['JobSet'],
  check: function* (set) {
    for (const object of ofGroup(set, 'JobSet', JOBSET)) {
      const spec = record(object.manifest, 'spec');
      const missing = [
        { path: 'spec', lines: linesOf(spec, JOBSET_DEFAULTS) },
        ...records(spec, 'replicatedJobs').map((job, index) => ({
          path: `spec.replicatedJobs[${text(job, 'name') ?? String(index)}]`,
          lines: linesOf(job, JOB_DEFAULTS),
        })),
      ].filter(({ lines }) => lines.length > 0);
      const [first] = missing;
      if (first === undefined) continue;
      yield {
        object,
        path: first.path,
        message: `a second kubectl apply is refused ('field is immutable'), since it drops ${count(missing.flatMap(({ lines }) => lines).length, 'field')} that the webhook filled in`,
        fix: missing.map(({ path, lines }) => `in ${path} write ${lines.join(', ')}`).join('; '),
      };
    }
  },
});

const JOBSET_DEFAULTS: readonly Default[] = [
  { keys: ['network', 'enableDNSHostnames'], value: 'true' },
  { keys: ['network', 'publishNotReadyAddresses'], value: 'true' },
  { keys: ['startupPolicy', 'startupPolicyOrder'], value: 'AnyOrder' },
  { keys: ['successPolicy', 'operator'], value: 'All' },
  { keys: ['failurePolicy', 'restartStrategy'], value: 'Recreate', of: 'failurePolicy' },
];

const JOB_DEFAULTS: readonly Default[] = [
  { keys: ['groupName'], value: 'default' },
  { keys: ['template', 'spec', 'completionMode'], value: 'Indexed' },
  { keys: ['template', 'spec', 'template', 'spec', 'restartPolicy'], value: 'OnFailure' },
];
