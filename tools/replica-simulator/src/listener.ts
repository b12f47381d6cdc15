import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP listener that can close its port and take the same port again. */
export class Listener {
  readonly #handler: RequestListener;
  readonly #host: string;
  #port: number;
  #server: Server | null = null;

  constructor(host: string, port: number, handler: RequestListener) {
    this.#host = host;
    this.#port = port;
    this.#handler = handler;
  }

  /** Known after the first `open`; a port of 0 has become a real one by then. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${host}:${this.#port}`;
  }

  async open(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer({ noDelay: true, requestTimeout: 0 }, this.#handler);
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: this.#host, port: this.#port, backlog: 4_096 }, resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
  }

  /** From here on the port refuses connections, and those that were open are gone. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async openSockets(): Promise<number> {
    const server = this.#server;
    if (server === null) return 0;
    return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  }
}
