import type { FrontExchange, FrontHandler, StandaloneAnswer, UpgradeExchange } from '../../front.port.js';
import { malformedAnswer } from '../../standalone-answer.js';
import { AggregateHandling } from './aggregate-handling.js';
import type { CircuitDeps } from './circuit-deps.js';
import { CircuitHandling } from './circuit-handling.js';
import { CircuitUpgrade } from './circuit-upgrade.js';

/** A listener on which every endpoint has a host of its own. */
export class CircuitSurface implements FrontHandler {
  constructor(private readonly deps: CircuitDeps) {}

  open(exchange: FrontExchange): void {
    const match = this.deps.frontend.hosts.match(exchange.target, exchange.header('host'));
    if (match.kind === 'aggregate') new AggregateHandling(this.deps, exchange).run();
    else new CircuitHandling(this.deps, exchange, match).run();
  }

  upgrade(exchange: UpgradeExchange): void {
    new CircuitUpgrade(this.deps, exchange).run();
  }

  malformed(status: 400 | 408 | 431, peer: string): StandaloneAnswer {
    return malformedAnswer(this.deps, status, peer, this.deps.frontend.mode);
  }
}
