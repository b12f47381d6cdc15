/** Prisma's codes for a server that cannot be reached, does not answer, or hands out no connection in time. */
const PRISMA_CODES: ReadonlySet<string> = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
]);
const ADAPTER_KINDS: ReadonlySet<string> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
  'DatabaseDoesNotExist',
]);
const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
/** SQLSTATE classes: connection exception, insufficient resources, operator intervention (shutdown, restart, cancel). */
const SQL_STATE = /^(08|53|57)[0-9A-Z]{3}$/;
const WORDS =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|query read timeout|server closed the connection|cannot use a pool after|not queryable/i;
const DEPTH_MAX = 8;

/** True when the error says the database is away or overloaded, rather than that a statement is wrong. */
export function isDatabaseOutage(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < DEPTH_MAX && isRecord(current); depth += 1) {
    if (saysOutage(current)) return true;
    const meta: unknown = current.meta;
    current = current.cause ?? (isRecord(meta) ? meta.driverAdapterError : undefined);
  }
  return false;
}

function saysOutage(error: Record<string, unknown>): boolean {
  const codes = [error.code, error.originalCode].filter((code) => typeof code === 'string');
  return (
    codes.some((code) => PRISMA_CODES.has(code) || SOCKET_CODES.has(code) || SQL_STATE.test(code)) ||
    (typeof error.kind === 'string' && ADAPTER_KINDS.has(error.kind)) ||
    (typeof error.message === 'string' && WORDS.test(error.message))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
