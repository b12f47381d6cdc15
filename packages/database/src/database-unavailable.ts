import { type ErrorFacts, errorCauses } from './error-causes.js';

/**
 * Prisma: refused, not reachable, no such database, timed out, closed, no connection from the pool, no transaction in
 * time, too many connections.
 */
const PRISMA_CODES: ReadonlySet<string> = new Set(
  'P1000 P1001 P1002 P1003 P1008 P1017 P2024 P2028 P2037'.split(' '),
);

const ADAPTER_KINDS: ReadonlySet<string> = new Set([
  'DatabaseNotReachable',
  'DatabaseDoesNotExist',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
]);

/** SQLSTATE classes: connection exception, insufficient resources, operator intervention (stop, start, cancel). */
const SQL_STATES = /^(08|53|57)[0-9A-Z]{3}$/;

const SOCKET_CODES = /^(E(CONN|HOST|NET|AI_AGAIN|PIPE|TIMEDOUT)|ENOTFOUND$)/;

/** The driver has no code for these. */
const DRIVER_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|timeout expired|query read timeout|not queryable|server closed the connection|has encountered a connection error|not currently accepting connections|cannot use a pool after/i;

/**
 * True when the database cannot be reached, is stopping or starting, or does not answer in time: the request may be
 * sent again later and a 503 is the honest answer.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return errorCauses(error).some(saysUnavailable);
}

function saysUnavailable({ code, originalCode, kind, messages }: ErrorFacts): boolean {
  if (kind !== undefined && ADAPTER_KINDS.has(kind)) return true;
  if (messages.some((message) => DRIVER_MESSAGES.test(message))) return true;
  return [code, originalCode].some(
    (value) =>
      value !== undefined && (PRISMA_CODES.has(value) || SQL_STATES.test(value) || SOCKET_CODES.test(value)),
  );
}
