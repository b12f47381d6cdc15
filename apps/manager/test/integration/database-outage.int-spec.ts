import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, type PrivateService, startPrivatePostgres } from '@penstock/testkit';

import type { ApiClient } from '../support/api-client.js';
import { issueKey, makeProject, makePublication, type Problem, unique } from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

describe('with the database away', () => {
  let postgres: PrivateService;
  let harness: ManagerHarness;
  let admin: ApiClient;

  beforeAll(async () => {
    postgres = await startPrivatePostgres();
    const { url } = await createTestDatabase('manager', postgres.url);
    harness = await ManagerHarness.start({ databaseUrl: url, config: { database_timeout_ms: 4_000 } });
    admin = harness.admin();
  }, 60_000);
  afterAll(async () => {
    await harness.dispose();
    await postgres.dispose();
  });

  it('answers 503 in time, is not ready but alive, and recovers by itself', async () => {
    const projectId = await makeProject(admin);
    const { name } = await makePublication(admin, projectId);
    await postgres.stop();
    const started = performance.now();
    const read = await admin.get<Problem>('/api/v1/projects');
    const body = { project_id: projectId, allowed_models: [name] };
    const key = { headers: { 'idempotency-key': unique('key') } };
    const write = await admin.post<Problem>('/api/v1/model-api-keys', body, key);
    expect(performance.now() - started).toBeLessThan(15_000);
    for (const answer of [read, write]) {
      expect(answer.status).toBe(503);
      expect(answer.body.code).toBe('database.unavailable');
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect(answer.body.detail).not.toMatch(/ECONN|127\.0\.0\.1|postgres/i);
    }
    expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${harness.url}/readyz`)).status).toBe(503);
    await postgres.start();
    await eventually(async () => expect((await fetch(`${harness.url}/readyz`)).status).toBe(200));
    const issued = await issueKey(admin, projectId, [name]);
    expect(issued.propagation.status).toBe('applied');
  }, 60_000);
});
