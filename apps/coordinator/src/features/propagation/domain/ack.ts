/** What was changed, as an ack names it. */
export interface AnnouncedChange {
  readonly authority: string;
  readonly entity: 'model' | 'key';
  readonly action: 'updated' | 'removed';
  /** Primary model name or key id. */
  readonly id: string;
  readonly revision: string;
}

/** One node's word that it applied something. */
export interface Ack {
  readonly authority: string;
  /** Null in an early form of the message: good for a first ack, not for proof. */
  readonly nodeId: string | null;
  readonly kind: string;
  readonly id: string;
  readonly revision: string | null;
}

/**
 * Whether the ack is about this change. A coarse kind (`model`, `key`) does not tell an update from a removal, so it
 * counts only because acks are collected from just before the broadcast on. A revision, where told, must not be older:
 * the late ack of an earlier change with the same id proves nothing.
 */
export function acknowledges(ack: Ack, change: AnnouncedChange): boolean {
  return (
    ack.authority === change.authority &&
    ack.id === change.id &&
    (ack.kind === `${change.entity}_${change.action}` || ack.kind === change.entity) &&
    (ack.revision === null || !isOlder(ack.revision, change.revision))
  );
}

function isOlder(revision: string, than: string): boolean {
  return /^\d+$/.test(revision) && /^\d+$/.test(than) && BigInt(revision) < BigInt(than);
}
