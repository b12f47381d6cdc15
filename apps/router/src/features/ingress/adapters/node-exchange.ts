import type { IncomingMessage, ServerResponse } from 'node:http';
import { unwrapMappedIpv4 } from '@penstock/protocol';
import type { ClientListener, Timer, TimerWheel } from '../../proxy/index.js';
import type { BodyReader, FrontExchange } from '../front.port.js';
import type { NodeConnection } from './node-connection.js';

/** What an exchange needs from the front it came in by. */
export interface ExchangeOwner {
  readonly draining: boolean;
  readonly timers: TimerWheel;
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
  private listener: ClientListener | null = null;
  private watchesDrain = false;
  private ended = false;
  private linger: Timer | null = null;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly owner: ExchangeOwner,
    private readonly connection: NodeConnection,
    private awaitsContinue: boolean,
  ) {
    this.method = request.method ?? '';
    this.target = request.url ?? '/';
    this.declaredLength = declaredLength(request);
    response.on('close', () => this.closed());
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

  readBody(limitBytes: number, reader: BodyReader): void {
    const { request } = this;
    const chunks: Buffer[] = [];
    let bytes = 0;
    if (this.awaitsContinue) this.response.writeContinue();
    this.awaitsContinue = false;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limitBytes) return void chunks.push(chunk);
      request.removeAllListeners('data').removeAllListeners('end');
      reader.tooLarge();
    });
    request.on('end', () => {
      const [first] = chunks;
      reader.complete(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes));
    });
  }

  head(status: number, headers: readonly string[]): void {
    const all = this.owner.draining ? [...headers, 'connection', 'close'] : (headers as string[]);
    this.response.writeHead(status, all);
  }

  write(bytes: Buffer): boolean {
    if (this.response.write(bytes)) return true;
    if (!this.watchesDrain) this.response.on('drain', () => this.listener?.drained());
    this.watchesDrain = true;
    return false;
  }

  end(bytes?: Buffer): void {
    this.ended = true;
    if (bytes === undefined) this.response.end();
    else this.response.end(bytes);
  }

  /** What is on its way still arrives, as long as the client reads. */
  destroy(): void {
    this.ended = true;
    const { socket } = this.request;
    if (this.response.writableNeedDrain) socket.destroy();
    else socket.destroySoon();
  }

  reply(status: number, headers: readonly string[], body: string | null): void {
    if (this.response.headersSent || this.response.destroyed) return this.destroy();
    const payload = body === null ? null : Buffer.from(body);
    const all = [...headers];
    if (payload !== null) all.push('content-length', String(payload.length));
    const closes = this.awaitsContinue || this.hasMuchUnread();
    if (closes && !this.owner.draining) all.push('connection', 'close');
    this.head(status, all);
    if (closes && !this.awaitsContinue) return this.replyAndLinger(payload);
    this.request.resume();
    this.end(payload ?? undefined);
  }

  private hasMuchUnread(): boolean {
    if (this.request.complete || this.declaredLength === 0) return false;
    return this.declaredLength === null || this.declaredLength > SKIPPED_BYTES_MAX;
  }

  /**
   * Sends the whole answer but closes only when the client has stopped sending or had time to read: closing at once
   * would reset the connection under the unread bytes, and with it the answer.
   */
  private replyAndLinger(payload: Buffer | null): void {
    this.ended = true;
    if (payload !== null) this.response.write(payload);
    else this.response.flushHeaders();
    const end = () => this.response.end();
    this.linger = this.owner.timers.create(end);
    this.linger.arm(LINGER_MS);
    this.request.on('end', end).resume();
  }

  private closed(): void {
    this.linger?.cancel();
    if (!this.ended) this.listener?.gone();
    this.ended = true;
    this.connection.release();
    this.owner.closed();
    // A kept-alive answer that began before draining leaves its connection open.
    if (this.owner.draining) this.request.socket.destroySoon();
  }
}

function declaredLength(request: IncomingMessage): number | null {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return null;
  const length = headers['content-length'];
  return length === undefined ? 0 : Number(length);
}
