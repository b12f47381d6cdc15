import { AppError, HEADERS } from '@penstock/protocol';
import { openAiError } from '../proxy/index.js';
import { newRequestId } from '../usage/index.js';
import type { FrontExchange, FrontHandler, UpgradeExchange } from './front.port.js';
import { Handling } from './handling.js';
import type { RequestHandlerDeps } from './request-handler-deps.js';

/** Serves `/v1` on whatever front is put before it. */
export class RequestHandler implements FrontHandler {
  constructor(private readonly deps: RequestHandlerDeps) {}

  open(exchange: FrontExchange): void {
    new Handling(this.deps, exchange).run();
  }

  /** No protocol but HTTP is spoken here yet. */
  upgrade(exchange: UpgradeExchange): void {
    const error = new AppError('invalid_request', 'This endpoint does not speak WebSocket.');
    exchange.refuse(error.status, this.standalone(), openAiError(error));
  }

  malformed(status: 400 | 408 | 431): { readonly headers: readonly string[]; readonly body: string } {
    return { headers: this.standalone(), body: openAiError(MALFORMED[status]()) };
  }

  private standalone(): readonly string[] {
    return [HEADERS.requestId, newRequestId(this.deps.now()), 'content-type', 'application/json'];
  }
}

const MALFORMED = {
  400: () => new AppError('invalid_request', 'The request is not valid HTTP/1.1.'),
  408: () => new AppError('request_timeout', 'The request did not arrive in time.'),
  431: () => new AppError('headers_too_large', 'The request headers are larger than this router takes.'),
};
