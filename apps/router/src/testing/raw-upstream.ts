import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What is done with a connection once a request has come in on it; `turn` counts the requests of all connections. */
type RawScript = (socket: Socket, turn: number) => void;

/** A server that answers requests with any bytes at all, on a free port. Requests are single pieces without a body. */
export class RawUpstream {
  readonly sockets = new Set<Socket>();
  connections = 0;
  turns = 0;
  script: RawScript = (socket) => void socket.end();
  private readonly server: Server;

  constructor() {
    this.server = createServer((socket) => this.take(socket));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  listen(): Promise<this> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', () => resolve(this)));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
    });
  }

  private take(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('data', (bytes) => {
      if (bytes.includes('\r\n\r\n')) this.script(socket, this.turns++);
    });
  }
}
