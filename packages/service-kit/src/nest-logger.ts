import type { LoggerService } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

/** Sends Nest's own lines into the service's log. Its start-up chatter is only worth reading at debug level. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: contextOf(rest) }, asText(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const stack = rest.length > 1 ? rest[0] : undefined;
    this.logger.error({ context: contextOf(rest), stack, err: errorIn(message) }, asText(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ context: contextOf(rest) }, asText(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ context: contextOf(rest) }, asText(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.trace({ context: contextOf(rest) }, asText(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal({ context: contextOf(rest), err: errorIn(message) }, asText(message));
  }
}

/** Nest passes the name of the class that logs as the last argument. */
function contextOf(rest: readonly unknown[]): unknown {
  return rest.at(-1);
}

function errorIn(message: unknown): Error | undefined {
  return message instanceof Error ? message : undefined;
}

function asText(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.message : (JSON.stringify(message) ?? 'nothing');
}
