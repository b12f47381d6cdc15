import { describe, expect, it } from '@jest/globals';
import { makePlan } from './make-plan.js';
import { fixedGroups, portNeeds, type PortMap } from './port-needs.js';
import type { StackOptions } from './stack-options.js';
import type { ServicePlan } from './stack-plan.js';

const credentials = {
  postgres_password: 'pg-pass',
  redis_password: 'redis-pass',
  api_secret: 'api-secret',
  admin_token: 'admin-token',
  jwt_secret: 'jwt-secret',
  encryption_key: 'encryption-key',
  demo: null,
};

const options: StackOptions = {
  dataDir: '/data',
  demo: true,
  mode: 'router',
  wildcardDomain: null,
  internal: false,
  workers: 1,
  routers: 2,
  coordinators: 1,
  ports: 'fixed',
  chosenPorts: {},
  authority: 'penstock',
  logLevel: 'info',
  overrides: [],
};

function plan(changes: Partial<StackOptions> = {}): ServicePlan[] {
  const changed = { ...options, ...changes };
  const ports = Object.fromEntries(
    portNeeds(changed).map((need) => [need.kind, fixedGroups(need)]),
  ) as PortMap;
  return makePlan(changed, credentials, ports).services;
}

function configOf(services: ServicePlan[], name: string): unknown {
  const service = services.find((candidate) => candidate.name === name);
  return service?.kind === 'node' ? service.config : null;
}

describe('makePlan', () => {
  it('starts data before control before serving', () => {
    expect(plan().map(({ name, phase }) => `${phase} ${name}`)).toEqual([
      '0 postgres',
      '0 redis',
      '1 coordinator',
      '1 replicas',
      '2 manager',
      '2 router-1',
      '2 router-2',
    ]);
  });

  it('uses the documented ports and one per process', () => {
    const ports = Object.fromEntries(plan({ workers: 3 }).map((service) => [service.name, service.ports]));
    expect(ports).toMatchObject({
      postgres: [10432],
      redis: [10479],
      coordinator: [10200],
      manager: [10300],
      'router-1': [10400, 10410, 10411, 10412],
      'router-2': [10401, 10420, 10421, 10422],
    });
  });

  it('starts no replicas without the demo', () => {
    expect(plan({ demo: false }).map(({ name }) => name)).not.toContain('replicas');
  });

  it('shares the routers between several coordinators', () => {
    const services = plan({ coordinators: 2 });
    expect(services.map(({ name }) => name)).toContain('coordinator-2');
    expect(configOf(services, 'router-1')).toMatchObject({ coordinator: { url: 'http://127.0.0.1:10200' } });
    expect(configOf(services, 'router-2')).toMatchObject({ coordinator: { url: 'http://127.0.0.1:10201' } });
  });

  it('gives each simulated replica a port, an admin port and a text of its own', () => {
    expect(configOf(plan(), 'replicas')).toEqual({
      replicas: [
        { model: 'sim-large', port: 10500, admin_port: 10550, seed: 1 },
        { model: 'sim-small', port: 10501, admin_port: 10551, seed: 2 },
        { model: 'sim-small', port: 10502, admin_port: 10552, seed: 3 },
        { model: 'sim-small', port: 10503, admin_port: 10553, seed: 4 },
      ],
    });
  });

  it('puts secrets into configuration files only, never into arguments or addresses to probe', () => {
    for (const service of plan()) {
      const visible = JSON.stringify({ ...service, config: null });
      for (const secret of [
        'pg-pass',
        'redis-pass',
        'api-secret',
        'admin-token',
        'jwt-secret',
        'encryption-key',
      ]) {
        expect(visible).not.toContain(secret);
      }
    }
    expect(configOf(plan(), 'manager')).toMatchObject({
      database_url: 'postgresql://penstock:pg-pass@127.0.0.1:10432/penstock_manager',
      admin_token: 'admin-token',
      encryption_key: 'encryption-key',
    });
  });

  it('lets wildcard routers serve all endpoints at their base URLs', () => {
    const services = plan({ mode: 'wildcard', wildcardDomain: '.models.localhost' });
    const wildcard = { aggregation_hosts: ['127.0.0.1', 'localhost'] };
    expect(configOf(services, 'router-1')).toMatchObject({ wildcard });
  });

  it('gives all wildcard routers one domain, one port in addresses and the secret of the tokens', () => {
    const services = plan({ mode: 'wildcard', wildcardDomain: '.models.localhost' });
    const wildcard = { domain: '.models.localhost', jwt_secret: 'jwt-secret', traffic_port: 10400 };
    expect(configOf(services, 'router-1')).toMatchObject({ mode: 'wildcard', wildcard });
    expect(configOf(services, 'router-2')).toMatchObject({ mode: 'wildcard', wildcard });
    expect(configOf(services, 'coordinator')).toMatchObject({ jwt_secret: 'jwt-secret' });
  });

  it('opens internal listeners on loopback only when asked to', () => {
    expect(configOf(plan(), 'router-1')).not.toHaveProperty('internal');
    const services = plan({ internal: true });
    expect(services.find(({ name }) => name === 'router-2')?.ports).toContain(10441);
    expect(configOf(services, 'router-2')).toMatchObject({
      internal: { host: '127.0.0.1', port: 10441, domain: '.internal.localhost', jwt_secret: 'jwt-secret' },
    });
  });

  it('applies overrides to all instances of a service', () => {
    const overrides = [{ service: 'router' as const, path: ['retry', 'max_attempts'], value: 5 }];
    const services = plan({ overrides });
    expect(configOf(services, 'router-1')).toMatchObject({ retry: { max_attempts: 5 } });
    expect(configOf(services, 'router-2')).toMatchObject({ retry: { max_attempts: 5 } });
    expect(configOf(services, 'manager')).not.toHaveProperty('retry');
  });
});
