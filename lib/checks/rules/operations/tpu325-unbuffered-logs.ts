import { modelServerOf } from '../../../manifest/model-servers';
import { defineRule } from '../../rule';
import { envOf, ofServers } from './common';

/** Servers in Python that print; the logging of vLLM, SGLang and Ray flushes each line. */
const BUFFERS: ReadonlySet<string | undefined> = new Set(['jetstream', 'maxdiffusion']);

export const TPU325 = defineRule({
  code: 'TPU325',
  title: 'the logs of a Python server arrive as they are written',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((_, main) =>
    !BUFFERS.has(modelServerOf(main)?.software) || envOf(main, 'PYTHONUNBUFFERED') !== undefined
      ? undefined
      : {
          path: `${main.path}.env[PYTHONUNBUFFERED]`,
          message: `container '${main.name}' buffers its logs, which then miss what it did before it was killed`,
          fix: "set PYTHONUNBUFFERED to '1'",
        },
  ),
});
