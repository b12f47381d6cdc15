import type { Duplex } from 'node:stream';
import { PassthroughAttempt, type AttemptOwner } from '../passthrough/index.js';
import type { ReplicaVisit, TunnelSink } from '../proxy/index.js';

/** Decides what a replica's answer to an upgrade means: a refusal is an answer as any other. */
export interface UpgradeOwner extends AttemptOwner {
  switched(visit: ReplicaVisit, rawHeaders: readonly string[], socket: Duplex, early: Buffer): void;
}

/** One replica asked to switch. Hears of its call until it is over and of nothing after that. */
export class UpgradeAttempt extends PassthroughAttempt implements TunnelSink {
  constructor(
    visit: ReplicaVisit,
    private readonly upgrade: UpgradeOwner,
  ) {
    super(visit, upgrade);
  }

  /** From here on the visit is the owner's to settle. */
  switched(rawHeaders: readonly string[], socket: Duplex, early: Buffer): void {
    if (this.over) return void socket.destroy();
    this.over = true;
    this.visit.answered(101);
    this.upgrade.switched(this.visit, rawHeaders, socket, early);
  }
}
