import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { chat } from '../support/data-plane.ts';
import { CoordinatorClient } from '../support/coordinator-client.ts';
import { entranceOf, existingUrlOf } from '../support/frontends.ts';
import { describeInference, type Pair } from '../support/inference-suite.ts';
import { untilReady } from '../support/our-process.ts';
import { startOurRouter, type OurRouter } from '../support/our-router.ts';
import { Replica } from '../support/replica.ts';
import { site, type CoordinatorPlace } from '../support/site.ts';

const AUTHORITY = 'our-wildcard';
const DOMAIN = '.ours.localhost';

const COORDINATORS = [
  { whose: 'the real', place: () => site().stock },
  { whose: 'our', place: () => site().wildcards },
] satisfies { whose: string; place: () => CoordinatorPlace }[];

describe.each(COORDINATORS)('our router in wildcard mode at $whose coordinator', ({ place }) => {
  let coordinator: CoordinatorClient;
  let router: OurRouter;

  beforeAll(async () => {
    coordinator = new CoordinatorClient(place());
    router = await start();
  }, 60_000);
  afterAll(() => router.stop());

  const frontend = () => ({ mode: 'wildcard' as const, domain: DOMAIN, port: router.port });
  const pair = (): Pair => ({
    coordinator: place(),
    worker: { authority: AUTHORITY, frontend: frontend() },
  });
  const urlFor = (label: string): string => existingUrlOf({ frontend: frontend() }, label);

  it('is registered as a wildcard worker for inference', async () => {
    const expected = { frontend_mode: 'wildcard', protocol: 'http', accepted_traffics: ['inference'] };
    expect(await coordinator.worker(AUTHORITY)).toMatchObject({ ...expected, available_slots: -1, nodes: 1 });
  });

  it('acknowledges a circuit long before the coordinator gives up', async () => {
    const startedAt = Date.now();
    const { id } = await coordinator.createEndpoint({ serviceName: 'quick', existingUrl: urlFor('quick') });
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    await coordinator.deleteEndpoint(id);
  });

  describe('serving inference', () => describeInference(pair, 404));

  it('pulls what it missed while it was away', async () => {
    const replica = await Replica.start();
    const { id, url } = await coordinator.createEndpoint({
      serviceName: 'kept',
      existingUrl: urlFor('kept'),
    });
    await coordinator.setRoutes(id, [replica.target]);
    await router.stop();
    router = await start(router.port);
    const token = await coordinator.mintToken(id);
    await eventually(async () => expect((await chat(entranceOf(url), { token })).status).toBe(200));
    await coordinator.deleteEndpoint(id);
    await replica.stop();
  }, 60_000);

  it('leaves the fleet when it is stopped', async () => {
    await router.stop();
    await eventually(async () => expect((await coordinator.worker(AUTHORITY))?.nodes).toBe(0));
  }, 45_000);

  async function start(port?: number): Promise<OurRouter> {
    const { url, redisUrl } = place();
    const started = await startOurRouter({
      name: 'our-wildcard',
      dir: mkdtempSync(join(site().dir, 'router-')),
      authority: AUTHORITY,
      coordinatorUrl: url,
      redisUrl,
      wildcardDomain: DOMAIN,
      ...(port === undefined ? {} : { port }),
    });
    await untilReady('our router', started, started.readyUrl);
    return started;
  }
});
