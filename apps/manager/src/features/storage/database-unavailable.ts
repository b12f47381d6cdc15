const CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  // Prisma: unreachable, timed out, closed, pool timeout, transaction could not start or was lost.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
]);

/** SQLSTATE classes 08 (connection) and 57P (shutting down, starting up), too many connections, cancelled statement. */
const SQL_STATE = /^(08...|57P..|57014|53300)$/;

const KINDS: ReadonlySet<string> = new Set([
  'DatabaseNotReachable',
  'SocketTimeout',
  'ConnectionClosed',
  'TooManyConnections',
]);

/** `pg` raises these without a code. */
const MESSAGE =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|not queryable|server closed the connection/i;

const DEPTH_MAX = 8;

/** True when the failure says that the server is away, not that the statement was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < DEPTH_MAX && isRecord(current); depth += 1) {
    if (saysUnavailable(current)) return true;
    if (current.errors instanceof Array && current.errors.some(isDatabaseUnavailable)) return true;
    const meta = current.meta;
    current = current.cause ?? (isRecord(meta) ? meta.driverAdapterError : undefined);
  }
  return false;
}

function saysUnavailable(error: Record<string, unknown>): boolean {
  const codes = [error.code, error.originalCode].filter((code) => typeof code === 'string');
  if (codes.some((code) => CODES.has(code) || SQL_STATE.test(code))) return true;
  if (typeof error.kind === 'string' && KINDS.has(error.kind)) return true;
  const texts = [error.message, error.originalMessage].filter((text) => typeof text === 'string');
  return texts.some((text) => MESSAGE.test(text));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
