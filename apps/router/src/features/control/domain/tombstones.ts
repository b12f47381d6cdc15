import type { Tombstone } from './desired-state.js';

/** Removed circuits remembered. Enough for any reordering of events; the oldest are forgotten first. */
const TOMBSTONES_MAX = 10_000;

/** Copy with circuits marked as gone, each by its id and version; of two versions the greater is kept. */
export function buryCircuits(
  tombstones: ReadonlyMap<string, Tombstone>,
  circuits: Iterable<readonly [id: string, version: number | null]>,
): ReadonlyMap<string, Tombstone> {
  const copy = new Map(tombstones);
  for (const [id, version] of circuits) {
    const known = copy.get(id)?.version ?? null;
    copy.delete(id); // Moves it to the young end.
    copy.set(id, { version: version !== null && known !== null ? Math.max(version, known) : version });
  }
  for (const oldest of copy.keys()) {
    if (copy.size <= TOMBSTONES_MAX) break;
    copy.delete(oldest);
  }
  return copy;
}
