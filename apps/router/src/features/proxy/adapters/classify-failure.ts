import type { AttemptFailure } from '@penstock/routing';
import { errors } from 'undici';
import { systemErrorCode } from '../../../system-error.js';
import { ForbiddenAddressError } from './replica-networks.js';

/** Raised before any byte of the request could leave. */
const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EMFILE',
  'ENFILE',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const MALFORMED_CODES = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** Translates what undici and the system report into the words the retry rule knows. */
export function classifyFailure(error: Error): AttemptFailure {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof ForbiddenAddressError) return 'forbidden_address';
  if (error instanceof AggregateError) return 'connect';
  if (syscall === 'connect' || (code !== undefined && CONNECT_CODES.has(code))) return 'connect';
  if (isParserComplaint(error) || (code !== undefined && MALFORMED_CODES.has(code))) return 'malformed';
  return 'reset';
}

/** The parser also complains when a connection ends too early; then there is nothing wrong with what came. */
function isParserComplaint(error: Error): boolean {
  return error instanceof errors.HTTPParserError && systemErrorCode(error) !== 'HPE_INVALID_EOF_STATE';
}
