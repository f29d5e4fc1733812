import * as k8s from 'cdk8s-plus-29/lib/imports/k8s';
import { Problems } from '../problems/problems';
import { type PodFragment } from './fragment';
import { room } from '../problems/validators';

/**
 * A `/dev/shm` in memory, which processes of one pod exchange tensors through: a container has only 64 MiB without.
 *
 * @param sizeLimit - most that it may hold, as a quantity; it counts as memory of the container that writes
 * @throws InvalidInputError when `sizeLimit` is not a quantity of at least 1M
 */
export function sharedMemory(sizeLimit: string): PodFragment {
  const problems = new Problems();
  problems.add(room('sharedMemory', sizeLimit));
  problems.throwIfAny();
  return {
    volumes: [
      { name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: k8s.Quantity.fromString(sizeLimit) } },
    ],
    volumeMounts: [{ name: 'dshm', mountPath: '/dev/shm' }],
  };
}
