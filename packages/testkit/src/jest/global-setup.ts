/**
 * Jest loads this file by itself, before its module mapping exists: it may import built packages only.
 * Starts the servers that all integration tests share, unless they are given from outside.
 */
import { join } from 'node:path';
import { startThrowawayService, type ThrowawayService } from '@penstock/backing-services';

/** Where tear-down, which is loaded separately, finds what was started here. */
const STARTED = Symbol.for('penstock.testkit.started');

export default async function globalSetup(config: { rootDir: string }): Promise<void> {
  const started: ThrowawayService[] = [];
  Object.assign(globalThis, { [STARTED]: started });
  await provide('postgres', 'PENSTOCK_TEST_POSTGRES_URL', config.rootDir, started);
  await provide('redis', 'PENSTOCK_TEST_REDIS_URL', config.rootDir, started);
}

async function provide(
  name: 'postgres' | 'redis',
  variable: string,
  rootDir: string,
  started: ThrowawayService[],
): Promise<void> {
  if (process.env[variable]) return;
  const progress = (line: string): boolean => process.stderr.write(`${line}\n`);
  const service = await startThrowawayService(name, { toolsDir: join(rootDir, '.tools'), progress });
  started.push(service);
  // Test processes are started after this and inherit it.
  process.env[variable] = service.url;
}
