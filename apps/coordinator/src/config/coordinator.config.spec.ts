import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import { renderConfigTable } from '@penstock/config';

import { coordinatorConfigSchema } from './coordinator.config.js';

const PAGE = new URL('../../../../docs/services/coordinator/configuration.md', import.meta.url);
const required = { database_url: 'postgresql://db/x', redis_url: 'redis://r/4', api_secret: 's' };

describe('coordinator configuration', () => {
  it('needs only what has no sensible default', () => {
    expect(coordinatorConfigSchema.parse(required)).toMatchObject({
      port: 10200,
      worker_heartbeat_timeout_ms: 30_000,
      ack_timeout_ms: 15_000,
      envelope_mode: 'dual',
      allow_unauthorized_configure_request: false,
      unused_circuit_collection_timeout_ms: 3_600_000,
      unused_circuit_sweep_interval_ms: 10_000,
    });
  });

  it.each([
    ['an unknown key', { databse_url: 'x' }],
    ['a port out of range', { port: 70_000 }],
    ['a network that is none', { metric_access_allowed_hosts: ['everyone'] }],
    ['an advertised URL of another scheme', { advertise_url: 'ftp://x' }],
  ])('refuses %s', (_what, wrong) => {
    expect(coordinatorConfigSchema.safeParse({ ...required, ...wrong }).success).toBe(false);
  });

  it('is documented as it is', () => {
    expect(readFileSync(PAGE, 'utf8')).toContain(renderConfigTable('coordinator', coordinatorConfigSchema));
  });
});
