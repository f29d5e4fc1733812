import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { room } from '../problems/grammar';
import { Problems } from '../problems/problems';
import { string } from '../problems/schema';
import { type PodFragment } from './fragment';

/**
 * A `/dev/shm` in memory, through which processes of one pod exchange tensors. Without it, a container has only 64 MiB.
 *
 * @param sizeLimit - its size, as a quantity like `16Gi`; it counts as memory of the container that writes
 * @throws InvalidInputError if `sizeLimit` is not a quantity of at least 1M
 */
export function sharedMemory(sizeLimit: string): PodFragment {
  const problems = new Problems();
  string(room, "a quantity, like '16Gi'").read(sizeLimit, 'sharedMemory', problems);
  problems.throwIfAny();
  return {
    volumes: [
      { name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: k8s.Quantity.fromString(sizeLimit) } },
    ],
    volumeMounts: [{ name: 'dshm', mountPath: '/dev/shm' }],
  };
}
