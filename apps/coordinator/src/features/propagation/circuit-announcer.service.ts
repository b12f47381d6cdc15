import { EVENT_NAMES, type Circuit } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { AssessLivenessService, LivenessSubject } from '../liveness/index.js';
import type { AckRegistry } from './ack-registry.js';
import type { Publisher } from './announce-change.service.js';

/** Ids of the circuits a node says it registered. */
export interface CircuitAck {
  readonly circuitIds: readonly string[];
}

/**
 * Tells routers about circuits. Unlike a stock worker a router pulls its circuits again and again, so a lost event or
 * ack costs delay and is never an error of the call.
 */
export class CircuitAnnouncer {
  constructor(
    private readonly publisher: Publisher,
    private readonly acks: AckRegistry<CircuitAck>,
    private readonly liveness: AssessLivenessService,
    private readonly logger: Logger,
    private readonly ackTimeoutMs: number,
  ) {}

  /** Waits until some node acknowledged each circuit, at most the ack timeout, and not at all when nobody is alive. */
  async created(worker: LivenessSubject, circuits: readonly Circuit[]): Promise<void> {
    if (circuits.length === 0) return;
    const { authority } = worker;
    const live = await this.liveness.assess(worker);
    const wanted = circuits.map((circuit) => circuit.id);
    const collector = this.acks.arm((ack) => ack.circuitIds.some((id) => wanted.includes(id)));
    try {
      const published = await this.publisher.publish({
        name: EVENT_NAMES.circuitCreated,
        authority,
        circuits,
      });
      if (!published || !this.publisher.connected || live.nodes === 0) return;
      const acked = () => new Set(collector.acks.flatMap((ack) => ack.circuitIds));
      const complete = await collector.until(() => wanted.every((id) => acked().has(id)), this.ackTimeoutMs);
      if (!complete)
        this.logger.warn({ authority, circuits: wanted.length }, 'circuits not acknowledged in time');
    } finally {
      collector.close();
    }
  }

  /** Fire and forget. */
  async routesUpdated(authority: string, circuit: Circuit): Promise<void> {
    const routes = circuit.route_info;
    await this.publisher.publish({ name: EVENT_NAMES.circuitRouteUpdated, authority, circuit, routes });
  }

  /** Fire and forget. Each circuit carries a version above every one it ever had. */
  async removed(authority: string, circuits: readonly Circuit[]): Promise<void> {
    for (const circuit of circuits) {
      await this.publisher.publish({ name: EVENT_NAMES.circuitRemoved, authority, circuits: [circuit] });
    }
  }
}
