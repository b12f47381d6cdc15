import type { AppProxyEvent } from '@penstock/protocol';
import type { ControlMetrics } from './control-metrics.js';
import type { DesiredStateStore } from './desired-state.store.js';

interface Dependencies {
  readonly authority: string;
  readonly mode: 'router' | 'wildcard';
  readonly state: DesiredStateStore;
  readonly metrics: ControlMetrics;
}

/** Takes events off the bus: those of our own authority, and only those meant for a worker of our mode. */
export class RouterEventConsumer {
  constructor(private readonly deps: Dependencies) {}

  /** An arrow function, as it is handed to the bus. */
  readonly consume = (event: AppProxyEvent, meta: { readonly traceparent?: string | undefined }): void => {
    const { authority, mode, state, metrics } = this.deps;
    if (event.authority !== authority || isAcknowledgement(event)) return;
    // A wildcard worker has neither model names nor keys, so it must not confirm a change of one.
    if (mode === 'wildcard' && !isCircuitEvent(event)) return;
    metrics.received(event.name);
    state.receive({ event, traceparent: meta.traceparent });
  };
}

/** What routers send; every subscriber of the channel hears it, its sender too. */
function isAcknowledgement(event: AppProxyEvent): boolean {
  return (
    event.name === 'appproxy_worker_circuit_added_event' ||
    event.name === 'appproxy_worker_router_config_applied_event'
  );
}

function isCircuitEvent(event: AppProxyEvent): boolean {
  return 'circuits' in event || 'circuit' in event;
}
