import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, verifyHs256, type JwtClaims } from '@penstock/protocol';

import type { FakeStockWorker } from '../support/fake-stock-worker.js';
import { JWT_SECRET, recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { recordedSection, replayRecorded, type Ours, type RecordedExchange } from '../support/recorded.js';
import { loadVectors, type Placeholders } from '../support/vectors.js';

const setup = loadVectors<{ setup_token: { claims: JwtClaims } }>('jwt.json').setup_token;
const calls = recordedSection('interactive');
const startsWith = (...prefixes: string[]) =>
  calls.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));

/** Where ours differs on purpose. */
const ours: Ours = {
  // A query string carries them as JSON.
  'auth-envs-json': ({ status }) => expect(status).toBe(200),
  // No UUID is a mistake of the caller.
  'auth-bad-token': ({ status }) => expect(status).toBe(400),
};

describe('interactive calls recorded against the coordinator 26.9.6', () => {
  let fleet: RecordedFleet;
  let worker: FakeStockWorker;
  let placeholders: Placeholders;

  beforeAll(async () => {
    fleet = await RecordedFleet.start();
    placeholders = fleet.names;
    worker = await fleet.join('wildcard');
  });

  afterAll(() => fleet.stop());

  /** Registers a session and lets the recorded token of it stand for the one we got. */
  async function configure(sessionId: string, recordedToken: string): Promise<void> {
    const { request } = recordedCall('interactive', 'conf');
    const exchange = { ...recordedCall('interactive', 'conf'), body: { token: expect.any(String) } };
    const body = { ...(request.body as { session: object }) };
    const call = {
      ...exchange,
      request: { ...request, body: { ...body, session: { ...body.session, id: sessionId } } },
    };
    const answer = await fleet.coordinator.call('POST', call.request.path, { body: call.request.body });
    expect(answer.status).toBe(200);
    placeholders = { ...placeholders, [recordedToken]: (answer.body as unknown as { token: string }).token };
  }

  async function replay(exchange: RecordedExchange): Promise<string> {
    const answer = await replayRecorded(fleet.coordinator, exchange, { ours, placeholders });
    const { redirect_url: redirectUrl = '' } = (answer.body ?? {}) as unknown as {
      readonly redirect_url?: string;
    };
    return redirectUrl || (answer.headers.get('location') ?? '');
  }

  it('conf: registers a session', async () => {
    await configure('d1e2f3a4-5b6c-4d7e-8f90-000000000061', '7e57ab1e-0000-4000-8000-000000000010');
  });

  it.each(startsWith('conf-', 'add-', 'auth-'))('$name', async (exchange) => {
    const announced = worker.heard(EVENT_NAMES.circuitCreated).length;
    const url = await replay(exchange);
    if (url === '') return;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:10202\/setup\?token=eyJ/);
    // Announced and acknowledged whether new or used again.
    const [event] = worker.heard(EVENT_NAMES.circuitCreated).slice(announced);
    const claims = claimsOf(url);
    expect(Object.keys(claims)).toEqual(Object.keys(setup.claims));
    expect(claims).toMatchObject({ version: setup.claims['version'], circuit: event?.circuits[0]?.id });
    if (exchange.name === 'auth-preopen') {
      expect(event?.circuits[0]).toMatchObject({ protocol: 'http', route_info: [{ protocol: 'preopen' }] });
    }
    if (exchange.name === 'auth-subdomain') expect(event?.circuits[0]?.subdomain).toBe('my-app');
  });

  it('circuits: stat-interactive', async () => {
    const { body } = await fleet.coordinator.call('GET', `/api/worker/${worker.workerId}/circuits`);
    const { body: recorded } = recordedCall('circuits', 'stat-interactive') as {
      body: Record<string, unknown>;
    };
    const circuit = body.circuits.find(({ app }) => app === 'jupyter');
    const answer = await fleet.coordinator.call('GET', `/api/circuit/${circuit?.id}/statistics`);
    const { last_access: last, ttl } = answer.body as unknown as { last_access: number; ttl: number };
    expect(answer.body).toMatchObject({
      requests: 0,
      app_mode: 'interactive',
      session_ids: recorded['session_ids'],
    });
    expect(last).toBe(Date.parse(circuit?.created_at ?? ''));
    expect(ttl).toBeGreaterThan(3_000);
    expect(ttl).toBeLessThanOrEqual(3_600);
  });

  it('pi-auth-port, pi-auth-port-taken, pi-auth-port-range: on a port worker', async () => {
    await worker.deregister(fleet.coordinator);
    await fleet.join('port');
    await configure('d1e2f3a4-5b6c-4d7e-8f90-000000000081', '7e57ab1e-0000-4000-8000-000000000011');
    for (const exchange of startsWith('pi-')) await replay(exchange);
  });

  it('tcp-auth, tcp-auth-reuse, tcp-vnc, tcp-full: on a TCP worker with two ports', async () => {
    await fleet.join('tcp');
    await configure('d1e2f3a4-5b6c-4d7e-8f90-000000000071', '7e57ab1e-0000-4000-8000-000000000012');
    for (const exchange of startsWith('tcp-')) await replay(exchange);
  });
});

function claimsOf(url: string): JwtClaims {
  const verified = verifyHs256(new URL(url).searchParams.get('token') ?? '', JWT_SECRET, 0);
  if (!verified.ok) throw new Error(verified.reason);
  return verified.claims;
}
