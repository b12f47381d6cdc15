import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import { createTestDatabase, testRedisUrl, type TestDatabase } from '@penstock/testkit';

import { API_SECRET, CoordinatorInstance } from '../support/coordinator-instance.js';
import { recordedSection, replayRecorded, type Ours } from '../support/recorded.js';

const jwt = signHs256({ sub: 'worker' }, API_SECRET);
const expiredJwt = signHs256({ sub: 'worker', exp: 1_700_000_000 }, API_SECRET);

/** Where ours differs on purpose. */
const ours: Ours = {
  // Always JSON: no caller of a control API reads an HTML page.
  'no-token-with-accept-html': { body: refusal() },
  'accept-problem': { body: refusal() },
  // A mistake of the caller is not a fault of the server.
  'array-body': { status: 400, body: malformed() },
  // No peer sends YAML.
  'reg-yaml': { body: malformed() },
};

function refusal(): unknown {
  return recordedSection('content_negotiation').find(({ name }) => name === 'no-token')?.body;
}

function malformed(): unknown {
  return recordedSection('requests').find(({ name }) => name === 'malformed-json')?.body;
}

describe('calls recorded against the coordinator 26.9.6', () => {
  let database: TestDatabase;
  let coordinator: CoordinatorInstance;

  beforeAll(async () => {
    database = await createTestDatabase('coordinator');
    coordinator = await CoordinatorInstance.start({ databaseUrl: database.url, redisUrl: testRedisUrl() });
  });

  afterAll(async () => {
    await coordinator.stop();
    await database.drop();
  });

  it.each(recordedSection('content_negotiation'))('content negotiation: $name', async (exchange) => {
    await replayRecorded(coordinator, exchange, { ours });
  });

  it.each(recordedSection('authentication'))('authentication: $name', async (exchange) => {
    const token = exchange.name === 'auth-jwt-expired' ? expiredJwt : jwt;
    await replayRecorded(coordinator, exchange, { ours, placeholders: { '<jwt>': token } });
  });

  it.each(recordedSection('requests'))('requests: $name', async (exchange) => {
    await replayRecorded(coordinator, exchange, { ours });
  });
});
