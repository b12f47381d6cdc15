import { randomBytes, randomInt } from 'node:crypto';

import { WireError } from '@penstock/protocol';

import { ADVISORY_LOCKS, lockFor, type Executor } from '../../persistence/index.js';
import { readTakenSlots, readWorkers } from './adapters/read-workers.js';
import { allocateSlot, type Randomness, type Slot, type TakenSlots } from './domain/allocate-slot.js';
import type { SlotPreference } from './domain/match-existing-url.js';
import { pickWorker, type PlacementWish } from './domain/pick-worker.js';
import type { PlacementWorker } from './domain/placement-worker.js';

/** A circuit that is about to be: where it goes, and what it would like its slot to be called. */
export interface CircuitWish extends PlacementWish {
  /** Name of the label where no existing address says it; null for any. */
  readonly preferredLabel: string | null;
  /** Port asked for by itself; ignored by workers without ports. */
  readonly preferredPort: number | null;
}

export interface Placed extends Slot {
  readonly worker: PlacementWorker;
}

const RANDOM: Randomness = {
  hex: () => randomBytes(4).toString('hex'),
  below: (limit) => (limit > 1 ? randomInt(limit) : 0),
};

/**
 * The workers and their slots, held still until the transaction ends. Every circuit of every kind is placed here, so
 * no two of them, on whichever coordinator, decide on the same slots at once. The transaction must insert what it
 * places before it ends.
 */
export class PlacementBoard {
  private readonly taken = new Map<string, { ports: Set<number>; subdomains: Set<string> }>();

  private constructor(
    private readonly db: Executor,
    private readonly workers: readonly PlacementWorker[],
  ) {}

  /** Waits for its turn. Work that needs no slot belongs before this. */
  static async open(db: Executor): Promise<PlacementBoard> {
    await lockFor(db, ADVISORY_LOCKS.placement);
    return new PlacementBoard(db, await readWorkers(db));
  }

  /** @throws WireError 503 no worker fits, 409 the wanted port is taken */
  async place(wish: CircuitWish): Promise<Placed> {
    const picked = pickWorker(wish, this.workers);
    if (!picked) throw WireError.workerNotAvailable();
    const { worker, preference } = picked;
    const port = preference.port ?? wish.preferredPort;
    return this.allocate(worker, wish, { port, label: preference.label ?? wish.preferredLabel });
  }

  /**
   * A slot for a circuit that stays on its worker and becomes public or internal.
   * @throws WireError 503 when that worker cannot host it
   */
  async replace(workerId: string, wish: CircuitWish): Promise<Placed> {
    const worker = this.workers.find(({ id }) => id === workerId);
    const picked = worker && pickWorker({ ...wish, authority: worker.authority }, [worker]);
    if (!picked) throw WireError.workerNotAvailable();
    return this.allocate(picked.worker, wish, { port: wish.preferredPort, label: wish.preferredLabel });
  }

  private async allocate(
    worker: PlacementWorker,
    { visibility }: CircuitWish,
    preference: SlotPreference,
  ): Promise<Placed> {
    const taken = await this.takenSlotsOf(worker);
    const slot = allocateSlot(worker, visibility, preference, taken, RANDOM);
    worker.circuits += 1;
    if (slot.port !== null) {
      worker.takenPorts += 1;
      taken.ports.add(slot.port);
    }
    if (slot.subdomain !== null) taken.subdomains.add(slot.subdomain);
    return { worker, ...slot };
  }

  private async takenSlotsOf({
    id,
  }: PlacementWorker): Promise<{ ports: Set<number>; subdomains: Set<string> }> {
    const known = this.taken.get(id);
    if (known) return known;
    const read: TakenSlots = await readTakenSlots(this.db, id);
    const taken = { ports: new Set(read.ports), subdomains: new Set(read.subdomains) };
    this.taken.set(id, taken);
    return taken;
  }
}
