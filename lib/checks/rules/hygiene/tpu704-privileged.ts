import { defineRule } from '../../rule';
import { isOrdinary } from './common';
import { record } from '../../../manifest/manifest';

export const TPU704 = defineRule({
  code: 'TPU704',
  title: 'a container is not privileged',
  severities: ['warning'],
  kinds: ['pods'],
  nearTpus: true,
  check: function* ({ pods }) {
    for (const pod of pods.filter(isOrdinary))
      for (const { container, name, path, chips } of pod.containers)
        if (record(container, 'securityContext')['privileged'] === true)
          yield {
            object: pod.object,
            path: `${path}.securityContext.privileged`,
            message: `container '${name}' is privileged, so it can access all devices of its node, and Autopilot refuses it`,
            fix: `remove securityContext.privileged${chips === undefined ? '' : ', because the device plugin gives a container its chips without it'}`,
          };
  },
});
