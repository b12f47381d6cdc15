import { describe, expect, it } from '@jest/globals';

import { createMetrics } from './metrics.js';

describe('createMetrics', () => {
  it('labels every series with the service', async () => {
    const metrics = createMetrics({ service: 'router', processMetrics: false });
    metrics
      .counter({ name: 'penstock_things_total', help: 'Things.', labelNames: ['kind'] })
      .inc({ kind: 'a' });
    metrics.gauge({ name: 'penstock_level', help: 'Level.' }).set(3);
    metrics.histogram({ name: 'penstock_wait_seconds', help: 'Wait.' }).observe(0.02);
    const text = await metrics.text();
    expect(text).toContain('penstock_things_total{kind="a",service="router"} 1');
    expect(text).toContain('penstock_level{service="router"} 3');
    expect(text).toContain('penstock_wait_seconds_bucket{le="0.025",service="router"} 1');
  });

  it('refuses names without the prefix', () => {
    const metrics = createMetrics({ service: 'router', processMetrics: false });
    expect(() => metrics.gauge({ name: 'level', help: 'Level.' })).toThrow(/penstock_/);
  });

  it('keeps the metrics of two services in one process apart, process metrics included', async () => {
    const [a, b] = [createMetrics({ service: 'a' }), createMetrics({ service: 'b' })];
    a.counter({ name: 'penstock_things_total', help: 'Things.' }).inc();
    b.counter({ name: 'penstock_things_total', help: 'Things.' });
    expect(await b.text()).toContain('penstock_things_total{service="b"} 0');
    expect(await a.text()).toContain('process_cpu_seconds_total{service="a"}');
  });
});
