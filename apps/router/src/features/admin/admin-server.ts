import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ERRORS, type ErrorCode } from '@penstock/protocol';

/** An answer of the admin listener. */
export interface AdminAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers one path. */
export type AdminRoute = () => AdminAnswer | Promise<AdminAnswer>;

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function jsonAnswer(status: number, value: unknown): AdminAnswer {
  return { status, contentType: JSON_TYPE, body: JSON.stringify(value) };
}

/**
 * The operator's listener: reads only, no state of its own. It binds its address for this process alone, also in a
 * cluster, where listeners are otherwise shared.
 */
export class AdminServer {
  private readonly server: Server;

  constructor(
    private readonly routes: ReadonlyMap<string, AdminRoute>,
    private readonly onError: (error: unknown) => void,
  ) {
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.requestTimeout = 10_000;
    this.server.headersTimeout = 5_000;
  }

  /** @throws the system's error when the address cannot be bound */
  start(address: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ ...address, exclusive: true }, () => {
        this.server.off('error', reject);
        resolve(this.server.address() as AddressInfo);
      });
    });
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume(); // A body means nothing here, but it must not block the connection.
    const answer = await this.answer(request).catch((error: unknown) => {
      this.onError(error);
      return problem('service.internal', 'The admin listener could not answer; see the log.');
    });
    response.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': Buffer.byteLength(answer.body),
      'cache-control': 'no-store',
      ...(answer.status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }

  private async answer(request: IncomingMessage): Promise<AdminAnswer> {
    const path = request.url?.split('?')[0] ?? '';
    const route = this.routes.get(path);
    if (!route) return problem('request.not_found', `There is ${[...this.routes.keys()].join(', ')}.`);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return problem('request.method_not_allowed', 'The admin listener only answers GET and HEAD.');
    }
    return route();
  }
}

function problem(code: ErrorCode, detail: string): AdminAnswer {
  const { status, title } = ERRORS[code];
  return {
    status,
    contentType: PROBLEM_TYPE,
    body: JSON.stringify({ type: 'about:blank', title, status, detail, code }),
  };
}
