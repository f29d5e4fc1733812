/**
 * Saxml's names of chips, by TPU generation.
 *
 * @see https://github.com/google/saxml/blob/main/saxml/server/proto_util.py
 */
export const SAX_CHIPS = { v4: 'tpuv4', v5e: 'tpuv5e' } as const;
