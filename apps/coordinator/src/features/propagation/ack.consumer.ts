import { EVENT_NAMES, type AppProxyEvent, type RouterConfigApplied } from '@penstock/protocol';

import type { NodeLiveness } from '../liveness/index.js';
import type { AckRegistry } from './ack-registry.js';
import type { Ack } from './domain/ack.js';
import { toVersion, type CircuitAck } from './domain/circuit-outcome.js';

/** Takes the acks of every node off the bus. Each coordinator hears them all, whichever of them made the change. */
export class AckConsumer {
  constructor(
    private readonly changes: AckRegistry<Ack>,
    private readonly circuits: AckRegistry<CircuitAck>,
    private readonly liveness: NodeLiveness,
  ) {}

  handle(event: AppProxyEvent): void {
    if (event.name === EVENT_NAMES.routerConfigApplied) this.acceptChange(event);
    if (event.name === EVENT_NAMES.workerCircuitAdded) {
      this.circuits.offer({ circuits: event.circuits.map(toVersion) });
    }
  }

  private acceptChange({ authority, node_id, kind, id, revision }: RouterConfigApplied): void {
    this.changes.offer({ authority, nodeId: node_id, kind, id, revision: revision ?? null });
    if (node_id !== null && revision !== undefined)
      void this.liveness.acknowledged(authority, node_id, revision);
  }
}
