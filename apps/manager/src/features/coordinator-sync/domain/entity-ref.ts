export type EntityKind = 'deployment' | 'publication' | 'api-key';

/**
 * The identity of something the coordinator mirrors. `entityKey` is the id; for publications it is the primary
 * name, which is what the coordinator knows them by.
 */
export interface EntityRef {
  readonly authority: string;
  readonly kind: EntityKind;
  readonly entityKey: string;
  readonly domain: string | null;
  readonly projectId: string | null;
}

/** Text that is equal exactly for equal identities. */
export function keyOf(ref: EntityRef): string {
  return JSON.stringify([ref.authority, ref.kind, ref.entityKey]);
}

/** The same entities once each, in an order that every writer shares: rows locked in it cannot deadlock. */
export function inLockOrder<T extends { readonly ref: EntityRef }>(items: readonly T[]): T[] {
  const byKey = new Map(items.map((item) => [keyOf(item.ref), item]));
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
