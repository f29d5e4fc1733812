import { imageNameOf } from '../../../manifest/model-servers';
import { defineRule } from '../../rule';
import { envOf, ofServers } from './common';

/**
 * JetStream on PyTorch prints its progress while it loads. vLLM, SGLang and Ray use Python's logging, which flushes each line, and MaxText
 * and MaxDiffusion flush their output themselves.
 *
 * @see https://github.com/AI-Hypercomputer/jetstream-pytorch/blob/main/run_server.py
 * @see https://github.com/AI-Hypercomputer/maxdiffusion/blob/main/src/maxdiffusion/max_logging.py
 */
const PRINTS = /^jetstream-pytorch-server$/;

export const TPU325 = defineRule({
  code: 'TPU325',
  title: 'a Python server writes its logs without buffering',
  severities: ['note'],
  kinds: ['pods'],
  check: ofServers((_, main) =>
    !PRINTS.test(imageNameOf(main)) || envOf(main, 'PYTHONUNBUFFERED') !== undefined
      ? undefined
      : {
          path: `${main.path}.env[PYTHONUNBUFFERED]`,
          message: `container '${main.name}' buffers its output, so its logs miss the last lines before a crash`,
          fix: "set PYTHONUNBUFFERED to '1'",
        },
  ),
});
