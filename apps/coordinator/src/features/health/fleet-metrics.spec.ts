import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@penstock/observability';

import { FleetMetrics, type FleetSources } from './fleet-metrics.js';

describe('fleet metrics', () => {
  it('answers a scrape without the fleet while the database hangs', async () => {
    const metrics = createMetrics({ service: 'coordinator' });
    const fleet = new FleetMetrics(metrics, {
      database: { answers: () => Promise.resolve(false) },
      workers: { all: () => new Promise<never>(() => undefined) },
      liveness: { assess: () => Promise.reject(new Error('not reached')) },
      bus: { connected: true },
    } satisfies FleetSources);
    await fleet.collect();
    const text = await metrics.text();
    expect(text).toMatch(/^penstock_event_bus_connected\{.*\} 1$/m);
    expect(text).not.toMatch(/^penstock_router_live_nodes\{/m);
  });
});
