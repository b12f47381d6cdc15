import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { hashKey } from '@penstock/protocol';
import { eventually, startPrivateRedis, uniqueAuthority, type PrivateService } from '@penstock/testkit';
import { apiKey, publication } from '../../src/features/snapshot/testing/wire-builders.js';
import { BusProbe } from '../support/bus-probe.js';
import { ScriptedCoordinator } from '../support/scripted-coordinator.js';
import { TestRouter } from '../support/test-router.js';

const KEY = 'sk-test-of-the-bus-outage';

let redis: PrivateService;
let coordinator: ScriptedCoordinator;
let router: TestRouter;

beforeAll(async () => {
  redis = await startPrivateRedis();
});
afterAll(() => redis.dispose());

beforeEach(async () => {
  coordinator = new ScriptedCoordinator();
  await coordinator.start();
  coordinator.keys.set('k', apiKey('k', { token_hash: hashKey(KEY), allowed_models: ['m', 'n', 'o'] }));
});
afterEach(async () => {
  await router.stop();
  await coordinator.stop();
});

const start = (authority: string, over: object) =>
  TestRouter.start({
    authority,
    coordinator: { url: coordinator.url, api_secret: 'test-api-secret' },
    redis_url: redis.url,
    ...over,
  });

const publish = (name: string): void => {
  coordinator.publications.set(name, publication(name));
  coordinator.revision += 1;
};

it('is right by pull alone while the bus is away', async () => {
  router = await start(uniqueAuthority(), { reconcile_interval_ms: 300 });
  await eventually(async () => expect((await router.status()).event_bus.connected).toBe(true));
  await redis.stop();
  await eventually(async () => expect((await router.status()).event_bus.connected).toBe(false));
  publish('m');
  await eventually(async () => expect((await router.listModels(KEY)).names).toEqual(['m']));
  await redis.start();
});

it('pulls at once when the bus returns, and then hears events again', async () => {
  const authority = uniqueAuthority();
  // The timer would not come within this test: only the reconnect explains the pull.
  router = await start(authority, { reconcile_interval_ms: 600_000 });
  await eventually(async () => expect((await router.status()).event_bus.connected).toBe(true));
  await redis.stop();
  await eventually(async () => expect((await router.status()).event_bus.connected).toBe(false));
  publish('m');
  await redis.start();
  await eventually(async () => expect((await router.listModels(KEY)).names).toEqual(['m']));
  const bus = new BusProbe(redis.url, authority);
  await bus.start();
  const model = publication('n');
  await bus.publish({ name: 'appproxy_router_model_updated_event', authority, model, revision: '9' });
  await eventually(async () => expect((await router.listModels(KEY)).names).toEqual(['m', 'n']));
  await bus.close();
});

it('follows by pull where events are switched off', async () => {
  router = await start(uniqueAuthority(), { events_enabled: false, reconcile_interval_ms: 300 });
  await eventually(async () => expect((await router.status()).ready).toBe(true));
  publish('o');
  await eventually(async () => expect((await router.listModels(KEY)).names).toEqual(['o']));
  expect((await router.status()).event_bus.connected).toBe(false);
});
