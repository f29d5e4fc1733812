import { at, isRecord } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { hardens } from '../../../manifest/pod-security';
import { ofWorkloads } from './common';

export const TPU330 = defineRule({
  code: 'TPU330',
  title: 'the containers of a TPU workload cannot gain privileges',
  severities: ['note'],
  kinds: ['pods'],
  check: ofWorkloads((pod) => {
    const confined = (context: unknown): boolean =>
      isRecord(at(context, 'securityContext', 'seccompProfile'));
    const open = pod.containers.filter(
      ({ container }) =>
        at(container, 'securityContext', 'privileged') !== true &&
        (at(container, 'securityContext', 'allowPrivilegeEscalation') !== false ||
          !(confined(pod.spec) || confined(container))),
    );
    // without any security context, the author has not tried to confine the pod
    const isWanted = hardens(pod.spec) || pod.containers.some(({ container }) => hardens(container));
    return open.length === 0 || !isWanted
      ? undefined
      : {
          path: `${open[0]?.path ?? ''}.securityContext`,
          message: `${open.map(({ name }) => `container '${name}'`).join(' and ')} can gain privileges or make any system call`,
          fix: 'set allowPrivilegeEscalation: false on the container and seccompProfile.type: RuntimeDefault on the pod',
        };
  }),
});
