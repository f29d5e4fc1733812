import { GRACE_SECONDS, sleepSeconds } from './common';
import { count } from '../../../tpu/topology';
import { defineRule } from '../../rule';
import { eachTpuPod } from '../each-pod';
import { number, record } from '../../../manifest/manifest';

export const TPU308 = defineRule({
  code: 'TPU308',
  title: 'the preStop hook of a TPU pod is shorter than its grace period',
  severities: ['warning', 'error'],
  kinds: ['pods'],
  local: true,
  check: eachTpuPod(function* ({ object, spec, containers }) {
    const given = number(spec, 'terminationGracePeriodSeconds');
    const grace = given ?? GRACE_SECONDS;
    for (const { container, name, path } of containers) {
      const hook = record(container, 'lifecycle', 'preStop');
      const seconds = sleepSeconds(hook);
      if (seconds === 0 || seconds < grace) continue;
      const refused = (number(hook, 'sleep', 'seconds') ?? 0) > grace;
      yield {
        object,
        path: `${path}.lifecycle.preStop`,
        message: `the preStop hook of container '${name}' sleeps ${count(seconds, 'second')}, but the grace period is ${count(grace, 'second')}${given === undefined ? ' (the default)' : ''}, ${refused ? 'which the API server refuses' : 'so the server is killed before it finishes its requests'}`,
        fix: `set terminationGracePeriodSeconds: ${String(Math.ceil(seconds) + GRACE_SECONDS)}`,
        ...(refused && { severity: 'error' as const }),
      };
    }
  }),
});
