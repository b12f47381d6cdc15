export { createTestDatabase, type TestDatabase, type TestDatabaseApp } from './create-test-database.js';
export { eventually } from './eventually.js';
export { FakeClock } from './fake-clock.js';
export { startPrivatePostgres, startPrivateRedis } from './private-service.js';
export { testPostgresUrl, testRedisUrl } from './test-urls.js';
export { uniqueAuthority } from './unique-authority.js';
export type { ThrowawayService as PrivateService } from '@penstock/backing-services';
