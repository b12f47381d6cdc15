import type { HealthSignal } from '@penstock/routing';
import type { Target } from '../routing/index.js';
import type { AttemptRecord, RequestRecord } from '../usage/index.js';

/**
 * One attempt as its replica sees it: in flight from its making to `settle`, an effect on the replica's health, and a
 * record. Of requests we do not understand only the connection counts: a path that answers 500 says nothing of the
 * model, and one that answers 200 must not heal it. A trial is the exception, as something has to end it.
 */
export class ReplicaVisit {
  private readonly record: AttemptRecord;
  private trial: boolean;
  private open = true;

  /** @param now - monotonic milliseconds */
  constructor(
    readonly target: Target,
    private readonly request: RequestRecord,
    private readonly now: () => number,
  ) {
    const { endpoint, replica } = target;
    const { endpointId } = endpoint.target;
    this.record = request.beginAttempt(endpointId, replica.routeId, replica.key, now());
    replica.inFlight += 1;
    this.trial = replica.health.begin();
  }

  /** The replica answered, which ends a trial: what follows may last for hours. */
  answered(status: number): void {
    this.record.status = status;
    this.record.headMs = this.elapsed();
    if (this.trial) this.report(status < 500 ? 'success' : 'neutral');
  }

  /** Ends the attempt; only the first call counts. */
  settle(result: string, signal: HealthSignal): void {
    if (!this.open) return;
    this.open = false;
    this.record.result = result;
    this.record.endedMs = this.elapsed();
    this.target.replica.inFlight -= 1;
    this.report(signal);
  }

  private report(signal: HealthSignal): void {
    this.target.replica.health.report(signal, this.now(), this.trial);
    this.trial = false;
  }

  private elapsed(): number {
    return this.now() - this.request.startedMs;
  }
}
