import type { Duplex } from 'node:stream';
import { signalOfFailure, type AttemptFailure } from '@penstock/routing';
import type { ReplicaCall, ReplicaVisit, TunnelSink } from '../proxy/index.js';

/** Decides what a replica's answer to an upgrade means. */
export interface UpgradeOwner {
  switched(visit: ReplicaVisit, rawHeaders: readonly string[], socket: Duplex, early: Buffer): void;
  refused(status: number, rawHeaders: readonly string[], length: number | null): void;
  /** @returns false when the replica should wait */
  refusalBytes(bytes: Buffer): boolean;
  refusalEnded(): void;
  failed(failure: AttemptFailure, cause: Error): void;
}

/** One replica asked to switch. Hears of its call until it is over and of nothing after that. */
export class UpgradeAttempt implements TunnelSink {
  private over = false;
  private headCame = false;
  private call: ReplicaCall | null = null;

  constructor(
    readonly visit: ReplicaVisit,
    private readonly owner: UpgradeOwner,
  ) {}

  /** The call may be over before it is in hand. */
  carriedBy(call: ReplicaCall): void {
    if (this.over) call.abort();
    else this.call = call;
  }

  /** From here on the visit is the owner's to settle. */
  switched(rawHeaders: readonly string[], socket: Duplex, early: Buffer): void {
    if (this.over) return void socket.destroy();
    this.over = true;
    this.visit.answered(101);
    this.owner.switched(this.visit, rawHeaders, socket, early);
  }

  head(status: number, rawHeaders: readonly string[], length: number | null): void {
    if (this.over) return;
    this.headCame = true;
    this.visit.answered(status);
    this.owner.refused(status, rawHeaders, length);
  }

  data(bytes: Buffer): boolean {
    return this.over || this.owner.refusalBytes(bytes);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.visit.settle('ok', 'neutral');
    this.owner.refusalEnded();
  }

  fail(failure: AttemptFailure, cause: Error): void {
    if (this.over) return;
    this.over = true;
    this.visit.settle(failure, this.headCame ? 'neutral' : signalOfFailure(failure));
    this.owner.failed(failure, cause);
  }

  /** The owner's clock ran out. */
  expire(failure: AttemptFailure): void {
    if (this.over) return;
    this.call?.abort();
    this.fail(failure, new Error(`Given up by the router: ${failure}`));
  }

  /** Ends without an effect on the request. */
  abandon(result: string): void {
    if (this.over) return;
    this.over = true;
    this.visit.settle(result, 'neutral');
    this.call?.abort();
  }

  resume(): void {
    this.call?.resume();
  }
}
