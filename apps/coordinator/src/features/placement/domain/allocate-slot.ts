import { subdomainFor, WireError, type Visibility } from '@penstock/protocol';

import type { SlotPreference } from './match-existing-url.js';
import type { PlacementWorker } from './placement-worker.js';

/** Where a circuit is on the frontend of its worker. Both null on the public side of a router. */
export interface Slot {
  readonly port: number | null;
  readonly subdomain: string | null;
}

/** What circuits of the worker hold already. */
export interface TakenSlots {
  readonly ports: ReadonlySet<number>;
  readonly subdomains: ReadonlySet<string>;
}

export interface Randomness {
  /** Eight hex digits. */
  hex(): string;
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
}

const NO_SLOT: Slot = { port: null, subdomain: null };

/**
 * Finds the slot of a new circuit. Internal circuits get a label on any worker, because the internal frontend tells
 * circuits apart by host name, whatever the public one does.
 * @throws WireError 409 when the wanted port is taken or out of the range
 */
export function allocateSlot(
  worker: Pick<PlacementWorker, 'frontendMode' | 'portRange'>,
  visibility: Visibility,
  preference: SlotPreference,
  taken: TakenSlots,
  random: Randomness,
): Slot {
  if (visibility === 'internal' || worker.frontendMode === 'wildcard') {
    const isTaken = (label: string) => taken.subdomains.has(label);
    return { ...NO_SLOT, subdomain: subdomainFor(preference.label, isTaken, () => random.hex()) };
  }
  if (worker.frontendMode === 'router') return NO_SLOT;
  const free = listFree(worker.portRange, taken.ports);
  const port = preference.port ?? free[random.below(free.length)];
  // A port outside the range counts as taken.
  if (port === undefined || !free.includes(port)) throw WireError.portNotAvailable();
  return { ...NO_SLOT, port };
}

function listFree(range: readonly [number, number] | null, taken: ReadonlySet<number>): number[] {
  const [first, last] = range ?? [1, 0];
  const ports = Array.from({ length: Math.max(0, last - first + 1) }, (_none, offset) => first + offset);
  return ports.filter((port) => !taken.has(port));
}
