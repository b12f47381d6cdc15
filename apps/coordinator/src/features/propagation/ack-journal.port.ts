import type { CircuitVersion } from './domain/circuit-outcome.js';

/** Remembers which circuits some node acknowledged, so that a repeated call knows what to announce again. */
export interface AckJournal {
  /** As they were announced: one that changed meanwhile is another, which nobody has heard of yet. */
  acknowledged(circuits: readonly CircuitVersion[]): Promise<void>;
}
