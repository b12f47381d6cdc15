import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  coordinatorCheckList,
  readDeviations,
  runCoordinatorSuite,
  type CheckResult,
} from '@penstock/conformance';

import { REPOSITORY_ROOT } from '../../support/repository-root.ts';
import { STOCK_VERSION } from '../stock/release.ts';
import { startStockCoordinator } from '../stock/stock-coordinator.ts';
import { Closing } from '../support/closing.ts';
import { createDatabase } from '../support/database.ts';
import { SECRETS } from '../support/secrets.ts';
import { site, type CoordinatorPlace } from '../support/site.ts';
import { startStore } from '../support/start-site.ts';

const LIST = `coordinator-${STOCK_VERSION}.json`;
/** What only our coordinator has. */
const OUT_OF_SCOPE = 'not part of the scope appproxy';

/** Listed failures are deviations, and a listed check that passes fails: the list is always what is the case. */
describe('the conformance suite against the real coordinator', () => {
  const closing = new Closing();
  let results: Map<string, CheckResult>;

  beforeAll(async () => {
    const { url, redisUrl } = await startAlone(closing);
    const { checks } = await runCoordinatorSuite({
      url,
      redisUrl,
      apiSecret: SECRETS.api,
      jwtSecret: SECRETS.jwt,
      scope: 'appproxy',
      slow: true,
      deviations: readDeviations(join(REPOSITORY_ROOT, 'tools', 'conformance', 'deviations', LIST)),
    });
    results = new Map(checks.map((check) => [check.id, check]));
  }, 120_000);

  afterAll(() => closing.run());

  it.each(coordinatorCheckList())('$section $id: $title', ({ id }) => {
    const { status = 'missing', detail = '' } = results.get(id) ?? {};
    const isFine = status === 'passed' || status === 'deviates' || detail === OUT_OF_SCOPE;
    expect(isFine ? '' : `${status}: ${detail}`).toBe('');
  });
});

/** A real coordinator without workers of others, which would get what the suite creates. */
async function startAlone(closing: Closing): Promise<CoordinatorPlace> {
  const { dir, postgresUrl } = site();
  const redisUrl = await startStore(closing, 'redis');
  const databaseUrl = await createDatabase(postgresUrl, 'appproxy_alone');
  const setup = { name: 'stock-alone', dir, redisUrl, databaseUrl, secrets: SECRETS };
  const coordinator = await startStockCoordinator(setup);
  closing.add('coordinators', () => coordinator.stop());
  return { url: coordinator.url, redisUrl };
}
