import type { IncomingMessage, ServerResponse } from 'node:http';
import { unwrapMappedIpv4 } from '@penstock/protocol';
import type { ClientListener, Interruption, PullSource, Timer, TimerWheel } from '../../proxy/index.js';
import type { BodyReader, FrontExchange, HeadDefect } from '../front.port.js';
import { discardRest } from './discard-rest.js';
import { headDefect } from './head-defect.js';
import type { NodeConnection } from './node-connection.js';
import { readHeldBody } from './read-held-body.js';
import { StreamedBody } from './stream-body.js';

/** What an exchange needs from the front it came in by. */
export interface ExchangeOwner {
  readonly draining: boolean;
  readonly timers: TimerWheel;
  /** Longest time in milliseconds in which a client may take nothing of an answer that has ended. */
  readonly stallMs: number;
  closed(): void;
}

/** An unread rest of a body up to this size is read away to keep the connection; above, it is not worth it. */
const SKIPPED_BYTES_MAX = 64 * 1024;
/** How long an answered client may go on sending before its connection is closed under it. */
const LINGER_MS = 2_000;

/** One request and its answer on a `node:http` connection. */
export class NodeExchange implements FrontExchange {
  readonly method: string;
  readonly target: string;
  readonly declaredLength: number | null;
  ended = false;
  /** True when the body may take as long as it likes. */
  streams = false;
  private listener: ClientListener | null = null;
  private stopReading: (() => void) | null = null;
  private watchesDrain = false;
  private watchesStall = false;
  /** Set once it is certain that the connection ends with this answer. */
  private closing = false;
  private linger: Timer | null = null;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly owner: ExchangeOwner,
    private readonly connection: NodeConnection,
    private expectation: 'none' | 'continue' | 'unknown',
  ) {
    this.method = request.method ?? '';
    this.target = request.url ?? '/';
    this.declaredLength = declaredLength(request);
    response.on('close', () => this.closed());
  }

  get defect(): HeadDefect | null {
    if (this.expectation === 'unknown') return 'unknown_expectation';
    return headDefect(this.request);
  }

  get peer(): string {
    return unwrapMappedIpv4(this.request.socket.remoteAddress ?? '');
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders;
  }

  get headSent(): boolean {
    return this.response.headersSent;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  listen(listener: ClientListener): void {
    this.listener = listener;
  }

  /** Nothing that comes behind this request is answered. */
  closeAfterwards(): void {
    this.closing = true;
  }

  interrupt(reason: Interruption): void {
    if (this.ended) return;
    this.closing = true;
    this.listener?.interrupted(reason);
  }

  readBody(limitBytes: number, reader: BodyReader): void {
    this.giveLeave();
    this.stopReading = readHeldBody(this.request, this.declaredLength === null, limitBytes, reader);
  }

  streamBody(): PullSource {
    const body = new StreamedBody(this.request, this.declaredLength, () => this.giveLeave());
    this.streams = true;
    this.stopReading = () => body.stop();
    return body;
  }

  head(status: number, headers: readonly string[]): void {
    this.closing ||= this.owner.draining;
    const all = this.closing ? [...headers, 'connection', 'close'] : (headers as string[]);
    this.response.writeHead(status, all);
  }

  flushHead(): void {
    const { socket } = this.request;
    socket.cork();
    this.response.flushHeaders();
    process.nextTick(() => socket.uncork());
  }

  write(bytes: Buffer): boolean {
    if (this.response.write(bytes)) return true;
    if (!this.watchesDrain) this.response.on('drain', () => this.listener?.drained());
    this.watchesDrain = true;
    return false;
  }

  end(bytes?: Buffer): void {
    this.ended = true;
    if (!this.streams || this.request.complete || !this.isLast) return this.finish(bytes);
    this.stopReading?.();
    this.endLater(bytes);
  }

  /** What is on its way still arrives, as long as the client reads. */
  destroy(): void {
    this.ended = true;
    this.closing = true;
    const { socket } = this.request;
    if (this.response.writableNeedDrain) return void socket.destroy();
    socket.destroySoon();
    this.watchStall();
  }

  reply(status: number, headers: readonly string[], body: string | null): void {
    if (this.response.headersSent || this.response.destroyed) return this.destroy();
    this.stopReading?.();
    const payload = body === null ? null : Buffer.from(body);
    const all = [...headers];
    if (payload !== null) all.push('content-length', String(payload.length));
    this.closing ||= this.owner.draining || this.expectation !== 'none' || this.defect !== null;
    const unread = this.hasMuchUnread();
    this.closing ||= unread;
    this.head(status, all);
    this.ended = true;
    if (unread && this.expectation !== 'continue') return this.endLater(payload ?? undefined);
    this.request.resume();
    this.finish(payload ?? undefined);
  }

  /** Whether the connection is closed behind this answer, at the wish of either side. */
  private get isLast(): boolean {
    return this.closing || !this.response.shouldKeepAlive;
  }

  private finish(bytes?: Buffer): void {
    if (bytes === undefined) this.response.end();
    else this.response.end(bytes);
    this.watchStall();
  }

  private giveLeave(): void {
    if (this.expectation === 'continue') this.response.writeContinue();
    this.expectation = 'none';
  }

  private hasMuchUnread(): boolean {
    if (this.request.complete || this.declaredLength === 0) return false;
    return this.closing || this.declaredLength === null || this.declaredLength > SKIPPED_BYTES_MAX;
  }

  /**
   * Sends the whole answer but closes only when the client has stopped sending or had time to read: closing at once
   * would reset the connection under the unread bytes, and with it the answer.
   */
  private endLater(bytes: Buffer | undefined): void {
    if (bytes !== undefined) this.response.write(bytes);
    else this.response.flushHeaders();
    const finish = () => this.finish();
    this.linger = this.owner.timers.create(finish);
    this.linger.arm(LINGER_MS);
    this.request.on('end', finish).resume();
  }

  /**
   * The last bytes of an answer have no deadline of a request any more. Where the system could not take them at once,
   * the socket gets one, which starts anew whenever the client takes some.
   */
  private watchStall(): void {
    const { socket } = this.request;
    if (socket.writableLength === 0) return;
    this.watchesStall = true;
    socket.setTimeout(this.owner.stallMs);
  }

  private closed(): void {
    this.linger?.cancel();
    if (!this.ended) this.listener?.gone();
    this.ended = true;
    this.stopReading?.();
    if (this.streams && !this.request.complete) discardRest(this.request, this.owner.timers);
    const { socket } = this.request;
    const goesOn = this.connection.release(this.closing);
    if (goesOn && this.watchesStall) socket.setTimeout(0);
    this.owner.closed();
    // An answer that began before the draining, or before the client's bytes lost their sense, left its connection open.
    if (!goesOn && (this.owner.draining || this.connection.broken)) socket.destroySoon();
  }
}

function declaredLength(request: IncomingMessage): number | null {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return null;
  const length = headers['content-length'];
  return length === undefined ? 0 : Number(length);
}
