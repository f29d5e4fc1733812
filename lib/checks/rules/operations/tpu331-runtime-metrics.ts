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
    // On its node's network a declared port is the node's.
    at(pod.spec, 'hostNetwork') === true ||
    records(main.container, 'ports').some((port) => number(port, 'containerPort') === TPU_METRICS_PORT)
      ? undefined
      : {
          path: `${main.path}.ports`,
          message: `container '${main.name}' does not declare port ${String(TPU_METRICS_PORT)}, by which GKE finds the metrics of the TPU runtime: how busy the chips are, and how full`,
          fix: `add containerPort: ${String(TPU_METRICS_PORT)} to its ports`,
        },
  ),
});
