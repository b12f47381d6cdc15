import type { PutKeyBody } from '@penstock/protocol';

import { sameJson } from '../../../json/same-json.js';

/** Whether a full-state upsert would change anything. Grants and networks are sets; times are instants. */
export function sameKey(left: PutKeyBody, right: PutKeyBody): boolean {
  return sameJson(unordered(left), unordered(right));
}

function unordered(key: PutKeyBody): unknown {
  return {
    token_hash: key.token_hash,
    display_hint: key.display_hint,
    allowed_models: [...new Set(key.allowed_models)].sort(),
    expires_at: key.expires_at === null ? null : new Date(key.expires_at).getTime(),
    rate_limit: key.rate_limit,
    allowed_client_ips: key.allowed_client_ips === null ? null : [...new Set(key.allowed_client_ips)].sort(),
    project_id: key.project_id ?? null,
    domain: key.domain ?? null,
    owner: key.owner ?? null,
    attributes: key.attributes ?? null,
  };
}
