import { parseIpList, type ModelApiKey } from '@penstock/protocol';
import type { KeyEntry } from './snapshot.js';

/** What the operator decided about keys. */
export interface KeyRules {
  /** An empty grant list then means every model; otherwise it grants none. */
  readonly allowUnrestrictedKeys: boolean;
  /** Processes of this instance: each gets its share of a key's rate. */
  readonly processes: number;
}

/** @param reasons - receives one sentence per key that cannot be used; never its hash */
export function buildKeys(
  keys: Iterable<ModelApiKey>,
  rules: KeyRules,
  reasons: string[],
): ReadonlyMap<string, KeyEntry> {
  const byHash = new Map<string, KeyEntry>();
  for (const key of keys) {
    const twin = byHash.get(key.token_hash);
    if (twin) reasons.push(`keys "${twin.keyId}" and "${key.key_id}" have the same token_hash`);
    byHash.set(key.token_hash, toEntry(key, rules, reasons));
  }
  return byHash;
}

function toEntry(key: ModelApiKey, rules: KeyRules, reasons: string[]): KeyEntry {
  return Object.freeze({
    keyId: key.key_id,
    allowedModels: new Set(key.allowed_models),
    unrestricted: key.allowed_models.length === 0 && rules.allowUnrestrictedKeys,
    expiresAtMs: expiry(key, reasons),
    rateLimitPerMinute: key.rate_limit == null ? null : key.rate_limit / rules.processes,
    allowsClient: clientRule(key),
    projectId: key.project_id ?? null,
    domain: key.domain ?? null,
    owner: key.owner ?? null,
    attributes: Object.freeze({ ...key.attributes }),
  });
}

function expiry(key: ModelApiKey, reasons: string[]): number | null {
  if (key.expires_at == null) return null;
  const atMs = Date.parse(key.expires_at);
  if (Number.isNaN(atMs)) reasons.push(`key "${key.key_id}" has an expires_at that is no timestamp`);
  return atMs;
}

/** An empty list is no list; one without a readable entry admits nobody, as the parser decides for keys. */
function clientRule(key: ModelApiKey): KeyEntry['allowsClient'] {
  const clients = parseIpList(key.allowed_client_ips);
  return clients.restricted ? (peer) => clients.allows(peer) : null;
}
