import { signalOfFailure, signalOfStatus, type AttemptFailure, type HealthSignal } from '@penstock/routing';
import type { Target } from '../routing/index.js';
import type { AttemptRecord } from '../usage/index.js';
import { AnswerReader } from './answer-reader.js';
import type { ClientAnswer } from './client-answer.js';
import type { ReplicaCall, ReplicaClient, ReplicaRequest, ReplicaSink } from './replica-client.port.js';

/** Decides what happens around an attempt: whether another replica is tried, and what its end means. */
export interface AttemptOwner {
  /** @returns true when the answer with this status is given up for another replica */
  headArrived(attempt: Attempt, status: number): boolean;
  /** Bytes came; the clock for silence starts anew. */
  progressed(): void;
  /** The client does not keep up; the replica is paused until it does. */
  paused(): void;
  /** Content is on its way to the client: no replay from here on. */
  contentStarted(): void;
  completed(): void;
  failed(attempt: Attempt, failure: AttemptFailure, cause: Error): void;
}

interface AttemptContext {
  readonly target: Target;
  readonly record: AttemptRecord;
  readonly answer: ClientAnswer;
  readonly owner: AttemptOwner;
  /** True when usage was asked for by us and not by the caller. */
  readonly stripUsage: boolean;
  /** Headers of ours that go in front of the replica's. */
  readonly ownHeaders: readonly string[];
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds at which the request was accepted. */
  readonly startedMs: number;
}

/** One try at one replica: relays its answer as it comes, and settles the replica's in-flight count and health. */
export class Attempt implements ReplicaSink {
  reader: AnswerReader | null = null;
  private call: ReplicaCall | null = null;
  private over = false;
  private trial = false;

  constructor(private readonly context: AttemptContext) {}

  get target(): Target {
    return this.context.target;
  }

  /** Counts the attempt in; its end counts it out. */
  begin(): void {
    const { replica } = this.context.target;
    replica.inFlight += 1;
    this.trial = replica.health.begin();
  }

  send(client: ReplicaClient, request: ReplicaRequest): void {
    const call = client.send(this.context.target.replica, request, this);
    // The sink may have been called back before the call was in hand.
    if (this.over) call.abort();
    else this.call = call;
  }

  head(status: number, rawHeaders: readonly string[], length: number | null): void {
    if (this.over) return;
    const { record, owner, ownHeaders, stripUsage } = this.context;
    record.status = status;
    record.headMs = this.elapsed();
    if (owner.headArrived(this, status) || this.over) return;
    this.reader = new AnswerReader({ status, rawHeaders, length, ownHeaders, stripUsage });
    // An earlier replica's keep-alive has begun an event stream, which only another event stream can go on.
    if (this.context.answer.committed && !this.reader.takesEvents) this.expire('malformed');
  }

  data(bytes: Buffer): boolean {
    if (this.over || this.reader === null) return true;
    this.context.owner.progressed();
    const out = this.reader.read(bytes);
    return out === null || this.relay(this.reader, out);
  }

  end(): void {
    if (this.over || this.reader === null) return;
    const rest = this.reader.rest();
    if (rest !== null) this.relay(this.reader, rest);
    // Sending the last byte of a known length ended the answer already.
    if (this.over) return;
    const { answer } = this.context;
    if (!answer.committed) answer.commit(this.reader.status, this.reader.headers);
    answer.end();
    this.complete(this.reader);
  }

  fail(failure: AttemptFailure, cause: Error): void {
    if (this.over) return;
    this.settle(failure, this.context.answer.contentSent ? 'failure' : signalOfFailure(failure));
    if (failure !== 'idle_timeout') this.context.target.replica.discoveredModel = null;
    this.context.owner.failed(this, failure, cause);
  }

  /** The owner's clock ran out, or what comes is of no use. */
  expire(failure: AttemptFailure): void {
    if (this.over) return;
    this.call?.abort();
    this.fail(failure, new Error(`Given up by the router: ${failure}`));
  }

  /** Ends the attempt without an effect on the request: the client left, or another replica is tried. */
  abandon(result: string, signal: HealthSignal): void {
    if (this.over) return;
    this.settle(result, signal);
    this.call?.abort();
  }

  resume(): void {
    this.call?.resume();
  }

  private relay(reader: AnswerReader, out: Buffer): boolean {
    const { answer, owner } = this.context;
    if (!answer.committed) answer.commit(reader.status, reader.headers);
    if (!answer.contentSent && !reader.isKeepAlive(out)) {
      answer.contentSent = true;
      this.report(signalOfStatus(reader.status));
      owner.contentStarted();
    }
    if (!reader.isLast()) {
      const ready = answer.write(out);
      if (!ready) owner.paused();
      return ready;
    }
    answer.end(out);
    this.complete(reader);
    return true;
  }

  private complete(reader: AnswerReader): void {
    // A 404 for a name we found out ourselves: the replica may serve another model by now.
    if (reader.status === 404) this.context.target.replica.discoveredModel = null;
    this.settle('ok', this.context.answer.contentSent ? 'neutral' : signalOfStatus(reader.status));
    this.context.owner.completed();
  }

  private settle(result: string, signal: HealthSignal): void {
    const { record, target } = this.context;
    this.over = true;
    record.result = result;
    record.endedMs = this.elapsed();
    target.replica.inFlight -= 1;
    this.report(signal);
  }

  private report(signal: HealthSignal): void {
    this.context.target.replica.health.report(signal, this.context.now(), this.trial);
    this.trial = false;
  }

  private elapsed(): number {
    return this.context.now() - this.context.startedMs;
  }
}
