import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  coordinatorCheckList,
  readDeviations,
  runCoordinatorSuite,
  type CheckResult,
} from '@penstock/conformance';

import { REPOSITORY_ROOT } from '../../support/repository-root.ts';
import { SECRETS } from '../support/secrets.ts';
import { site } from '../support/site.ts';
import { STOCK_VERSION } from '../stock/release.ts';

const LIST = `coordinator-${STOCK_VERSION}.json`;
/** What only our coordinator has. */
const OUT_OF_SCOPE = 'not part of the scope appproxy';

/** Listed failures are deviations, and a listed check that passes fails: the list is always what is the case. */
describe('the conformance suite against the real coordinator', () => {
  let results: Map<string, CheckResult>;

  beforeAll(async () => {
    const { url, redisUrl } = site().stock;
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

  it.each(coordinatorCheckList())('$section $id: $title', ({ id }) => {
    const { status = 'missing', detail = '' } = results.get(id) ?? {};
    const isFine = status === 'passed' || status === 'deviates' || detail === OUT_OF_SCOPE;
    expect(isFine ? '' : `${status}: ${detail}`).toBe('');
  });
});
