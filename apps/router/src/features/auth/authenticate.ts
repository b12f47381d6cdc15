import { hash } from 'node:crypto';
import { AppError, HEADERS } from '@penstock/protocol';
import type { KeyEntry, Snapshot } from '../snapshot/index.js';

/** Keys are some fifty characters; a longer credential is not hashed, only refused. */
const KEY_CHARACTERS_MAX = 512;

/** Reads one header of a request by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * The key a request carries, by its hash: one digest and one map lookup, no comparison of secrets. The plaintext is
 * not kept.
 * @throws AppError `missing_api_key`, `invalid_api_key`, `expired_api_key`
 */
export function authenticate(snapshot: Snapshot, header: ReadHeader, nowMs: number): KeyEntry {
  const credential = readCredential(header);
  if (credential === null) throw new AppError('missing_api_key', MISSING);
  if (credential === '' || credential.length > KEY_CHARACTERS_MAX) throw invalid();
  const key = snapshot.keysByHash.get(hash('sha256', credential, 'hex'));
  if (key === undefined) throw invalid();
  if (key.expiresAtMs !== null && nowMs >= key.expiresAtMs) {
    throw new AppError('expired_api_key', 'This API key has expired.');
  }
  return key;
}

const MISSING =
  'No API key was sent. Send `Authorization: Bearer <key>` or `x-api-key: <key>`. Keys start with `sk-`.';

/** `Authorization: Bearer` wins; another scheme is no key of ours and leaves `x-api-key` to be looked at. */
function readCredential(header: ReadHeader): string | null {
  const authorization = header(HEADERS.authorization);
  if (authorization !== undefined && /^bearer(?: |$)/i.test(authorization)) {
    const credential = authorization.slice(7).trim();
    if (credential !== '') return credential;
  }
  const apiKey = header(HEADERS.apiKey)?.trim();
  return apiKey === undefined || apiKey === '' ? null : apiKey;
}

function invalid(): AppError {
  return new AppError('invalid_api_key', 'This API key is not known here. It may have been revoked.');
}
