import { createHash } from 'node:crypto';

/**
 * SHA-256 of a plaintext key, lower-case hex. Unsalted on purpose: keys carry at least 128 bits of entropy, are
 * looked up by hash, and a leaked hash is not a credential.
 */
export function hashKey(plaintext: string): string {
  return createHash('sha256').update(plaintext, 'utf8').digest('hex');
}

/** What may be shown of a key after it was issued: `sk-…` and its last four characters. */
export function displayHint(plaintext: string): string {
  return `sk-…${plaintext.slice(-4)}`;
}
