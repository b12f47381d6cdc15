import { AppError } from '@penstock/protocol';
import { neverReached, type AttemptFailure } from '@penstock/routing';
import { failureError, type ForwardingDeps } from '../proxy/index.js';
import type { EndpointPlan, ReplicaState, Target } from '../routing/index.js';
import { mayRepeat } from './domain/may-repeat.js';

/** Where a request may go. */
interface Destinations {
  readonly endpoints: readonly EndpointPlan[];
  /** No replica is left to try and nothing has gone out: whether `endpoints` are others now. */
  standIn?(): boolean;
}

/** The replicas that one request goes to, one after the other, and why it got no answer from them. */
export class ReplicaWalk {
  private readonly tried: ReplicaState[] = [];
  /** Attempts that reached a replica. */
  private attempts = 0;
  private last: { readonly failure: AttemptFailure; readonly cause: Error } | null = null;

  constructor(
    private readonly deps: Pick<ForwardingDeps, 'selector' | 'maxAttempts'>,
    private readonly destinations: Destinations,
  ) {}

  /** Another replica, those that stand in included; null when none is left. */
  next(): Target | null {
    return this.another() ?? (this.destinations.standIn?.() === true ? this.another() : null);
  }

  /** Another replica of those that are named now. */
  another(): Target | null {
    const target = this.deps.selector.select(this.destinations.endpoints, this.tried);
    if (target !== null) this.tried.push(target.replica);
    return target;
  }

  failed(failure: AttemptFailure, cause: Error): void {
    this.last = { failure, cause };
    if (!neverReached(failure)) this.attempts += 1;
  }

  /** Whether the request may go on after its last failure, which came before a head. */
  mayGoOn(method: string, bodyTaken: boolean): boolean {
    if (this.last === null) return true;
    const { maxAttempts } = this.deps;
    const { failure } = this.last;
    return mayRepeat({ failure, method, bodyTaken, attempts: this.attempts, maxAttempts });
  }

  /** What the caller is told where nobody answered. */
  error(): AppError {
    const { last, tried } = this;
    if (last !== null) return failureError(last.failure, last.cause, tried.length);
    return new AppError('model_unavailable', 'No replica can serve this now.', { retryAfterSeconds: 1 });
  }
}
