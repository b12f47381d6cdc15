import type { Duplex } from 'node:stream';
import { AppError } from '@penstock/protocol';
import type { AttemptFailure } from '@penstock/routing';
import { ReplicaWalk, type OutgoingRequest } from '../passthrough/index.js';
import {
  cutError,
  faultOfStatus,
  ReplicaVisit,
  transparentAnswerHeaders,
  upgradeProtocol,
  type Timer,
} from '../proxy/index.js';
import type { Target } from '../routing/index.js';
import { EarlyBytes } from './adapters/early-bytes.js';
import { RawAnswer } from './adapters/raw-answer.js';
import { breakOff } from './adapters/splice.js';
import { Tunnel } from './tunnel.js';
import { UpgradeAttempt, type UpgradeOwner } from './upgrade-attempt.js';
import type { UpgradeDeps, UpgradeJob } from './upgrade.port.js';

/**
 * One upgrade until its replica has answered: a walk over replicas until one takes the question, then its refusal
 * relayed as the answer it is, or the two connections joined.
 */
export class Upgrade implements UpgradeOwner {
  private readonly walk: ReplicaWalk;
  private attempt: UpgradeAttempt | null = null;
  private readonly early: EarlyBytes;
  private readonly answer: RawAnswer;
  private readonly silence: Timer;
  private status: number | null = null;
  private stalled = false;
  private ended = false;
  private tunnel: Tunnel | null = null;

  constructor(
    private readonly deps: UpgradeDeps,
    private readonly job: UpgradeJob,
    private readonly outgoing: OutgoingRequest,
    private readonly protocol: string,
  ) {
    const { client } = job;
    this.walk = new ReplicaWalk(deps, job);
    this.silence = deps.timers.create(() => this.silent());
    const stallMs = deps.timeouts.idleMs;
    this.answer = new RawAnswer(client.socket, {
      timers: deps.timers,
      stallMs,
      onDrain: () => this.drained(),
    });
    this.early = new EarlyBytes(client.socket, client.early, () => this.gone());
  }

  start(): void {
    this.job.client.hold(() => this.shutDown());
    this.ask(this.walk.next());
  }

  switched(visit: ReplicaVisit, rawHeaders: readonly string[], socket: Duplex, early: Buffer): void {
    const { deps, job } = this;
    const fromClient = this.early.take();
    this.close();
    const headers = transparentAnswerHeaders(rawHeaders, job.ownHeaders, []);
    this.answer.switch(headers, upgradeProtocol(rawHeaders) ?? this.protocol);
    job.record.phase = 'relay';
    this.tunnel = new Tunnel(deps, job, visit);
    this.tunnel.open(socket, { fromClient, fromReplica: early });
  }

  headArrived(status: number, rawHeaders: readonly string[], length: number | null): void {
    const { job } = this;
    const bodyless = status === 204 || status === 304 || this.outgoing.method === 'HEAD';
    this.status = status;
    job.record.phase = 'relay';
    const headers = transparentAnswerHeaders(rawHeaders, job.ownHeaders, []);
    this.answer.head(status, headers, bodyless ? undefined : length);
    this.silence.arm(this.deps.timeouts.idleMs);
  }

  bytesArrived(bytes: Buffer): boolean {
    this.job.record.answerBytes += bytes.length;
    this.silence.arm(this.deps.timeouts.idleMs);
    this.stalled = !this.answer.write(bytes);
    return !this.stalled;
  }

  completed(): void {
    const { job, status } = this;
    this.letGo();
    this.answer.end();
    job.ended({ kind: 'completed', status, errorCode: null, fault: faultOfStatus(status ?? 200) });
  }

  failed(failure: AttemptFailure, cause: Error): void {
    if (this.status !== null) return this.cutOff(cutError(failure, cause));
    this.walk.failed(failure, cause);
    this.ask(this.walk.mayGoOn(this.outgoing.method, false) ? this.walk.next() : null);
  }

  private ask(target: Target | null): void {
    if (target === null) return this.breakOff(this.walk.error());
    const { record } = this.job;
    record.phase = 'attempt';
    const visit = new ReplicaVisit(target, record, () => this.deps.timers.now());
    const attempt = new UpgradeAttempt(visit, this);
    this.attempt = attempt;
    this.silence.arm(this.deps.timeouts.headersMs);
    const request = { ...this.outgoing, body: null };
    attempt.carriedBy(this.deps.dialer.dial(target.replica, request, this.protocol, attempt));
  }

  private drained(): void {
    if (this.ended || !this.stalled) return;
    this.stalled = false;
    this.silence.arm(this.deps.timeouts.idleMs);
    this.attempt?.resume();
  }

  /** The client left before it had the whole answer. */
  private gone(): void {
    if (this.ended) return;
    const { job, status } = this;
    this.attempt?.abandon('client_closed');
    this.letGo();
    job.client.socket.destroy();
    job.ended({ kind: 'client_closed', status, errorCode: 'client_closed_request', fault: 'client' });
  }

  private silent(): void {
    if (this.stalled) return this.gone();
    this.attempt?.expire(this.status === null ? 'headers_timeout' : 'idle_timeout');
  }

  private shutDown(): void {
    if (this.tunnel !== null) return this.tunnel.shutDown();
    if (this.ended) return void this.job.client.socket.destroy();
    this.attempt?.abandon('interrupted_shutdown');
    this.breakOff(draining());
  }

  private breakOff(error: AppError): void {
    if (this.status !== null) return this.cutOff(error);
    this.letGo();
    this.job.refuse(error);
  }

  private cutOff(error: AppError): void {
    const { job, status } = this;
    this.letGo();
    breakOff(job.client.socket);
    const { code, entry, cause } = error;
    job.ended({ kind: 'cut', status, errorCode: code, fault: entry.fault, cause });
  }

  private letGo(): void {
    this.early.take();
    this.close();
  }

  private close(): void {
    this.ended = true;
    this.silence.cancel();
  }
}

/** For upgrades that come when, or are not through before, the process ends. */
export function draining(): AppError {
  return new AppError('draining', 'This router is about to stop. Connect again.', { retryAfterSeconds: 1 });
}
