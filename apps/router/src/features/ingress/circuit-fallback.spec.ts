import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import { hostCall } from '../../testing/host-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { endpoint, replica, snapshot } from '../../testing/snapshots.js';
import { TestRouter } from '../../testing/test-router.js';
import { ReplicaRegistry } from '../routing/index.js';
import type { EndpointTarget } from '../snapshot/index.js';
import type { CircuitFallback } from '../wildcard/index.js';

const SECRET = 's';
const HOST = 'a.models.test';
const CHAT = '/v1/chat/completions';
const GOOD = { authorization: `Bearer ${signHs256({ id: 'c-a' }, SECRET)}` };
const WILDCARD = { domain: '.models.test', jwtSecret: SECRET, aggregationHosts: [] };

let standIn: ScriptedUpstream;
let deadPort: number;
let asked: EndpointTarget[];

beforeEach(async () => {
  standIn = await new ScriptedUpstream().listen();
  const dead = await new ScriptedUpstream().listen();
  deadPort = dead.port;
  await dead.close();
  asked = [];
});

afterEach(async () => {
  await TestRouter.stopAll();
  await standIn.close();
});

const target = (id: string, ports: readonly number[]) =>
  endpoint(
    ports.map((port) => replica(port)),
    { endpointId: id, circuitId: `c-${id}`, label: id, servedModel: id },
  );

function start(ports: readonly number[], others: readonly number[]): Promise<TestRouter> {
  const registry = new ReplicaRegistry();
  const fallback: CircuitFallback = {
    plansFor: ({ circuit }) => {
      asked.push(circuit);
      return others.length === 0 ? [] : [registry.endpoint(target('b', others))];
    },
  };
  return new TestRouter({ wildcard: WILDCARD }, { fallback }).start(
    snapshot({ hosts: [target('a', ports)] }),
  );
}

describe('a circuit whose replicas are all down', () => {
  it.each([['none'], ['one that cannot be reached']])(
    '(%s) hands its inference calls to who stands in',
    async (why) => {
      const router = await start(why === 'none' ? [] : [deadPort], [standIn.port]);
      const got = await hostCall(router.port, { host: HOST, path: CHAT, body: '{}', headers: GOOD });
      expect(got.status).toBe(200);
      expect(standIn.seen.at(-1)?.body).toBe('{"model":"b"}');
      expect(asked.map(({ circuitId }) => circuitId)).toEqual(['c-a']);
    },
  );

  it('hands over other calls where nobody was asked yet', async () => {
    const router = await start([], [standIn.port]);
    const got = await hostCall(router.port, {
      host: HOST,
      path: '/lab',
      method: 'PUT',
      body: '{"x":1}',
      headers: GOOD,
    });
    expect(got.status).toBe(200);
    expect(standIn.seen.at(-1)).toMatchObject({ method: 'PUT', path: '/lab', body: '{"x":1}' });
  });

  it('is refused once when nobody stands in, or who does is down as well', async () => {
    for (const others of [[], [deadPort]]) {
      for (const path of [CHAT, '/lab']) {
        asked.length = 0;
        const router = await start([], others);
        const got = await hostCall(router.port, { host: HOST, path, body: '{}', headers: GOOD });
        expect(got.status).toBe(others.length === 0 ? 503 : 502);
        expect(asked).toHaveLength(1);
      }
    }
  });

  it('answers 503 by default', async () => {
    const router = await new TestRouter({ wildcard: WILDCARD }).start(snapshot({ hosts: [target('a', [])] }));
    const ask = (path: string) => hostCall(router.port, { host: HOST, path, headers: GOOD });
    expect(await ask('/lab')).toMatchObject({ status: 503, code: 'agent_access_not-found' });
    expect(await ask('/v1/models')).toMatchObject({ status: 503, code: 'model_unavailable' });
  });
});

it('asks nobody to stand in for a caller who may not reach the circuit', async () => {
  const router = await start([], [standIn.port]);
  for (const path of [CHAT, '/lab']) {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
      expect(await hostCall(router.port, { host: HOST, path, body: '{}', headers })).toMatchObject({
        status: 401,
      });
    }
  }
  expect(asked).toEqual([]);
  expect(standIn.seen).toHaveLength(0);
});

it('asks nobody while a replica answers, whatever it answers', async () => {
  standIn.script = (_seen, response) => void response.writeHead(500).end('{}');
  const router = await start([standIn.port], [deadPort]);
  for (const path of [CHAT, '/lab']) {
    expect((await hostCall(router.port, { host: HOST, path, body: '{}', headers: GOOD })).status).toBe(500);
  }
  expect(asked).toEqual([]);
});
