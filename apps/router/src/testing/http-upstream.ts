import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A server whose answers a test writes down, bodies unread and upgrades included, on a free port. */
export class HttpUpstream {
  readonly sockets = new Set<Socket>();
  connections = 0;
  requests: IncomingMessage[] = [];
  onRequest: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    void response.end();
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void = (_request, socket) =>
    void socket.destroy();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      this.requests.push(request);
      this.onRequest(request, response);
    });
    this.server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
      this.requests.push(request);
      socket.on('error', () => undefined).on('end', () => socket.end());
      this.onUpgrade(request, socket, head);
    });
    this.server.on('connection', (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  listen(port = 0): Promise<this> {
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', () => resolve(this)));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
      for (const socket of this.sockets) socket.destroy();
    });
  }
}
