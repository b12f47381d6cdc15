import { type PutKeyBody, toWireTimestamp } from '@penstock/protocol';

export interface KeyState {
  readonly token_hash: string;
  readonly display_hint: string;
  readonly allowed_models: readonly string[];
  readonly allowed_client_ips: readonly string[] | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly expires_at: Date | null;
  readonly rate_limit: number | null;
  readonly project_id: string;
  readonly domain: string;
  readonly session_owner: string;
}

/** The full state of a key, the hash included: it goes over authenticated REST and nowhere else. */
export function toPutKeyBody(key: KeyState): PutKeyBody {
  return {
    token_hash: key.token_hash,
    display_hint: key.display_hint,
    allowed_models: [...key.allowed_models],
    expires_at: key.expires_at === null ? null : toWireTimestamp(key.expires_at),
    rate_limit: key.rate_limit,
    allowed_client_ips: key.allowed_client_ips === null ? null : [...key.allowed_client_ips],
    project_id: key.project_id,
    domain: key.domain,
    owner: key.session_owner,
    ...(key.attributes !== null && { attributes: key.attributes }),
  };
}
