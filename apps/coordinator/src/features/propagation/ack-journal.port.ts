/** Remembers which circuits some node acknowledged, so that a repeated creation knows what to announce again. */
export interface AckJournal {
  acknowledged(circuitIds: readonly string[]): Promise<void>;
}
