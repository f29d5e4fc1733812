import { at, isRecord } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { hardens } from '../../../manifest/pod-security';
import { ofWorkloads } from './common';

export const TPU330 = defineRule({
  code: 'TPU330',
  title: 'the containers of a TPU workload gain no privileges',
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
    // whoever confines nothing does not look for what is left open
    const isWanted = hardens(pod.spec) || pod.containers.some(({ container }) => hardens(container));
    return open.length === 0 || !isWanted
      ? undefined
      : {
          path: `${open[0]?.path ?? ''}.securityContext`,
          message: `${open.map(({ name }) => `container '${name}'`).join(' and ')} may gain privileges or make any system call`,
          fix: 'set allowPrivilegeEscalation: false on the container and seccompProfile.type: RuntimeDefault on the pod',
        };
  }),
});
