import { EVENT_NAMES, type Circuit } from '@penstock/protocol';
import type { Logger } from '@penstock/observability';

import type { AssessLivenessService, LivenessSubject } from '../liveness/index.js';
import type { AckRegistry } from './ack-registry.js';
import type { Publisher } from './announce-change.service.js';

/** Ids of the circuits a node says it registered. */
export interface CircuitAck {
  readonly circuitIds: readonly string[];
}

/** Keeps a bulk call of thousands below what subscribers' buffers hold. */
const CIRCUITS_PER_EVENT = 100;

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
    const wanted = new Set(circuits.map((circuit) => circuit.id));
    const collector = this.acks.arm((ack) => ack.circuitIds.some((id) => wanted.has(id)));
    try {
      const published = await this.publishInParts(authority, circuits);
      if (!published || !this.publisher.connected || live.nodes === 0) return;
      const complete = await collector.until(() => coversAll(collector.acks, wanted), this.ackTimeoutMs);
      if (!complete)
        this.logger.warn({ authority, circuits: wanted.size }, 'circuits not acknowledged in time');
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

  /** False as soon as one part is not taken: the rest would not be either. */
  private async publishInParts(authority: string, circuits: readonly Circuit[]): Promise<boolean> {
    for (let start = 0; start < circuits.length; start += CIRCUITS_PER_EVENT) {
      const part = circuits.slice(start, start + CIRCUITS_PER_EVENT);
      const event = { name: EVENT_NAMES.circuitCreated, authority, circuits: part };
      if (!(await this.publisher.publish(event))) return false;
    }
    return true;
  }
}

function coversAll(acks: readonly CircuitAck[], wanted: ReadonlySet<string>): boolean {
  const acknowledged = new Set(acks.flatMap((ack) => ack.circuitIds));
  return [...wanted].every((id) => acknowledged.has(id));
}
