import { randomBytes } from 'node:crypto';

import { displayHint, hashKey } from '@penstock/protocol';

const KEY_BYTES = 32;

/** A key as it leaves once, and what is kept of it. */
export interface NewModelKey {
  readonly plaintext: string;
  readonly token_hash: string;
  readonly display_hint: string;
}

/** `sk-` and 256 random bits. */
export function newModelKey(): NewModelKey {
  const plaintext = `sk-${randomBytes(KEY_BYTES).toString('base64url')}`;
  return { plaintext, token_hash: hashKey(plaintext), display_hint: displayHint(plaintext) };
}
