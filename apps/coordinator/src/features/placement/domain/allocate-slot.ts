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

/** Enough to miss rarely while one port in ten is free. */
const GUESSES = 16;

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
  // A worker without a range has no port to give; one outside the range counts as taken.
  const [first, last] = worker.portRange ?? [1, 0];
  const isFree = (port: number) => first <= port && port <= last && !taken.ports.has(port);
  const port = preference.port ?? findFree(first, last, isFree, random);
  if (port === undefined || !isFree(port)) throw WireError.portNotAvailable();
  return { ...NO_SLOT, port };
}

/** Guesses before it counts: thousands of circuits on a wide range must not hold the slots of everybody for seconds. */
function findFree(
  first: number,
  last: number,
  isFree: (port: number) => boolean,
  random: Randomness,
): number | undefined {
  const size = Math.max(0, last - first + 1);
  for (let guess = 0; guess < GUESSES; guess += 1) {
    const port = first + random.below(size);
    if (isFree(port)) return port;
  }
  const free = Array.from({ length: size }, (_none, offset) => first + offset).filter(isFree);
  return free[random.below(free.length)];
}
