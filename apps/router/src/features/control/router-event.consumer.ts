import type { AppProxyEvent } from '@penstock/protocol';
import type { ControlMetrics } from './control-metrics.js';
import type { DesiredStateStore } from './desired-state.store.js';

/** Takes events off the bus: those of our own authority, and only those meant for workers. */
export class RouterEventConsumer {
  constructor(
    private readonly authority: string,
    private readonly state: DesiredStateStore,
    private readonly metrics: ControlMetrics,
  ) {}

  /** An arrow function, as it is handed to the bus. */
  readonly consume = (event: AppProxyEvent, meta: { readonly traceparent?: string | undefined }): void => {
    if (event.authority !== this.authority || isAcknowledgement(event)) return;
    this.metrics.received(event.name);
    this.state.receive({ event, traceparent: meta.traceparent });
  };
}

/** What routers send; every subscriber of the channel hears it, its sender too. */
function isAcknowledgement(event: AppProxyEvent): boolean {
  return (
    event.name === 'appproxy_worker_circuit_added_event' ||
    event.name === 'appproxy_worker_router_config_applied_event'
  );
}
