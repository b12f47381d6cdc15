import type { AttemptFailure } from '@penstock/routing';
import type { ReplicaCall, ReplicaRequest, ReplicaSink } from '../../replica-client.port.js';
import { classifyFailure } from '../classify-failure.js';
import type { AnswerHead } from './parse-head.js';

/** The connection a call runs on, as far as the call cares. */
export interface CallCarrier {
  resume(): void;
  abort(): void;
}

/** One call. Whatever happens after its end, the sink hears of one end only, and of none after an abort. */
export class Http1Call implements ReplicaCall {
  over = false;
  carrier: CallCarrier | null = null;

  constructor(
    private request: ReplicaRequest | null,
    private readonly sink: ReplicaSink,
  ) {}

  /** Whether the request is to go out on a connection that carried no other. */
  get fresh(): boolean {
    return this.request?.fresh === true;
  }

  /** What to send, once: an answer may last for long after its request, which must not stay in memory with it. */
  takeRequest(): ReplicaRequest {
    const { request } = this;
    if (request === null) throw new Error('A request is sent once');
    this.request = null;
    return request;
  }

  resume(): void {
    if (!this.over) this.carrier?.resume();
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    this.carrier?.abort();
  }

  /** @returns false when the call ended meanwhile */
  head({ status, rawHeaders, length }: AnswerHead): boolean {
    if (!this.over) this.sink.head(status, rawHeaders, length);
    return !this.over;
  }

  /** @returns false when the rest of the answer has to wait, or when the call ended meanwhile */
  data(bytes: Buffer): boolean {
    return !this.over && this.sink.data(bytes) && !this.over;
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    try {
      this.sink.end();
    } catch (error) {
      this.sink.fail('reset', error as Error);
    }
  }

  fail(cause: Error, failure: AttemptFailure = classifyFailure(cause)): void {
    if (this.over) return;
    this.over = true;
    this.sink.fail(failure, cause);
  }
}
