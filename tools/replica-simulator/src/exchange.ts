import type { ServerResponse } from 'node:http';

import type { SeenRequest } from './request-log.js';

/** Delays of one answer in milliseconds. */
export interface Pace {
  readonly ttftMs: number;
  readonly interTokenMs: number;
}

export interface ExchangeOptions {
  readonly entry: SeenRequest;
  readonly response: ServerResponse;
  readonly now: () => number;
}

/** One request being answered: paces the bytes, stops when the client goes away, and keeps the record true. */
export class Exchange {
  readonly #options: ExchangeOptions;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #cutByUs = false;
  readonly #endListeners: (() => void)[] = [];

  constructor(options: ExchangeOptions) {
    this.#options = options;
    options.response.once('close', () => this.#close());
  }

  get entry(): SeenRequest {
    return this.#options.entry;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Runs `listener` once, when the answer is complete or its socket is gone. */
  onEnd(listener: () => void): void {
    if (this.#closed) listener();
    else this.#endListeners.push(listener);
  }

  /** Runs `step` after a delay, unless the client left meanwhile. No delay means now, in this turn. */
  after(delayMs: number, step: () => void): void {
    if (this.#closed) return;
    if (delayMs <= 0) return step();
    this.#timer = setTimeout(step, delayMs);
  }

  send(status: number, contentType: string, body: string, headers: Record<string, string> = {}): void {
    if (this.#closed) return;
    this.#head(status, { 'content-type': contentType, 'content-length': byteLength(body), ...headers });
    this.#markFirstByte();
    this.#options.response.end(body);
  }

  json(status: number, body: object, headers: Record<string, string> = {}): void {
    this.send(status, 'application/json', JSON.stringify(body), headers);
  }

  /** Sends the head at once and the events at their pace; `cutAfter` events the socket is closed on purpose. */
  stream(events: readonly string[], pace: Pace, cutAfter = Infinity): void {
    this.#head(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    this.#options.response.flushHeaders();
    this.after(pace.ttftMs, () => this.#writeFrom(0, events, pace, cutAfter));
  }

  /** The head of a longer answer and the first half of its body, then a closed socket. */
  cutInsideBody(body: string): void {
    this.#head(200, { 'content-type': 'application/json', 'content-length': byteLength(body) });
    this.#markFirstByte();
    this.#options.response.write(body.slice(0, body.length / 2));
    this.#cutWhenFlushed();
  }

  cutAfterHead(contentType: string): void {
    this.#head(200, { 'content-type': contentType });
    this.#options.response.flushHeaders();
    this.#cutWhenFlushed();
  }

  cut(): void {
    this.#cutByUs = true;
    this.#options.response.socket?.destroy();
  }

  /** What was written goes out first: node holds the first writes of an answer back until the turn is over. */
  #cutWhenFlushed(): void {
    this.#cutByUs = true;
    setImmediate(() => this.#options.response.socket?.destroySoon());
  }

  /** Bytes that are no HTTP answer, then a closed socket. */
  sendGarbage(bytes: string): void {
    this.#cutByUs = true;
    this.#options.response.socket?.end(bytes);
  }

  #head(status: number, headers: Record<string, string | number>): void {
    this.entry.status = status;
    this.#options.response.writeHead(status, { server: 'uvicorn', ...headers });
  }

  #writeFrom(start: number, events: readonly string[], pace: Pace, cutAfter: number): void {
    for (let index = start; index < events.length; index += 1) {
      if (index >= cutAfter) return this.#cutWhenFlushed();
      const roomy = this.#writeEvent(events[index] ?? '');
      const next = (): void => this.#writeFrom(index + 1, events, pace, cutAfter);
      if (!roomy) return this.#whenDrained(next);
      if (pace.interTokenMs > 0 && index < events.length - 2) return this.after(pace.interTokenMs, next);
    }
    this.#options.response.end();
  }

  #writeEvent(event: string): boolean {
    this.#markFirstByte();
    this.entry.events_sent += 1;
    return this.#options.response.write(event);
  }

  #whenDrained(next: () => void): void {
    this.#options.response.once('drain', () => this.after(0, next));
  }

  #markFirstByte(): void {
    this.entry.first_byte_at_ms ??= this.#options.now();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    const complete = this.#options.response.writableFinished;
    const now = this.#options.now();
    if (complete) this.entry.finished_at_ms = now;
    else this.entry.socket_closed_at_ms = now;
    this.entry.aborted = !complete && !this.#cutByUs;
    for (const listener of this.#endListeners) listener();
  }
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
