import { type ErrorFacts, errorCauses } from './error-causes.js';

/** Prisma: not reachable, timed out, connection closed, no connection from the pool, no transaction in time. */
const PRISMA_CODES: ReadonlySet<string> = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028']);

const ADAPTER_KINDS: ReadonlySet<string> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
]);

/** Server stopping or starting, connection trouble, out of resources, statement cancelled by its time limit. */
const SQL_STATES = /^(57P0\d|08...|53...|57014)$/;

const SOCKET_CODES = /^(E(CONN|HOST|NET|AI_AGAIN|PIPE|TIMEDOUT)|ENOTFOUND$)/;

/** The driver has no code for these. */
const DRIVER_MESSAGES = /^(Connection terminated|timeout (expired|exceeded)|Query read timeout)/;

/**
 * True when the database cannot be reached, is stopping or starting, or does not answer in time: the request may be
 * sent again later and a 503 is the honest answer.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return errorCauses(error).some(saysUnavailable);
}

function saysUnavailable({ code, originalCode, kind, message }: ErrorFacts): boolean {
  if (kind !== undefined && ADAPTER_KINDS.has(kind)) return true;
  if (DRIVER_MESSAGES.test(message)) return true;
  return [code, originalCode].some(
    (value) =>
      value !== undefined && (PRISMA_CODES.has(value) || SQL_STATES.test(value) || SOCKET_CODES.test(value)),
  );
}
