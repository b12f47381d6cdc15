import { AppError, HEADERS } from '@penstock/protocol';
import { openAiError } from '../proxy/index.js';
import { newRequestId, RequestRecord } from '../usage/index.js';
import { errorHeaders } from './domain/error-headers.js';
import { servedMethods } from './domain/route-table.js';
import type { FrontExchange, FrontHandler, StandaloneAnswer, UpgradeExchange } from './front.port.js';
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
    const error =
      exchange.method === 'CONNECT'
        ? new AppError('method_not_allowed', 'This is no proxy to tunnel through.', {
            allow: servedMethods(),
          })
        : new AppError('invalid_request', 'This endpoint does not speak WebSocket.');
    exchange.refuse(this.standalone(error, exchange.method, exchange.peer));
  }

  malformed(status: 400 | 408 | 431, peer: string): StandaloneAnswer {
    return this.standalone(MALFORMED[status](), '', peer);
  }

  /** Answers what never became an exchange, and ends it like one, so that the id in the answer leads to a log line. */
  private standalone(error: AppError, method: string, peer: string): StandaloneAnswer {
    const { now, forwarding, finisher } = this.deps;
    const record = new RequestRecord(newRequestId(now()), method, forwarding.timers.now());
    record.peer = peer;
    const { status, code, entry } = error;
    finisher.finish(record, { kind: 'refused', status, errorCode: code, fault: entry.fault });
    return {
      status,
      headers: [HEADERS.requestId, record.id, ...errorHeaders(error)],
      body: openAiError(error),
    };
  }
}

const MALFORMED = {
  400: () => new AppError('invalid_request', 'The request is not valid HTTP/1.1.'),
  408: () => new AppError('request_timeout', 'The request did not arrive in time.'),
  431: () => new AppError('headers_too_large', 'The request headers are larger than this router takes.'),
};
