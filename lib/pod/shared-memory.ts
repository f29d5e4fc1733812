import { room } from '../problems/grammar';
import { Problems } from '../problems/problems';
import { string } from '../problems/schema';
import { type PodFragment } from './fragment';
import { quantityValue } from './wrapped';

/**
 * A `/dev/shm` in memory that processes use to exchange tensors. By default, a container has only 64 MiB.
 *
 * @param sizeLimit - the size, as a quantity like `16Gi`; counts as memory of the container that writes
 * @throws InvalidInputError if `sizeLimit` is not a quantity of at least 1M
 */
export function sharedMemory(sizeLimit: string): PodFragment {
  const problems = new Problems();
  string(room, "a quantity, like '16Gi'").read(sizeLimit, 'sharedMemory', problems);
  problems.throwIfAny();
  return {
    volumes: [{ name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: quantityValue(sizeLimit) } }],
    volumeMounts: [{ name: 'dshm', mountPath: '/dev/shm' }],
  };
}
