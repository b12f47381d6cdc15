import { describe, expect, it } from '@jest/globals';

import { HealthRegistry } from './health-registry.js';

describe('HealthRegistry', () => {
  it('is ready when every check passes', async () => {
    const health = new HealthRegistry();
    health.addReadiness('database', () => Promise.resolve());
    expect(await health.ready()).toEqual({
      ready: true,
      draining: false,
      checks: [{ name: 'database', ok: true }],
    });
  });

  it('counts a check that hangs as failed after its deadline and tells it to stop', async () => {
    const health = new HealthRegistry();
    let signal: AbortSignal | undefined;
    health.addReadiness('redis', (given) => new Promise(() => (signal = given)), 20);
    const report = await health.ready();
    expect(report.checks).toEqual([{ name: 'redis', ok: false, reason: 'no answer within 20 ms' }]);
    expect(signal?.aborted).toBe(true);
  });

  it('counts a check that throws before it waits as failed', async () => {
    const health = new HealthRegistry();
    health.addReadiness('broken', () => {
      throw new Error('first line\nsecond line');
    });
    expect((await health.ready()).checks).toEqual([{ name: 'broken', ok: false, reason: 'first line' }]);
  });

  it('is not ready while draining, and still alive', async () => {
    const health = new HealthRegistry();
    health.startDraining();
    expect(await health.ready()).toMatchObject({ ready: false, draining: true });
    expect(health.live()).toEqual({ status: 'ok' });
  });
});
