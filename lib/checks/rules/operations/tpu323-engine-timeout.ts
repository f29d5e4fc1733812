import { VLLM_ENGINE_TIMEOUT } from '../../../facts/variables';
import { readsVariable, releaseOf } from '../../../facts/vllm-releases';
import { defineRule } from '../../rule';
import { envOf, ofServers, runsVllm } from './common';
import { number, record, text } from '../../../manifest/manifest';
import { type ContainerView } from '../../../manifest/pods';

/** Startup budget of a container, in seconds. */
const startupSeconds = ({ container }: ContainerView): number => {
  const probe = record(container, 'startupProbe');
  if (Object.keys(probe).length === 0) return 0;
  return (
    (number(probe, 'initialDelaySeconds') ?? 0) +
    (number(probe, 'periodSeconds') ?? 10) * (number(probe, 'failureThreshold') ?? 3)
  );
};

/** Default of vLLM's engine timeout. */
const ENGINE_SECONDS = 600;

export const TPU323 = defineRule({
  code: 'TPU323',
  title: "vLLM's engine timeout is at least its startup budget",
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((_, main) => {
    const budget = startupSeconds(main);
    const own = envOf(main, VLLM_ENGINE_TIMEOUT);
    const seconds = own === undefined || own === '' ? ENGINE_SECONDS : Number(own);
    const reads = readsVariable(releaseOf(text(main.container, 'image') ?? ''), VLLM_ENGINE_TIMEOUT);
    return !runsVllm(main) || !reads || Number.isNaN(seconds) || seconds >= budget
      ? undefined
      : {
          path: `${main.path}.env[${VLLM_ENGINE_TIMEOUT}]`,
          message: `container '${main.name}' has ${String(budget)} seconds to start, but vLLM stops if its engine is not ready after ${String(seconds)} seconds`,
          fix: `set ${VLLM_ENGINE_TIMEOUT} to '${String(budget)}'`,
        };
  }),
});
