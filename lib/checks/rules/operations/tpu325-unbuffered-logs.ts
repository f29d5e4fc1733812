import { imageNameOf } from '../../../manifest/model-servers';
import { defineRule } from '../../rule';
import { envOf, ofServers } from './common';

/**
 * JetStream on PyTorch prints what it does while it loads. The logging of Python flushes each line, and so do vLLM, SGLang and Ray, which log,
 * and MaxText and MaxDiffusion, which flush what they print.
 *
 * @see https://github.com/AI-Hypercomputer/jetstream-pytorch/blob/main/run_server.py
 * @see https://github.com/AI-Hypercomputer/maxdiffusion/blob/main/src/maxdiffusion/max_logging.py
 */
const PRINTS = /^jetstream-pytorch-server$/;

export const TPU325 = defineRule({
  code: 'TPU325',
  title: 'the logs of a Python server arrive as they are written',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((_, main) =>
    !PRINTS.test(imageNameOf(main)) || envOf(main, 'PYTHONUNBUFFERED') !== undefined
      ? undefined
      : {
          path: `${main.path}.env[PYTHONUNBUFFERED]`,
          message: `container '${main.name}' prints how it loads without flushing, so its logs miss the last lines before it was killed`,
          fix: "set PYTHONUNBUFFERED to '1'",
        },
  ),
});
