import type { Logger, LogLevel } from './create-logger.js';
import { writeFlatLine } from './flat-line.js';

/** Flat fields of one unit of work: ids, outcome, `error.code`, durations in milliseconds. */
export type WideEventFields = Readonly<Record<string, unknown>>;

type WideEventLevel = Exclude<LogLevel, 'silent'>;

/**
 * Writes the one line that tells a unit of work (a request, an event, a reconcile pass) from start to end. Never throws:
 * telemetry must not fail the work it describes.
 * @param message - constant text; whatever varies is a field
 */
export function wideEvent(
  logger: Logger,
  message: string,
  fields: WideEventFields,
  level: WideEventLevel = 'info',
): void {
  try {
    if (!logger.isLevelEnabled(level) || writeFlatLine(logger, level, message, fields)) return;
    logger[level](fields, message);
  } catch {
    // A field that cannot be serialised is lost together with its line.
  }
}
