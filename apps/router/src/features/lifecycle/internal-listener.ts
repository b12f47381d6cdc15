import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@penstock/protocol';
import { openAiError } from '../proxy/index.js';

const NOT_FOUND = openAiError(new AppError('unknown_url', 'No internal endpoint answers to this host.'));

/**
 * The cluster-private listener. Internal endpoints are found by their host name; this router holds none, and an
 * unknown host is 404 here, so that nothing published for clients can be reached through it.
 */
export class InternalListener {
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      request.resume();
      response.writeHead(404, { 'content-type': 'application/json; charset=utf-8' }).end(NOT_FOUND);
    });
    this.server.requestTimeout = 10_000;
  }

  /** @throws the system's error when the address cannot be bound */
  start(address: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host: address.host, port: address.port }, () => {
        this.server.off('error', reject);
        resolve(this.server.address() as AddressInfo);
      });
    });
  }

  /** Nothing runs on it that would have to end first. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}
