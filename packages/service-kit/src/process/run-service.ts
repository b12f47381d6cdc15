import type { Logger } from '@penstock/observability';

import { explainStartError } from './explain-start-error.js';

export interface RunServiceOptions {
  /** Everything up to and including listening. */
  readonly start: () => Promise<void>;
  /** Drains and closes; also called after a start that failed half-way. */
  readonly stop: () => Promise<void>;
  readonly logger: Logger;
  /** After this time the process exits although `stop` has not finished. Default 30 000 ms. */
  readonly shutdownTimeoutMs?: number;
}

/** What the outside world gives a process; replaced in tests. */
export interface ProcessSurface {
  on(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
}

type Cause = { readonly reason: string; readonly code: number };

/**
 * The life of a service process: start, run until SIGTERM or SIGINT, stop within a deadline, exit. Exit code 0 after a
 * clean stop, 1 otherwise. A second signal exits at once. An error nobody caught stops the service too: its state can
 * no longer be trusted, and whoever supervises it starts a fresh one.
 */
export async function runService(options: RunServiceOptions, host: ProcessSurface = process): Promise<void> {
  const shutDown = createShutdown(options, host);
  for (const signal of ['SIGTERM', 'SIGINT']) {
    host.on(signal, () => void shutDown({ reason: signal, code: 0 }));
  }
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    host.on(event, (error) => {
      options.logger.fatal({ err: error }, 'an error was not caught');
      void shutDown({ reason: event, code: 1 });
    });
  }
  try {
    await options.start();
  } catch (error) {
    const explained = explainStartError(error);
    options.logger.fatal(
      explained === undefined ? { err: error } : { reason: explained },
      'the service could not start',
    );
    await shutDown({ reason: 'start failed', code: 1 });
  }
}

function createShutdown(options: RunServiceOptions, host: ProcessSurface): (cause: Cause) => Promise<void> {
  let running: Promise<void> | undefined;
  return (cause) => {
    if (running !== undefined && cause.code === 0) host.exit(1);
    running ??= shutDownOnce(options, host, cause);
    return running;
  };
}

async function shutDownOnce(options: RunServiceOptions, host: ProcessSurface, cause: Cause): Promise<void> {
  const { logger, stop, shutdownTimeoutMs = 30_000 } = options;
  logger.info({ reason: cause.reason }, 'stopping');
  const deadline = setTimeout(() => {
    logger.error({ shutdown_timeout_ms: shutdownTimeoutMs }, 'did not stop in time');
    host.exit(1);
  }, shutdownTimeoutMs);
  try {
    await stop();
    logger.info('stopped');
    host.exit(cause.code);
  } catch (error) {
    logger.error({ err: error }, 'stopping failed');
    host.exit(1);
  } finally {
    clearTimeout(deadline);
  }
}
