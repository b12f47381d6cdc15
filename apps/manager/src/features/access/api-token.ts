import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A token as it leaves once, and what may be kept of it. */
export interface NewToken {
  readonly plaintext: string;
  readonly hash: string;
  readonly hint: string;
}

/** Makes an API token of 256 random bits. The prefix lets secret scanners find a leaked one. */
export function newApiToken(): NewToken {
  return describeApiToken(`pst_${randomBytes(TOKEN_BYTES).toString('base64url')}`);
}

export function describeApiToken(plaintext: string): NewToken {
  return { plaintext, hash: hashApiToken(plaintext), hint: `…${plaintext.slice(-4)}` };
}

/** Tokens are looked up by hash: they carry enough entropy that a leaked hash is not a credential. */
export function hashApiToken(plaintext: string): string {
  return createHash('sha256').update(plaintext, 'utf8').digest('hex');
}
