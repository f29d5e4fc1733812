import { TPU_METRICS_PORT } from '../../../facts/ports';
import { at, number } from '../../../manifest/manifest';
import { defineRule } from '../../rule';
import { ofWorkloads } from './common';
import { records } from '../../../manifest/pods';

export const TPU331 = defineRule({
  code: 'TPU331',
  title: 'the metrics of the TPU runtime are collected',
  severities: ['note'],
  kinds: ['pods'],
  check: ofWorkloads((pod, main) =>
    // on the host network, a declared port is a port of the node
    at(pod.spec, 'hostNetwork') === true ||
    records(main.container, 'ports').some((port) => number(port, 'containerPort') === TPU_METRICS_PORT)
      ? undefined
      : {
          path: `${main.path}.ports`,
          message: `container '${main.name}' does not declare port ${String(TPU_METRICS_PORT)}, from which GKE collects the metrics of the TPU runtime: utilization and memory of the chips`,
          fix: `add containerPort: ${String(TPU_METRICS_PORT)} to the ports of the container`,
        },
  ),
});
