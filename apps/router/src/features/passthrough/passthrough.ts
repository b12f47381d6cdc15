import type { AppError } from '@penstock/protocol';
import type { AttemptFailure } from '@penstock/routing';
import {
  cutError,
  faultOfStatus,
  interruptionError,
  ReplicaVisit,
  transparentAnswerHeaders,
  type ClientListener,
  type Interruption,
  type Timer,
} from '../proxy/index.js';
import type { Target } from '../routing/index.js';
import { isIdempotent } from './domain/may-repeat.js';
import type { OutgoingRequest } from './outgoing-request.js';
import { PassthroughAttempt, type AttemptOwner } from './passthrough-attempt.js';
import type { PassthroughDeps, PassthroughJob } from './passthrough.port.js';
import { ReplicaWalk } from './replica-walk.js';
import { WatchedBody } from './watched-body.js';

/**
 * One request on its way through: a walk over replicas until one takes it, its body up and the answer down at the pace
 * of the slower side. There is no deadline for the whole, only for silence.
 */
export class Passthrough implements ClientListener, AttemptOwner {
  private readonly walk: ReplicaWalk;
  private repeated = false;
  private attempt: PassthroughAttempt | null = null;
  private readonly body: WatchedBody | null;
  private readonly silence: Timer;
  private status: number | null = null;
  /** Bytes of the answer that are still to come; null when only its end tells. */
  private left: number | null = null;
  private stalled = false;
  private ended = false;

  constructor(
    private readonly deps: PassthroughDeps,
    private readonly job: PassthroughJob,
    private readonly outgoing: OutgoingRequest,
  ) {
    const { client } = job;
    this.walk = new ReplicaWalk(deps, job);
    const watcher = { wanted: () => this.moved(), came: (bytes: number) => this.sent(bytes) };
    this.body = client.declaredLength === 0 ? null : new WatchedBody(client.streamBody(), watcher);
    this.silence = deps.timers.create(() => this.silent());
  }

  start(): void {
    this.job.client.listen(this);
    this.tryOut(this.walk.next());
  }

  headArrived(status: number, rawHeaders: readonly string[], length: number | null): void {
    const { job } = this;
    const { client } = job;
    const headers = transparentAnswerHeaders(rawHeaders, job.ownHeaders, job.corsHeaders);
    if (length !== null && status !== 204) headers.push('content-length', String(length));
    client.head(status, headers);
    client.flushHead();
    this.status = status;
    this.left = this.hasBody(status) ? length : null;
    job.record.phase = 'relay';
    this.moved();
  }

  bytesArrived(bytes: Buffer): boolean {
    const { client, record } = this.job;
    record.firstByteMs ??= this.now() - record.startedMs;
    record.answerBytes += bytes.length;
    this.moved();
    if (this.left !== null) this.left -= bytes.length;
    if (this.left === 0) return this.lastBytes(bytes);
    this.stalled = !client.write(bytes);
    return !this.stalled;
  }

  completed(): void {
    this.job.client.end();
    this.complete();
  }

  failed(failure: AttemptFailure, cause: Error, attempt: PassthroughAttempt): void {
    if (this.status !== null) return this.breakOff(cutError(failure, cause));
    this.walk.failed(failure, cause);
    if (!this.walk.mayGoOn(this.outgoing.method, this.body?.taken === true)) return this.giveUp();
    const other = this.walk.another();
    // A kept-alive connection may have been closed under the request; the only replica is worth one more try.
    if (other !== null || failure !== 'reset' || this.repeated) return this.tryOut(other ?? this.walk.next());
    this.repeated = true;
    this.tryOut(attempt.visit.target);
  }

  drained(): void {
    if (this.ended || !this.stalled) return;
    this.stalled = false;
    this.moved();
    this.attempt?.resume();
  }

  gone(): void {
    if (this.ended) return;
    this.attempt?.abandon('client_closed');
    const { status } = this;
    this.end({ kind: 'client_closed', status, errorCode: 'client_closed_request', fault: 'client' });
  }

  interrupted(reason: Interruption): void {
    if (!this.ended) this.stop(`interrupted_${reason}`, interruptionError(reason));
  }

  private lastBytes(bytes: Buffer): true {
    this.attempt?.finish();
    this.job.client.end(bytes);
    this.complete();
    return true;
  }

  private complete(): void {
    const { status } = this;
    this.end({ kind: 'completed', status, errorCode: null, fault: faultOfStatus(status ?? 200) });
  }

  private tryOut(target: Target | null): void {
    if (target === null) return this.giveUp();
    const { record } = this.job;
    const { body, outgoing } = this;
    record.phase = 'attempt';
    const attempt = new PassthroughAttempt(new ReplicaVisit(target, record, () => this.now()), this);
    this.attempt = attempt;
    this.moved();
    const fresh = body !== null || !isIdempotent(outgoing.method);
    attempt.carriedBy(this.deps.client.send(target.replica, { ...outgoing, body, fresh }, attempt));
  }

  private giveUp(): void {
    this.breakOff(this.walk.error());
  }

  /** Something moved: the clock for silence starts anew. Once the request is out, the head has a longer one. */
  private moved(): void {
    if (this.ended) return;
    const { headersMs, idleMs } = this.deps.timeouts;
    const awaitsHead = this.status === null && this.body?.done !== false;
    this.silence.arm(awaitsHead ? headersMs : idleMs);
  }

  private sent(bytes: number): void {
    this.job.record.bodyBytes += bytes;
    this.moved();
  }

  private silent(): void {
    if (this.stalled) return this.clientStalled();
    if (this.status !== null) return this.attempt?.expire('idle_timeout');
    if (this.body?.waitsForClient === true) return this.interrupted('timeout');
    this.attempt?.expire('headers_timeout');
  }

  private clientStalled(): void {
    this.job.client.destroy();
    this.gone();
  }

  private stop(result: string, error: AppError): void {
    this.attempt?.abandon(result);
    this.breakOff(error);
  }

  /** Tells the client, or cuts it off where part of an answer is with it already. */
  private breakOff(error: AppError): void {
    const { job, status } = this;
    if (status === null) {
      this.close();
      return job.refuse(error);
    }
    job.client.destroy();
    const { code, entry, cause } = error;
    this.end({ kind: 'cut', status, errorCode: code, fault: entry.fault, cause });
  }

  private end(outcome: Parameters<PassthroughJob['ended']>[0]): void {
    this.close();
    this.job.ended(outcome);
  }

  private close(): void {
    this.ended = true;
    this.silence.cancel();
  }

  private hasBody(status: number): boolean {
    return this.outgoing.method !== 'HEAD' && status !== 204 && status !== 304;
  }

  private now(): number {
    return this.deps.timers.now();
  }
}
