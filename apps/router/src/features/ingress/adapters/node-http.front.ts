import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { unwrapMappedIpv4 } from '@penstock/protocol';
import type { TimerWheel } from '../../proxy/index.js';
import type { ArrivalLimits, ListenAddress } from '../data-plane.port.js';
import type { FrontHandler } from '../front.port.js';
import { answerRaw } from './answer-raw.js';
import { NodeConnection } from './node-connection.js';
import { NodeExchange, type ExchangeOwner } from './node-exchange.js';
import { NodeUpgrade, type UpgradeOwner } from './node-upgrade.js';
import { asksForUpgrade, type UpgradeKinds } from './upgrade-kinds.js';

/** Longest head, in bytes: far above what SDKs send, small enough to hold for every connection. */
const HEAD_BYTES_MAX = 16 * 1024;
/** Counted from the first byte, so that trickling does not extend them. */
const ARRIVAL: ArrivalLimits = { headMs: 20_000, bodyMs: 300_000, checkEveryMs: 2_000 };
/** Above the idle times common in load balancers, so that they close first and never write into a closed socket. */
const KEEP_ALIVE_MS = 75_000;

interface FrontOptions {
  readonly timers: TimerWheel;
  readonly stallMs: () => number;
  /** Hears what goes wrong with the listening socket after it was bound, such as a lack of file descriptors. */
  readonly onError: (error: Error) => void;
  readonly arrival?: ArrivalLimits | undefined;
  /** Which requests to leave HTTP are handed over as such; the others are answered in HTTP. */
  readonly upgrades: UpgradeKinds;
}

/** HTTP/1.1 by `node:http`: its parser, its limits, its timeouts. */
export class NodeHttpFront implements ExchangeOwner, UpgradeOwner {
  draining = false;
  private open = 0;
  private readonly server: Server;
  private readonly connections = new Map<object, NodeConnection>();
  private whenEmpty: (() => void) | null = null;
  /** The last request to leave HTTP that is answered in HTTP. */
  private declined: IncomingMessage | null = null;

  constructor(
    private readonly handler: FrontHandler,
    private readonly options: FrontOptions,
  ) {
    const { headMs, bodyMs, checkEveryMs } = options.arrival ?? ARRIVAL;
    this.server = createServer({
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: headMs,
      requestTimeout: bodyMs,
      connectionsCheckingInterval: checkEveryMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The answer to a request without a host is ours to give.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => this.leaves(request),
    });
    this.wire();
  }

  get timers(): TimerWheel {
    return this.options.timers;
  }

  get stallMs(): number {
    return this.options.stallMs();
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
        this.server.off('error', reject).on('error', this.options.onError);
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
    for (const connection of this.connections.values()) connection.active?.interrupt('shutdown');
    this.server.closeAllConnections();
    return cutOff;
  }

  held(upgrade: NodeUpgrade): void {
    this.open += 1;
    const connection = this.connections.get(upgrade.socket);
    if (connection !== undefined) connection.active = upgrade;
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
    server.on('request', (request, response) => this.requested(request, response, 'none'));
    server.on('checkContinue', (request, response) => this.requested(request, response, 'continue'));
    server.on('checkExpectation', (request, response) => this.requested(request, response, 'unknown'));
    server.on('upgrade', (request, socket, early) => this.leavingHttp(request, socket, early));
    server.on('connect', (request, socket, early) => this.leavingHttp(request, socket, early));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.malformed(error, socket));
  }

  private connected(socket: Socket): void {
    const connection = new NodeConnection();
    this.connections.set(socket, connection);
    socket.once('close', () => {
      this.connections.delete(socket);
      connection.close();
    });
  }

  private leaves(request: IncomingMessage): boolean {
    const leaves = asksForUpgrade(request, this.options.upgrades);
    if (!leaves) this.declined = request;
    return leaves;
  }

  private requested(
    request: IncomingMessage,
    response: ServerResponse,
    expectation: 'none' | 'continue' | 'unknown',
  ): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) return void request.socket.destroy();
    // What comes in one piece with such a request is lost on `node:http`, so nothing behind it can be trusted.
    const isLast = this.declined === request;
    this.declined = null;
    const taken = connection.enqueue(() => {
      this.open += 1;
      const exchange = new NodeExchange(request, response, this, connection, expectation);
      if (isLast) exchange.closeAfterwards();
      connection.active = exchange;
      this.handler.open(exchange);
    });
    if (!taken) request.socket.destroy();
  }

  /** Leaving takes the connection over, so it is only closed when an answer is under way there. */
  private leavingHttp(request: IncomingMessage, socket: Duplex, early: Buffer): void {
    socket.on('error', () => socket.destroy());
    const connection = this.connections.get(socket);
    if (connection === undefined || connection.busy || connection.broken) return void socket.destroy();
    this.handler.upgrade(new NodeUpgrade(request, socket, early, this));
  }

  /** Bytes that are no request, or a request that did not arrive in time. */
  private malformed(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.connections.get(socket);
    if (connection === undefined || connection.broken) return;
    const { active } = connection;
    // Silence has a deadline of its own there.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && active?.streams === true) return;
    connection.broken = true;
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    if (active === null) {
      // Opened in advance and never used.
      if ((socket as Socket).bytesRead === 0) return void socket.destroy();
      return answerRaw(socket, this.handler.malformed(statusOf(error), peerOf(socket)), this.timers);
    }
    // Bytes behind a request that was announced to be the last one do not count.
    if (active.ended || error.code === 'HPE_CLOSED_CONNECTION') return;
    if (active.headSent || error.code === 'HPE_INVALID_EOF_STATE') return void socket.destroy();
    active.interrupt(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'timeout' : 'malformed');
  }
}

function peerOf(socket: Duplex): string {
  return unwrapMappedIpv4((socket as Socket).remoteAddress ?? '');
}

function statusOf(error: NodeJS.ErrnoException): 400 | 408 | 431 {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 431;
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}
