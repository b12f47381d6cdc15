import { pino, type ChildLoggerOptions, type DestinationStream, type Logger as PinoLogger } from 'pino';

import { BufferedOutput } from './buffered-output.js';
import { errorFields } from './error-fields.js';
import { isoTime } from './iso-time.js';
import { redactFields, scrubText } from './redact.js';

export type Logger = PinoLogger;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface LoggerOptions {
  /** Written on every line. */
  readonly service: string;
  readonly level: LogLevel;
  /** Default: standard output, buffered for at most a quarter of a second and flushed at exit. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines with ISO times. Values of secret names are masked at any depth, and credentials inside texts are scrubbed
 * from the finished line, at every level.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(withPlainErrors(fields)),
      },
      // Errors are plain fields by the time serializers run; pino's own would take them for errors again.
      serializers: { err: errorFields },
      hooks: { streamWrite: scrubText },
    },
    destination ?? standardOutput(),
  );
  return redactingBindings(logger);
}

let output: BufferedOutput | null = null;

/** One for the whole process, so that the lines of several loggers cannot cut each other in two. */
function standardOutput(): BufferedOutput {
  if (output === null) {
    const made = new BufferedOutput(1);
    process.on('exit', () => made.flushSync());
    output = made;
  }
  return output;
}

/** What a child logger repeats on each of its lines passes no formatter of pino's; children inherit this `child`. */
function redactingBindings(logger: Logger): Logger {
  const createChild: unknown = Reflect.get(logger, 'child');
  const child: Child = function (this: Logger, bindings, options) {
    return (createChild as Child).call(this, redactFields(bindings), options);
  };
  return Object.assign(logger, { child });
}

type Child = (this: Logger, bindings: Record<string, unknown>, options?: ChildLoggerOptions) => Logger;

/** Errors become plain fields first, so that what hangs on them is masked like everything else. */
function withPlainErrors(fields: Record<string, unknown>): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    if (!(fields[name] instanceof Error)) continue;
    copy ??= { ...fields };
    copy[name] = errorFields(fields[name]);
  }
  return copy ?? fields;
}
