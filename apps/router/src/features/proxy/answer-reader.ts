import { answerHeaders, headerValue } from './domain/header-policy.js';
import { onlyComments } from './domain/sse-boundary.js';
import { SseGate } from './domain/sse-gate.js';
import { AnswerTail, type TokenUsage } from './domain/token-usage.js';
import { UsageFilter } from './domain/usage-filter.js';

interface AnswerHead {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly length: number | null;
  readonly ownHeaders: readonly string[];
  readonly stripUsage: boolean;
}

/** Reads one replica's answer: what of it goes to the client, with which head, and what usage it reports. */
export class AnswerReader {
  readonly status: number;
  readonly headers: string[];
  private readonly length: number | null;
  private readonly filter: UsageFilter | null = null;
  private readonly gate: SseGate | null = null;
  private readonly tail: AnswerTail | null = null;
  private bytes = 0;

  constructor(head: AnswerHead) {
    const type = headerValue(head.rawHeaders, 'content-type') ?? '';
    const encoded = headerValue(head.rawHeaders, 'content-encoding') !== undefined;
    this.status = head.status;
    this.headers = [...head.ownHeaders, ...answerHeaders(head.rawHeaders)];
    if (head.status === 200 && !encoded && /^text\/event-stream\b/i.test(type)) {
      this.filter = new UsageFilter(head.stripUsage);
      this.gate = new SseGate(this.filter);
    } else if (/^application\/json\b/i.test(type) && !encoded) this.tail = new AnswerTail();
    // What passes the gate may be shorter than what the replica announced.
    this.length = this.gate === null && head.status !== 204 ? head.length : null;
    if (this.length !== null) this.headers.push('content-length', String(this.length));
  }

  /** @returns what goes out of these bytes now, null for nothing yet */
  read(bytes: Buffer): Buffer | null {
    this.bytes += bytes.length;
    if (this.gate !== null) return this.gate.push(bytes);
    this.tail?.push(bytes);
    return bytes;
  }

  /** What is left at the end of the answer. */
  rest(): Buffer | null {
    return this.gate?.end() ?? null;
  }

  /** True when the announced length has been read, so that the client's answer can end in the same write. */
  isLast(): boolean {
    return this.length !== null && this.bytes >= this.length;
  }

  /** True where an event of ours can follow what has gone out. */
  get takesEvents(): boolean {
    return this.gate !== null && !this.gate.midEvent;
  }

  /** True for bytes that commit the head and nothing else. */
  isKeepAlive(out: Buffer): boolean {
    return this.gate !== null && onlyComments(out);
  }

  usage(): TokenUsage | null {
    return this.filter?.usage ?? this.tail?.usage() ?? null;
  }
}
