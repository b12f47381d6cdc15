import type { CircuitFallback } from './circuit-fallback.port.js';

/** Nobody stands in: the caller is told that no worker is available. */
export const noFallback: CircuitFallback = { plansFor: () => [] };
