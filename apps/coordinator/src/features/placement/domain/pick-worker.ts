import type { AppMode, ProxyProtocol, Visibility } from '@penstock/protocol';

import { matchExistingUrl, type SlotPreference } from './match-existing-url.js';
import { freePorts, type PlacementWorker } from './placement-worker.js';

export interface PlacementWish {
  readonly protocol: ProxyProtocol;
  readonly appMode: AppMode;
  readonly visibility: Visibility;
  /** Pins the authority. A router may be lost for the moment: it pulls what it is given; nobody else may. */
  readonly authority: string | null;
  /** An address the circuit had before: picks the worker with that frontend, if one is alive. */
  readonly existingUrl: string | null;
  /** What app filters are matched against, named like `session.user_uuid` or `endpoint.runtime_variant`. */
  readonly properties: ReadonlyMap<string, string>;
}

export interface PickedWorker {
  readonly worker: PlacementWorker;
  /** What the existing address says of the slot. */
  readonly preference: SlotPreference;
}

const NO_PREFERENCE: SlotPreference = { port: null, label: null };

/**
 * Picks the worker of a new circuit: the pinned one; else the one whose frontend has the existing address; else, of
 * those whose app filters match (of the unfiltered ones when none does), wildcard before port before router. Null when
 * none fits or the one that must be taken is full.
 */
export function pickWorker(wish: PlacementWish, workers: readonly PlacementWorker[]): PickedWorker | null {
  const able = workers.filter((worker) => serves(worker, wish));
  if (wish.authority !== null) return withRoom(wish, pinned(wish.authority, able));
  const alive = able.filter((worker) => worker.status === 'ALIVE');
  const known = matchExistingUrl(wish.existingUrl, wish.visibility, alive);
  if (known) return withRoom(wish, known.worker, known.preference);
  const roomy = alive.filter((worker) => hasRoom(worker, wish));
  const matched = roomy.filter((worker) => matchesFilter(worker, wish.properties));
  const open = matched.length > 0 ? matched : roomy.filter((worker) => !worker.filteredAppsOnly);
  return withRoom(wish, [...open].sort(byPreference)[0]);
}

function pinned(authority: string, able: readonly PlacementWorker[]): PlacementWorker | undefined {
  const worker = able.find((one) => one.authority === authority);
  return worker?.frontendMode === 'router' || worker?.status === 'ALIVE' ? worker : undefined;
}

function withRoom(
  wish: PlacementWish,
  worker: PlacementWorker | undefined,
  preference = NO_PREFERENCE,
): PickedWorker | null {
  return worker && hasRoom(worker, wish) ? { worker, preference } : null;
}

/** An internal circuit lives on the internal frontend only: a worker that announced none would expose it. */
function serves(worker: PlacementWorker, wish: PlacementWish): boolean {
  return (
    worker.protocol === wish.protocol &&
    worker.acceptedTraffics.includes(wish.appMode) &&
    (wish.visibility === 'public' || worker.internalFrontend !== null)
  );
}

/** Only public circuits of port workers take something there is an end of. */
function hasRoom(worker: PlacementWorker, { visibility }: PlacementWish): boolean {
  return worker.frontendMode !== 'port' || visibility === 'internal' || freePorts(worker) > 0;
}

function matchesFilter(worker: PlacementWorker, properties: ReadonlyMap<string, string>): boolean {
  return worker.appFilters.some(({ key, value }) => properties.get(key) === value);
}

const RANKS = { wildcard: 0, port: 1, router: 2 } as const;

function byPreference(left: PlacementWorker, right: PlacementWorker): number {
  return (
    RANKS[left.frontendMode] - RANKS[right.frontendMode] ||
    load(left) - load(right) ||
    (left.authority < right.authority ? -1 : 1)
  );
}

/** Fewest circuits first; of port workers the one with most ports left. */
function load(worker: PlacementWorker): number {
  return worker.frontendMode === 'port' ? -freePorts(worker) : worker.circuits;
}
