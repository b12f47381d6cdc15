import type { Snapshot } from './domain/snapshot.js';

type SwapListener = (next: Snapshot, previous: Snapshot | null) => void;

/** Holds the one snapshot this process serves. Swapping is a reference assignment, so readers never see a mixture. */
export class SnapshotStore {
  private snapshot: Snapshot | null = null;
  private readonly listeners = new Set<SwapListener>();

  /** Null until the first snapshot was applied; the data plane answers `not_ready` then. */
  current(): Snapshot | null {
    return this.snapshot;
  }

  swap(next: Snapshot): void {
    const previous = this.snapshot;
    this.snapshot = next;
    for (const listener of this.listeners) listener(next, previous);
  }

  /** @returns a function that removes the listener */
  onSwap(listener: SwapListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
