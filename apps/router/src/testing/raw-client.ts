import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { KEY } from './snapshots.js';

/** What a request to the model API needs, as raw header lines. */
export const AUTH_LINES = `authorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n`;

/** A POST of a chat completion as raw bytes; the framing is the test's. */
export function rawPost(headerLines: string, body = ''): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${headerLines}\r\n${body}`;
}

/** The same with a correct length. */
export function rawChat(body: string, moreHeaderLines = ''): string {
  return rawPost(`${AUTH_LINES}${moreHeaderLines}content-length: ${Buffer.byteLength(body)}\r\n`, body);
}

/** A connection that a test drives byte by byte. */
export class RawClient {
  /** All that has come back, byte for byte. */
  answer = '';
  readonly closed: Promise<unknown>;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close');
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1');
    const client = new RawClient(socket);
    await once(socket, 'connect');
    return client;
  }

  /** Sends, reads all that comes back, and returns it once the connection is closed. */
  async exchange(text: string): Promise<string> {
    this.read().send(text);
    await this.closed;
    return this.answer;
  }

  /** Without it nothing is read, as by a client that has stalled. */
  read(): this {
    this.socket.setEncoding('latin1').on('data', (piece: string) => (this.answer += piece));
    return this;
  }

  send(text: string): this {
    this.socket.write(Buffer.from(text, 'latin1'));
    return this;
  }
}

/** Sends bytes as they are and returns all that comes back until the connection is closed. */
export async function rawExchange(port: number, text: string): Promise<string> {
  return (await RawClient.open(port)).exchange(text);
}

/** The JSON error of a raw answer. */
export function errorOf(answer: string): { readonly code: string; readonly message: string } {
  const body = answer.slice(answer.lastIndexOf('\r\n\r\n') + 4);
  return (JSON.parse(body) as { error: { code: string; message: string } }).error;
}

/** The request id a raw answer carries. */
export function requestIdOf(answer: string): string | undefined {
  return /^x-request-id: (.*)\r$/im.exec(answer)?.[1];
}
