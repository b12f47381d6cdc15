import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Json, JsonObject } from '../checking/json.js';
import { readBody } from '../checking/read-body.js';
import { acceptOf, CLOSE, closePayload, FrameReader, TEXT, writeFrame } from './websocket-frames.js';

/**
 * A replica that answers every request with what it got: `{replica, method, target, headers, body}`. Some paths behave
 * otherwise: `/events` streams and waits, `/moved` redirects, `/hang-up` closes before its head, `/break` inside its
 * body, `/cookies` sets two.
 */
export class Replica {
  private readonly server: Server;
  /** Codes of the close frames that clients sent. */
  readonly closeCodes: number[] = [];
  private readonly sockets = new Set<Duplex>();
  /** Ends the answers of `/events` that wait. */
  private readonly waiting = new Set<() => void>();

  private constructor(
    readonly name: string,
    /** Listed by `/v1/models`. */
    private readonly model: string,
  ) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
    this.server.on('upgrade', (request, socket) => this.upgrade(request, socket));
    this.server.on('connection', (socket) => this.sockets.add(socket));
  }

  static async start(name: string, model = 'conformance-model'): Promise<Replica> {
    const replica = new Replica(name, model);
    await new Promise<void>((resolve) => replica.server.listen(0, '127.0.0.1', resolve));
    return replica;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Lets `/events` send its second event and end. */
  proceed(): void {
    for (const go of this.waiting) go();
    this.waiting.clear();
  }

  async close(): Promise<void> {
    this.proceed();
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const path = (request.url ?? '').split('?')[0];
    if (path?.startsWith('/events')) return this.stream(response);
    if (path === '/hang-up') return void request.socket.destroy();
    if (path === '/break') return breakOff(request.socket, response);
    if (path === '/moved') return void response.writeHead(302, { location: '/elsewhere' }).end();
    if (path === '/cookies') response.setHeader('set-cookie', ['a=1; Path=/', 'b=2; Path=/']);
    const answer = path === '/v1/models' ? modelList(this.model) : this.seen(request, body);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }

  private seen(request: IncomingMessage, body: Buffer): JsonObject {
    return {
      replica: this.name,
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers as Record<string, Json>,
      body: body.toString('utf8'),
    };
  }

  private stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write('data: first\n\n');
    this.waiting.add(() => response.end('data: second\n\n'));
  }

  private upgrade(request: IncomingMessage, socket: Duplex): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    const key = String(request.headers['sec-websocket-key']);
    const [protocol] = String(request.headers['sec-websocket-protocol'] ?? '').split(',');
    const chosen = protocol ? `Sec-WebSocket-Protocol: ${protocol.trim()}\r\n` : '';
    const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';
    socket.write(`${head}${chosen}Sec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`);
    this.converse(request, socket);
  }

  /** Echoes texts; `headers` is answered with one header of the request, `close` with a close frame of its own. */
  private converse(request: IncomingMessage, socket: Duplex): void {
    const reader = new FrameReader();
    socket.on('data', (chunk: Buffer) => {
      for (const { opcode, payload } of reader.push(chunk)) {
        if (opcode === CLOSE) return this.sayGoodbye(payload, socket);
        if (opcode === TEXT) answerText(payload.toString(), request, socket);
      }
    });
  }

  private sayGoodbye(payload: Buffer, socket: Duplex): void {
    if (payload.length >= 2) this.closeCodes.push(payload.readUInt16BE(0));
    socket.end(writeFrame(CLOSE, payload, false));
  }
}

function answerText(text: string, request: IncomingMessage, socket: Duplex): void {
  if (text === 'close') socket.write(writeFrame(CLOSE, closePayload(4_001, 'enough'), false));
  else socket.write(writeFrame(TEXT, Buffer.from(answerTo(text, request)), false));
}

function answerTo(text: string, { headers }: IncomingMessage): string {
  if (text === 'headers') return `x-note:${String(headers['x-note'] ?? '')}`;
  return `echo:${text}`;
}

function breakOff(socket: Socket, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
  response.write('only a part');
  setImmediate(() => socket.destroy());
}

function modelList(model: string): Json {
  return { object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'conformance' }] };
}
