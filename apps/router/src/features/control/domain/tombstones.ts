import type { Tombstone } from './desired-state.js';

/** Removed circuits remembered. Enough for any reordering of events; the oldest are forgotten first. */
const TOMBSTONES_MAX = 10_000;

/** Copy with the circuit marked as gone, keeping the greater of two versions. */
export function buryCircuit(
  tombstones: ReadonlyMap<string, Tombstone>,
  circuitId: string,
  version: number | null,
): ReadonlyMap<string, Tombstone> {
  const copy = new Map(tombstones);
  const known = copy.get(circuitId)?.version ?? null;
  copy.delete(circuitId); // Moves it to the young end.
  copy.set(circuitId, { version: version !== null && known !== null ? Math.max(version, known) : version });
  for (const oldest of copy.keys()) {
    if (copy.size <= TOMBSTONES_MAX) break;
    copy.delete(oldest);
  }
  return copy;
}
