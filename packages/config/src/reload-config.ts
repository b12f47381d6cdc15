import type { ConfigSource } from './load-config.js';

/** The part of a pino logger a reload needs. */
export interface ReloadLogger {
  level: string;
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Reads the configuration of a running service again. Only the log level takes effect; other changed keys are named, so
 * that nobody believes they are in force. A configuration with problems changes nothing.
 */
export function reloadConfig<C extends { readonly log_level: string }>(
  source: ConfigSource<C>,
  running: C,
  logger: ReloadLogger,
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

function changedKeys<C extends object>(before: C, after: C): string[] {
  const keys = Object.keys(after) as (keyof C & string)[];
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
