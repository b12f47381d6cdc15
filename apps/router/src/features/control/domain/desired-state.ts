import type { Circuit, ModelApiKey, Publication } from '@penstock/protocol';

/**
 * Why a circuit is known to be gone. With a version, a later version may bring it back; without one (the pull listed
 * it no more, or a peer that counts no versions removed it) only a pull or an unversioned creation may.
 */
export interface Tombstone {
  readonly version: number | null;
}

/**
 * Everything the coordinator wants this router to serve, as wire entities. Immutable: each event and pull gives a new
 * value, and the one in use is replaced only when a snapshot could be built from the new one.
 */
export interface DesiredState {
  /** Revision of the last router-config applied; null before the first. Events do not move it. */
  readonly revision: string | null;
  /** False until a pull brought the circuits once: events alone never make a whole. */
  readonly circuitsPulled: boolean;
  readonly circuits: ReadonlyMap<string, Circuit>;
  readonly publications: ReadonlyMap<string, Publication>;
  readonly keys: ReadonlyMap<string, ModelApiKey>;
  /** Newest event revision applied per entity since the last router-config; removals leave theirs behind. */
  readonly eventRevisions: ReadonlyMap<string, string>;
  readonly tombstones: ReadonlyMap<string, Tombstone>;
}

export const EMPTY_STATE: DesiredState = Object.freeze({
  revision: null,
  circuitsPulled: false,
  circuits: new Map(),
  publications: new Map(),
  keys: new Map(),
  eventRevisions: new Map(),
  tombstones: new Map(),
});

/** True when both halves have arrived once, so that a snapshot is whole. */
export function isWhole(state: DesiredState): state is DesiredState & { readonly revision: string } {
  return state.circuitsPulled && state.revision !== null;
}

/** Copy of a map with one entry set. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** Copy of a map without one entry; the same map when there is none. */
export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) return map;
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
