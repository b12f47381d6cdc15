import type { ModelApiKey } from '../../generated/prisma/client.js';

/** A key as it is shown: everything but the hash. */
export function keyView(row: ModelApiKey) {
  const { token_hash: _hash, session_owner, ...view } = row;
  return { ...view, owner_id: session_owner };
}
export type KeyView = ReturnType<typeof keyView>;
