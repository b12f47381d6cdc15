import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import { renderConfigTable } from '@penstock/config';

import { managerConfigSchema } from './manager.config.js';

const PAGE = new URL('../../../../docs/services/manager/configuration.md', import.meta.url);

const minimal = {
  database_url: 'postgresql://localhost/penstock_manager',
  coordinator: { url: 'http://127.0.0.1:10200', api_secret: 'secret', authority: 'penstock' },
};

describe('the configuration of the manager', () => {
  it('needs the database and the coordinator and has a default for the rest', () => {
    expect(managerConfigSchema.parse(minimal)).toMatchObject({
      host: '127.0.0.1',
      port: 10_300,
      reconcile_interval_ms: 60_000,
      log_level: 'info',
    });
  });

  it('lets replicas lie in private networks only, unless told otherwise', () => {
    const { replica_networks } = managerConfigSchema.parse(minimal);
    expect(replica_networks).toContain('10.0.0.0/8');
    expect(replica_networks).not.toContain('0.0.0.0/0');
  });

  it.each([
    [{ port: 70_000 }, 'port'],
    [{ unknown: 1 }, ''],
    [{ replica_networks: ['everywhere'] }, 'replica_networks.0'],
    [{ admin_token: 'short' }, 'admin_token'],
    [{ coordinator: { ...minimal.coordinator, url: 'ftp://x' } }, 'coordinator.url'],
  ])('refuses %j', (change, path) => {
    const result = managerConfigSchema.safeParse({ ...minimal, ...change });
    expect(result.error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });

  it('is documented as it is', () => {
    expect(readFileSync(PAGE, 'utf8')).toContain(renderConfigTable('manager', managerConfigSchema));
  });
});
