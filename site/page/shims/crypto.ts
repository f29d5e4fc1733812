// `createHash` of node:crypto, by a library that hashes without waiting, as cdk8s and the checks need it.
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Hashes texts. */
interface Hash {
  update(text: string): Hash;
  digest(encoding: 'hex' | 'base64'): string;
}

const ALGORITHMS = { sha1, sha256 };

const isKnown = (algorithm: string): algorithm is keyof typeof ALGORITHMS =>
  Object.hasOwn(ALGORITHMS, algorithm);

/** Returns a hash that cdk8s or the library uses; another one throws. */
export function createHash(algorithm: string): Hash {
  if (!isKnown(algorithm)) throw new Error(`the page has no hash ${algorithm}`);
  const state = ALGORITHMS[algorithm].create();
  const hash: Hash = {
    update: (text) => {
      state.update(new TextEncoder().encode(text));
      return hash;
    },
    digest: (encoding) => {
      const bytes = state.digest();
      return encoding === 'hex' ? bytesToHex(bytes) : btoa(String.fromCharCode(...bytes));
    },
  };
  return hash;
}
