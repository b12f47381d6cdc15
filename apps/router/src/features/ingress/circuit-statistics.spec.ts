import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { hostCall } from '../../testing/host-client.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { endpoint, replica, route, snapshot } from '../../testing/snapshots.js';
import { TestRouter } from '../../testing/test-router.js';
import { noStatistics } from '../usage/index.js';

const HOST = 'a.models.test';
const WILDCARD = { domain: '.models.test', jwtSecret: 's', aggregationHosts: [] };

let upstream: ScriptedUpstream;
let chosen: string[];

const statistics = { ...noStatistics, chosen: (circuitId: string) => void chosen.push(circuitId) };

beforeEach(async () => {
  chosen = [];
  upstream = await new ScriptedUpstream().listen();
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

it('counts a request of a router once, however many replicas it tried, and none that was refused', async () => {
  const dead = await new ScriptedUpstream().listen();
  const ports = [dead.port, upstream.port];
  await dead.close();
  const target = endpoint(ports.map((port) => replica(port)));
  const router = await new TestRouter({}, { statistics }).start(
    snapshot({ routes: [route('m', [[target, 1]])] }),
  );
  for (let round = 0; round < 5; round += 1) await (await router.chat()).text();
  expect(chosen).toEqual(Array(5).fill('c-e1'));
  await (await router.chat({ model: 'unknown' })).text();
  await (await router.chat('no json')).text();
  expect(chosen).toHaveLength(5);
});

it('counts whatever reaches an endpoint by its host', async () => {
  const target = endpoint([replica(upstream.port)], { label: 'a', requiresToken: false });
  const router = await new TestRouter({ wildcard: WILDCARD }, { statistics }).start(
    snapshot({ hosts: [target] }),
  );
  await hostCall(router.port, { host: HOST, path: '/any' });
  await hostCall(router.port, { host: HOST, path: '/v1/chat/completions', body: '{}' });
  expect(chosen).toEqual(['c-e1', 'c-e1']);
  await hostCall(router.port, { host: 'b.models.test' });
  await hostCall(router.port, { host: HOST, path: '/v1/chat/completions', body: 'no json' });
  expect(chosen).toHaveLength(2);
});
