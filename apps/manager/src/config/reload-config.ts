import type { ConfigSource } from '@penstock/config';
import type { Logger } from '@penstock/observability';

import type { ManagerConfig } from './manager.config.js';

/**
 * Reads the configuration again. The log level takes effect at once; other changed keys are named, so that nobody
 * believes they are in force. A configuration with problems changes nothing.
 */
export function reloadConfig(
  source: ConfigSource<ManagerConfig>,
  running: ManagerConfig,
  logger: Logger,
): void {
  const result = source.reload();
  if (!result.ok) {
    logger.error({ problems: result.problems }, 'configuration not reloaded');
    return;
  }
  logger.level = result.value.log_level;
  const pending = changedKeys(running, result.value).filter((key) => key !== 'log_level');
  logger.info({ log_level: logger.level, need_restart: pending }, 'configuration reloaded');
}

function changedKeys(before: ManagerConfig, after: ManagerConfig): string[] {
  const keys = Object.keys(after) as (keyof ManagerConfig)[];
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
