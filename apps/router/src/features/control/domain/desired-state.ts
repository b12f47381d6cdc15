import type { Circuit, ModelApiKey, Publication } from '@penstock/protocol';
import { ShardedMap } from '../../../sharded-map.js';

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
  /** What the state amounts to: the pulled revision, and each one after it whose event was applied without a gap. */
  readonly servedRevision: string | null;
  /** False until a pull brought the circuits once: events alone never make a whole. */
  readonly circuitsPulled: boolean;
  readonly circuits: ReadonlyMap<string, Circuit>;
  readonly publications: ReadonlyMap<string, Publication>;
  readonly keys: ShardedMap<ModelApiKey>;
  /** Newest event revision applied per entity since the last router-config; removals leave theirs behind. */
  readonly eventRevisions: ReadonlyMap<string, string>;
  readonly tombstones: ReadonlyMap<string, Tombstone>;
}

export const EMPTY_STATE: DesiredState = Object.freeze({
  revision: null,
  servedRevision: null,
  circuitsPulled: false,
  circuits: new Map(),
  publications: new Map(),
  keys: new ShardedMap<ModelApiKey>(),
  eventRevisions: new Map(),
  tombstones: new Map(),
});

/** True when both halves have arrived once, so that a snapshot is whole. */
export function isWhole(state: DesiredState): state is DesiredState & { readonly servedRevision: string } {
  return state.circuitsPulled && state.servedRevision !== null;
}

/** The state without a key; the same state when it has none of that id. */
export function withoutKey(state: DesiredState, keyId: string): DesiredState {
  if (!state.keys.has(keyId)) return state;
  const draft = state.keys.edit();
  draft.delete(keyId);
  return { ...state, keys: draft.done() };
}

/** Copy of a map with one entry set; the same map when it has it. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return withEntries(map, [[key, value]]);
}

/** Copy of a map with entries set; the same map when it has them all. */
export function withEntries<K, V>(
  map: ReadonlyMap<K, V>,
  entries: Iterable<readonly [K, V]>,
): ReadonlyMap<K, V> {
  const changed = [...entries].filter(([key, value]) => map.get(key) !== value);
  if (changed.length === 0) return map;
  const copy = new Map(map);
  for (const [key, value] of changed) copy.set(key, value);
  return copy;
}

/** Copy of a map without some entries; the same map when it has none of them. */
export function withoutEntries<K, V>(map: ReadonlyMap<K, V>, keys: Iterable<K>): ReadonlyMap<K, V> {
  const held = [...keys].filter((key) => map.has(key));
  if (held.length === 0) return map;
  const copy = new Map(map);
  for (const key of held) copy.delete(key);
  return copy;
}
