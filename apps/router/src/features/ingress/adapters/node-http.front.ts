import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { unwrapMappedIpv4 } from '@penstock/protocol';
import type { TimerWheel } from '../../proxy/index.js';
import type { ListenAddress } from '../data-plane.port.js';
import type { FrontHandler } from '../front.port.js';
import { NodeConnection } from './node-connection.js';
import { NodeExchange, type ExchangeOwner } from './node-exchange.js';

/** Longest head, in bytes: far above what SDKs send, small enough to hold for every connection. */
const HEAD_BYTES_MAX = 16 * 1024;
/** From the first byte of a head to its last; counted from the start, so that trickling does not extend it. */
const HEAD_MS_MAX = 20_000;
const REQUEST_MS_MAX = 300_000;
/** Above the idle times common in load balancers, so that they close first and never write into a closed socket. */
const KEEP_ALIVE_MS = 75_000;

/** HTTP/1.1 by `node:http`: its parser, its limits, its timeouts. */
export class NodeHttpFront implements ExchangeOwner {
  draining = false;
  private open = 0;
  private readonly server: Server;
  private readonly connections = new WeakMap<object, NodeConnection>();
  private whenEmpty: (() => void) | null = null;

  constructor(
    private readonly handler: FrontHandler,
    readonly timers: TimerWheel,
  ) {
    this.server = createServer({
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: HEAD_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Other protocols than WebSocket (h2c above all) are offers, which HTTP/1.1 may ignore.
      shouldUpgradeCallback: (request) => /\bwebsocket\b/i.test(request.headers.upgrade ?? ''),
    });
    this.wire();
  }

  /** Exchanges whose answer has not been flushed yet. */
  get inFlight(): number {
    return this.open;
  }

  /** @throws the system's error when the address cannot be bound */
  listen({ host, port }: ListenAddress): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port, backlog: 1_024 }, () => {
        this.server.removeListener('error', reject);
        resolve(this.server.address() as AddressInfo);
      });
    });
  }

  stopAccepting(): void {
    this.draining = true;
    if (this.server.listening) this.server.close();
    this.server.closeIdleConnections();
  }

  /** @returns the exchanges that the deadline cut off */
  async drain(deadlineMs: number): Promise<number> {
    this.stopAccepting();
    if (this.open > 0) await this.emptyWithin(deadlineMs);
    const cutOff = this.open;
    this.server.closeAllConnections();
    return cutOff;
  }

  closed(): void {
    this.open -= 1;
    if (this.open === 0) this.whenEmpty?.();
  }

  private emptyWithin(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      this.whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private wire(): void {
    const { server } = this;
    server.on('connection', (socket: Socket) => this.connected(socket));
    server.on('request', (request, response) => this.requested(request, response, false));
    server.on('checkContinue', (request, response) => this.requested(request, response, true));
    server.on('checkExpectation', (_request, response) => this.unexpected(response));
    server.on('upgrade', (request, socket) => this.upgraded(request, socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.malformed(error, socket));
  }

  private connected(socket: Socket): void {
    const connection = new NodeConnection();
    this.connections.set(socket, connection);
    socket.once('close', () => connection.close());
  }

  private requested(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) return void request.socket.destroy();
    const taken = connection.enqueue(() => {
      this.open += 1;
      const exchange = new NodeExchange(request, response, this, connection, awaitsContinue);
      connection.active = exchange;
      this.handler.open(exchange);
    });
    if (!taken) request.socket.destroy();
  }

  private unexpected(response: ServerResponse): void {
    const { headers, body } = this.handler.malformed(400);
    const length = String(Buffer.byteLength(body));
    response.writeHead(417, [...headers, 'content-length', length, 'connection', 'close']).end(body);
  }

  private upgraded(request: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    this.handler.upgrade({
      method: request.method ?? '',
      target: request.url ?? '/',
      peer: unwrapMappedIpv4(request.socket.remoteAddress ?? ''),
      rawHeaders: request.rawHeaders,
      header: (name) => {
        const value = request.headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      },
      refuse: (status, headers, body) => this.answerRaw(socket, status, headers, body),
    });
  }

  /** Bytes that are no request. A connection on which an answer is under way is only closed. */
  private malformed(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.connections.get(socket);
    if (connection?.broken === true) return;
    const busy = connection?.active?.headSent === true;
    if (connection !== undefined) connection.broken = true;
    if (error.code === 'ECONNRESET' || !socket.writable || busy) return void socket.destroy(error);
    const status = statusOf(error);
    const { headers, body } = this.handler.malformed(status);
    this.answerRaw(socket, status, headers, body);
  }

  /** Answers and closes, but only after the client had a moment to stop sending and to read. */
  private answerRaw(socket: Duplex, status: number, headers: readonly string[], body: string): void {
    const length = String(Buffer.byteLength(body));
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
    const all = [...headers, 'content-length', length, 'connection', 'close'];
    for (let index = 0; index + 1 < all.length; index += 2) lines.push(`${all[index]}: ${all[index + 1]}`);
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    socket.resume();
    const timer = this.timers.create(() => socket.destroy());
    timer.arm(1_000);
    socket.once('close', () => timer.cancel());
  }
}

function statusOf(error: NodeJS.ErrnoException): 400 | 408 | 431 {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 431;
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}
