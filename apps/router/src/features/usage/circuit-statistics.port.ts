/** Hears which circuits are used. Must not throw and must not block. */
export interface CircuitStatistics {
  /** A request was given to a circuit; once per request, before the replica answers. */
  chosen(circuitId: string): void;
  /** A connection that was given to a circuit before carried something. */
  inUse(circuitId: string): void;
}

/** Where nobody counts. */
export const noStatistics: CircuitStatistics = { chosen: () => undefined, inUse: () => undefined };
