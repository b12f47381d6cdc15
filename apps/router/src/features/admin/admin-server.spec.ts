import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@penstock/observability';
import { buildSnapshot, type Snapshot } from '../snapshot/index.js';
import { snapshotInput } from '../snapshot/testing/snapshot-input.js';
import { apiKey, circuit, publication } from '../snapshot/testing/wire-builders.js';
import { adminRoutes } from './admin-routes.js';
import { AdminServer } from './admin-server.js';
import type { NodeView } from './node-status.js';

const FACTS = {
  nodeId: 'node',
  slot: 'authority/host/0',
  instance: 1,
  authority: 'authority',
  version: '1.2.3',
  mode: 'router',
};

const CONTROL = {
  coordinator: { registered: true, worker_id: 'w', last_pull_at: null, last_error: null },
  event_bus: { connected: true },
};

function snapshot(): Snapshot {
  const built = buildSnapshot(
    snapshotInput({
      revision: '7',
      circuits: [circuit('c', 'A'), circuit('i', 'B', { visibility: 'internal', subdomain: 'Inner' })],
      publications: [publication('m', { A: 1 }, { aliases: ['m-latest'] })],
      keys: [apiKey('k')],
    }),
    { allowUnrestrictedKeys: false, processes: 1 },
  );
  if (built.kind === 'refused') throw new Error('the test data is wrong');
  return built.snapshot;
}

let server: AdminServer;
let base: string;
let view: NodeView;

beforeEach(async () => {
  view = { ready: true, draining: false, snapshot: snapshot(), control: CONTROL, inFlight: 3, groups: [] };
  const metrics = createMetrics({ service: 'router', processMetrics: false });
  metrics.counter({ name: 'penstock_test_total', help: 'A counter.' }).inc();
  server = new AdminServer(adminRoutes({ facts: FACTS, view: () => view, metrics }), () => undefined);
  const { port } = await server.start({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${port}`;
});

afterEach(() => server.stop());

const statusOf = async (path: string, method = 'GET') => (await fetch(base + path, { method })).status;

describe('the admin listener', () => {
  it('is alive whatever else happens, and ready only when it can serve', async () => {
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200]);
    view = { ...view, ready: false, snapshot: null };
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 503]);
    expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'starting' });
    view = { ...view, draining: true };
    expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'draining' });
  });

  it('tells who the node is and what it serves, but no key and no hash', async () => {
    const text = await (await fetch(`${base}/status`)).text();
    expect(JSON.parse(text)).toEqual({
      node_id: 'node',
      boot_id: 'node',
      slot: 'authority/host/0',
      instance: 1,
      authority: 'authority',
      version: '1.2.3',
      mode: 'router',
      pid: process.pid,
      ready: true,
      draining: false,
      revision: '7',
      counts: { publications: 1, keys: 1, circuits: 2, replicas: 2 },
      ...CONTROL,
      in_flight: 3,
      models: ['m', 'm-latest'].map((name) => ({ name, endpoints: [{ endpoint_id: 'A', ratio: 1 }] })),
      hosts: [
        {
          label: 'inner',
          circuit_id: 'i',
          endpoint_id: 'B',
          visibility: 'internal',
          requires_token: true,
        },
      ],
      groups: [],
    });
    expect(text).not.toContain(apiKey('k').token_hash);
  });

  it('gives metrics as text', async () => {
    const response = await fetch(`${base}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(await response.text()).toContain('penstock_test_total');
  });

  it('answers what it does not know with a problem document', async () => {
    const unknown = await fetch(`${base}/v1/models`);
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get('content-type')).toContain('application/problem+json');
    const wrong = await fetch(`${base}/status`, { method: 'POST', body: 'x' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await statusOf('/status', 'HEAD')).toBe(200);
  });
});
