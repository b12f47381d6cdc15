import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { coordinatorCheckList, type Proof, proveCoordinatorChecks } from '@penstock/conformance';
import { createTestDatabase, testRedisUrl, type TestDatabase } from '@penstock/testkit';
import { API_SECRET, CoordinatorInstance } from '../support/coordinator-instance.js';

const JWT_SECRET = 'test-jwt-secret-for-vectors-only-32b';

let database: TestDatabase;
let coordinator: CoordinatorInstance;
let proofs: readonly Proof[];

beforeAll(async () => {
  database = await createTestDatabase('coordinator');
  coordinator = await CoordinatorInstance.start({
    databaseUrl: database.url,
    redisUrl: testRedisUrl(),
    overrides: { jwt_secret: JWT_SECRET },
  });
  proofs = await proveCoordinatorChecks({
    url: coordinator.url,
    apiSecret: API_SECRET,
    jwtSecret: JWT_SECRET,
    redisUrl: testRedisUrl(),
  });
}, 180_000);

afterAll(async () => {
  await coordinator.stop();
  await database.drop();
});

describe('a coordinator with one fault', () => {
  it.each(coordinatorCheckList())('is found out by $id and by no other check', ({ id }) => {
    expect(proofs.find((proof) => proof.id === id)?.found).toEqual([id]);
  });
});
