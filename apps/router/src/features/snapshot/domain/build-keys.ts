import { parseIpList, type ModelApiKey } from '@penstock/protocol';
import { ShardedMap } from '../../../sharded-map.js';
import type { KeyEntry } from './snapshot.js';

/** What the operator decided about keys. */
export interface KeyRules {
  /** An empty grant list then means every model; otherwise it grants none. */
  readonly allowUnrestrictedKeys: boolean;
  /** Processes of this instance: each gets its share of a key's rate. */
  readonly processes: number;
}

/** Keys as requests find them, with what they were built from. */
export interface KeyIndex {
  readonly source: ShardedMap<ModelApiKey>;
  readonly rules: KeyRules;
  readonly byHash: ShardedMap<KeyEntry>;
}

const NO_ATTRIBUTES = Object.freeze({});

/**
 * @param base - an index without problems; keys it shares with `keys` keep their entries, so only the others cost
 * @param reasons - receives one sentence per key that cannot be used; never its hash
 */
export function buildKeys(
  keys: ShardedMap<ModelApiKey>,
  rules: KeyRules,
  base: KeyIndex | null,
  reasons: string[],
): KeyIndex {
  const from = base !== null && isSame(base.rules, rules) ? base : emptyIndex(rules);
  const { removed, added } = keys.changesSince(from.source);
  const byHash = from.byHash.edit();
  // Everything that is gone goes first: two keys may have exchanged their hashes.
  for (const key of removed) byHash.delete(key.token_hash);
  for (const key of added) {
    const twin = byHash.get(key.token_hash);
    if (twin) reasons.push(sameHash(twin.keyId, key.key_id));
    byHash.set(key.token_hash, toEntry(key, rules, reasons));
  }
  return { source: keys, rules, byHash: byHash.done() };
}

function isSame(left: KeyRules, right: KeyRules): boolean {
  return left.allowUnrestrictedKeys === right.allowUnrestrictedKeys && left.processes === right.processes;
}

function emptyIndex(rules: KeyRules): KeyIndex {
  return { source: new ShardedMap(), rules, byHash: new ShardedMap() };
}

function sameHash(...keyIds: string[]): string {
  const [first, second] = keyIds.toSorted();
  return `keys "${first}" and "${second}" have the same token_hash`;
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
    attributes: key.attributes == null ? NO_ATTRIBUTES : Object.freeze({ ...key.attributes }),
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
  if (key.allowed_client_ips == null) return null;
  const clients = parseIpList(key.allowed_client_ips);
  return clients.restricted ? (peer) => clients.allows(peer) : null;
}
