import type { Metrics } from '@penstock/observability';
import type { Propagation } from '@penstock/protocol';

/** How changes travel: how many were acknowledged, and how long the first ack took. */
export class PropagationMetrics {
  private readonly outcomes;
  private readonly waits;

  constructor(metrics: Metrics) {
    this.outcomes = metrics.counter({
      name: 'penstock_propagation_total',
      help: 'Announced changes by outcome',
      labelNames: ['status'],
    });
    this.waits = metrics.histogram({
      name: 'penstock_propagation_wait_seconds',
      help: 'Time from broadcast to the last ack waited for',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    });
  }

  observe({ status, waited_ms }: Propagation): void {
    this.outcomes.inc({ status });
    if (status === 'applied') this.waits.observe(waited_ms / 1000);
  }
}
