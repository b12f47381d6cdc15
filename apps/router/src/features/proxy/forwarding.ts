import { AppError } from '@penstock/protocol';
import {
  isRetryableStatus,
  mayRetry,
  neverReached,
  signalOfStatus,
  type AttemptFailure,
} from '@penstock/routing';
import type { ReplicaState, Target } from '../routing/index.js';
import type { Outcome } from '../usage/index.js';
import { Attempt, type AttemptOwner } from './attempt.js';
import { ClientAnswer } from './client-answer.js';
import type { ClientListener, Interruption } from './client-sink.port.js';
import { Deadlines, type Deadline } from './deadlines.js';
import { cutError, failureError } from './domain/failure-error.js';
import { faultOfStatus } from './domain/fault-of-status.js';
import { interruptionError } from './domain/interruption-error.js';
import type { ForwardingDeps, ForwardJob } from './forward-job.js';
import type { Discovery } from './model-discovery.js';

/**
 * Walks over replicas until one answers. A replica that fails before content has gone out is followed by another one;
 * walking past replicas that cannot be reached is bounded by their number, executions by `maxAttempts`.
 */
export class Forwarding implements ClientListener, AttemptOwner {
  private readonly tried: ReplicaState[] = [];
  private readonly answer: ClientAnswer;
  private readonly deadlines: Deadlines;
  private attempt: Attempt | null = null;
  private executions = 0;
  private repeated = false;
  private stalled = false;
  private ended = false;
  private last: { readonly failure: AttemptFailure; readonly cause: Error } | null = null;

  constructor(
    private readonly deps: ForwardingDeps,
    private readonly job: ForwardJob,
  ) {
    const { record, client } = job;
    this.answer = new ClientAnswer(client, record, () => deps.timers.now());
    this.deadlines = new Deadlines(deps.timers, deps.timeouts, record.startedMs, (which) =>
      this.expired(which),
    );
  }

  start(): void {
    this.job.client.listen(this);
    this.next(this.select());
  }

  paused(): void {
    this.stalled = true;
  }

  drained(): void {
    if (this.ended || !this.stalled) return;
    this.stalled = false;
    // Not while another replica is asked: its head has a deadline of its own.
    if (this.attempt?.reader == null) return;
    this.deadlines.awaitPiece();
    this.attempt.resume();
  }

  gone(): void {
    if (this.ended) return;
    this.attempt?.abandon('client_closed', 'neutral');
    this.noteUsage();
    this.end({
      kind: 'client_closed',
      status: this.answer.status,
      errorCode: 'client_closed_request',
      fault: 'client',
    });
  }

  interrupted(reason: Interruption): void {
    if (!this.ended) this.stop(`interrupted_${reason}`, interruptionError(reason));
  }

  headArrived(attempt: Attempt, status: number): boolean {
    this.deadlines.awaitPiece();
    if (this.answer.committed) return status !== 200 && this.replace(attempt, status, this.select());
    if (!isRetryableStatus(status) || this.executions + 1 >= this.deps.maxAttempts) return false;
    // A refusal in hand says more than what a replica known to be dead would.
    const other = this.deps.selector.selectFit(this.job.endpoints, this.tried);
    return other !== null && this.replace(attempt, status, other);
  }

  progressed(): void {
    this.deadlines.awaitPiece();
  }

  contentStarted(): void {
    this.job.releaseBody();
    this.job.record.phase = 'relay';
  }

  completed(): void {
    const { status } = this.answer;
    this.noteUsage();
    this.end({ kind: 'completed', status, errorCode: null, fault: faultOfStatus(status ?? 200) });
  }

  failed(attempt: Attempt, failure: AttemptFailure, cause: Error): void {
    this.last = { failure, cause };
    if (!neverReached(failure)) this.executions += 1;
    if (this.answer.contentSent) return this.breakOff(cutError(failure, cause));
    if (!this.mayRetry()) return this.giveUp();
    const other = this.select();
    // A kept-alive connection may have been closed under the request; the only replica is worth one more try.
    if (other === null && failure === 'reset' && !this.repeated) {
      this.repeated = true;
      return this.tryOut(attempt.target);
    }
    this.next(other);
  }

  private select(): Target | null {
    return this.deps.selector.select(this.job.endpoints, this.tried);
  }

  private mayRetry(): boolean {
    const { contentSent } = this.answer;
    const { maxAttempts } = this.deps;
    return mayRetry({ contentSent, bodyHeld: true, attempts: this.executions, maxAttempts });
  }

  /** Gives up an answer that has not reached the client for another replica. */
  private replace(attempt: Attempt, status: number, other: Target | null): true {
    this.executions += 1;
    this.last = { failure: 'reset', cause: new Error(`A replica answered with status ${status}`) };
    // Of other statuses there are many, and results are a metric's label.
    const result = isRetryableStatus(status) ? `status_${status}` : 'status_unexpected';
    attempt.abandon(result, signalOfStatus(status));
    this.next(this.mayRetry() ? other : null);
    return true;
  }

  private next(target: Target | null): void {
    if (target === null) return this.giveUp();
    this.tried.push(target.replica);
    this.tryOut(target);
  }

  private tryOut(target: Target): void {
    const { servedModel } = target.endpoint.target;
    const known = servedModel ?? target.replica.discoveredModel;
    this.job.record.phase = 'attempt';
    const attempt = this.newAttempt(target);
    this.attempt = attempt;
    // Before its name is asked for: of an ejected replica that is a trial already.
    attempt.begin();
    if (known !== null) return this.launch(attempt, known);
    this.deadlines.awaitName();
    this.deps.discovery.resolve(target.replica, (discovery) => this.discovered(attempt, discovery));
  }

  private discovered(attempt: Attempt, discovery: Discovery): void {
    if (this.ended) return;
    if (discovery.ok) this.launch(attempt, discovery.model);
    else attempt.fail(discovery.failure, discovery.cause);
  }

  private launch(attempt: Attempt, servedModel: string | null): void {
    const { path, headers, host } = this.job;
    this.deadlines.awaitHead(this.job.record.stream);
    const body = this.job.bodyFor(servedModel);
    attempt.send(this.deps.client, { method: 'POST', path, headers, body, host });
  }

  private newAttempt(target: Target): Attempt {
    const { record, stripUsage, ownHeaders } = this.job;
    const now = () => this.deps.timers.now();
    const { startedMs } = record;
    const { answer } = this;
    const { endpointId, circuitId } = target.endpoint.target;
    if (record.attempts.length === 0) this.deps.statistics.chosen(circuitId);
    const attemptRecord = record.beginAttempt(endpointId, target.replica.routeId, target.replica.key, now());
    return new Attempt({
      target,
      record: attemptRecord,
      answer,
      owner: this,
      stripUsage,
      ownHeaders,
      now,
      startedMs,
    });
  }

  private giveUp(): void {
    const { last } = this;
    if (this.isUnreached() && this.job.standIn?.() === true) return this.next(this.select());
    this.breakOff(last === null ? unavailable() : failureError(last.failure, last.cause, this.tried.length));
  }

  private isUnreached(): boolean {
    return !this.answer.contentSent && (this.last === null || neverReached(this.last.failure));
  }

  private expired(deadline: Deadline): void {
    const { attempt } = this;
    if (deadline === 'request') this.outOfTime();
    else if (deadline === 'head') attempt?.expire('headers_timeout');
    else if (this.stalled) this.clientStalled();
    else attempt?.expire('idle_timeout');
  }

  private outOfTime(): void {
    const error = new AppError('upstream_timeout', 'The request took longer than this router allows.');
    this.stop('request_timeout', error);
  }

  /** Ends the request at the router's own wish. */
  private stop(result: string, error: AppError): void {
    this.attempt?.abandon(result, 'neutral');
    this.breakOff(error);
  }

  /** Tells the client in the form that is left for what it has got so far. */
  private breakOff(error: AppError): void {
    this.noteUsage();
    const outcome = this.answer.breakOff(error, this.attempt?.reader?.takesEvents === true);
    if (outcome !== null) return this.end(outcome);
    this.close();
    this.job.refuse(error);
  }

  private noteUsage(): void {
    this.job.record.usage = this.attempt?.reader?.usage() ?? null;
  }

  private clientStalled(): void {
    this.answer.destroy();
    this.gone();
  }

  private end(outcome: Outcome): void {
    this.close();
    this.job.ended(outcome);
  }

  private close(): void {
    this.ended = true;
    this.deadlines.cancel();
    this.job.releaseBody();
  }
}

function unavailable(): AppError {
  return new AppError('model_unavailable', 'No replica can serve this model now.', { retryAfterSeconds: 1 });
}
