import { AppError } from '@penstock/protocol';
import { servedMethods } from '../../domain/route-table.js';
import type { FrontExchange, FrontHandler, StandaloneAnswer, UpgradeExchange } from '../../front.port.js';
import type { HandlingDeps } from '../../handling-deps.js';
import { malformedAnswer, standaloneAnswer } from '../../standalone-answer.js';
import { RouterHandling } from './router-handling.js';

/** The public listener of a router: `/v1` by model name and key, and nothing else. */
export class RouterSurface implements FrontHandler {
  constructor(private readonly deps: HandlingDeps) {}

  open(exchange: FrontExchange): void {
    new RouterHandling(this.deps, exchange).run();
  }

  /** No protocol but HTTP is spoken here yet. */
  upgrade(exchange: UpgradeExchange): void {
    const error =
      exchange.method === 'CONNECT'
        ? new AppError('method_not_allowed', 'This is no proxy to tunnel through.', {
            allow: servedMethods(),
          })
        : new AppError('invalid_request', 'This endpoint does not speak WebSocket.');
    exchange.refuse(
      standaloneAnswer(this.deps, { error, method: exchange.method, peer: exchange.peer, mode: 'router' }),
    );
  }

  malformed(status: 400 | 408 | 431, peer: string): StandaloneAnswer {
    return malformedAnswer(this.deps, status, peer, 'router');
  }
}
