import {
  EVENT_NAMES,
  type DeleteResponse,
  type ListedKey,
  type ListKeysResponse,
  type PutKeyBody,
  type PutKeyResponse,
} from '@penstock/protocol';

import { announcedChange, unchangedPropagation, type AnnounceChangeService } from '../propagation/index.js';
import type { ApiKeyStore, StoredKey } from './adapters/api-key.store.js';

interface RemovalOptions {
  /** Collect an ack of every live node and say who confirmed. */
  readonly strict: boolean;
  readonly traceparent?: string | undefined;
}

/** Issue, change and revoke keys. Events carry the id only; hashes travel over authenticated REST. */
export class ChangeApiKeyService {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly announcer: AnnounceChangeService,
  ) {}

  async list(name: string): Promise<ListKeysResponse> {
    const { authority, keys } = await this.store.list(name);
    return { authority: authority.authority, revision: authority.revision, api_keys: keys.map(toListedKey) };
  }

  async put(name: string, keyId: string, body: PutKeyBody, traceparent?: string): Promise<PutKeyResponse> {
    const { authority, changed } = await this.store.put(name, keyId, body);
    if (!changed) return { key_id: keyId, propagation: unchangedPropagation(authority.revision) };
    const { revision } = authority;
    const { propagation } = await this.announcer.announce({
      ...announcedChange(authority, { entity: 'key', action: 'updated', id: keyId }),
      event: { name: EVENT_NAMES.routerKeyUpdated, authority: name, key_id: keyId, revision },
      changed: true,
      strict: false,
      traceparent,
    });
    return { key_id: keyId, propagation };
  }

  /**
   * Idempotent. A strict repeat broadcasts the removal again although nothing changed, so that a confirmation missing
   * the first time can be had later.
   */
  async remove(
    name: string,
    keyId: string,
    { strict, traceparent }: RemovalOptions,
  ): Promise<DeleteResponse> {
    const { authority, changed } = await this.store.remove(name, keyId);
    const { revision } = authority;
    if (!changed && !strict) return { success: true, propagation: unchangedPropagation(revision) };
    const result = await this.announcer.announce({
      ...announcedChange(authority, { entity: 'key', action: 'removed', id: keyId }),
      event: { name: EVENT_NAMES.routerKeyRemoved, authority: name, key_id: keyId, revision },
      changed,
      strict,
      traceparent,
    });
    return { success: true, ...result };
  }
}

/** Masked: the hash stays here. */
function toListedKey({ keyId, content }: StoredKey): ListedKey {
  const { project_id, domain, owner, attributes } = content;
  return {
    key_id: keyId,
    display_hint: content.display_hint,
    allowed_models: content.allowed_models,
    expires_at: content.expires_at,
    rate_limit: content.rate_limit,
    allowed_client_ips: content.allowed_client_ips,
    ...(project_id != null && { project_id }),
    ...(domain != null && { domain }),
    ...(owner != null && { owner }),
    ...(attributes != null && { attributes }),
  };
}
