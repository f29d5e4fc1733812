import { type SecretKeyRef } from '../operations/operations';
import { attachment } from '../problems/attached';

/** Facts about a pool that a gateway needs and that are not public. */
export interface PoolDetails {
  /** Range of the proxy-only subnet; undefined if the pool does not state it. */
  readonly proxyOnlySubnet: string | undefined;
  /** Key of the Secret with the API key that requests must send; undefined if the servers do not require one. */
  readonly apiKey: SecretKeyRef | undefined;
}

/** The details of each pool. */
export const poolDetails = attachment<PoolDetails>('inference-pool');
