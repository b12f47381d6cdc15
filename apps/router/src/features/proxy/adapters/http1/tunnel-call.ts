import type { Socket } from 'node:net';
import type { AttemptFailure } from '@penstock/routing';
import type { ReplicaCall } from '../../replica-client.port.js';
import type { TunnelSink } from '../../tunnel.port.js';
import { classifyFailure } from '../classify-failure.js';
import { AnswerParser, type AnswerListener } from './answer-parser.js';
import { MalformedAnswerError } from './malformed-answer.error.js';
import type { AnswerHead } from './parse-head.js';

const SWITCHING_PROTOCOLS = 101;

/** One question for another protocol: the connection is handed over when the replica agrees, and closed when it does not. */
export class TunnelCall implements ReplicaCall, AnswerListener {
  private readonly parser = new AnswerParser(this);
  private socket: Socket | null = null;
  private over = false;
  private paused = false;
  private held: Buffer | null = null;
  private ended = false;

  constructor(private readonly sink: TunnelSink) {}

  begin(socket: Socket, head: string, headOnly: boolean): void {
    this.socket = socket;
    this.parser.begin(headOnly, true);
    socket.on('data', this.onData).on('end', this.onEnd).on('error', this.onError).on('close', this.onClose);
    socket.once('connect', () => socket.write(head, 'latin1'));
  }

  resume(): void {
    if (!this.paused || this.over) return;
    this.paused = false;
    const { held } = this;
    this.held = null;
    if (held !== null) this.onData(held);
    if (this.paused || this.over) return;
    if (this.ended) this.onEnd();
    else this.socket?.resume();
  }

  abort(): void {
    if (this.over) return;
    this.close();
  }

  fail(cause: Error, failure: AttemptFailure = classifyFailure(cause)): void {
    if (this.over) return;
    this.close();
    this.sink.fail(failure, cause);
  }

  head({ status, rawHeaders, length }: AnswerHead): boolean {
    if (status === SWITCHING_PROTOCOLS) return false;
    this.sink.head(status, rawHeaders, length);
    return !this.over;
  }

  data(bytes: Buffer): boolean {
    if (!this.sink.data(bytes) && !this.over) this.pause();
    return !this.over && !this.paused;
  }

  private readonly onData = (bytes: Buffer): void => {
    if (this.over) return;
    if (this.paused) return this.hold(bytes);
    try {
      this.read(bytes);
    } catch (error) {
      this.fail(error as Error, error instanceof MalformedAnswerError ? 'malformed' : 'reset');
    }
  };

  private read(bytes: Buffer): void {
    const at = this.parser.push(bytes, 0);
    if (this.over) return;
    const rest = bytes.subarray(at);
    if (this.parser.answer?.status === SWITCHING_PROTOCOLS) return this.handOver(rest);
    if (this.parser.done) return this.complete();
    if (rest.length > 0) this.hold(rest);
  }

  private handOver(early: Buffer): void {
    const { socket, parser, sink } = this;
    if (socket === null || parser.answer === null) return;
    this.over = true;
    socket.pause();
    this.letGo(socket);
    sink.switched(parser.answer.rawHeaders, socket, early);
  }

  /** A refusal has been relayed: nothing else is asked on this connection. */
  private complete(): void {
    this.close();
    this.sink.end();
  }

  private hold(bytes: Buffer): void {
    this.held = this.held === null ? bytes : Buffer.concat([this.held, bytes]);
  }

  private pause(): void {
    this.paused = true;
    this.socket?.pause();
  }

  private readonly onEnd = (): void => {
    this.ended = true;
    if (this.paused || this.over) return;
    if (this.parser.finish()) this.complete();
    else this.fail(new Error('The replica closed the connection before its answer was complete'));
  };

  private readonly onError = (error: Error): void => this.fail(error);

  private readonly onClose = (): void => {
    if (!(this.ended && this.paused)) this.fail(new Error('The connection to the replica was closed'));
  };

  private close(): void {
    this.over = true;
    this.socket?.destroy();
  }

  private letGo(socket: Socket): void {
    socket
      .off('data', this.onData)
      .off('end', this.onEnd)
      .off('close', this.onClose)
      .off('error', this.onError);
  }
}
