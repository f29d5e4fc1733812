import { type SecretKeyRef } from '../operations/operations';
import { attachment } from '../problems/attached';

/** What a gateway needs to know of a pool, besides its public properties. */
export interface PoolDetails {
  /** Range of the proxy-only subnet, if the pool has it. */
  readonly proxyOnlySubnet: string | undefined;
  /** Key that requests must send; undefined if its servers ask for none. */
  readonly apiKey: SecretKeyRef | undefined;
}

/** The details of pools. */
export const poolDetails = attachment<PoolDetails>('inference-pool');
