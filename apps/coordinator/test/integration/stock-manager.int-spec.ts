import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, type Circuit } from '@penstock/protocol';
import { createTestDatabase, testRedisUrl, uniqueAuthority, type TestDatabase } from '@penstock/testkit';

import type { Answer } from '../support/answer.js';
import { CoordinatorInstance } from '../support/coordinator-instance.js';
import { FakeRouterNode } from '../support/fake-router-node.js';
import { portWorker, WILDCARD_WORKER } from '../support/interactive-session.js';
import { DEPLOYMENT_ID, managerCalls, type ManagerCall } from '../support/stock-manager.js';

const redisUrl = testRedisUrl();
const ACCEPTS = { accepted_traffics: ['inference', 'interactive'] };
const LAST_ROUTE = 'e4d3c2b1-6a5b-4c3d-8e2f-000000000042';

const KINDS = [
  { kind: 'router', fields: {}, url: /^https:\/\/router\.example\.com\/$/ },
  {
    kind: 'wildcard',
    fields: { ...WILDCARD_WORKER, ...ACCEPTS },
    url: /^http:\/\/llama-a\.models\.example\.com:10600\/$/,
  },
  {
    kind: 'port',
    fields: { ...portWorker(22_001, 22_004), ...ACCEPTS },
    url: /^http:\/\/worker\.example\.com:2200[1-4]\/$/,
  },
] as const;

describe.each(KINDS)('the calls of a manager 26.9.6, for a $kind worker', ({ kind, fields, url }) => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;
  let node: FakeRouterNode;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({
      databaseUrl: database.url,
      redisUrl,
      overrides: {
        jwt_secret: 's',
        allow_unauthorized_configure_request: true,
        ack_timeout_ms: 1_000,
        worker_heartbeat_timeout_ms: 600_000,
      },
    });
    node = await FakeRouterNode.join(coordinator, { authority: uniqueAuthority(), redisUrl }, fields);
  });

  afterAll(async () => {
    await node.leave();
    await coordinator.stop();
    await database.drop();
  });

  it.each([
    ['once', 1],
    ['twice each', 2],
  ])('succeed at the first attempt and converge, sent %s', async (_how, times) => {
    const before = node.events.length;
    for (const call of managerCalls(DEPLOYMENT_ID)) {
      if (call.method === 'DELETE') await expectServing();
      for (let sent = 0; sent < times; sent += 1) expectRead(call, await sendOnce(call));
    }
    expect(await circuits()).toEqual([]);
    const slots = await coordinator.call('GET', `/api/slots?wsproxy_host=${node.authority}`);
    expect(slots.body).toEqual({ slots: [] });
    const heard = node.events.slice(before).map(({ name }) => name);
    expect(heard.filter((name) => name === EVENT_NAMES.circuitCreated)).toHaveLength(1);
    expect(heard.filter((name) => name === EVENT_NAMES.circuitRouteUpdated)).toHaveLength(3 * times);
    expect(heard.filter((name) => name === EVENT_NAMES.circuitRemoved)).toHaveLength(1);
    expect(heard.at(-1)).toBe(EVENT_NAMES.circuitRemoved);
  });

  it('converge by their own repeats when the worker is silent at first', async () => {
    const [status, create] = managerCalls(DEPLOYMENT_ID);
    if (!status || !create) throw new Error('no calls');
    node.acks = 'never';
    const first = await sendOnce(create);
    node.acks = 'always';
    // A router pulls what it missed; the others are told again by the repeated call.
    expect(first.status).toBe(kind === 'router' ? 200 : 503);
    const heard = node.heard(EVENT_NAMES.circuitCreated).length;
    expectRead(create, await sendWithRepeats(create));
    expect(node.heard(EVENT_NAMES.circuitCreated)).toHaveLength(heard + (kind === 'router' ? 0 : 1));
    expect(await circuits()).toHaveLength(1);
    for (const call of managerCalls(DEPLOYMENT_ID).slice(2)) expectRead(call, await sendWithRepeats(call));
    expect(await circuits()).toEqual([]);
  });

  function sendOnce({ method, path, headers, body }: ManagerCall): Promise<Answer> {
    return coordinator.call(method, path, { headers, body });
  }

  /** As the manager's client does it, but for its pauses: again after each answer that is no success. */
  async function sendWithRepeats(call: ManagerCall): Promise<Answer> {
    const answer = await sendOnce(call);
    const left = call.attempts - 1;
    return answer.status < 300 || left === 0 ? answer : sendWithRepeats({ ...call, attempts: left });
  }

  /** Looks at an answer as the manager does. */
  function expectRead({ method, path }: ManagerCall, { status, body }: Answer): void {
    expect({ method, path, status }).toEqual({ method, path, status: 200 });
    if (path === '/status') {
      expect(body).toEqual({ api_version: 'v2', advertise_address: coordinator.url });
    } else if (path.endsWith('/token') || path === '/v2/conf') {
      expect(body).toEqual({ token: expect.any(String) });
    } else if (method === 'POST' && path === '/v2/endpoints/bulk') {
      expect(body).toEqual({
        endpoints: [
          {
            deployment_id: DEPLOYMENT_ID,
            url: expect.stringMatching(url),
            health_check_enabled: true,
          },
        ],
      });
    } else {
      for (const item of body.endpoints) expect(item).toMatchObject({ success: true, error: null });
    }
  }

  /** What all the route calls together leave. */
  async function expectServing(): Promise<void> {
    const [circuit, ...others] = await circuits();
    expect(others).toEqual([]);
    expect(circuit?.route_info).toMatchObject([
      { route_id: LAST_ROUTE, kernel_host: '10.20.0.12', kernel_port: 30012, protocol: 'http' },
    ]);
    const told = node.heard(EVENT_NAMES.circuitRouteUpdated).at(-1);
    expect(told?.routes).toEqual(circuit?.route_info);
  }

  async function circuits(): Promise<readonly Circuit[]> {
    return (await coordinator.call('GET', `/api/worker/${node.workerId}/circuits`)).body.circuits;
  }
});
