import type { Socket } from 'node:net';
import type { PullSource } from '../../replica-client.port.js';
import { AnswerParser, type AnswerListener } from './answer-parser.js';
import { BodyPump } from './body-pump.js';
import type { CallCarrier, Http1Call } from './http1-call.js';
import { MalformedAnswerError } from './malformed-answer.error.js';
import type { AnswerHead } from './parse-head.js';
import { readBeforeFailing } from './read-before-failing.js';
import { requestHead } from './request-head.js';

/** Keeps connections for later calls. */
export interface ConnectionKeeper {
  /** The connection's answer ended as it should, and it can carry another call. */
  released(connection: ReplicaConnection): void;
  closed(connection: ReplicaConnection): void;
}

/** Up to here a body is joined with its head and goes out in one write; above, copying costs more than a second piece. */
const JOINED_BYTES_MAX = 8 * 1024;

/**
 * One connection to a replica, with one call at a time. It is kept for another call only when the request was sent to
 * its last byte, the answer ended by its own framing and nothing came after it; otherwise it is closed.
 */
export class ReplicaConnection implements CallCarrier, AnswerListener {
  /** Monotonic milliseconds until which an idle connection may be used again; its keeper's business. */
  idleUntilMs = 0;
  private call: Http1Call | null = null;
  private readonly parser = new AnswerParser(this);
  private pumping = false;
  private paused = false;
  /** Bytes that came while the answer was paused. */
  private held: Buffer | null = null;
  private ended = false;

  constructor(
    private readonly socket: Socket,
    private readonly host: string,
    private readonly keeper: ConnectionKeeper,
  ) {
    socket.on('data', (bytes: Buffer) => this.received(bytes));
    socket.on('end', () => this.finished());
    socket.on('error', (error) => this.broken(error));
    socket.on('close', () => this.closed());
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  /** Seconds the replica said it keeps this connection, null when it did not say. */
  get keepAliveSeconds(): number | null {
    return this.parser.answer?.keepAliveSeconds ?? null;
  }

  /** The connection must be idle. A connection that is still being made sends the call when it is there. */
  carry(call: Http1Call): void {
    this.call = call;
    call.carrier = this;
    if (this.socket.connecting) this.socket.once('connect', () => this.write(call));
    else this.write(call);
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    const { held } = this;
    this.held = null;
    if (held !== null) this.received(held);
    if (this.paused) return;
    // A connection that ended meanwhile is closed, but its last bytes were held until now.
    if (this.ended) this.finished();
    else this.socket.resume();
  }

  abort(): void {
    this.destroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Fails the call under way, if any, and closes. */
  broken(error: Error): void {
    this.destroy();
    this.call?.fail(error);
  }

  head(head: AnswerHead): boolean {
    return this.call?.head(head) === true;
  }

  data(bytes: Buffer): boolean {
    const { call } = this;
    if (call === null) return false;
    const goesOn = call.data(bytes);
    if (!goesOn && !call.over && !this.parser.done) this.pause();
    return goesOn;
  }

  private write(call: Http1Call): void {
    if (call.over) return;
    const request = call.takeRequest();
    this.parser.begin(request.method === 'HEAD');
    try {
      this.send(requestHead(this.host, request), request.body);
    } catch (error) {
      this.broken(error as Error);
    }
  }

  private send(head: string, body: Buffer | PullSource | null): void {
    const { socket } = this;
    if (body === null) return void socket.write(head, 'latin1');
    if (!Buffer.isBuffer(body)) return this.pump(head, body);
    if (body.length <= JOINED_BYTES_MAX) return void socket.write(head + body.toString('latin1'), 'latin1');
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  private pump(head: string, source: PullSource): void {
    this.pumping = true;
    readBeforeFailing(this.socket);
    this.socket.write(head, 'latin1');
    new BodyPump(this.socket, source).run().then(
      () => (this.pumping = false),
      (error: unknown) => this.broken(error as Error),
    );
  }

  private received(bytes: Buffer): void {
    const { call } = this;
    // Nobody asked: whatever it is, it cannot be told from an answer to the next call.
    if (call === null) return this.destroy();
    if (this.paused) return this.hold(bytes);
    try {
      this.read(call, bytes);
    } catch (error) {
      this.destroy();
      call.fail(error as Error, error instanceof MalformedAnswerError ? 'malformed' : 'reset');
    }
  }

  private read(call: Http1Call, bytes: Buffer): void {
    const at = this.parser.push(bytes, 0);
    if (call.over) return this.destroy();
    if (this.parser.done) return this.complete(call, at === bytes.length);
    if (at < bytes.length) this.hold(bytes.subarray(at));
  }

  private hold(bytes: Buffer): void {
    this.held = this.held === null ? bytes : Buffer.concat([this.held, bytes]);
  }

  private pause(): void {
    this.paused = true;
    this.socket.pause();
  }

  /** The connection is let go before the sink hears of the end, which may well be followed by another call. */
  private complete(call: Http1Call, nothingFollowed: boolean): void {
    this.call = null;
    call.carrier = null;
    if (nothingFollowed && this.isReusable()) this.keeper.released(this);
    else this.destroy();
    call.end();
  }

  private isReusable(): boolean {
    const sent = !this.pumping && this.socket.writableLength === 0;
    return sent && !this.ended && !this.socket.destroyed && this.parser.answer?.keepsAlive === true;
  }

  /** The replica closed its side. What is still held is its answer and comes first. */
  private finished(): void {
    this.ended = true;
    if (this.paused) return;
    const { call } = this;
    if (call !== null && this.parser.finish()) this.complete(call, true);
    else this.broken(new Error('The replica closed the connection before its answer was complete'));
  }

  private closed(): void {
    this.keeper.closed(this);
    if (this.ended && this.paused) return;
    this.call?.fail(new Error('The connection to the replica was closed'));
  }
}
