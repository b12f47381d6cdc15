import { AppError } from '@penstock/protocol';
import type { Snapshot, SnapshotStore } from '../snapshot/index.js';

/** @throws AppError `not_ready` before the first one */
export function currentSnapshot(store: SnapshotStore): Snapshot {
  const snapshot = store.current();
  if (snapshot !== null) return snapshot;
  throw new AppError('not_ready', 'This router has no configuration yet. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
