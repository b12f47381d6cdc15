import { AppError } from '@penstock/protocol';
import type { EndpointTarget } from '../../snapshot/index.js';
import type { TokenCheck } from '../token-verifier.js';

/** Who wants to reach a circuit, and with what. */
export interface AccessAttempt {
  readonly peer: string;
  readonly method: string;
  readonly authorization: string | undefined;
  readonly check: (token: string) => TokenCheck;
}

/** Words of a scheme that an error may repeat; anything else might be a credential sent without one. */
const SHOWABLE_SCHEME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

const REASONS = {
  malformed: 'Malformed token',
  algorithm: 'The specified alg value is not allowed',
  signature: 'Signature verification failed',
  expired: 'Signature has expired',
  'not-yet-valid': 'The token is not yet valid',
} as const;

/**
 * Lets a caller reach a circuit or says why not, in the order peers check: address, whether a token is needed at all,
 * header, scheme, token, circuit. A browser asks by `OPTIONS` what it may send, so that carries no token.
 * @throws AppError `E20011`, `E20006`, `E20007`, `E20008`, `E20009`
 */
export function authoriseCircuit(circuit: EndpointTarget, attempt: AccessAttempt): void {
  checkAddress(circuit, attempt.peer);
  if (!circuit.requiresToken || attempt.method === 'OPTIONS') return;
  const token = readBearer(attempt.authorization);
  if (circuitOfToken(token, attempt.check) !== circuit.circuitId) throw mismatch();
}

/** @throws AppError `E20011` */
export function checkAddress(circuit: EndpointTarget, peer: string): void {
  if (circuit.allowsClient?.(peer) === false) throw new AppError('E20011', 'Client address not allowed');
}

/**
 * The token of an `Authorization` header. Its scheme is compared with its case, as peers do.
 * @throws AppError `E20006`, `E20007`
 */
export function readBearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new AppError('E20006', 'Authorization header not provided');
  }
  const space = authorization.indexOf(' ');
  const scheme = space === -1 ? '' : authorization.slice(0, space);
  if (scheme === 'Bearer' || scheme === 'BackendAI') return authorization.slice(space + 1).trim();
  const shown = SHOWABLE_SCHEME.test(scheme) ? ` ${scheme}` : '';
  throw new AppError('E20007', `Unsupported authorization method${shown}`);
}

/**
 * The circuit a token is for.
 * @throws AppError `E20008`
 */
export function circuitOfToken(token: string, check: AccessAttempt['check']): string {
  const checked = check(token);
  if (checked.ok) return checked.circuitId;
  throw new AppError('E20008', `Invalid authorization token (${REASONS[checked.reason]})`);
}

export function mismatch(): AppError {
  return new AppError('E20009', 'Authorization token mismatch');
}
