import type { EventBus } from '@penstock/event-bus';
import type { ControlMetrics } from './control-metrics.js';
import { acknowledgementOf, type AckIdentity } from './domain/acknowledgement.js';
import type { ReceivedEvent } from './pending-hints.js';

/**
 * Acknowledges what has been applied, once per event. A lost acknowledgement is not repeated: whoever waits for it
 * reports the change as deferred, or asks again.
 */
export class ReportAppliedService {
  constructor(
    private readonly bus: Pick<EventBus, 'publish'>,
    private readonly metrics: ControlMetrics,
    private readonly who: AckIdentity,
  ) {}

  report(received: ReceivedEvent): void {
    const acknowledgement = acknowledgementOf(received.event, this.who);
    if (acknowledgement === null) return;
    const { traceparent } = received;
    void this.bus
      .publish(acknowledgement, traceparent === undefined ? {} : { traceparent })
      .then((isSent) => this.metrics.acknowledged(isSent ? 'sent' : 'lost'));
  }
}
