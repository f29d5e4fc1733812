import { defineRule } from '../../rule';
import { envOf, ofServers, runsVllm } from './common';

export const TPU325 = defineRule({
  code: 'TPU325',
  title: 'the logs of a Python server arrive as they are written',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((_, main) =>
    !runsVllm(main) || envOf(main, 'PYTHONUNBUFFERED') !== undefined
      ? undefined
      : {
          path: `${main.path}.env[PYTHONUNBUFFERED]`,
          message: `container '${main.name}' buffers its logs, which then miss what it did before it was killed`,
          fix: "set PYTHONUNBUFFERED to '1'",
        },
  ),
});
