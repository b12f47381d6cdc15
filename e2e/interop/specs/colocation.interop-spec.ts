import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { startStockWorker, type StockWorker, type StockWorkerOptions } from '../stock/stock-worker.ts';
import { Closing } from '../support/closing.ts';
import { CoordinatorClient } from '../support/coordinator-client.ts';
import { databaseUrl } from '../support/database.ts';
import { startOurCoordinator, type OurCoordinator } from '../support/our-coordinator.ts';
import { untilReady } from '../support/our-process.ts';
import { startOurRouter } from '../support/our-router.ts';
import { choosePort, choosePorts } from '../support/ports.ts';
import { SECRETS } from '../support/secrets.ts';
import { site } from '../support/site.ts';

const REFUSAL_TIMEOUT_MS = 60_000;

/** Placement looks at protocol and traffic only: mixed, an endpoint could land where its clients do not look. */
describe('a router beside real workers', () => {
  const closing = new Closing();
  let dir: string;
  let coordinator: OurCoordinator;

  beforeAll(async () => {
    dir = mkdtempSync(join(site().dir, 'co-'));
    const { postgresUrl, ports } = site();
    const place = { redisUrl: ports.redisUrl, databaseUrl: databaseUrl(postgresUrl, 'ours_colocation') };
    coordinator = await startOurCoordinator({ name: 'coordinator', dir, ...place });
    closing.add('coordinators', () => coordinator.stop());
  }, 60_000);
  afterAll(() => closing.run());

  it('is refused where a real worker serves inference', async () => {
    const { url, redisUrl } = site().ports;
    const router = await startOurRouter({
      name: 'late',
      dir,
      authority: 'late',
      coordinatorUrl: url,
      redisUrl,
    });
    closing.add('workers', () => router.stop());
    await eventually(() => expect(readFileSync(router.logFile, 'utf8')).toContain('E10002'), {
      timeoutMs: REFUSAL_TIMEOUT_MS,
    });
    expect(await new CoordinatorClient(site().ports).worker('late')).toBeUndefined();
  }, 90_000);

  it('keeps a real worker for inference out, and lets one for interactive apps in', async () => {
    const { redisUrl } = site().ports;
    const router = await startOurRouter({
      name: 'early',
      dir,
      authority: 'early',
      coordinatorUrl: coordinator.url,
      redisUrl,
    });
    closing.add('workers', () => router.stop());
    await untilReady('the router', router, router.readyUrl);
    const [refused, interactive] = await Promise.all([
      startReal({ authority: 'inference', frontend: await wildcard() }),
      startReal({ authority: 'interactive', frontend: await ports(), accepts: ['interactive'] }),
    ]);
    await interactive.ready;
    // It says so and ends, at times only after a minute.
    await eventually(() => expect(readFileSync(refused.logFile, 'utf8')).toContain('E20013'), {
      timeoutMs: REFUSAL_TIMEOUT_MS,
    });
    await refused.kill();
    const client = new CoordinatorClient(coordinator);
    expect(await client.worker('inference')).toBeUndefined();
    expect(await client.worker('interactive')).toMatchObject({ accepted_traffics: ['interactive'] });
    expect(await client.worker('early')).toMatchObject({ frontend_mode: 'router' });
  }, 120_000);

  async function startReal(
    wanted: Pick<StockWorkerOptions, 'authority' | 'frontend' | 'accepts'>,
  ): Promise<StockWorker> {
    const place = { dir, redisUrl: site().ports.redisUrl, coordinatorUrl: coordinator.url };
    const worker = await startStockWorker({ ...wanted, ...place, name: wanted.authority, secrets: SECRETS });
    closing.add('workers', () => worker.stop());
    return worker;
  }
});

async function wildcard(): Promise<StockWorkerOptions['frontend']> {
  return { mode: 'wildcard', domain: '.refused.localhost', port: await choosePort() };
}

async function ports(): Promise<StockWorkerOptions['frontend']> {
  const firstPort = await choosePorts(2);
  return { mode: 'port', firstPort, lastPort: firstPort + 1 };
}
