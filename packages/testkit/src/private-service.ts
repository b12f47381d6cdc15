import { join } from 'node:path';
import { startThrowawayService, type ThrowawayService } from '@penstock/backing-services';
import { repositoryRoot } from './repository-root.js';

/** A Redis of one test's own, for tests that stop it. Call `dispose()` at the end. */
export function startPrivateRedis(): Promise<ThrowawayService> {
  return startThrowawayService('redis', provisioning());
}

/** A PostgreSQL of one test's own, for tests that stop it. Call `dispose()` at the end. */
export function startPrivatePostgres(): Promise<ThrowawayService> {
  return startThrowawayService('postgres', provisioning());
}

function provisioning(): Parameters<typeof startThrowawayService>[1] {
  return {
    toolsDir: join(repositoryRoot(), '.tools'),
    progress: (line) => process.stderr.write(`${line}\n`),
  };
}
