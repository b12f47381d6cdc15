import { signalOfFailure, type AttemptFailure } from '@penstock/routing';
import type { ReplicaCall, ReplicaSink, ReplicaVisit } from '../proxy/index.js';

/** Decides what an attempt's answer and its end mean for the request. */
export interface AttemptOwner {
  /** @param length - of the body as announced, null when unknown */
  headArrived(status: number, rawHeaders: readonly string[], length: number | null): void;
  /** @returns false when the replica should wait */
  bytesArrived(bytes: Buffer): boolean;
  completed(): void;
  failed(failure: AttemptFailure, cause: Error, attempt: PassthroughAttempt): void;
}

/** One try at one replica. Hears of its call until it is over and of nothing after that. */
export class PassthroughAttempt implements ReplicaSink {
  over = false;
  private call: ReplicaCall | null = null;
  private headCame = false;

  constructor(
    readonly visit: ReplicaVisit,
    private readonly owner: AttemptOwner,
  ) {}

  /** The call may be over before it is in hand. */
  carriedBy(call: ReplicaCall): void {
    if (this.over) call.abort();
    else this.call = call;
  }

  head(status: number, rawHeaders: readonly string[], length: number | null): void {
    if (this.over) return;
    this.headCame = true;
    this.visit.answered(status);
    this.owner.headArrived(status, rawHeaders, length);
  }

  data(bytes: Buffer): boolean {
    return this.over || this.owner.bytesArrived(bytes);
  }

  end(): void {
    if (this.over) return;
    this.finish();
    this.owner.completed();
  }

  /** All of the answer has come; the call itself may still have something to clear away. */
  finish(): void {
    this.over = true;
    this.visit.settle('ok', 'neutral');
  }

  fail(failure: AttemptFailure, cause: Error): void {
    if (this.over) return;
    this.over = true;
    // A stream that falls silent, or is cut, may well be over in the eyes of a replica that is fine.
    this.visit.settle(failure, this.headCame ? 'neutral' : signalOfFailure(failure));
    this.owner.failed(failure, cause, this);
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
