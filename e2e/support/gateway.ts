import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { EndpointClient } from './endpoint-client.ts';

/** What a gateway needs to know of its upstream. */
interface Upstream {
  readonly host: string;
  /** Read again for every call, as the file changes with each rotation. */
  readonly tokenFile: string;
}

/** A service in front of a model, as a site would write one: it forwards with the token that it was given as a file. */
export class Gateway {
  upstream: Upstream = { host: '', tokenFile: '' };
  readonly #internalUrl: string;
  readonly #server: Server;

  private constructor(internalUrl: string) {
    this.#internalUrl = internalUrl;
    this.#server = createServer((request, response) => {
      request.resume().on('end', () => void this.#answer(response));
    });
  }

  static async start(internalUrl: string): Promise<Gateway> {
    const gateway = new Gateway(internalUrl);
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(response: ServerResponse): Promise<void> {
    try {
      const token = readFileSync(this.upstream.tokenFile, 'utf8').trim();
      const answer = await new EndpointClient(this.#internalUrl, this.upstream.host).chat(token);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }
}
