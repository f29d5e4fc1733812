// `createHash` of node:crypto, by a library that hashes without waiting, as the names of cdk8s need it.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Hashes texts. */
interface Hash {
  update(text: string): Hash;
  digest(encoding: 'hex'): string;
}

/** Returns the hash that cdk8s and the library use; another one throws. */
export function createHash(algorithm: string): Hash {
  if (algorithm !== 'sha256') throw new Error(`the page has no hash ${algorithm}`);
  const state = sha256.create();
  const hash: Hash = {
    update: (text) => {
      state.update(new TextEncoder().encode(text));
      return hash;
    },
    digest: () => bytesToHex(state.digest()),
  };
  return hash;
}
