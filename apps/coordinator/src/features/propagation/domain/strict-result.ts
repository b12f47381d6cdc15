import type { StrictResult } from '@penstock/protocol';

export interface RevocationEvidence {
  /** Nodes that were alive at the moment of deletion. */
  readonly expected: readonly string[];
  readonly acknowledged: ReadonlySet<string>;
  /** The broadcast went out and the live set came from the liveness store itself. */
  readonly complete: boolean;
  /** Nodes that send no id: they cannot prove anything, so they spoil the proof. */
  readonly legacyNodes: number;
}

/** Proof needs a known, non-empty live set and the ack of each of its nodes; anything less names who is missing. */
export function judgeRevocation(evidence: RevocationEvidence): StrictResult {
  const expected = [...new Set(evidence.expected)].sort();
  const unconfirmed = expected.filter((node) => !evidence.acknowledged.has(node));
  return {
    confirmed:
      evidence.complete && evidence.legacyNodes === 0 && expected.length > 0 && unconfirmed.length === 0,
    confirmed_nodes: expected.filter((node) => evidence.acknowledged.has(node)),
    unconfirmed_nodes: unconfirmed,
  };
}
