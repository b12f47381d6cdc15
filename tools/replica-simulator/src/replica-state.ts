import type { Behaviour } from './behaviour.js';
import { EngineSlots } from './engine-slots.js';
import { FaultScript } from './faults.js';
import { ReplicaStats } from './replica-stats.js';
import { RequestLog } from './request-log.js';

export interface ReplicaIdentity {
  readonly model: string;
  readonly seed: number;
  readonly maxConcurrent: number;
  readonly behaviour: Behaviour;
  readonly now: () => number;
}

/** Everything the model listener and the admin listener of one replica share. */
export class ReplicaState {
  readonly model: string;
  readonly seed: number;
  readonly now: () => number;
  readonly startedAtMs: number;
  readonly log = new RequestLog();
  readonly stats = new ReplicaStats();
  readonly faults = new FaultScript();
  readonly slots: EngineSlots;
  readonly #configured: Behaviour;
  behaviour: Behaviour;

  constructor(identity: ReplicaIdentity) {
    this.model = identity.model;
    this.seed = identity.seed;
    this.now = identity.now;
    this.startedAtMs = identity.now();
    this.slots = new EngineSlots(identity.maxConcurrent);
    this.#configured = identity.behaviour;
    this.behaviour = identity.behaviour;
  }

  /** Back to how the replica was configured, with nothing seen. Requests in flight go on. */
  reset(): void {
    this.behaviour = this.#configured;
    this.faults.clear();
    this.log.clear();
    this.stats.reset();
  }
}
