import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { CheckFailed } from '../checking/expect.js';
import { CLOSE, type Frame, FrameReader, TEXT, writeFrame, closePayload } from './websocket-frames.js';

export interface WebSocketTarget {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Milliseconds until an expected frame must be there. */
  readonly patienceMs: number;
  /** Host included. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Far more than any check makes a worker send. */
const BYTES_MAX = 1024 * 1024;

/** A WebSocket as a check speaks it: what came back for the upgrade, and frames one by one. */
export class WebSocketClient {
  private readonly reader = new FrameReader();
  private readonly frames: Frame[] = [];
  private head = '';
  private ended = false;
  private wake: () => void = () => undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly patienceMs: number,
  ) {
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('error', () => this.end());
    socket.on('close', () => this.end());
  }

  /** @throws CheckFailed when no head comes back in time. */
  static async open({ host, port, path, headers, patienceMs }: WebSocketTarget): Promise<WebSocketClient> {
    const client = new WebSocketClient(connect(port, host), patienceMs);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const key = randomBytes(16).toString('base64');
    const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n';
    client.socket.write(
      `GET ${path} HTTP/1.1\r\n${lines.join('')}${upgrade}Sec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await client.until(() => client.head.includes('\r\n\r\n'), 'the upgrade is not answered');
    return client;
  }

  get status(): number {
    return Number(this.head.split(' ')[1]);
  }

  /** A header of the answer to the upgrade. */
  header(name: string): string | undefined {
    const line = this.head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name}:`));
    return line?.slice(name.length + 1).trim();
  }

  say(text: string): void {
    this.socket.write(writeFrame(TEXT, Buffer.from(text), true));
  }

  close(code: number): void {
    this.socket.write(writeFrame(CLOSE, closePayload(code, ''), true));
  }

  /** The next text. @throws CheckFailed when none comes in time. */
  async text(): Promise<string> {
    return (await this.frame(TEXT)).toString();
  }

  /** Code of the close frame. @throws CheckFailed when none comes in time. */
  async closed(): Promise<number> {
    const payload = await this.frame(CLOSE);
    return payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
  }

  drop(): void {
    this.socket.destroy();
  }

  private async frame(opcode: number): Promise<Buffer> {
    const found = (): Frame | undefined => this.frames.find((frame) => frame.opcode === opcode);
    await this.until(() => found() !== undefined, `no frame of kind ${opcode} comes back`);
    const frame = found();
    if (frame) this.frames.splice(this.frames.indexOf(frame), 1);
    return frame?.payload ?? Buffer.alloc(0);
  }

  private async until(condition: () => boolean, otherwise: string): Promise<void> {
    const deadline = Date.now() + this.patienceMs;
    while (!condition()) {
      const left = deadline - Date.now();
      if (left <= 0 || this.ended)
        throw new CheckFailed(`${otherwise}${this.ended ? ': the connection ended' : ''}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  private take(chunk: Buffer): void {
    if (this.socket.bytesRead > BYTES_MAX) return void this.socket.destroy();
    if (this.head.includes('\r\n\r\n')) this.frames.push(...this.reader.push(chunk));
    else this.takeHead(chunk);
    this.wake();
  }

  private takeHead(chunk: Buffer): void {
    const text = this.head + chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    this.head = end < 0 ? text : text.slice(0, end + 4);
    if (end >= 0) this.frames.push(...this.reader.push(Buffer.from(text.slice(end + 4), 'latin1')));
  }

  private end(): void {
    this.ended = true;
    this.wake();
  }
}
