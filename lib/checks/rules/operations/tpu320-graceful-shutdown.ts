import { at, isRecord } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { ofAnsweringServers } from './common';
import { specPath } from '../../../manifest/slices';

export const TPU320 = defineRule({
  code: 'TPU320',
  title: 'a TPU server goes on serving while it leaves its Service',
  severities: ['note'],
  kinds: ['pods'],
  check: ofAnsweringServers((pod, main) =>
    isRecord(at(main.container, 'lifecycle', 'preStop'))
      ? undefined
      : {
          path: `${main.path}.lifecycle.preStop`,
          message: `container '${main.name}' has no preStop hook, so requests still arrive when it is told to stop, and those in it are lost`,
          fix: `add preStop.exec.command: ['sleep', '30'] and terminationGracePeriodSeconds: 60 to '${specPath(pod)}'`,
        },
  ),
});
