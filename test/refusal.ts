import { InvalidInputError } from '../lib/problems/problems';

/** The message of the `InvalidInputError` that `make` throws. Fails if it throws nothing, or anything else. */
export function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}
