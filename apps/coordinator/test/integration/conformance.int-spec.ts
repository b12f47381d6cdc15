import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ConformanceReport, coordinatorCheckList, runCoordinatorSuite } from '@penstock/conformance';
import { createTestDatabase, testRedisUrl, type TestDatabase } from '@penstock/testkit';
import { API_SECRET, CoordinatorInstance } from '../support/coordinator-instance.js';

const JWT_SECRET = 'test-jwt-secret-for-vectors-only-32b';

let database: TestDatabase;
let coordinator: CoordinatorInstance;
let report: ConformanceReport;

beforeAll(async () => {
  database = await createTestDatabase('coordinator');
  coordinator = await CoordinatorInstance.start({
    databaseUrl: database.url,
    redisUrl: testRedisUrl(),
    overrides: { jwt_secret: JWT_SECRET },
  });
  report = await runCoordinatorSuite({
    url: coordinator.url,
    apiSecret: API_SECRET,
    jwtSecret: JWT_SECRET,
    redisUrl: testRedisUrl(),
    slow: true,
  });
}, 60_000);

afterAll(async () => {
  await coordinator.stop();
  await database.drop();
});

describe('the conformance suite against our coordinator', () => {
  it.each(coordinatorCheckList())('$section $id: $title', ({ id }) => {
    const result = report.checks.find((check) => check.id === id);
    expect(result).toMatchObject({ status: 'passed', detail: '' });
  });
});
